/** A field of a form for a currency: the coin, the id of a token, or a ticker, which several tokens may have. */
import { tokenAddress } from '../../chain/address.ts';
import type { Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import { ApiError } from '../../serving/errors/api-error.ts';
import { NAMESAKE_LIST, type TradedTokenRow } from '../../store/queries/tokens/expanded-token-lists.ts';
import { searchableFragment } from '../../store/queries/tokens/tokens.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import { type Html, html, type SafeUrl } from '../html.ts';
import { wordsOfError } from '../page-error.ts';
import type { Site } from '../site.ts';
import { isTokenTicker, parseVisitorCurrency } from '../visitor-input.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';
import { chainText } from './chain-text.ts';
import { idHtml } from './id-links.ts';
import { banner } from './properties-and-badges.ts';

/** The most tokens of a ticker that are offered. */
const MAX_CHOICES = 20;

/** What a typed text means: a currency, or the tokens with that ticker, or nothing, with the reason. */
export interface TypedCurrency {
  readonly text: string;
  /** Null if nothing had to be read. */
  readonly tip: SnapshotTip | null;
  readonly currency: Currency | null;
  readonly tokens: readonly TradedTokenRow[];
  readonly problem: Words | null;
}

export async function readTypedCurrency(store: QueryRunner, network: Network, text: string): Promise<TypedCurrency> {
  if (isTokenTicker(network, text)) {
    const selection = { ticker: searchableFragment(text.toLowerCase()), after: null, limit: MAX_CHOICES };
    const { tip, rows: tokens } = await NAMESAKE_LIST.read(store, selection);
    const currency = tokens.length === 1 ? tokens[0]!.token_id : null;
    return { text, tip, currency, tokens, problem: say('No token has the ticker {text}.', { text }) };
  }
  const nothing = { text, tip: null, currency: null, tokens: [], problem: null };
  try {
    return { ...nothing, currency: parseVisitorCurrency(network, text) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ...nothing, problem: wordsOfError(error) };
  }
}

/** Says what is wrong with a typed text, or offers the tokens that have this ticker. `urlOf`: the form with the id of one of them. */
export function typedCurrencyProblem(
  site: Site,
  { text, tokens, problem }: TypedCurrency,
  urlOf: (token: string) => SafeUrl,
): Html {
  if (tokens.length === 0) return banner(html`${chainText(textOf(problem!), { most: 300 })}`, 'bad');
  const choices = tokens.map(({ token_id, holders }) => {
    const token = tokenAddress(site.network, token_id);
    return html`<li><a class="thing" href="${urlOf(token)}">${idHtml(token, { isShort: true })}</a> ${holders} holders</li>`;
  });
  return html`${banner(html`Several tokens have the ticker ${chainText(text)}. Choose one:`, 'bad')}<ul>${choices}</ul>`;
}

export const currencyField = (name: string, label: Words, value: string, placeholder: Words): Html =>
  html`<label>${textOf(label)} <input name="${name}" value="${value}" maxlength="100" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="${textOf(placeholder)}"></label>`;
