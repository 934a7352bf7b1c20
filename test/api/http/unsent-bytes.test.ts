import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UnsentBytes } from '../../../src/api/http/unsent-bytes.ts';

const text = (bytes: number) => ({ bytes, shared: null });

describe('the outbox', () => {
  it('is full while more waits for slow clients than it may, and empties as they take it or go', () => {
    const outbox = new UnsentBytes(250);
    const waiting = [text(100), text(100), text(100)];
    for (const each of waiting) {
      assert.equal(outbox.isFull, false);
      outbox.add(each);
    }
    assert.equal(outbox.isFull, true);
    outbox.remove(waiting[1]!);
    assert.equal(outbox.isFull, false);
    assert.equal(outbox.bytes, 200);
  });

  it('is pressed from half of that on', () => {
    const outbox = new UnsentBytes(200);
    outbox.add(text(100));
    assert.equal(outbox.isPressed, false);
    outbox.add(text(1));
    assert.equal(outbox.isPressed, true);
  });

  it('counts a body that is sent to many clients once, until the last of them has it', () => {
    const outbox = new UnsentBytes(104);
    const shared = Buffer.alloc(100);
    const waiting = Array.from({ length: 5 }, () => ({ bytes: 1, shared }));
    for (const each of waiting) outbox.add(each);
    const [last, ...others] = waiting;
    assert.equal(outbox.isFull, true);
    for (const each of others) outbox.remove(each);
    assert.equal(outbox.bytes, 101);
    outbox.remove(last!);
    assert.equal(outbox.bytes, 0);
  });
});
