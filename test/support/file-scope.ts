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
 * Shares resources that several test files of a process only read: built before the tests of the first file, ended
 * after those of the last. The returned function is to be called at the top of a test file; `take` receives the
 * resource.
 */
export function sharedByFiles<T>(build: (scope: Scope) => Promise<T>): (take: (built: T) => void) => void {
  let files = 0;
  let shared: { readonly built: Promise<T>; readonly end: () => Promise<void> } | undefined;
  return (take) => {
    files++;
    before(async () => {
      if (shared === undefined) {
        const { scope, end } = newScope();
        shared = { built: build(scope), end };
      }
      take(await shared.built);
    });
    after(async () => {
      files--;
      if (files > 0) return;
      await shared?.end();
      shared = undefined;
    });
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
