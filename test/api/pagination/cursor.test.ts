import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decodeCursor, encodeCursor } from '../../../src/api/pagination/cursor.ts';

const ID = 'ab'.repeat(32);
const POOL = { height: 'height', id: 'id' } as const;
const isInvalid = { status: 400, message: 'Invalid cursor' };

describe('a cursor', () => {
  it('a cursor gives back the sort key that it was made of', () => {
    assert.deepEqual(decodeCursor('pool', POOL, encodeCursor('pool', { height: 17, id: ID })), { height: 17, id: ID });
    const amount = 2n ** 130n;
    const key = { amount, owner: '01ff' };
    assert.deepEqual(decodeCursor('h', { amount: 'amount', owner: 'owner' }, encodeCursor('h', key)), key);
    const flagged = { isNft: true, id: ID };
    assert.deepEqual(decodeCursor('token', { isNft: 'flag', id: 'id' }, encodeCursor('token', flagged)), flagged);
    const ranked = { rank: -1n, moment: 2n * 10n ** 18n - 1n };
    assert.deepEqual(decodeCursor('r', { rank: 'rank', moment: 'moment' }, encodeCursor('r', ranked)), ranked);
  });

  it('a cursor can stand in a URL as it is', () => {
    fc.assert(fc.property(fc.nat(), (index) => /^[A-Za-z0-9_-]+$/.test(encodeCursor('transaction', { index }))));
  });

  it('a cursor is refused by another list', () => {
    const cursor = encodeCursor(`pool-delegations ${ID}`, { id: ID });
    assert.throws(() => decodeCursor(`pool-delegations ${'cd'.repeat(32)}`, { id: 'id' }, cursor), isInvalid);
  });

  it('a cursor is refused when any of its characters is another one', () => {
    const cursor = encodeCursor('pool', { height: 17, id: ID });
    for (let i = 0; i < cursor.length; i++) {
      const damaged = `${cursor.slice(0, i)}${cursor[i] === 'A' ? 'B' : 'A'}${cursor.slice(i + 1)}`;
      assert.throws(() => decodeCursor('pool', POOL, damaged), isInvalid, damaged);
    }
  });

  it('a cursor is refused when it is any other text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.throws(() => decodeCursor('pool', POOL, text), isInvalid);
      }),
    );
  });

  it('a cursor is refused when its fields are not those of the list, though its checksum is right', () => {
    assert.throws(() => decodeCursor('pool', POOL, encodeCursor('pool', { height: 17 })), isInvalid);
    assert.throws(() => decodeCursor('pool', POOL, encodeCursor('pool', { height: 2 ** 31, id: ID })), isInvalid);
    assert.throws(() => decodeCursor('pool', POOL, encodeCursor('pool', { height: 17, id: "'; drop" })), isInvalid);
    for (const moment of [-1n, 2n * 10n ** 18n]) {
      assert.throws(() => decodeCursor('u', { moment: 'moment' }, encodeCursor('u', { moment })), isInvalid);
    }
    assert.throws(() => decodeCursor('p', { rank: 'rank' }, encodeCursor('p', { rank: -2n })), isInvalid);
  });
});
