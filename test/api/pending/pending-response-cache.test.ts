/** What responses and streams take from the mempool: responses are kept as long as pool and tip are the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PreparedResponse } from '../../../src/api/http/prepared-response.ts';
import { mempoolStreamEvents } from '../../../src/api/pending/mempool-stream-events.ts';
import type { PendingTransactions } from '../../../src/api/pending/pending-interface.ts';
import { PendingResponseCache } from '../../../src/api/pending/pending-response-cache.ts';
import type { MempoolStreamEvent } from '../../../src/api/stream/stream-event.ts';
import { regtestPos } from '../../../src/chain/networks/known-networks.ts';
import type { TxOutput } from '../../../src/chain/types.ts';
import type { MempoolChange, MempoolClientEvent } from '../../../src/mempool/changes.ts';
import type { MempoolListener } from '../../../src/mempool/mirror.ts';

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

test('the text of a transaction has the outputs that name pools, delegations and orders, and none of the others', () => {
  const id = '11'.repeat(32);
  const staking: TxOutput = { type: 'DelegateStaking', amount: 5n, delegationId: '22'.repeat(32) };
  const burnt: TxOutput = { type: 'Burn', value: { type: 'Coin', amount: 0n } };
  const outputs = [...Array<TxOutput>(1_000).fill(burnt), staking];
  const signed = { transaction: { flags: 0n, inputs: [], outputs }, signatures: [] };
  const transaction = { id, signed, sizeBytes: 5_000, origin: 'local', inputs: [], fee: 0n, addresses: [], tokens: [] };
  const seen: MempoolStreamEvent[] = [];
  const pending = {
    pool: { state: { staleSince: null } },
    listen: (listener: MempoolListener) =>
      listener(
        { type: 'Added', transaction, isNew: true } as unknown as MempoolChange,
        { type: 'seen', transaction } as unknown as MempoolClientEvent,
      ),
  } as unknown as PendingTransactions;
  mempoolStreamEvents(regtestPos, pending).listen((event) => seen.push(event));
  const [event] = seen;
  assert.ok(event?.type === 'seen');
  const read = JSON.parse(event.transaction.text()) as { outputs: { type: string }[] };
  assert.deepEqual(
    read.outputs.map(({ type }) => type),
    ['DelegateStaking'],
  );
});
