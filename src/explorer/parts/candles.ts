/** Draws the prices and volumes of a market by hour, day or week. */
import { type AskedPair, type ShownCandle, shownCandle } from '../../api/present/market.ts';
import type { PriceRatio } from '../../api/present/order.ts';
import type { TokenLabels } from '../../api/present/token-label.ts';
import type { CandleInterval, ListedCandleRow } from '../../store/queries/candles.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site-urls.ts';
import { amountColumn, countHtml, exactAmount } from './amount.ts';
import { type CandlePoint, candleChart } from './chart.ts';
import { currencyDecimals, currencyText } from './currency.ts';
import { column, numberColumn, table } from './table.ts';
import { timeHtml, utcText } from './time.ts';
import { unitPrice } from './trading-pair.ts';

/** `rows`: newest first. */
export function marketCandles(
  site: Site,
  labels: TokenLabels,
  pair: AskedPair,
  interval: CandleInterval,
  rows: readonly ListedCandleRow[],
): Html {
  const [baseText, quoteText] = [currencyText(site, labels, pair.base), currencyText(site, labels, pair.quote)];
  if (rows.length === 0) return html`<p class="empty">There has been no trade of ${baseText} for ${quoteText} yet.</p>`;
  const [base, quote] = [currencyDecimals(site, labels, pair.base), currencyDecimals(site, labels, pair.quote)];
  const exact = (price: PriceRatio) => unitPrice(price, base, quote);
  const number = ({ numerator, denominator }: PriceRatio) =>
    (Number(numerator) / Number(denominator)) * 10 ** (base - quote);
  const shown = rows.map((row) => ({ row, ...shownCandle(pair, row) }));
  const words = ({ open, high, low, close, baseVolume }: ShownCandle) =>
    `open ${exact(open).decimal}, high ${exact(high).decimal}, low ${exact(low).decimal}, close ${exact(close).decimal} ${quoteText}; ${exactAmount(baseVolume, base).decimal} ${baseText} traded`;
  const points = shown.toReversed().map((candle): CandlePoint => {
    const { row, open, high, low, close } = candle;
    const prices = { open: number(open), high: number(high), low: number(low), close: number(close) };
    const unfinished = row.is_complete ? '' : 'not over yet, ';
    const name = utcText(row.start).slice(0, '2026-01-31 12:00'.length);
    return { x: row.start, ...prices, name, value: unfinished + words(candle) };
  });
  const values = table(shown, {
    caption: `Prices in ${quoteText} by ${interval}, newest first`,
    id: 'candles',
    columns: [
      column('From', ({ row }) => timeHtml(row.start, { isAbsolute: true })),
      amountColumn('Open', ({ open }) => exact(open)),
      amountColumn('High', ({ high }) => exact(high)),
      amountColumn('Low', ({ low }) => exact(low)),
      amountColumn('Close', ({ close }) => exact(close)),
      amountColumn(baseText, ({ baseVolume }) => exactAmount(baseVolume, base)),
      amountColumn(quoteText, ({ quoteVolume }) => exactAmount(quoteVolume, quote)),
      numberColumn('Trades', ({ row }) => countHtml(row.trades)),
    ],
    empty: '',
  });
  const [from, to] = [utcText(rows.at(-1)!.start), utcText(rows[0]!.start)];
  return candleChart({
    title: `Price of ${baseText} in ${quoteText} by ${interval}`,
    description: `Open, high, low and close of each ${interval} with trades, from ${from} to ${to}.`,
    candles: points,
    unit: quoteText,
    values,
  });
}
