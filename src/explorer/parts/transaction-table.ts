/** Renders tables of transactions: of the chain, of a block, or pending ones. */
import { feeRate } from '../../chain/fee-rate.ts';
import { type Html, html } from '../html.ts';
import type { TransactionOutline } from '../read/transaction-outline.ts';
import type { Site } from '../site-urls.ts';
import { amountColumn, coinColumn, countHtml, DASH_HTML, exactAmount, UNKNOWN_HTML } from './amount.ts';
import { heightLink, transactionLink } from './id-links.ts';
import { badge } from './properties-and-badges.ts';
import { type Column, column, numberColumn, type TableTexts, table } from './table.ts';
import { timeHtml } from './time.ts';

export interface ListedTransaction {
  readonly transaction: TransactionOutline;
  /** The size with signatures, in bytes; null if it is unknown. */
  readonly size: number | null;
  /** The block of the transaction; null while it is pending. */
  readonly place: { readonly height: number; readonly timestamp: number } | null;
}

interface TransactionTableOptions extends TableTexts {
  /** Leaves out block and time, for a list of one block. */
  readonly isOfOneBlock?: boolean;
  /** False leaves out the size, if no entry has one. */
  readonly hasSize?: boolean;
  /** Adds the fee rate per 1,000 bytes. */
  readonly hasFeeRate?: boolean;
}

export function transactionTable(
  site: Site,
  rows: readonly ListedTransaction[],
  { isOfOneBlock = false, hasSize = true, hasFeeRate = false, ...words }: TransactionTableOptions,
): Html {
  const { coinDecimals, coinTicker } = site.network;
  const rateOf = ({ size, transaction: { fee } }: ListedTransaction) =>
    fee === null || size === null ? null : exactAmount(feeRate(fee.atoms, size), coinDecimals);
  return table(rows, {
    ...words,
    isSteady: true,
    columns: [
      column('Transaction', ({ transaction }) => transactionLink(site, transaction.id)),
      !isOfOneBlock && blockColumn(site),
      !isOfOneBlock && column('Time', ({ place }) => (place === null ? DASH_HTML : timeHtml(place.timestamp))),
      hasFeeRate && amountColumn(`Fee rate, ${coinTicker}/kB`, rateOf, { missing: UNKNOWN_HTML }),
      ACTIONS,
      numberColumn('Inputs', ({ transaction }) => countHtml(transaction.inputCount)),
      numberColumn('Outputs', ({ transaction }) => countHtml(transaction.outputCount)),
      coinColumn(site, 'Total output', ({ transaction }) => transaction.coins),
      amountColumn(`Fee, ${coinTicker}`, ({ transaction }) => transaction.fee, { missing: UNKNOWN_HTML }),
      hasSize && numberColumn('Size, bytes', ({ size }) => (size === null ? DASH_HTML : countHtml(size))),
    ],
  });
}

/** Renders what a transaction does. The style shows as many actions as fit on one line. */
export function actionBadges(all: readonly string[]): Html {
  return html`<span class="kinds" title="${all.join(', ')}">${all.map((action) => html`${badge(action)} `)}</span>`;
}

/** Renders a narrower table, which fits beside another list. */
export function shortTransactionTable(
  site: Site,
  rows: readonly ListedTransaction[],
  words: TableTexts & { readonly id: string },
): Html {
  return table(rows, {
    ...words,
    isSteady: true,
    columns: [
      column('Transaction', ({ transaction }) => transactionLink(site, transaction.id)),
      blockColumn(site),
      ACTIONS,
      amountColumn(`Fee, ${site.network.coinTicker}`, ({ transaction }) => transaction.fee, { missing: UNKNOWN_HTML }),
    ],
  });
}

const ACTIONS = column<ListedTransaction>('Type', ({ transaction }) => actionBadges(transaction.actions));

function blockColumn(site: Site): Column<ListedTransaction> {
  return numberColumn('Block', ({ place }) =>
    place === null ? badge('pending', 'warning') : heightLink(site, place.height),
  );
}
