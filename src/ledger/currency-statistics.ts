/** Changes the statistics of currencies: supplies, stakes, numbers of holders. */
import { COIN, type Currency } from '../chain/currency.ts';
import type { Atoms } from '../chain/types.ts';
import { type BlockContext, blockContextOf, subtractOrRefuse, type TransactionContext } from './block-context.ts';
import type { CurrencyStatistics } from './state-rows.ts';

type Context = BlockContext | TransactionContext;

/** Adds the changes of the numbers of holders to the statistics, at the end of a block: most cancel out within it. */
export function settleHolderCounts(context: BlockContext): void {
  for (const [currency, change] of context.holders) {
    if (change !== 0) changeStatistics(context, currency, { holders: change });
  }
}

/** Changes the statistics of a currency by signed amounts. */
export function changeStatistics(
  context: Context,
  currency: Currency,
  change: Partial<Omit<CurrencyStatistics, 'currency'>>,
): void {
  const { state, statisticsBefore } = blockContextOf(context);
  const table = state.statistics;
  const before = table.get(currency);
  if (!statisticsBefore.has(currency)) statisticsBefore.set(currency, before);
  const old = before ?? NOTHING;
  const removed = -(change.circulatingSupply ?? 0n);
  table.set(currency, {
    currency,
    circulatingSupply: subtractOrRefuse(context, 'the circulating supply', old.circulatingSupply, removed),
    preminted: old.preminted + (change.preminted ?? 0n),
    burned: old.burned + (change.burned ?? 0n),
    staked: subtractOrRefuse(context, 'the staked total', old.staked, -(change.staked ?? 0n)),
    holders: old.holders + (change.holders ?? 0),
    effectiveStake: old.effectiveStake + (change.effectiveStake ?? 0n),
  });
}

const NOTHING: Omit<CurrencyStatistics, 'currency'> = {
  circulatingSupply: 0n,
  preminted: 0n,
  burned: 0n,
  staked: 0n,
  holders: 0,
  effectiveStake: 0n,
};

/** Counts a fee in coins as burned: consensus burns the fees of issuances, commands and data deposits. */
export function burnFee(context: TransactionContext, fee: Atoms): void {
  if (fee === 0n) return;
  changeStatistics(context, COIN, { burned: fee, circulatingSupply: -fee });
}

/** Records the currencies whose supply the block changed, at its end. */
export function recordSupplies({ state, supplies, statisticsBefore }: BlockContext): void {
  for (const [currency, before] of statisticsBefore) {
    const after = state.statistics.get(currency);
    if (after === null) continue;
    const { circulatingSupply, preminted, burned, staked } = after;
    // A command may mint nothing of a token of which there was nothing.
    const isSame =
      circulatingSupply === (before?.circulatingSupply ?? 0n) &&
      preminted === (before?.preminted ?? 0n) &&
      burned === (before?.burned ?? 0n) &&
      staked === (before?.staked ?? 0n);
    if (!isSame) supplies.push({ currency, circulatingSupply, preminted, burned, staked });
  }
}
