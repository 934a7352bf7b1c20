/** Lists of transactions: of the chain, of a block, pending ones. */
import { type Html, html } from '../html.ts';
import type { TransactionOutline } from '../read/transaction-outline.ts';
import type { Site } from '../site.ts';
import { AMOUNT_COLUMN, amount, count, exactAmount, fractionLength } from './amount.ts';
import { badge } from './badge.ts';
import { heightLink, transactionLink } from './ids.ts';
import { type Column, table } from './table.ts';
import { time } from './time.ts';

export interface ListedTransaction {
  readonly transaction: TransactionOutline;
  /** With signatures, in bytes; null where the list does not say it. */
  readonly size: number | null;
  /** Null while it is pending. */
  readonly place: { readonly height: number; readonly timestamp: number } | null;
}

interface TransactionTableOptions {
  readonly caption: string;
  readonly empty: string;
  /** Leaves out block and time: all are in one block. */
  readonly isOfOneBlock?: boolean;
  /** Leaves out the size where no entry has one. */
  readonly hasSize?: boolean;
  /** With what each pays for 1,000 bytes. */
  readonly hasFeeRate?: boolean;
}

/** Kinds that are named; the rest are counted. */
const MOST_DEEDS = 3;

export function transactionTable(
  site: Site,
  rows: readonly ListedTransaction[],
  { caption, empty, isOfOneBlock = false, hasSize = true, hasFeeRate = false }: TransactionTableOptions,
): Html {
  const { coinDecimals, coinTicker } = site.network;
  const moved = rows.map(({ transaction: { coins } }) => exactAmount(coins, coinDecimals));
  const fees = rows.map(({ transaction: { fee } }) => fee);
  const rates = rows.map(({ size }, i) => {
    const fee = fees[i]!;
    return fee === null || size === null ? null : exactAmount((fee.atoms * 1_000n) / BigInt(size), coinDecimals);
  });
  const rateFraction = fractionLength(rates.filter((rate) => rate !== null));
  const movedFraction = fractionLength(moved);
  const feeFraction = fractionLength(fees.filter((fee) => fee !== null));
  const columns: (Column | false)[] = [
    { label: 'Transaction' },
    !isOfOneBlock && { label: 'Block', kind: AMOUNT_COLUMN },
    !isOfOneBlock && { label: 'Time' },
    hasFeeRate && { label: `${coinTicker} per 1,000 bytes`, kind: AMOUNT_COLUMN },
    { label: 'What it does' },
    { label: 'Inputs', kind: AMOUNT_COLUMN },
    { label: 'Outputs', kind: AMOUNT_COLUMN },
    { label: `In outputs, ${coinTicker}`, kind: AMOUNT_COLUMN },
    { label: `Fee, ${coinTicker}`, kind: AMOUNT_COLUMN },
    hasSize && { label: 'Bytes', kind: AMOUNT_COLUMN },
  ];
  return table({
    caption,
    isCaptionHidden: true,
    columns: columns.filter((column) => column !== false),
    rows: rows.map(({ transaction, size, place }, i) => {
      const fee = fees[i]!;
      const rate = rates[i]!;
      return [
        transactionLink(site, transaction.id),
        ...(isOfOneBlock
          ? []
          : [
              place === null ? badge('pending', 'warning') : heightLink(site, place.height),
              place === null ? html`<span class="muted">–</span>` : time(place.timestamp),
            ]),
        ...(hasFeeRate
          ? [rate === null ? html`<span class="muted">not known</span>` : amount(rate, { fraction: rateFraction })]
          : []),
        deedBadges(transaction.deeds),
        count(transaction.inputCount),
        count(transaction.outputCount),
        amount(moved[i]!, { fraction: movedFraction }),
        fee === null ? html`<span class="muted">not known</span>` : amount(fee, { fraction: feeFraction }),
        ...(hasSize ? [size === null ? html`<span class="muted">–</span>` : count(size)] : []),
      ];
    }),
    empty,
  });
}

/** What transactions do, the first few of it. */
export function deedBadges(all: readonly string[]): Html {
  const more = all.length - MOST_DEEDS;
  const badges = all.slice(0, MOST_DEEDS).map((deed) => html`${badge(deed)} `);
  return html`${badges}${more > 0 && html`<span class="muted">+${more}</span>`}`;
}

/** The same with what fits beside another list. */
export function shortTransactionTable(
  site: Site,
  rows: readonly ListedTransaction[],
  { caption, empty, id }: Pick<TransactionTableOptions, 'caption' | 'empty'> & { readonly id: string },
): Html {
  return table({
    caption,
    id,
    isCaptionHidden: true,
    columns: [
      { label: 'Transaction' },
      { label: 'Block', kind: AMOUNT_COLUMN },
      { label: 'What it does' },
      { label: `Fee, ${site.network.coinTicker}`, kind: AMOUNT_COLUMN },
    ],
    rows: rows.map(({ transaction, place }) => [
      transactionLink(site, transaction.id),
      place === null ? badge('pending', 'warning') : heightLink(site, place.height),
      deedBadges(transaction.deeds),
      transaction.fee === null ? html`<span class="muted">not known</span>` : amount(transaction.fee),
    ]),
    empty,
  });
}
