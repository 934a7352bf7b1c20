/** What lives as long as the tests of a file: made in a `before`, ended after the last test. */
import { after } from 'node:test';

export interface Scope {
  after(end: () => unknown): void;
}

/** To be called at the top of a test file. */
export function fileScope(): Scope {
  const ends: (() => unknown)[] = [];
  after(async () => {
    for (const end of ends.reverse()) await end();
  });
  return { after: (end) => ends.push(end) };
}
