import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { CURSOR_ONLY, encodeCursor } from '../../../src/serving/pagination/paging.ts';
import type { SortFields } from '../../../src/store/queries/lists/sort-key-text.ts';

const ID = 'ab'.repeat(32);
const isInvalid = { status: 400, message: 'Invalid cursor' };

interface PoolKey {
  readonly height: number;
  readonly id: string;
}
const POOL: SortFields<PoolKey> = { height: 'int32', id: 'hash' };

/** Reads the sort key in a cursor of a page. */
function decode<Key extends object>(list: string, fields: SortFields<Key>, cursor: string): Key {
  return CURSOR_ONLY.parse({ cursor }, { name: () => list, fields }, {}).after!;
}

function again<Key extends object>(fields: SortFields<Key>, key: Key): Key {
  return decode('a list', fields, encodeCursor('a list', fields, key));
}

it('a cursor gives back the sort key that it was made of', () => {
  const keys: [fields: SortFields<Record<string, unknown>>, key: Record<string, unknown>][] = [
    [{ ...POOL }, { height: 17, id: ID }],
    [
      { amount: 'bigint', owner: 'bytes' },
      { amount: 2n ** 130n, owner: '01ff' },
    ],
    [
      { isNft: 'boolean', id: 'hash' },
      { isNft: true, id: ID },
    ],
    [
      { rank: 'bigint', opensAt: 'int64' },
      { rank: -1n, opensAt: 2n * 10n ** 18n - 1n },
    ],
    [{ currency: 'optionalHash' }, { currency: '' }],
    [{ index: 'int53' }, { index: 10 ** 15 - 1 }],
  ];
  for (const [fields, key] of keys) assert.deepEqual(again(fields, key), key);
});

it('the fields of a cursor stand in the order of the list, whatever that of the key', () => {
  assert.equal(encodeCursor('pool', POOL, { id: ID, height: 17 }), encodeCursor('pool', POOL, { height: 17, id: ID }));
});

it('a cursor can stand in a URL as it is', () => {
  const fields: SortFields<{ index: number }> = { index: 'int53' };
  fc.assert(fc.property(fc.nat(), (index) => /^[A-Za-z0-9_-]+$/.test(encodeCursor('transaction', fields, { index }))));
});

it('a cursor is refused when any of its characters is another one', () => {
  const cursor = encodeCursor('pool', POOL, { height: 17, id: ID });
  for (let i = 0; i < cursor.length; i++) {
    const damaged = `${cursor.slice(0, i)}${cursor[i] === 'A' ? 'B' : 'A'}${cursor.slice(i + 1)}`;
    assert.throws(() => decode('pool', POOL, damaged), isInvalid, damaged);
  }
});

it('a cursor is refused when it is any other text', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (text) => {
      assert.throws(() => decode('pool', POOL, text), isInvalid);
    }),
  );
});

it('a cursor is refused when its fields are not those of the list, though its checksum is right', () => {
  const heights: SortFields<{ height: number }> = { height: 'int32' };
  assert.throws(() => decode('pool', POOL, encodeCursor('pool', heights, { height: 17 })), isInvalid);
  assert.throws(() => again(POOL, { height: 2 ** 31, id: ID }), isInvalid);
  assert.throws(() => again(POOL, { height: 17, id: "'; drop" }), isInvalid);
  for (const opensAt of [-1n, 2n * 10n ** 18n]) {
    assert.throws(() => again<{ opensAt: bigint }>({ opensAt: 'int64' }, { opensAt }), isInvalid);
  }
  assert.throws(() => again<{ rank: bigint }>({ rank: 'bigint' }, { rank: -2n }), isInvalid);
  assert.throws(() => again<{ index: number }>({ index: 'int53' }, { index: 10 ** 15 }), isInvalid);
});
