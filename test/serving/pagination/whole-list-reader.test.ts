/** Lists as a whole, short ones and long ones. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  NotAShortList,
  type WholeListBounds,
  WholeListReader,
} from '../../../src/serving/pagination/whole-list-reader.ts';
import type { QueryRunner } from '../../../src/store/read/query.ts';

const bounds = { shortLimit: 3, longLimit: null, lengthOf: (rows: readonly number[]) => rows.length };

/** The queries say how they are run. */
const store = { query: () => 'short', queryLong: () => 'long' } as unknown as QueryRunner;
const howRunBy = ({ query }: QueryRunner) => query({} as never);

/** Lists whose rows are numbers; `reads` says how each was read, and for how many rows. */
function listsOf(length: { now: number }) {
  const reads: string[] = [];
  const query = async (runner: QueryRunner, { limit }: { readonly limit: number | null }) => {
    reads.push(`${howRunBy(runner)} ${limit}`);
    return Array.from({ length: Math.min(limit ?? 1e9, length.now) }, (_, i) => i);
  };
  const lists = new WholeListReader();
  const read = async () => (await lists.read(store, 'a list', bounds, query, {})).length;
  return { reads, read };
}

it('an unpaged list is read as a short one while it is one', async () => {
  const { reads, read } = listsOf({ now: 3 });
  assert.deepEqual([await read(), await read()], [3, 3]);
  assert.deepEqual(reads, ['short 4', 'short 4']);
});

it('an unpaged list is read as a long one after more than the first entries have been seen', async () => {
  const { reads, read } = listsOf({ now: 50 });
  assert.equal(await read(), 50);
  assert.deepEqual(reads, ['short 4', 'long null']);
});

it('an unpaged list that is too long is noticed once for each tip', async () => {
  const limits: (number | null)[] = [];
  const query = async (_: QueryRunner, { limit }: { readonly limit: number }) => {
    limits.push(limit);
    return Array.from({ length: limit }, (_, i) => i);
  };
  const lists = new WholeListReader();
  const tooLong: WholeListBounds<readonly number[], number> = {
    ...bounds,
    longLimit: 11,
    tooLong: 'Too long: ask for pages',
  };
  const read = () => lists.read(store, 'endless', tooLong, query, {});
  for (let i = 0; i < 100; i++)
    await assert.rejects(read(), { name: 'ApiError', status: 400, message: /ask for pages/ });
  assert.deepEqual(limits, [4, 11]);
  lists.clear();
  await assert.rejects(read(), { status: 400 });
  assert.deepEqual(limits, [4, 11, 4, 11]);
});

it('an unpaged list that is long is the error of a store that reads short lists only', async () => {
  const lists = new WholeListReader();
  const query = async (runner: QueryRunner, { limit }: { readonly limit: number | null }) => {
    await howRunBy(runner);
    return Array.from({ length: limit! }, (_, i) => i);
  };
  const queryLong = () => Promise.reject(new NotAShortList('a list'));
  await assert.rejects(lists.read({ ...store, queryLong }, 'a list', bounds, query, {}), NotAShortList);
});
