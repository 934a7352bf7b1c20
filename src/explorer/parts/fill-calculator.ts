/** What an amount of a market's base costs or brings: the form for it, and the answer. */

import { FILL_BYTES, minimumFee } from '../../answers/fee-examples.ts';
import { estimateFill, type TakerSide } from '../../answers/fill-estimate.ts';
import { bookLevelOf, decimalsOfBook, takenBook } from '../../answers/order-book.ts';
import type { PriceRatio } from '../../answers/price-ratio.ts';
import { type Freezing, freezingOf, type TokenLabels } from '../../answers/token-label.ts';
import type { Currency } from '../../chain/currency.ts';
import type { Atoms } from '../../chain/types.ts';
import { lastQueryValue, type UrlQuery } from '../../serving/parse/parameters.ts';
import type { CandleInterval } from '../../store/queries/orders/candles.ts';
import { type BookSelection, PRICE_LEVEL_LIST, type PriceLevelRow } from '../../store/queries/orders/price-levels.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { readTypedAmount } from '../visitor-input.ts';
import { textOf } from '../words/catalogue.ts';
import { amountHtml, coinAmount, exactAmount } from './amount.ts';
import { currencyUnit, tickerText } from './currency-names.ts';
import { optionHtml } from './filter-form.ts';
import { heightLink } from './id-links.ts';
import { banner } from './properties-and-badges.ts';
import { marketPath, unitPrice } from './trading-pair.ts';

interface AskedSize {
  readonly side: TakerSide;
  /** Of base, as it was typed; empty if nothing was asked. */
  readonly amount: string;
}

export const askedSize = (query: UrlQuery): AskedSize => ({
  side: lastQueryValue(query, 'side') === 'sell' ? 'sell' : 'buy',
  amount: lastQueryValue(query, 'amount')?.trim() ?? '',
});

export function sizeForm(
  site: Site,
  labels: TokenLabels,
  {
    base,
    quote,
    interval,
  }: { readonly base: Currency; readonly quote: Currency; readonly interval: CandleInterval | undefined },
  asked: AskedSize,
  rows: readonly PriceLevelRow[],
  feeRate: Atoms | null,
): Html {
  const { side, amount } = asked;
  const unit = tickerText(site, labels, base);
  const freezing = freezingOf([labels.get(base), labels.get(quote)]);
  const frozen = freezing && banner(frozenWords(site, freezing), 'bad');
  if (freezing?.isForEver === true)
    return html`<section id="size" class="card"><h2>Estimate a trade</h2>${frozen}</section>`;
  // Above the form: so it is in sight where the page is scrolled to.
  const answer = amount !== '' && sizeWords(site, labels, takenBook(base, quote, side), asked, rows, feeRate);
  const kept = interval !== undefined && html`<input type="hidden" name="interval" value="${interval}">`;
  const action = site.href(marketPath(site.network, base, quote), {}, '#size');
  const sides = html`<label><span class="sr">Side</span><select name="side">${optionHtml('buy', 'Buy', side)}${optionHtml('sell', 'Sell', side)}</select></label>`;
  const field = html`<label>${unit} <input name="amount" inputmode="decimal" autocomplete="off" size="10" maxlength="60" value="${amount}"></label>`;
  const form = html`<form class="filter" data-in-place method="get" action="${action}">${kept}${sides}${field}<button type="submit">Calculate</button></form>`;
  return html`<section id="size" class="card"><h2>Estimate a trade</h2>${frozen}${answer && freezing && html`<strong>Once the token is unfrozen:</strong> `}${answer}${form}</section>`;
}

function frozenWords(site: Site, { since, isForEver }: Freezing): Html {
  const block = heightLink(site, since);
  return isForEver
    ? html`Permanently frozen since block ${block}: these orders can never be filled.`
    : html`Frozen since block ${block}: these orders cannot be filled now.`;
}

/** Says what an amount costs or brings; or what is wrong with it. */
function sizeWords(
  site: Site,
  labels: TokenLabels,
  book: BookSelection,
  { side, amount }: AskedSize,
  rows: readonly PriceLevelRow[],
  feeRate: Atoms | null,
): Html {
  const decimals = decimalsOfBook(site.network, book, rows[0]!);
  const [baseUnit, quoteUnit] = [currencyUnit(site, labels, book.base), currencyUnit(site, labels, book.quote)];
  const { atoms, problem } = readTypedAmount(amount, {
    decimals: decimals.base,
    unit: tickerText(site, labels, book.base),
  });
  if (problem !== null || atoms === null) return html`<p class="bad">${problem !== null && textOf(problem)}</p>`;
  const all = rows.filter((row) => PRICE_LEVEL_LIST.isEntry(row)).map((row) => bookLevelOf(site.network, book, row));
  if (atoms === 0n) return html`<p class="bad">Enter an amount above 0.</p>`;
  const { filled, unfilled, total, average, worst, levels } = estimateFill(all, side, atoms);
  const ofBase = (value: Atoms) =>
    amountHtml(exactAmount(value, decimals.base), { unit: baseUnit, isRounded: 'inline' });
  const price = (ratio: PriceRatio) => amountHtml(unitPrice(ratio, decimals.base, decimals.quote), { isRounded: true });
  if (worst === null) return html`<div class="bad">No open order can fill this.</div>`;
  const paid = amountHtml(exactAmount(total, decimals.quote), { unit: quoteUnit, isRounded: 'inline' });
  // Of one level, the mean and the last price are the same.
  const prices =
    levels === 1
      ? html`${price(worst)} each`
      : side === 'buy'
        ? html`${average && price(average)} each on average, at most ${price(worst)}`
        : html`${average && price(average)} each on average, at least ${price(worst)}`;
  const besides = feeRate !== null && feeOf(site, feeRate);
  if (unfilled > 0n) {
    const [most, asked] = [ofBase(filled), ofBase(atoms)];
    return html`<div class="bad">${
      side === 'buy'
        ? html`Only ${most} of ${asked} can be bought: ${paid} in total, ${prices}.`
        : html`Only ${most} of ${asked} can be sold: ${paid} in total, ${prices}.`
    }${besides}</div>`;
  }
  return html`<div>${
    side === 'buy'
      ? html`Buying ${ofBase(filled)} costs ${paid}: ${prices}.`
      : html`Selling ${ofBase(filled)} brings ${paid}: ${prices}.`
  }${besides}</div>`;
}

function feeOf(site: Site, feeRate: Atoms): Html {
  const fee = coinAmount(site, minimumFee(FILL_BYTES, feeRate), { isRounded: 'inline' });
  return html` <span class="muted">Plus a fee of about ${fee} for each order filled.</span>`;
}
