/** A holder of the coin or of a token, as JSON and CSV. */
import type { Destination } from '../../chain/types.ts';
import { defineEntry, type Entry } from '../entry/define-entry.ts';
import { amountsIn, destination, SHARE_PER_MILLION } from '../entry/kinds.ts';
import type { HolderBalance, ResponseProfile } from '../response-profile/profile.ts';

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
