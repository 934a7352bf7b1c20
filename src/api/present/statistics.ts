/** Supply and holders of the coin and of each token, as JSON and CSV. */
import type { Destination } from '../../chain/types.ts';
import type { StatisticsRow } from '../../store/queries/tokens/currency-statistics.ts';
import { defineEntry, type Entry, type Fields, type Getter } from '../entry/define-entry.ts';
import { amountsIn, destination, SHARE_PER_MILLION } from '../entry/kinds.ts';
import type { HolderBalance, ResponseProfile } from '../response-profile/profile.ts';

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

/** A holder, and what it has. */
interface OwnerHolding extends HolderBalance {
  readonly owner: Destination;
}

const amount = amountsIn<OwnerHolding>(({ decimals }) => decimals);

export const holderEntry = ({ holder }: ResponseProfile): Entry<OwnerHolding> =>
  defineEntry<OwnerHolding>({
    address: destination(({ owner }) => owner),
    amount: amount((holding) => holding.amount, 'What can be spent, as `/address` shows it'),
    ...holder,
  });

/** A holder after a block, the same in both profiles. */
export const PAST_HOLDER = defineEntry<OwnerHolding>({
  address: destination(({ owner }) => owner),
  amount: amount((holding) => holding.amount, 'Not under a time lock then'),
  locked: amount(({ locked }) => locked, 'Under a time lock'),
  total: amount((holding) => holding.amount + holding.locked, 'Both together, by which the list is sorted'),
  share_per_million: SHARE_PER_MILLION,
});
