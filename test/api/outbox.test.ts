import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { Outbox } from '../../src/api/outbox.ts';

describe('the outbox', () => {
  it('is full while more waits for slow clients than it may, and empties as they take it or go', () => {
    const outbox = new Outbox(250);
    const responses = Array.from({ length: 3 }, () => new EventEmitter());
    for (const response of responses) {
      assert.equal(outbox.isFull, false);
      outbox.add(Buffer.alloc(100), response as never);
    }
    assert.equal(outbox.isFull, true);
    responses[1]!.emit('close');
    assert.equal(outbox.isFull, false);
  });

  it('counts a body that is sent to many clients once, until the last of them has it', () => {
    const outbox = new Outbox(99);
    const body = Buffer.alloc(100);
    const responses = Array.from({ length: 5 }, () => new EventEmitter());
    for (const response of responses) outbox.add(body, response as never);
    const [last, ...others] = responses;
    for (const response of others) response.emit('close');
    assert.equal(outbox.isFull, true);
    last!.emit('close');
    assert.equal(outbox.isFull, false);
    outbox.add(Buffer.alloc(99), new EventEmitter() as never);
    assert.equal(outbox.isFull, false);
  });
});
