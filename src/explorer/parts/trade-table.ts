/** Renders tables of trades. */

import { shownFill } from '../../answers/fill-in-direction.ts';
import type { RequestedPair } from '../../answers/markets.ts';
import type { TokenLabels } from '../../answers/token-label.ts';
import type { FillEntryRow } from '../../store/queries/orders/fills.ts';
import type { Html } from '../html.ts';
import type { Site } from '../site.ts';
import { say } from '../words/catalogue.ts';
import { amountColumn, exactAmount, noneHtml } from './amount.ts';
import { currencyDecimals, tickerText } from './currency-names.ts';
import { destinationLink, transactionLink } from './id-links.ts';
import { sideHtml } from './order-table.ts';
import { column, inCard, type TableTexts, table } from './table.ts';
import { timeHtml } from './time.ts';
import { unitPrice } from './trading-pair.ts';

export function tradeTable(
  site: Site,
  labels: TokenLabels,
  pair: RequestedPair,
  trades: readonly FillEntryRow[],
  words: TableTexts,
): Html {
  const [baseText, quoteText] = [tickerText(site, labels, pair.base), tickerText(site, labels, pair.quote)];
  const [base, quote] = [currencyDecimals(site, labels, pair.base), currencyDecimals(site, labels, pair.quote)];
  const shown = trades.map((row) => ({ row, ...shownFill(pair, row) }));
  return table(shown, {
    ...words,
    columns: [
      column('Transaction', ({ row }) => transactionLink(site, row.tx_id)),
      inCard.top(column('Time', ({ row }) => timeHtml(row.timestamp))),
      inCard.plain(column('Side', ({ side }) => sideHtml(side))),
      amountColumn(
        say('Price, {quoteText}', { quoteText }),
        ({ price }) => (price === null ? null : unitPrice(price, base, quote)),
        { isPrice: true },
      ),
      amountColumn(say('Amount, {unit}', { unit: baseText }), ({ baseAmount }) => exactAmount(baseAmount, base)),
      amountColumn(say('Total, {unit}', { unit: quoteText }), ({ quoteAmount }) => exactAmount(quoteAmount, quote)),
      column('Trader', ({ row }) => (row.taker === null ? noneHtml() : destinationLink(site, row.taker))),
    ],
  });
}
