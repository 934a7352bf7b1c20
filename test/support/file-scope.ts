/** Resources that live as long as the tests of a file: made in a `before`, ended after the last test. */
import { after, before } from 'node:test';

export interface Scope {
  after(end: () => unknown): void;
}

/** To be called at the top of a test file. */
export function fileScope(): Scope {
  const { scope, end } = newScope();
  after(end);
  return scope;
}

/**
 * To be called at the top of a test file: the returned function gives what `build` makes before the tests. It ends after
 * the last one.
 */
export function builtBefore<T>(build: (scope: Scope) => Promise<T>): () => T {
  return sharedByFiles(build)();
}

/**
 * Shares resources that several test files of a process only read: built before the tests of the first file, ended
 * after those of the last. The returned function is to be called at the top of a test file; `take` receives the
 * resource before the tests, and the result gives it.
 */
export function sharedByFiles<T>(build: (scope: Scope) => Promise<T>): (take?: (built: T) => void) => () => T {
  let files = 0;
  let shared: { readonly built: Promise<T>; readonly end: () => Promise<void> } | undefined;
  return (take) => {
    let taken: T;
    files++;
    before(async () => {
      if (shared === undefined) {
        const { scope, end } = newScope();
        shared = { built: build(scope), end };
      }
      taken = await shared.built;
      take?.(taken);
    });
    after(async () => {
      files--;
      if (files > 0) return;
      await shared?.end();
      shared = undefined;
    });
    return () => taken;
  };
}

function newScope(): { readonly scope: Scope; readonly end: () => Promise<void> } {
  const ends: (() => unknown)[] = [];
  return {
    scope: { after: (end) => ends.push(end) },
    end: async () => {
      for (const end of ends.reverse()) await end();
    },
  };
}
