import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decodeCursor, encodeCursor } from '../../../src/api/pagination/cursor.ts';

const ID = 'ab'.repeat(32);
const isInvalid = { status: 400, message: 'Invalid cursor' };

describe('a cursor', () => {
  it('gives back the sort key that it was made of', () => {
    assert.deepEqual(decodeCursor('pool', ['height', 'id'], encodeCursor('pool', [17, ID])), ['17', ID]);
    const amount = 2n ** 130n;
    assert.deepEqual(decodeCursor('h', ['amount', 'owner'], encodeCursor('h', [amount, '01ff'])), [
      `${amount}`,
      '01ff',
    ]);
  });

  it('can stand in a URL as it is', () => {
    fc.assert(fc.property(fc.nat(), (index) => /^[A-Za-z0-9_-]+$/.test(encodeCursor('transaction', [index]))));
  });

  it('is refused by another list', () => {
    const cursor = encodeCursor(`pool-delegations ${ID}`, [ID]);
    assert.throws(() => decodeCursor(`pool-delegations ${'cd'.repeat(32)}`, ['id'], cursor), isInvalid);
  });

  it('is refused when any of its characters is another one', () => {
    const cursor = encodeCursor('pool', [17, ID]);
    for (let i = 0; i < cursor.length; i++) {
      const damaged = `${cursor.slice(0, i)}${cursor[i] === 'A' ? 'B' : 'A'}${cursor.slice(i + 1)}`;
      assert.throws(() => decodeCursor('pool', ['height', 'id'], damaged), isInvalid, damaged);
    }
  });

  it('is refused when it is any other text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.throws(() => decodeCursor('pool', ['height', 'id'], text), isInvalid);
      }),
    );
  });

  it('is refused when its fields are not those of the list, though its checksum is right', () => {
    assert.throws(() => decodeCursor('pool', ['height', 'id'], encodeCursor('pool', [17])), isInvalid);
    assert.throws(() => decodeCursor('pool', ['height', 'id'], encodeCursor('pool', [2 ** 31, ID])), isInvalid);
    assert.throws(() => decodeCursor('pool', ['height', 'id'], encodeCursor('pool', [17, "'; drop"])), isInvalid);
  });
});
