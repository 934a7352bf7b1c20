/**
 * The simulation keeps an account of its own. At every height it and the ledger must agree on everything: balances,
 * locked balances, pools, delegations, tokens, orders, statistics, unspent outputs, and what each transaction pays.
 */
import assert from 'node:assert/strict';
import { identifyBlock } from '../../../src/chain/codec/block.ts';
import { decodeGenesis } from '../../../src/chain/codec/genesis.ts';
import { COIN } from '../../../src/chain/currency.ts';
import type { Network } from '../../../src/chain/networks/network.ts';
import type { Atoms, Id, Outpoint } from '../../../src/chain/types.ts';
import { SIMULATED_KINDS, TRANSACTION_MAKERS } from '../../../src/devnet/sim/kinds/transaction-makers.ts';
import { checkSubmission } from '../../../src/devnet/sim/mempool-policy.ts';
import { lockOpensAt } from '../../../src/devnet/sim/rules/locks.ts';
import { TransactionRefusal } from '../../../src/devnet/sim/rules/refusal.ts';
import type { SimulatedBlock } from '../../../src/devnet/sim/seal-block.ts';
import { Simulation } from '../../../src/devnet/sim/simulation.ts';
import { TransactionMakerContext } from '../../../src/devnet/sim/transaction-maker-context.ts';
import {
  worldOutpointKey as ourKey,
  type SimulatedCurrency,
  type SimulatedWorld,
  worldMedianTime,
} from '../../../src/devnet/sim/world.ts';
import { applyBlock, applyGenesis } from '../../../src/ledger/apply-block.ts';
import { LedgerState } from '../../../src/ledger/state.ts';
import { balanceKey, outpointKey } from '../../../src/ledger/state-rows.ts';
import { RARE } from '../../sim/history.ts';
import { mutated } from '../../support/mutated-transaction.ts';
import { testOverSeeds } from '../../support/seeds.ts';
import { balances } from '../../support/simulated-totals.ts';
import { foreignKernels, regtestPos, upgrading } from './networks.ts';

/** The ledger, given the blocks of a simulation. */
class LedgerTwin {
  readonly state = new LedgerState({ isWhole: true });
  /** What each transaction of the newest block pays. */
  fees: readonly Atoms[] = [];
  readonly #network: Network;
  /** Of all that was ever created: our key and the ledger's. */
  readonly #outpoints: [string, string][] = [];

  /** After the genesis, whole in memory. */
  constructor(network: Network) {
    this.#network = network;
    const genesis = decodeGenesis(network.genesis);
    applyGenesis(this.state, network, genesis, network.genesisId);
    this.#created('BlockReward', network.genesisId, genesis.outputs.length);
  }

  apply(blocks: readonly SimulatedBlock[]): this {
    for (const { bytes } of blocks) {
      const identified = identifyBlock(bytes);
      const { transactions } = applyBlock(this.state, this.#network, identified);
      this.fees = transactions.map(({ fee }) => fee);
      const { block, id, transactionIds } = identified;
      for (const [index, { transaction }] of block.transactions.entries()) {
        this.#created('Transaction', transactionIds[index]!, transaction.outputs.length);
      }
      this.#created('BlockReward', id, block.reward.length);
    }
    return this;
  }

  /** What differs, one line each, at most `limit`; empty when both agree on everything that exists. */
  disagreements(world: SimulatedWorld, limit = 5): string[] {
    const found = disagreements(world, this.state);
    for (const [ours, theirs] of this.#outpoints) {
      const isUnspent = world.utxos.get(ours) !== undefined;
      if (isUnspent !== (this.state.utxos.get(theirs) !== null)) found.push(`output ${ours}: unspent is ${isUnspent}`);
    }
    return found.slice(0, limit);
  }

  #created(sourceType: Outpoint['sourceType'], sourceId: Id, count: number): void {
    for (let index = 0; index < count; index++) {
      this.#outpoints.push([ourKey({ sourceType, sourceId, index }), outpointKey(sourceId, index)]);
    }
  }
}

function disagreements(world: SimulatedWorld, state: LedgerState): string[] {
  const found: string[] = [];
  const compare = (what: string, ours: unknown, theirs: unknown): void => {
    if (ours !== theirs) found.push(`${what}: the simulation says ${String(ours)}, the ledger ${String(theirs)}`);
  };
  compare('tip', world.tipId, state.chain.blockId);
  compare('height', world.height, state.chain.height);
  const currency = (id: SimulatedCurrency): string => (id === 'coin' ? COIN : id);

  for (const pool of world.pools.values()) {
    const row = state.pools.get(pool.id);
    compare(`pool ${pool.id} staker balance`, pool.stakerBalance, (row?.pledge ?? 0n) + (row?.rewards ?? 0n));
    compare(`pool ${pool.id} delegations`, pool.delegationsBalance, row?.delegationsBalance);
    compare(`pool ${pool.id} height`, pool.creationHeight, row?.creationHeight);
    compare(`pool ${pool.id} blocks`, pool.blocks, row?.blocksTotal);
    compare(`pool ${pool.id} decommission`, pool.decommissionKey, row?.decommissionDestination);
  }
  for (const delegation of world.delegations.values()) {
    const row = state.delegations.get(delegation.id);
    compare(`delegation ${delegation.id} balance`, delegation.balance, row?.balance);
    compare(`delegation ${delegation.id} nonce`, delegation.nonce, row?.nextNonce);
    compare(`delegation ${delegation.id} pool`, delegation.pool.id, row?.poolId);
    compare(`delegation ${delegation.id} owner`, delegation.owner, row?.spendDestination);
    compare(`delegation ${delegation.id} height`, delegation.creationHeight, row?.creationHeight);
  }
  for (const token of world.tokens.values()) {
    const row = state.tokens.get(token.id);
    compare(`token ${token.id} height`, token.creationHeight, row?.creationHeight);
    compare(`token ${token.id} supply`, token.supply, row?.circulatingSupply);
    compare(`token ${token.id} nonce`, token.nonce, row?.nextNonce);
    compare(`token ${token.id} authority`, token.authority, row?.authority);
    compare(`token ${token.id} uri`, token.metadataUri, row?.metadataUri);
    compare(`token ${token.id} locked`, token.isLocked, row?.isLocked);
    compare(`token ${token.id} freezable`, token.issuance.isFreezable, row?.isFreezable);
    compare(`token ${token.id} frozen`, token.frozen !== 'No', row?.isFrozen);
    const isUnfreezable = token.frozen === 'No' ? null : token.frozen === 'Unfreezable';
    compare(`token ${token.id} unfreezable`, isUnfreezable, row?.isUnfreezable);
    const statistics = state.statistics.get(token.id);
    compare(`token ${token.id} burned`, token.burned, statistics?.burned ?? 0n);
    compare(`token ${token.id} circulating`, token.minted - token.burned, statistics?.circulatingSupply ?? 0n);
  }
  const holders = nftHolders(world);
  for (const nft of world.nfts.values()) {
    compare(`NFT ${nft.id} owner`, holders.get(nft.id) ?? null, state.nfts.get(nft.id)?.owner);
    compare(`NFT ${nft.id} exists`, true, state.nfts.get(nft.id) !== null);
    compare(`NFT ${nft.id} burned`, nft.burned ? 1n : 0n, state.statistics.get(nft.id)?.burned ?? 0n);
  }
  for (const order of world.orders.values()) {
    const row = state.orders.get(order.id);
    compare(`order ${order.id} ask`, order.askBalance, row?.askBalance);
    compare(`order ${order.id} give`, order.giveBalance, row?.giveBalance);
    const { ask, give } = order;
    compare(
      `order ${order.id} asks`,
      `${ask.amount} ${currency(ask.currency)}`,
      `${row?.initiallyAsked} ${row?.askCurrency}`,
    );
    compare(
      `order ${order.id} gives`,
      `${give.amount} ${currency(give.currency)}`,
      `${row?.initiallyGiven} ${row?.giveCurrency}`,
    );
    compare(`order ${order.id} key`, order.concludeKey, row?.concludeDestination);
    compare(`order ${order.id} height`, order.creationHeight, row?.creationHeight);
    compare(`order ${order.id} nonce`, order.nonce, row?.nextNonce);
    compare(`order ${order.id} frozen`, order.isFrozen, row?.isFrozen);
    compare(`order ${order.id} concluded`, order.isConcluded, row?.concludedHeight !== null);
  }
  for (const { outpoint, output, height, timestamp } of world.utxos.values()) {
    if (output.type !== 'Htlc') continue;
    const opens = lockOpensAt(output.contract.refundTimelock, height, timestamp);
    const row = state.utxos.get(outpointKey(outpoint.sourceId, outpoint.index));
    const what = `HTLC ${outpoint.sourceId}:${outpoint.index} may be refunded from`;
    // The ledger has no larger numbers.
    compare(`${what} height`, Math.min(opens.height, Number.MAX_SAFE_INTEGER), row?.refundHeight ?? 0);
    compare(`${what} time`, Math.min(opens.time, Number.MAX_SAFE_INTEGER), row?.refundTime ?? 0);
  }
  const coin = state.statistics.get(COIN);
  compare('coins preminted', world.statistics.preminted, coin?.preminted);
  compare('coins circulating', world.statistics.circulating, coin?.circulatingSupply);
  compare('coins burned', world.statistics.burned, coin?.burned);
  compare('coins staked', world.statistics.staked, coin?.staked);
  for (const [address, currencies] of balances(world, worldMedianTime(world.timestamps))) {
    for (const [id, { unlocked, locked }] of currencies) {
      // Outputs of no coins leave no balance.
      const row = state.balances.get(balanceKey(address, currency(id)));
      compare(`balance of ${address} in ${id}`, unlocked, row?.amount ?? 0n);
      compare(`locked balance of ${address} in ${id}`, locked, row?.locked ?? 0n);
    }
  }
  return found;
}

/** Burned ones, and those that lie in an order or an HTLC, belong to nobody; nothing of one may be anywhere. */
function nftHolders(world: SimulatedWorld): Map<string, string> {
  const holders = new Map<string, string>();
  for (const { currency, destination, output, amount } of world.utxos.values()) {
    if (output.type !== 'Htlc' && amount > 0n && world.nfts.get(currency)) holders.set(currency, destination);
  }
  return holders;
}

testOverSeeds('the simulation and the ledger agree at every height, across upgrades', (seed) => {
  const simulation = new Simulation({ network: upgrading, mix: 'dense', seed });
  const ledger = new LedgerTwin(upgrading);
  for (let height = 1; height <= 110; height++) {
    simulation.makeTransactions();
    const fees = simulation.pending.map(({ fee }) => fee);
    ledger.apply([simulation.mineBlock()]);
    assert.deepEqual(ledger.fees, fees, `height ${height}`);
    assert.deepEqual(ledger.disagreements(simulation.world), [], `height ${height}`);
  }
});

testOverSeeds('the simulation and the ledger agree on the last of several branches', (seed) => {
  const simulation = new Simulation({ network: regtestPos, mix: 'demo', seed });
  const main = simulation.mine(40);
  for (const [depth, length] of [
    [1, 2],
    [12, 13],
    [9, 4],
    [30, 20],
  ] as const) {
    main.splice(main.length - depth, depth, ...simulation.reorganise(depth, length));
  }
  const ledger = new LedgerTwin(regtestPos).apply(main);
  assert.deepEqual(ledger.disagreements(simulation.world), []);
});

testOverSeeds('the simulation and the ledger agree over rare states, across upgrades', (seed) => {
  const simulation = new Simulation({ network: foreignKernels, mix: RARE, seed, undoDepth: 0 });
  const ledger = new LedgerTwin(foreignKernels).apply(simulation.mine(101));
  assert.deepEqual(ledger.disagreements(simulation.world), []);
});

testOverSeeds('the simulation and the ledger agree on a chain of the main network’s kind', (seed) => {
  const simulation = new Simulation({ network: regtestPos, mix: 'mainnet', seed, undoDepth: 0 });
  const ledger = new LedgerTwin(regtestPos).apply(simulation.mine(40));
  assert.deepEqual(ledger.disagreements(simulation.world), []);
});

testOverSeeds('the simulation and the ledger agree on odd transactions that a node takes', (seed) => {
  const simulation = new Simulation({ network: regtestPos, mix: 'dense', seed, undoDepth: 0 });
  const { world, random, mix } = simulation;
  const ledger = new LedgerTwin(regtestPos).apply(simulation.mine(25));
  const maker = new TransactionMakerContext(world, random, mix, world.userKeys.destinations[0]!);
  let taken = 0;
  for (let block = 0; block < 25; block++) {
    simulation.makeTransactions();
    for (let tries = 0; tries < 40; tries++) {
      const signed = TRANSACTION_MAKERS[random.pick(SIMULATED_KINDS)](maker);
      if (signed === null) continue;
      const odd = mutated(world, random, signed);
      try {
        simulation.submit(odd, () => checkSubmission(world, odd, 1_000));
        taken++;
      } catch (error) {
        if (!(error instanceof TransactionRefusal)) throw error;
      }
    }
    const fees = simulation.pending.map(({ fee }) => fee);
    ledger.apply([simulation.mineBlock()]);
    assert.deepEqual(ledger.fees, fees);
    assert.deepEqual(ledger.disagreements(world), []);
  }
  assert.ok(taken > 50, `${taken} were taken`);
});
