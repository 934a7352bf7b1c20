/** Distributing the rows of one statement to its waiters. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { TipColumns } from '../../../src/store/read/batched-query.ts';
import { RowDistributor, type RowWaiter } from '../../../src/store/read/shared-statement-runner.ts';
import { collectAll } from '../../support/garbage-collection.ts';

interface WordRow extends TipColumns {
  readonly word: string | null;
}

const TIP = { revision: 7, height: 3, id: 'ab'.repeat(32) };

/** A row as PostgreSQL gives it: the first waiter's rows carry the tip. */
function row(n: number, word: string | null): WordRow {
  const isFirst = n === 0;
  return {
    n,
    word,
    revision: isFirst ? TIP.revision : null,
    tip_height: isFirst ? TIP.height : null,
    tip_id: isFirst ? TIP.id : null,
  };
}

/** What each of so many waiters has got so far: words, an error's message, or nothing yet. */
function shareAmong(waiters: number, now: () => number = () => 0) {
  const got: (readonly (string | null)[] | string | undefined)[] = Array.from({ length: waiters });
  const sharing = new RowDistributor<WordRow, RowWaiter<WordRow>>(
    'word',
    got.map((_, n) => ({
      resolve({ tip, rows }) {
        assert.deepEqual(tip, TIP);
        assert.equal(got[n], undefined, `waiter ${n} is answered once`);
        got[n] = rows.map(({ word }) => word);
      },
      reject(error) {
        got[n] = error.message;
      },
    })),
    now,
  );
  return { sharing, got };
}

it('the row distributor answers everybody at the end when that comes soon', () => {
  const { sharing, got } = shareAmong(3);
  for (const [n, word] of ['a', 'b', 'c'].entries()) sharing.add(row(n, word));
  assert.deepEqual(got, [undefined, undefined, undefined]);
  sharing.end();
  assert.deepEqual(got, [['a'], ['b'], ['c']]);
});

it('the row distributor answers those whose rows are there when the others take longer', () => {
  let now = 0;
  const { sharing, got } = shareAmong(4, () => now);
  sharing.add(row(0, 'a'));
  sharing.add(row(0, 'b'));
  sharing.add(row(1, 'c'));
  assert.deepEqual(got, [undefined, undefined, undefined, undefined]);
  now = 10;
  sharing.add(row(2, 'd'));
  assert.deepEqual(got, [['a', 'b'], ['c'], undefined, undefined]);
  now = 19;
  sharing.add(row(3, 'e'));
  assert.deepEqual(got, [['a', 'b'], ['c'], undefined, undefined]);
  sharing.end();
  assert.deepEqual(got, [['a', 'b'], ['c'], ['d'], ['e']]);
});

it('the row distributor gives no rows to those for whom nothing was found', () => {
  const { sharing, got } = shareAmong(3);
  sharing.add(row(0, null));
  sharing.add(row(1, 'b'));
  sharing.add(row(2, null));
  sharing.end();
  assert.deepEqual(got, [[], ['b'], []]);
});

it('the row distributor answers those whose rows are whole when the statement fails halfway, and says who has none', () => {
  const { sharing, got } = shareAmong(4);
  sharing.add(row(0, 'a'));
  sharing.add(row(1, 'b'));
  const others = sharing.fail();
  assert.deepEqual(got, [['a'], undefined, undefined, undefined]);
  assert.equal(others.length, 3);
});

it('the row distributor refuses rows that are not in the order of the waiters, rather than give them to another', () => {
  const { sharing } = shareAmong(2);
  sharing.add(row(0, 'a'));
  sharing.add(row(1, 'b'));
  assert.throws(() => sharing.add(row(0, 'c')), /a row of waiter 0 after those of waiter 1/);
});

it('the row distributor tells everybody when there is no chain: no row at all', () => {
  const { sharing, got } = shareAmong(2);
  sharing.end();
  for (const message of got) assert.match(String(message), /: not ready$/);
});

it('the row distributor holds none of its waiters when it has answered them', async () => {
  const answered = Array.from({ length: 100 }, () => {
    const waiter = { resolve: () => {}, reject: () => {} };
    const sharing = new RowDistributor<WordRow, RowWaiter<WordRow>>('word', [waiter]);
    sharing.add(row(0, 'a'));
    sharing.end();
    return { sharing, waiter: new WeakRef(waiter) };
  });
  await setImmediate();
  collectAll();
  assert.ok(answered.every(({ sharing, waiter }) => sharing && waiter.deref() === undefined));
});
