/** Compares a simulation's own account with the ledger's state: two independent implementations of the same rules. */

import { identifyBlock } from '../../../src/chain/codec/block.ts';
import { decodeGenesis } from '../../../src/chain/codec/genesis.ts';
import type { Network } from '../../../src/chain/networks/network.ts';
import type { SimulatedBlock } from '../../../src/devnet/sim/block.ts';
import { balances } from '../../../src/devnet/sim/totals.ts';
import { type Currency, medianTime, type World } from '../../../src/devnet/sim/world.ts';
import { applyBlock, applyGenesis } from '../../../src/ledger/apply.ts';
import { balanceKey, COIN, outpointKey } from '../../../src/ledger/rows.ts';
import { LedgerState } from '../../../src/ledger/state.ts';

/** The ledger's state after the genesis, whole in memory. */
export function ledgerAtGenesis(network: Network): LedgerState {
  const state = new LedgerState({ isWhole: true });
  applyGenesis(state, network, decodeGenesis(network.genesis), network.genesisId);
  return state;
}

export function applyToLedger(state: LedgerState, network: Network, blocks: readonly SimulatedBlock[]): LedgerState {
  for (const { bytes } of blocks) applyBlock(state, network, identifyBlock(bytes));
  return state;
}

/** What differs, one line each; empty when both agree on everything that exists. */
export function disagreements(world: World, state: LedgerState): string[] {
  const found: string[] = [];
  const compare = (what: string, ours: unknown, theirs: unknown): void => {
    if (ours !== theirs) found.push(`${what}: the simulation says ${String(ours)}, the ledger ${String(theirs)}`);
  };
  compare('tip', world.tipId, state.chain.blockId);
  compare('height', world.height, state.chain.height);
  const currency = (id: Currency): string => (id === 'coin' ? COIN : id);

  for (const pool of world.pools.values()) {
    const row = state.pools.get(pool.id);
    compare(`pool ${pool.id} staker balance`, pool.stakerBalance, (row?.pledge ?? 0n) + (row?.rewards ?? 0n));
    compare(`pool ${pool.id} delegations`, pool.delegationsBalance, row?.delegationsBalance);
  }
  for (const delegation of world.delegations.values()) {
    const row = state.delegations.get(delegation.id);
    compare(`delegation ${delegation.id} balance`, delegation.balance, row?.balance);
    compare(`delegation ${delegation.id} nonce`, delegation.nonce, row?.nextNonce);
    compare(`delegation ${delegation.id} pool`, delegation.pool.id, row?.poolId);
  }
  for (const token of world.tokens.values()) {
    const row = state.tokens.get(token.id);
    compare(`token ${token.id} supply`, token.supply, row?.circulatingSupply);
    compare(`token ${token.id} nonce`, token.nonce, row?.nextNonce);
    compare(`token ${token.id} authority`, token.authority, row?.authority);
    compare(`token ${token.id} uri`, token.metadataUri, row?.metadataUri);
    compare(`token ${token.id} locked`, token.isLocked, row?.isLocked);
    compare(`token ${token.id} frozen`, token.frozen !== 'No', row?.isFrozen);
    const statistics = state.statistics.get(token.id);
    compare(`token ${token.id} burned`, token.burned, statistics?.burned ?? 0n);
    compare(`token ${token.id} circulating`, token.minted - token.burned, statistics?.circulatingSupply ?? 0n);
  }
  for (const nft of world.nfts.values()) {
    compare(`NFT ${nft.id} exists`, true, state.nfts.get(nft.id) !== null);
    compare(`NFT ${nft.id} burned`, nft.burned ? 1n : 0n, state.statistics.get(nft.id)?.burned ?? 0n);
  }
  for (const order of world.orders.values()) {
    const row = state.orders.get(order.id);
    compare(`order ${order.id} ask`, order.askBalance, row?.askBalance);
    compare(`order ${order.id} give`, order.giveBalance, row?.giveBalance);
    compare(`order ${order.id} nonce`, order.nonce, row?.nextNonce);
    compare(`order ${order.id} frozen`, order.isFrozen, row?.isFrozen);
    compare(`order ${order.id} concluded`, order.isConcluded, row?.isConcluded);
  }
  const coin = state.statistics.get(COIN);
  compare('coins preminted', world.statistics.preminted, coin?.preminted);
  compare('coins circulating', world.statistics.circulating, coin?.circulatingSupply);
  compare('coins burned', world.statistics.burned, coin?.burned);
  compare('coins staked', world.statistics.staked, coin?.staked);
  for (const utxo of world.utxos.values()) {
    const key = outpointKey(utxo.outpoint.sourceId, utxo.outpoint.index);
    compare(`output ${utxo.key} unspent`, true, state.utxos.get(key) !== null);
  }
  for (const [address, currencies] of balances(world, medianTime(world.timestamps))) {
    for (const [id, { unlocked, locked }] of currencies) {
      const row = state.balances.get(balanceKey(address, currency(id)));
      compare(`balance of ${address} in ${id}`, unlocked, row?.amount);
      compare(`locked balance of ${address} in ${id}`, locked, row?.locked);
    }
  }
  return found;
}
