/** One line for each row of docs/api.md#where-the-profiles-differ, on a recorded chain of every kind. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type GoldenServers, goldenServers } from '../../support/golden-servers.ts';
import type { TestServer } from '../../support/web-server.ts';

/** An id of nothing. */
export const UNKNOWN = 'ee'.repeat(32);

type Path = () => Promise<string> | string;
/** Status and body. */
type Expected = readonly [number, unknown];

/** A test for each contract. */
function each(item: string, check: { readonly described: () => Promise<void>; readonly core: () => Promise<void> }) {
  it(`described: ${item}`, check.described);
  it(`mintlayer-core: ${item}`, check.core);
}

/** To be called at the top of a test file. */
export function bothContracts() {
  const golden: GoldenServers = goldenServers();
  return {
    golden,
    each,

    /** The same path in both contracts, by status and body. */
    answers(item: string, path: Path, expected: { readonly described: Expected; readonly core: Expected }): void {
      const judge = async (server: TestServer, [status, body]: Expected) => {
        const answer = await server.get(await path());
        assert.deepEqual([answer.status, answer.body], [status, body]);
      };
      each(item, {
        described: () => judge(golden.described, expected.described),
        core: () => judge(golden.core, expected.core),
      });
    },

    /** What both do right where mintlayer-core is wrong. */
    alike(item: string, check: (server: TestServer) => Promise<void>): void {
      each(item, { described: () => check(golden.described), core: () => check(golden.core) });
    },
  };
}
