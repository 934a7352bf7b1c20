/** Which finished answers are kept. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BodyCache } from '../../src/api/body-cache.ts';
import { Finished } from '../../src/api/finished.ts';

const small = new Finished('{}');
const large = new Finished(JSON.stringify('x'.repeat(20_000)));

describe('the cache of answers', () => {
  it('keeps a small answer when it is asked for the second time', () => {
    const cache = new BodyCache(1_000_000);
    cache.put('/a', '/a', small);
    assert.equal(cache.get('/a'), undefined);
    cache.put('/a', '/a', small);
    assert.equal(cache.get('/a'), small);
  });

  it('keeps a large answer at once', () => {
    const cache = new BodyCache(1_000_000);
    cache.put('/large', '/large', large);
    assert.equal(cache.get('/large'), large);
  });

  it('keeps at once, for the next tip, what was asked for before', () => {
    const cache = new BodyCache(1_000_000);
    cache.put('/a', '/a', small);
    cache.clear();
    cache.put('/a', '/a', small);
    assert.equal(cache.get('/a'), small);
  });

  it('stays within its bytes', () => {
    const cache = new BodyCache(100_000);
    for (let i = 0; i < 1_000; i++) {
      cache.put(`/${i}`, `/${i}`, large);
      assert.ok(cache.bytes <= 100_000);
    }
    assert.equal(cache.get('/999'), large);
    assert.equal(cache.get('/0'), undefined);
  });
});
