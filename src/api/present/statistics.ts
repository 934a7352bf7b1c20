/** The supply of the coin and of each token, as JSON. */
import type { StatisticsRow } from '../../store/queries/tokens/currency-statistics.ts';
import { defineEntry, type Entry, type Fields, type Getter } from '../entry/define-entry.ts';
import { amountsIn } from '../entry/kinds.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';

function supplyFields(decimals: Getter<StatisticsRow, number>): Fields<StatisticsRow> {
  const amount = amountsIn(decimals);
  return {
    burned: amount(({ burned }) => burned),
    circulating_supply: amount(({ circulating_supply }) => circulating_supply),
    preminted: amount(({ preminted }) => preminted),
    staked: amount(({ staked }) => staked),
  };
}

export const COIN_STATISTICS = defineEntry(supplyFields((_, { coinDecimals }) => coinDecimals));

/** The statistics of a fungible token or an NFT. */
export const tokenStatisticsEntry = ({ tokenStatistics }: ResponseProfile): Entry<StatisticsRow> =>
  defineEntry({ ...supplyFields(({ decimals }) => decimals ?? 0), ...tokenStatistics });
