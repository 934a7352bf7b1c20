import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FairQueue } from '../../../src/store/read/fair-queue.ts';

describe('turns of clients', () => {
  it('turns of clients go from client to client, whoever has asked for how much', () => {
    const turns = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'a3', 'a4']) turns.add('a', item);
    turns.add('b', 'b1');
    turns.add('b', 'b2');
    turns.add('c', 'c1');
    const order = Array.from({ length: 7 }, () => turns.next());
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
    assert.deepEqual([turns.size, turns.next()], [0, undefined]);
  });

  it('turns of clients come soon to a client who asks first when another has waited with a lot', () => {
    const turns = new FairQueue<string>();
    for (let i = 0; i < 1_000; i++) turns.add('greedy', `g${i}`);
    turns.next();
    turns.add('modest', 'm');
    assert.deepEqual([turns.next(), turns.next()], ['g1', 'm']);
  });

  it('turns of clients can be given up', () => {
    const turns = new FairQueue<number>();
    for (let i = 0; i < 6; i++) turns.add(i % 2 === 0 ? 'even' : 'odd', i);
    assert.deepEqual(
      turns.remove((i) => i > 3),
      [4, 5],
    );
    assert.equal(turns.size, 4);
    turns.remove((i) => i % 2 === 0);
    assert.deepEqual([turns.next(), turns.next(), turns.next()], [1, 3, undefined]);
  });
});
