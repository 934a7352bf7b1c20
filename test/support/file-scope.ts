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

/** What the tests of a file have open, in the order in which it was built. */
const open: (() => Promise<void>)[] = [];
/** Node does not wait for one hook before it calls the next. */
let building: Promise<unknown> = Promise.resolve();

/**
 * To be called at the top of a test file: the returned function gives what `build` makes before the tests. It ends after
 * the last one, and after what was built later.
 */
export function builtBefore<T>(build: (scope: Scope) => Promise<T>): () => T {
  const { scope, end } = newScope();
  let built: T;
  before(async () => {
    open.push(end);
    const next = building.then(() => build(scope));
    building = next.catch(() => {});
    built = await next;
  });
  after(async () => {
    while (open.includes(end)) await open.pop()!();
  });
  return () => built;
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

/** A scope, and what ends all of it: the last opened first, connections before their database. */
export function newScope(): { readonly scope: Scope; readonly end: () => Promise<void> } {
  const ends: (() => unknown)[] = [];
  return {
    scope: { after: (end) => ends.push(end) },
    end: async () => {
      for (const end of ends.reverse()) await end();
    },
  };
}
