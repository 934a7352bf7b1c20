/** Which finished answers are kept. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { it } from 'node:test';
import {
  type PendingTransactions,
  whileMempoolIs,
} from '../../../src/answers/pending/pending-transactions-interface.ts';
import { cacheKeyOf, ResponseCache } from '../../../src/serving/cache/response-cache.ts';
import { PreparedResponse } from '../../../src/serving/http/prepared-response.ts';

const small = new PreparedResponse('{}');
/** As large as pages of the explorer are. */
const page = new PreparedResponse('x'.repeat(30_000), { contentType: 'text/html' });
const large = new PreparedResponse(JSON.stringify('x'.repeat(70_000)));

for (const [name, response] of Object.entries({ small, page })) {
  it(`the response cache stores a small response from its second request on: ${name}`, () => {
    const cache = new ResponseCache(1_000_000);
    cache.put('a', '/a', response);
    assert.equal(cache.find('a', '/a'), undefined);
    cache.put('a', '/a', response);
    assert.equal(cache.find('a', '/a'), response);
    assert.equal(cache.get('/a'), response);
  });
}

it('different parameters have different cache keys, also if only their names or types differ', () => {
  const parameters = [
    ...[{ height: 1 }, { time: 1n }, { time: '1' }, { time: null }, {}, null, '1', '1,1'],
    ...[{ point: { height: 1 } }, { point: { time: 1 } }, { a: '1', b: '1' }, { a: '1,b=1:1' }],
  ];
  assert.equal(new Set(parameters.map(cacheKeyOf)).size, parameters.length);
});

it('the response cache stores a large response at once', () => {
  const cache = new ResponseCache(1_000_000);
  cache.put('large', '/large', large);
  assert.equal(cache.find('large', '/large'), large);
  assert.equal(cache.get('/large'), large);
});

it('the response cache stores at once, for the next tip, what was requested before', () => {
  const cache = new ResponseCache(1_000_000);
  cache.put('a', '/a', small);
  cache.clear();
  cache.put('a', '/a', small);
  assert.equal(cache.get('/a'), small);
});

it('the response cache finds a response about the mempool while the mempool is in the same state, and the next one after that', () => {
  const pool = { revision: 1, isAvailable: true } as unknown as PendingTransactions['pool'];
  const pending = { pool, revision: 7 } as unknown as PendingTransactions;
  const tipWatch = { advertisedRevision: 7 };
  const about = (revision: number) =>
    new PreparedResponse('x'.repeat(70_000)).validWhile(whileMempoolIs({ pool, revision }, { pending, tipWatch }));
  const cache = new ResponseCache(1_000_000);
  const request = { rawHeaders: [] } as unknown as IncomingMessage;
  const first = about(1);
  cache.put('a', '/a', first);
  assert.equal(cache.find('a', '/a'), first);
  assert.ok(cache.get('/a')?.isFor(request));
  // A client knows a tip that the mempool does not know yet.
  tipWatch.advertisedRevision = 8;
  assert.equal(cache.find('a', '/a'), undefined);
  tipWatch.advertisedRevision = 7;
  (pool as { revision: number }).revision = 2;
  assert.equal(cache.find('a', '/a'), undefined);
  assert.ok(!cache.get('/a')?.isFor(request));
  const second = about(2);
  cache.put('a', '/a', second);
  assert.equal(cache.find('a', '/a'), second);
  assert.equal(cache.get('/a'), second);
});

it('the response cache stores one response for all ways to write a URL', () => {
  const cache = new ResponseCache(1_000_000);
  cache.put('large', '/large', large);
  const { bytes } = cache;
  for (let i = 0; i < 100; i++) {
    assert.equal(cache.get(`/large?junk=${i}`), undefined);
    assert.equal(cache.find('large', `/large?junk=${i}`), large);
  }
  assert.equal(cache.bytes, bytes);
});

it('the response cache remembers a few URLs of a response, those that were requested again', () => {
  const cache = new ResponseCache(1_000_000);
  cache.put('large', '/large', large);
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 50; i++) cache.find('large', `/large?a=${i}`);
  }
  const known = Array.from({ length: 50 }, (_, i) => cache.get(`/large?a=${i}`)).filter((found) => found === large);
  assert.equal(known.length, 4);
  assert.ok(cache.bytes < large.size + 1_000);
});

it('the response cache stays within its bytes, the compressed forms included', () => {
  const cache = new ResponseCache(400_000);
  for (let i = 0; i < 1_000; i++) {
    cache.put(`${i}`, `/${i}`, new PreparedResponse(JSON.stringify('x'.repeat(70_000))));
    assert.ok(cache.bytes <= 400_000);
  }
  assert.notEqual(cache.find('999', '/999'), undefined);
  assert.equal(cache.find('0', '/0'), undefined);
  const kept = cache.find('999', '/999')!;
  const before = cache.bytes;
  kept.onGrow!(5_000);
  assert.equal(cache.bytes, before + 5_000);
  cache.clear();
  assert.equal(cache.bytes, 0);
});
