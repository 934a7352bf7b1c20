/**
 * The total of a currency and its places, counted from scratch: checks that nothing appears or vanishes, in the
 * simulation and in the ledger.
 */
import { isBalanceOutput, isContractOutput } from '../../src/chain/input-and-output-kinds.ts';
import type { Atoms, Destination } from '../../src/chain/types.ts';
import type { SimulatedCurrency, SimulatedWorld } from '../../src/devnet/sim/world.ts';

interface Total {
  /** Genesis, subsidies, mints, NFTs issued. */
  minted: Atoms;
  /** Transfers, and time locks of any state. */
  held: Atoms;
  contracts: Atoms;
  /** Staker balances and delegations. */
  staked: Atoms;
  /** The amounts that open orders still give, and those paid in that wait for the conclusion. */
  orders: Atoms;
  /** Burn outputs, and what commands and issuances cost. */
  burned: Atoms;
  /** Tokens that a transaction spent and gave to nobody. */
  forsaken: Atoms;
}

/** `minted` = `held` + `contracts` + `staked` + `orders` + `burned` + `forsaken`, for every currency that exists. */
function totals(world: SimulatedWorld): Map<SimulatedCurrency, Total> {
  const { statistics } = world;
  const all = new Map<SimulatedCurrency, Total>();
  const of = (currency: SimulatedCurrency): Total => {
    let total = all.get(currency);
    if (total === undefined) {
      total = { minted: 0n, held: 0n, contracts: 0n, staked: 0n, orders: 0n, burned: 0n, forsaken: 0n };
      all.set(currency, total);
    }
    return total;
  };
  const coin = of('coin');
  coin.minted = statistics.circulating + statistics.burned;
  coin.burned = statistics.burned;
  for (const { id, minted, burned, forsaken } of world.tokens.values()) {
    Object.assign(of(id), { minted, burned, forsaken });
  }
  for (const { id, burned, forsaken } of world.nfts.values()) {
    Object.assign(of(id), { minted: 1n, burned: burned ? 1n : 0n, forsaken });
  }
  for (const { output, currency, amount } of world.utxos.values()) {
    if (isContractOutput(output)) of(currency).contracts += amount;
    else of(currency).held += amount;
  }
  for (const { stakerBalance } of world.pools.values()) coin.staked += stakerBalance;
  for (const { balance } of world.delegations.values()) coin.staked += balance;
  for (const { ask, give, askBalance, giveBalance, isConcluded } of world.orders.values()) {
    if (isConcluded) continue;
    of(ask.currency).orders += ask.amount - askBalance;
    of(give.currency).orders += giveBalance;
  }
  return all;
}

/** Returns everything out of balance; empty if there is nothing. */
export function imbalances(world: SimulatedWorld): string[] {
  const found: string[] = [];
  for (const [currency, { minted, ...parts }] of totals(world)) {
    let counted = 0n;
    for (const part of Object.values(parts)) counted += part;
    if (counted !== minted) found.push(`${currency}: ${minted} atoms minted, ${counted} found`);
  }
  return found;
}

interface AddressBalance {
  unlocked: Atoms;
  locked: Atoms;
}

/**
 * Balances by address and currency, as the indexer defines them: an output whose lock was open when it was created, or
 * has opened by the tip's height or median time (its own block counted in), is unlocked. HTLCs and pools are nobody's.
 */
export function balances(
  world: SimulatedWorld,
  medianTimeOfTip: number,
): Map<Destination, Map<SimulatedCurrency, AddressBalance>> {
  const all = new Map<Destination, Map<SimulatedCurrency, AddressBalance>>();
  for (const utxo of world.utxos.values()) {
    const { output, destination, currency, amount } = utxo;
    if (!isBalanceOutput(output)) continue;
    const currencies = all.get(destination) ?? new Map<SimulatedCurrency, AddressBalance>();
    all.set(destination, currencies);
    const balance = currencies.get(currency) ?? { unlocked: 0n, locked: 0n };
    currencies.set(currency, balance);
    const isOpen = utxo.freeAtHeight <= world.height && utxo.freeAtTime <= medianTimeOfTip;
    if (isOpen) balance.unlocked += amount;
    else balance.locked += amount;
  }
  return all;
}
