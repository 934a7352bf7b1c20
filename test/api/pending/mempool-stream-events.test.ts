/** What streams take from the mempool. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PendingTransactions } from '../../../src/answers/pending/pending-transactions-interface.ts';
import { mempoolStreamEvents } from '../../../src/api/pending/mempool-stream-events.ts';
import type { MempoolStreamEvent } from '../../../src/api/stream/stream-event.ts';
import { regtestPos } from '../../../src/chain/networks/known-networks.ts';
import type { TxOutput } from '../../../src/chain/types.ts';
import type { MempoolChange, MempoolClientEvent } from '../../../src/mempool/mempool-change.ts';
import type { MempoolListener } from '../../../src/mempool/mirror.ts';

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
