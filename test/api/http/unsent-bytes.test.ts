import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UnsentBytes } from '../../../src/api/http/unsent-bytes.ts';

const text = (bytes: number) => ({ bytes, shared: null });

describe('the outbox', () => {
  it('the limit of unsent bytes is reached while too much waits for slow clients, and no longer when they read or disconnect', () => {
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

  it('there is pressure from half of the limit of unsent bytes on', () => {
    const outbox = new UnsentBytes(200);
    outbox.add(text(100));
    assert.equal(outbox.isPressed, false);
    outbox.add(text(1));
    assert.equal(outbox.isPressed, true);
  });

  it('a body that is sent to many clients counts once, until the last of them has it', () => {
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
