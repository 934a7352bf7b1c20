/**
 * Pending transactions against the ledger: what is known of each before its block is what the block makes of it. Both count
 * with the same effects (`src/ledger/transaction-effects.ts`), so this is about what they look up; the rules are checked by `test/ledger`, and
 * by `test/replay` and the naive models of `test/sim`, which share none of them.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { identifyBlock } from '../../src/chain/codec/block.ts';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import type { TxInput, TxOutput } from '../../src/chain/types.ts';
import { Simulation } from '../../src/devnet/sim/simulation.ts';
import { lookupKeysOf, NOTHING_CONFIRMED } from '../../src/mempool/confirmed-index-interface.ts';
import { PendingSet } from '../../src/mempool/pending-set.ts';
import { decodePendingTransaction } from '../../src/mempool/pending-transaction.ts';
import { resolveTransaction } from '../../src/mempool/resolve-transaction.ts';
import { regtestPos, upgrading } from '../devnet/sim/networks.ts';
import { unsigned } from '../support/fake-mempool.ts';
import { MemoryIndex } from '../support/memory-index.ts';

for (const network of [regtestPos, upgrading]) {
  it(`each transaction of a chain of every kind (${network.name}) is known before its block as after it`, () => {
    const seen = { transactions: 0, chained: 0, kinds: new Set<string>() };
    followChain(network, 140, seen);
    assert.ok(seen.transactions > 1_000 && seen.chained > 100, JSON.stringify(seen));
    for (const kind of ['FillOrder', 'ConcludeOrder', 'MintTokens', 'Account', 'ProduceBlockFromStake', 'Htlc']) {
      assert.ok(seen.kinds.has(kind), kind);
    }
  });
}

/** All of a block's transactions are pending at once, in a pool that starts from the blocks before. */
function followChain(
  network: Network,
  blocks: number,
  seen: { transactions: number; chained: number; kinds: Set<string> },
): void {
  const simulation = new Simulation({ network, seed: 'pending', mix: 'dense', undoDepth: 0 });
  const index = new MemoryIndex(network);
  const pool = new PendingSet(network);
  for (let height = 1; height <= blocks; height++) {
    const block = identifyBlock(simulation.mineBlock().bytes);
    for (const signed of block.block.transactions) {
      const decoded = decodePendingTransaction(encodeSignedTransaction(signed));
      const confirmed = index.now(lookupKeysOf([[decoded.id, signed.transaction]]));
      const resolution = resolveTransaction(network, height, decoded, pool.sources(confirmed, decoded.id));
      pool.apply({ type: 'Added', transaction: { ...decoded, ...resolution, origin: 'remote' }, isNew: true });
      for (const input of signed.transaction.inputs) {
        seen.kinds.add('command' in input ? input.command.type : input.type);
        if (input.type === 'Utxo' && pool.has(input.outpoint.sourceId)) seen.chained++;
      }
    }
    const { transactions } = index.apply(block);
    const mempoolIds = [...pool.transactions()].map(({ id }) => id);
    assert.deepEqual(block.transactionIds, mempoolIds);
    for (const { id, fee, inputs, addresses, tokens } of transactions) {
      const pending = pool.get(id)!;
      const known = { fee: pending.fee, inputs: pending.inputs, addresses: pending.addresses, tokens: pending.tokens };
      assert.deepEqual(known, { fee, inputs, addresses, tokens }, `transaction ${id} at height ${height}`);
      for (const input of inputs) if (input !== null) seen.kinds.add(input.output.type);
      seen.transactions++;
      pool.apply({ type: 'Confirmed', id, height });
    }
    assert.equal(pool.countedBytes, 0);
  }
}

const id = 'ab'.repeat(32);
const spend: TxInput = { type: 'Utxo', outpoint: { sourceType: 'Transaction', sourceId: id, index: 0 } };
const output: TxOutput = { type: 'Transfer', value: { type: 'Coin', amount: 5n }, destination: '00' };
const resolved = (inputs: readonly TxInput[], outputs: readonly TxOutput[] = [output]) => {
  const decoded = decodePendingTransaction(encodeSignedTransaction(unsigned(inputs, outputs)));
  return resolveTransaction(regtestPos, 1, decoded, new PendingSet(regtestPos).sources(NOTHING_CONFIRMED));
};

it('what is not known of a pending transaction leaves its input and its fee open', () => {
  const { inputs, fee, isFinal } = resolved([spend]);
  assert.deepEqual([inputs, fee, isFinal], [[null], null, false]);
});

it('what is not known of a pending transaction leaves the fee of an order that is not known open', () => {
  const fill = { type: 'FillOrder', orderId: id, fillAmount: 3n } as const;
  const { inputs, fee, isFinal } = resolved([{ type: 'OrderAccountCommand', command: fill }]);
  assert.deepEqual([inputs, fee, isFinal], [[null], null, false]);
});

it('what is not known of a pending transaction leaves the owner of an account open, but not the fee', () => {
  const { accounts, fee, isFinal } = resolved([{ type: 'Account', nonce: 4n, delegationId: id, amount: 7n }]);
  assert.deepEqual([accounts, fee, isFinal], [[{ account: 'delegation', id, nonce: 4n, owner: null }], 2n, false]);
});

it('what is not known of a pending transaction is also a transaction that pays out more than it takes in', () => {
  const { fee, isFinal } = resolved([{ type: 'Account', nonce: 0n, delegationId: id, amount: 4n }]);
  assert.deepEqual([fee, isFinal], [null, false]);
});
