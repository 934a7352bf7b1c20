/** Sharing the rows of one statement out among its askers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TipColumns } from '../../../src/store/read/question.ts';
import { type Sharer, Sharing } from '../../../src/store/read/sharing.ts';

interface WordRow extends TipColumns {
  readonly word: string | null;
}

const TIP = { revision: 7, height: 3, id: 'ab'.repeat(32) };

/** A row as PostgreSQL gives it: the first asker's rows carry the tip. */
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

/** What each of so many askers has got so far: words, an error's message, or nothing yet. */
function shareAmong(askers: number) {
  const got: (readonly (string | null)[] | string | undefined)[] = Array.from({ length: askers });
  const sharing = new Sharing<WordRow, Sharer<WordRow>>(
    'word',
    got.map((_, n) => ({
      resolve({ tip, rows }) {
        assert.deepEqual(tip, TIP);
        assert.equal(got[n], undefined, `asker ${n} is answered once`);
        got[n] = rows.map(({ word }) => word);
      },
      reject(error) {
        got[n] = error.message;
      },
    })),
  );
  return { sharing, got };
}

describe('sharing', () => {
  it('answers each asker as soon as the rows of the next one begin, the last at the end', () => {
    const { sharing, got } = shareAmong(3);
    sharing.add(row(0, 'a'));
    sharing.add(row(0, 'b'));
    assert.deepEqual(got, [undefined, undefined, undefined]);
    sharing.add(row(1, 'c'));
    assert.deepEqual(got, [['a', 'b'], undefined, undefined]);
    sharing.add(row(2, 'd'));
    sharing.end();
    assert.deepEqual(got, [['a', 'b'], ['c'], ['d']]);
  });

  it('gives no rows to those for whom nothing was found', () => {
    const { sharing, got } = shareAmong(3);
    sharing.add(row(0, null));
    sharing.add(row(1, 'b'));
    sharing.add(row(2, null));
    sharing.end();
    assert.deepEqual(got, [[], ['b'], []]);
  });

  it('says who is still waiting when the statement fails halfway', () => {
    const { sharing, got } = shareAmong(4);
    assert.equal(sharing.waiting.length, 4);
    sharing.add(row(0, 'a'));
    sharing.add(row(1, 'b'));
    assert.deepEqual(got, [['a'], undefined, undefined, undefined]);
    assert.equal(sharing.waiting.length, 3);
  });

  it('refuses rows that are not in the order of the askers, rather than give them to another', () => {
    const { sharing } = shareAmong(2);
    sharing.add(row(0, 'a'));
    sharing.add(row(1, 'b'));
    assert.throws(() => sharing.add(row(0, 'c')), /a row of asker 0 after those of asker 1/);
  });

  it('tells everybody when there is no chain: no row at all', () => {
    const { sharing, got } = shareAmong(2);
    sharing.end();
    for (const message of got) assert.match(String(message), /holds no chain yet/);
  });
});
