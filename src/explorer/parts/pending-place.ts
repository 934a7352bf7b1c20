/** What the page of a pending transaction says of its place among the others. */
import { feeRate } from '../../chain/fee-rate.ts';
import type { Atoms } from '../../chain/types.ts';
import type { ProjectedPlace } from '../../mempool/projected-blocks.ts';
import { type Html, html } from '../html.ts';
import type { WaitingTransaction } from '../read/transaction-page-data.ts';
import type { Site } from '../site.ts';
import { coinAmount, countHtml, type ExactAmount } from './amount.ts';
import type { Property } from './properties-and-badges.ts';
import { timeHtml } from './time.ts';

/** Says when a pending transaction came, and where it stands. */
export function placeInQueue(site: Site, { seenAt, place, isComplete }: WaitingTransaction): Property[] {
  return [
    [
      'First seen',
      seenAt === undefined ? html`<span class="muted">before this server started</span>` : timeHtml(seenAt),
    ],
    place !== undefined && [
      'Position',
      html`<a href="${site.href('/mempool', {}, '#blocks')}">${where(place)}</a> <span class="muted">(projected)</span>${!isComplete && html` <span class="muted">of the transactions that are known here</span>`}`,
    ],
  ];
}

/** Says which rate counts, and what would be faster. A node replaces no transaction, and chooses it whatever its children pay. */
export function ratesOfQueue(
  site: Site,
  { place, lowestRateOfNextBlock }: WaitingTransaction,
  fee: ExactAmount | null,
  size: number | null,
): Property[] {
  const perKb = (rate: Atoms) => html`${coinAmount(site, rate, { isRounded: true })} <span class="unit">per kB</span>`;
  const isHeldBack = place !== undefined && fee !== null && size !== null && place.rate < feeRate(fee.atoms, size);
  return [
    isHeldBack && [
      'Fee rate with its ancestors',
      html`${perKb(place.rate)} <span class="muted">this rate counts, because the transaction depends on pending ones that pay less</span>`,
    ],
    place !== undefined &&
      place.block > 1 &&
      lowestRateOfNextBlock !== null && [
        'To be in the next block',
        html`more than ${perKb(lowestRateOfNextBlock)} <span class="muted">for a new transaction: this one can be neither replaced nor sped up</span>`,
      ],
  ];
}

function where({ block, position }: ProjectedPlace): Html {
  return block === 1
    ? html`next block, transaction ${countHtml(position)}`
    : html`block ${countHtml(block)} from now, transaction ${countHtml(position)}`;
}
