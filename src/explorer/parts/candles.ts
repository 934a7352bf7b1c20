/** Draws the prices and volumes of a market by hour, day or week. */

import { type CandleInDirection, candleInDirection } from '../../answers/candles.ts';
import type { RequestedPair } from '../../answers/markets.ts';
import type { PriceRatio } from '../../answers/price-ratio.ts';
import type { TokenLabels } from '../../answers/token-label.ts';
import { HOUR_SECONDS } from '../../chain/calendar.ts';
import { CANDLE_HOURS, type CandleEntryRow, type CandleInterval } from '../../store/queries/orders/candles.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { say, textOf } from '../words/catalogue.ts';
import { localDecimal } from '../words/formats.ts';
import { amountColumn, countHtml, exactAmount } from './amount.ts';
import { type CandlePoint, candleChart } from './chart.ts';
import { currencyDecimals, tickerText } from './currency-names.ts';
import { roundNumber } from './number.ts';
import { column, numberColumn, table } from './table.ts';
import { dayText, timeHtml, utcText } from './time.ts';
import { unitPrice } from './trading-pair.ts';

/** The most intervals that a chart has: a week of hours. */
const MOST_INTERVALS = 168;

const TRADED = 'open {open}, high {high}, low {low}, close {close} {quoteText}; {volume} {baseText} traded';
const TRADED_SO_FAR =
  'not over yet, open {open}, high {high}, low {low}, close {close} {quoteText}; {volume} {baseText} traded';

/** `rows`: newest first. */
export function marketCandles(
  site: Site,
  labels: TokenLabels,
  pair: RequestedPair,
  interval: CandleInterval,
  rows: readonly CandleEntryRow[],
): Html {
  const [baseText, quoteText] = [tickerText(site, labels, pair.base), tickerText(site, labels, pair.quote)];
  if (rows.length === 0) return html`<p class="empty">There has been no trade of ${baseText} for ${quoteText} yet.</p>`;
  const [base, quote] = [currencyDecimals(site, labels, pair.base), currencyDecimals(site, labels, pair.quote)];
  const exact = (price: PriceRatio) => unitPrice(price, base, quote);
  const text = (price: PriceRatio) => localDecimal(roundNumber(exact(price).decimal));
  const number = ({ numerator, denominator }: PriceRatio) =>
    (Number(numerator) / Number(denominator)) * 10 ** (base - quote);
  const shown = rows.map((row) => ({ row, ...candleInDirection(pair, row) }));
  const words = ({ open, high, low, close, baseVolume }: CandleInDirection) =>
    ({
      ...{ open: text(open), high: text(high), low: text(low), close: text(close) },
      ...{ quoteText, volume: localDecimal(roundNumber(exactAmount(baseVolume, base).decimal)), baseText },
    }) as const;
  const nameOf = (start: number) =>
    interval === 'hour' ? utcText(start).slice(0, '2026-01-31 12:00'.length) : dayText(start);
  const seconds = CANDLE_HOURS[interval] * HOUR_SECONDS;
  const since = rows[0]!.start - (MOST_INTERVALS - 1) * seconds;
  const points: CandlePoint[] = [];
  for (const candle of shown.toReversed()) {
    const { row, open, high, low, close, quoteVolume } = candle;
    if (row.start < since) continue;
    // Where nothing was traded, the last price goes on.
    for (let last = points.at(-1); last !== undefined && last.x + seconds < row.start; last = points.at(-1)) {
      const [x, price] = [last.x + seconds, last.close];
      const value = textOf(say('no trade, last price {price} {quoteText}', { price: last.last, quoteText }));
      points.push({ ...last, x, open: price, high: price, low: price, volume: 0, name: nameOf(x), value });
    }
    points.push({
      x: row.start,
      ...{ open: number(open), high: number(high), low: number(low), close: number(close) },
      volume: Number(quoteVolume),
      last: text(close),
      name: nameOf(row.start),
      value: textOf(say(row.is_complete ? TRADED : TRADED_SO_FAR, words(candle))),
    });
  }
  const values = table(shown, {
    caption: say('Prices in {quoteText}, newest first', { quoteText }),
    id: 'candles',
    columns: [
      column('From', ({ row }) => timeHtml(row.start, interval === 'hour' ? 'absolute' : 'day')),
      amountColumn('Open', ({ open }) => exact(open), { isPrice: true }),
      amountColumn('High', ({ high }) => exact(high), { isPrice: true }),
      amountColumn('Low', ({ low }) => exact(low), { isPrice: true }),
      amountColumn('Close', ({ close }) => exact(close), { isPrice: true }),
      amountColumn(say('Volume, {unit}', { unit: baseText }), ({ baseVolume }) => exactAmount(baseVolume, base)),
      amountColumn(say('Volume, {unit}', { unit: quoteText }), ({ quoteVolume }) => exactAmount(quoteVolume, quote)),
      numberColumn('Trades', ({ row }) => countHtml(row.trades)),
    ],
  });
  const hasGaps = rows.some(({ start }, i) => i > 0 && start + seconds < rows[i - 1]!.start);
  const [from, to] = [utcText(points[0]!.x), utcText(rows[0]!.start)];
  return candleChart({
    title: say('Price of {baseText} in {quoteText}', { baseText, quoteText }),
    description: say(
      'Open, high, low and close from {from} to {to}, and the volume in {quoteText} below; where nothing was traded, the last price.',
      { from, to, quoteText },
    ),
    candles: points,
    values: html`${values}${hasGaps && html`<p class="muted">Times without trades are left out.</p>`}`,
  });
}
