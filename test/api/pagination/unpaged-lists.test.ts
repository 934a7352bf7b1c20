/** Lists as a whole: short ones together with those of others, long ones alone. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UnpagedLists } from '../../../src/api/pagination/unpaged-lists.ts';
import type { QueryBatcher } from '../../../src/store/read/query-batcher.ts';

const most = { short: 3, whole: null };

/** Lists whose rows are numbers; `asked` says how each was asked for, and for how many rows. */
function listsOf(length: { now: number }) {
  const asked: string[] = [];
  const answer = (way: string) => async (_: unknown, items: number | null) => {
    asked.push(`${way} ${items}`);
    return { tip: {}, rows: Array.from({ length: Math.min(items ?? 1e9, length.now) }, (_, i) => i) };
  };
  const lists = new UnpagedLists({
    query: answer('together'),
    queryUnbatched: answer('alone'),
  } as unknown as QueryBatcher);
  const read = async () => {
    const { rows } = await lists.readWhole<number, null>(
      { name: 'a list', most, lengthOf: (all) => all.length },
      (ask, items) => ask({} as never, ...([items] as never)) as never,
    );
    return rows.length;
  };
  return { asked, read };
}

describe('a list that is given as a whole', () => {
  it('is read together with those of others while it is short', async () => {
    const { asked, read } = listsOf({ now: 3 });
    assert.deepEqual([await read(), await read()], [3, 3]);
    assert.deepEqual(asked, ['together 4', 'together 4']);
  });

  it('is read alone when it is long, the next time at once', async () => {
    const { asked, read } = listsOf({ now: 50 });
    assert.deepEqual([await read(), await read()], [50, 50]);
    assert.deepEqual(asked, ['together 4', 'alone null', 'alone null']);
  });

  it('is read together again when it has become short', async () => {
    const length = { now: 50 };
    const { asked, read } = listsOf(length);
    await read();
    length.now = 2;
    assert.deepEqual([await read(), await read()], [2, 2]);
    assert.deepEqual(asked.slice(2), ['alone null', 'together 4']);
  });

  it('that is too long is found to be so once for each tip', async () => {
    const asked: (number | null)[] = [];
    const answer = async (_: unknown, items: number | null) => {
      asked.push(items);
      return { tip: {}, rows: Array.from({ length: items! }, (_, i) => i) };
    };
    const lists = new UnpagedLists({ query: answer, queryUnbatched: answer } as unknown as QueryBatcher);
    const read = () =>
      lists.readWhole<number, number>(
        {
          name: 'endless',
          most: { short: 3, whole: 11 },
          lengthOf: (all) => all.length,
          tooLong: 'Too long: ask for pages',
        },
        (ask, items) => ask({} as never, ...([items] as never)) as never,
      );
    for (let i = 0; i < 100; i++)
      await assert.rejects(read(), { name: 'ApiError', status: 400, message: /ask for pages/ });
    assert.deepEqual(asked, [4, 11]);
    lists.clear();
    await assert.rejects(read(), { status: 400 });
    assert.deepEqual(asked, [4, 11, 11]);
  });
});
