/** What pending transactions use, read from the database, against the ledger's state in memory. */

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { identifyBlock } from '../../../src/chain/codec/block.ts';
import type { Id, Transaction } from '../../../src/chain/types.ts';
import { Simulation } from '../../../src/devnet/sim/simulation.ts';
import { MIX_PRESETS } from '../../../src/devnet/sim/transaction-mix.ts';
import type { OrderTerms } from '../../../src/ledger/order-terms.ts';
import {
  type ConfirmedIndex,
  type IndexLookupResult,
  lookupKeysOf,
  NOTHING_CONFIRMED,
} from '../../../src/mempool/confirmed-index-interface.ts';
import { ReadPool } from '../../../src/serving/resources/read-pool.ts';
import { readPendingReferences } from '../../../src/store/queries/transactions/pending-references.ts';
import { fileScope } from '../../support/file-scope.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { MemoryIndex } from '../../support/memory-index.ts';
import { SIMULATED_NETWORK } from '../../support/simulated-chain.ts';
import { SILENT } from '../../support/web-server.ts';

const scope = fileScope();
/** Every kind of transaction, and orders that stay open for a while. */
const MIX = { ...MIX_PRESETS.dense, weights: { ...MIX_PRESETS.dense.weights, orderCreate: 10, orderConclude: 1 } };
const simulation = new Simulation({ network: SIMULATED_NETWORK, seed: 'sources', mix: MIX });
const memory = new MemoryIndex(SIMULATED_NETWORK);
let reader: ReadPool;

before(async () => {
  const blocks = simulation.mine(60).map(({ bytes }) => identifyBlock(bytes));
  const index = await TestIndex.create(scope, SIMULATED_NETWORK);
  await index.follow(blocks, 20);
  for (const block of blocks) memory.apply(block);
  reader = new ReadPool({ postgres: { ...index.postgres, maxConnections: 2 }, logger: SILENT });
  scope.after(async () => reader.close());
  await reader.open();
});

/** Only what a mirror uses of an order. */
function inShort({ orders, ...others }: IndexLookupResult) {
  const terms = ({
    askCurrency,
    initiallyAsked,
    askBalance,
    giveCurrency,
    initiallyGiven,
    giveBalance,
  }: OrderTerms) => {
    return { askCurrency, initiallyAsked, askBalance, giveCurrency, initiallyGiven, giveBalance };
  };
  return { ...others, orders: new Map([...orders].map(([id, order]) => [id, terms(order)])) };
}

it('what pending transactions use is read in one go, of every kind, as the ledger has it', async () => {
  const pending: [Id, Transaction][] = [];
  const index: ConfirmedIndex = { read: (asked) => readPendingReferences(reader, asked) };
  const { world } = simulation;
  for (const { outputKey } of world.pools.values()) {
    const outpoint = world.utxos.get(outputKey)?.outpoint;
    if (outpoint) pending.push(['22'.repeat(32), { flags: 0n, inputs: [{ type: 'Utxo', outpoint }], outputs: [] }]);
  }
  // What the next blocks would hold: some of it is not confirmed either.
  for (const { bytes } of simulation.mine(25)) {
    const { block, transactionIds } = identifyBlock(bytes);
    block.transactions.forEach(({ transaction }, i) => void pending.push([transactionIds[i]!, transaction]));
  }
  const asked = lookupKeysOf(pending);
  const sources = await index.read(asked);
  assert.deepEqual(sources, inShort(memory.now(asked)));
  const { outputs, pools, delegations, orders, tokens } = sources;
  for (const [kind, found] of Object.entries({ outputs, pools, delegations, orders, tokens })) {
    assert.ok(found.size > 0, `some ${kind}`);
  }
  assert.ok(outputs.size < asked.outpoints.length);
});

it('what pending transactions use tells which transactions are in a block, and at what height', async () => {
  const asked = [...memory.heights.keys(), '11'.repeat(32)];
  const others = { outpoints: [], delegations: [], orders: [], tokens: [] };
  const { transactions } = await readPendingReferences(reader, { transactions: asked, ...others });
  assert.deepEqual(transactions, memory.heights);
});

it('what pending transactions use is nothing where nothing is named', async () => {
  assert.deepEqual(await readPendingReferences(reader, lookupKeysOf([])), { ...NOTHING_CONFIRMED, height: 60 });
});
