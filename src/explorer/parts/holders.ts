/** Who holds a currency, and how much of it few hold. */
import type { Atoms } from '../../chain/types.ts';
import type { HolderBalanceRow } from '../../store/queries/holders.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { AMOUNT_COLUMN, amount, exactAmount, fractionLength, percentage } from './amount.ts';
import { facts } from './facts.ts';
import { destinationLink } from './ids.ts';
import { shares } from './meter.ts';
import { table } from './table.ts';

/** Holders of these the share is told. */
const FEW = [1, 3, 10] as const;

interface HeldCurrency {
  readonly ticker: string;
  readonly decimals: number;
  readonly circulatingSupply: Atoms;
}

export function holderTable(
  site: Site,
  rows: readonly HolderBalanceRow[],
  { ticker, decimals, circulatingSupply }: HeldCurrency,
): Html {
  const column = (atoms: (row: HolderBalanceRow) => bigint) => {
    const amounts = rows.map((row) => exactAmount(atoms(row), decimals));
    const fraction = fractionLength(amounts);
    return amounts.map((each) => amount(each, { fraction }));
  };
  const totals = column(({ total }) => total);
  const locked = column((row) => row.locked);
  return table({
    caption: 'Holders, the largest first',
    isCaptionHidden: true,
    id: 'holders',
    columns: [
      { label: 'Address' },
      { label: `Holds, ${ticker}`, kind: AMOUNT_COLUMN },
      { label: 'Of that locked', kind: AMOUNT_COLUMN },
      { label: 'Share', kind: AMOUNT_COLUMN },
    ],
    rows: rows.map((row, i) => [
      destinationLink(site, row.owner),
      totals[i]!,
      locked[i]!,
      percentage(row.total, circulatingSupply),
    ]),
    empty: 'Nobody holds any: nothing was minted, or all of it was burned, or is held by orders and HTLCs.',
  });
}

/** What the largest hold of all that circulates. `largest`: the first ten of the list; `holders`: how many there are. */
export function concentration(
  largest: readonly HolderBalanceRow[],
  { holders, circulatingSupply: supply }: { readonly holders: number; readonly circulatingSupply: Atoms },
): Html | null {
  if (largest.length === 0) return null;
  const sumOf = (number: number) => largest.slice(0, number).reduce((sum, { total }) => sum + total, 0n);
  const told = FEW.filter((number) => number === 1 || number <= Math.max(largest.length, holders));
  const names = { 1: 'Largest holder', 3: 'Largest three', 10: 'Largest ten' } as const;
  const title = `Shares of the largest ${largest.length} holders`;
  const bar = shares(
    title,
    largest.map(({ total }) => total),
    supply,
  );
  return html`${bar}${facts(told.map((number) => [names[number], percentage(sumOf(number), supply)]))}`;
}
