/** Renders trading pairs: links to their markets, and prices. */
import { LEAST_DEPTH_COINS } from '../../answers/market-depth.ts';
import { isMarketCrossed, isMarketThin, type PairDecimals } from '../../answers/markets.ts';
import { type PriceRatio, reducedPriceRatio, wholeUnitPrice } from '../../answers/price-ratio.ts';
import { pairName } from '../../chain/address.ts';
import type { Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms } from '../../chain/types.ts';
import type { MarketRow } from '../../store/queries/orders/markets.ts';
import type { ExpandedTokenRow } from '../../store/queries/tokens/expanded-token-lists.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { say, textOf } from '../words/catalogue.ts';
import { localDecimal } from '../words/formats.ts';
import { amountHtml, coinAmount, coinUnit, DASH_HTML, type ExactAmount, exactAmount } from './amount.ts';
import { thingPath } from './id-links.ts';
import { percentOf, roundedQuotient } from './number.ts';
import { badge } from './properties-and-badges.ts';
import { type Column, numberColumn } from './table.ts';

export function marketPath(network: Network, base: Currency, quote: Currency): string {
  return thingPath('market', pairName(network, base, quote));
}

export function marketLink(site: Site, base: Currency, quote: Currency, text: Html | string): Html {
  return html`<a href="${site.href(marketPath(site.network, base, quote))}">${text}</a>`;
}

/** Returns the price of a whole unit of `base` in whole units of `quote`, rounded down to its decimals. */
export function unitPrice(price: PriceRatio, baseDecimals: number, quoteDecimals: number): ExactAmount {
  return exactAmount(wholeUnitPrice(price, baseDecimals), quoteDecimals);
}

/** Returns the price of two amounts of a market, in the direction of its row, as {@link unitPrice} does; null unless both moved. */
export function priceOfAmounts(
  ofBase: Atoms | null,
  ofQuote: Atoms | null,
  decimals: PairDecimals,
): ExactAmount | null {
  if (!ofBase || !ofQuote) return null;
  return unitPrice({ numerator: ofQuote, denominator: ofBase }, decimals.base, decimals.quote);
}

type PricedToken = Pick<ExpandedTokenRow, 'decimals' | 'last_base' | 'last_quote' | 'coin_depth'>;

/** A column of the prices of the newest trades of tokens for coins. `isMarked`: does it mark those of thin markets? */
export const lastPriceColumn = <Row>(
  site: Site,
  tokenOf: (row: Row) => PricedToken | undefined,
  isMarked: boolean,
): Column<Row> =>
  numberColumn('Last price', (row) => {
    const token = tokenOf(row);
    const decimals = { base: token?.decimals ?? 0, quote: site.network.coinDecimals };
    const price = token ? priceOfAmounts(token.last_base, token.last_quote, decimals) : null;
    if (price === null) return DASH_HTML;
    return html`${isMarked && thinBadge(site, token!)} ${amountHtml(price, { isRounded: true, unit: coinUnit(site) })}`;
  });

/** Writes the exact price of {@link unitPrice}: a decimal number if it is one with these decimals, else a fraction. */
export function exactUnitPrice(price: PriceRatio, baseDecimals: number, quoteDecimals: number): string {
  const { atoms, decimal } = unitPrice(price, baseDecimals, quoteDecimals);
  const quote = price.numerator * 10n ** BigInt(baseDecimals);
  if (atoms * price.denominator === quote) return localDecimal(decimal);
  const { numerator, denominator } = reducedPriceRatio(quote, price.denominator * 10n ** BigInt(quoteDecimals));
  return `${numerator}/${denominator}`;
}

/** A change of a price in a market's day. */
export function changeHtml(change: bigint | null): Html {
  if (change === null) return DASH_HTML;
  const hundredths = roundedQuotient(change, 100n);
  const percent = percentOf(hundredths);
  if (hundredths === 0n) return html`${percent}`;
  return hundredths < 0n ? html`<span class="bad">${percent}</span>` : html`<span class="good">+${percent}</span>`;
}

/** The change of a market's day, or why it says nothing. Nobody can trade a frozen token: its market has no mark. */
export function dayChangeHtml(
  site: Site,
  { coin_depth, day_change = null }: Pick<MarketRow, 'coin_depth'> & Partial<Pick<MarketRow, 'day_change'>>,
  isFrozen: boolean,
): Html {
  const thin = thinBadge(site, { coin_depth });
  return thin === null ? changeHtml(day_change) : isFrozen ? DASH_HTML : thin;
}

/** Says what a thin market is. */
function thinText({ network }: Site): string {
  const amount = `${LEAST_DEPTH_COINS} ${network.coinTicker}`;
  return textOf(
    say('Buy orders within 50% of the last price total less than {amount}, so do not rely on this price.', { amount }),
  );
}

/** Marks a market whose price anybody could have made. */
export const thinBadge = (site: Site, market: Pick<MarketRow, 'coin_depth'> | null): Html | null =>
  market && isMarketThin(site.network, market) ? badge('thin market', 'plain', thinText(site)) : null;

/** Marks a market whose best bid is at or above its best ask. */
export const crossedBadge = (market: MarketRow | null): Html | null =>
  market && isMarketCrossed(market) ? badge('crossed', 'plain', crossedText()) : null;

/** Says what a crossed market is. */
export const crossedText = (): string =>
  textOf('The best bid is at or above the best ask, so anyone can fill both and keep the difference.');

/** Says what the badge means, if some of these markets are thin. */
export const thinLegend = (site: Site, markets: readonly Pick<MarketRow, 'coin_depth'>[]): Html | null => {
  const thin = markets.find((row) => isMarketThin(site.network, row));
  return thin === undefined ? null : html`${thinBadge(site, thin)} ${thinText(site)} `;
};

/** Says how the price has changed in the market's day; of a thin market, what stands behind the price. */
export function dayChange(site: Site, market: MarketRow): Html | null {
  const { day_change: change, day_trades: trades, coin_depth: depth } = market;
  if (isMarketThin(site.network, market))
    return depth === 0n
      ? html`no buy orders within 50% of this price`
      : html`buy orders within 50% of this price: ${coinAmount(site, depth!, { isRounded: 'inline' })}`;
  if (trades === 0) return html`no trade in 24 hours`;
  return change === null ? null : html`${changeHtml(change)} in 24 hours`;
}
