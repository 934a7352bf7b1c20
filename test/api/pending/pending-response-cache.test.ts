/** Responses about the mempool are kept as long as pool and tip are the same, and no longer than they may be. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PreparedResponse } from '../../../src/api/http/prepared-response.ts';
import type { PendingTransactions } from '../../../src/api/pending/pending-interface.ts';
import { PendingResponseCache } from '../../../src/api/pending/pending-response-cache.ts';

function cacheOf() {
  const pool = { revision: 1, isAvailable: () => true };
  const pending = { pool, revision: 7 } as unknown as PendingTransactions;
  const tipWatch = { tip: { revision: 7 }, advertisedRevision: 7 } as never;
  const cache = new PendingResponseCache(pending, tipWatch);
  const put = (url: string, maxAgeMs?: number) => {
    const response = new PreparedResponse(`"${url}"`);
    const state = { pool: pool as unknown as PendingTransactions['pool'], revision: pool.revision };
    cache.put(url, url, cache.validFor(state, response), maxAgeMs);
    return response;
  };
  return { cache, pool, put };
}

test('a response about the mempool is kept until the pool changes', () => {
  const { cache, pool, put } = cacheOf();
  const response = put('/a');
  assert.equal(cache.get('/a'), response);
  pool.revision++;
  assert.equal(cache.get('/a'), undefined);
});

test('a response with a largest age is kept no longer, and one put again starts anew', async () => {
  const { cache, put } = cacheOf();
  const forever = put('/forever');
  put('/short', 30);
  assert.notEqual(cache.get('/short'), undefined);
  await sleep(40);
  assert.equal(cache.get('/short'), undefined);
  assert.equal(cache.get('/forever'), forever);
  const again = put('/short', 60_000);
  assert.equal(cache.get('/short'), again);
});

test('URLs with junk make no further response, and do not push out those of others', () => {
  const { cache, pool, put } = cacheOf();
  const response = put('/a');
  for (let i = 0; i < 1_000; i++) assert.equal(cache.find('/a', `/a?junk=${i}`), response);
  assert.equal(cache.get('/a?junk=999'), response);
  for (let i = 0; i < 63; i++) put(`/other/${i}`);
  assert.equal(cache.find('/a', '/a'), response);
  assert.equal(cache.get('/a'), response);
  pool.revision++;
  assert.equal(cache.find('/a', '/a'), undefined);
});
