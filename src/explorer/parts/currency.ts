/** Renders the names and units of currencies: the coin, or a token by its ticker. */
import type { TokenLabels } from '../../api/present/token-label.ts';
import { tokenAddress } from '../../chain/address.ts';
import { nftMetadataFromHex } from '../../chain/codec/nft.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Hex, Id } from '../../chain/types.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site-urls.ts';
import { coinUnit } from './amount.ts';
import { chainBytes, plainChainText } from './chain-text.ts';
import { entityPath } from './id-links.ts';

interface TokenName {
  readonly kind: 'token' | 'nft' | 'unissued';
  /** The ticker's bytes, which may not be UTF-8. */
  readonly ticker: Hex;
  readonly decimals: number;
}

/** Returns the name of a token from its label, which `readTokenLabels` of `src/api/present/token-label.ts` reads. */
function tokenName(labels: TokenLabels, token: Id): TokenName {
  const label = labels.get(token);
  if (label === undefined) return { kind: 'unissued', ticker: '', decimals: 0 };
  if (label.metadata !== null) return { kind: 'nft', ticker: nftMetadataFromHex(label.metadata).ticker, decimals: 0 };
  return { kind: 'token', ticker: label.ticker!, decimals: label.decimals! };
}

/**
 * Renders the unit of an amount; a token's is a link. Two tokens can have the same ticker, so the link's title has the
 * id.
 */
export function currencyUnit(site: Site, labels: TokenLabels, currency: Currency): Html {
  if (currency === COIN) return coinUnit(site);
  const { kind, ticker } = tokenName(labels, currency);
  const address = tokenAddress(site.network, currency);
  const text = kind === 'unissued' ? html`(not issued)` : chainBytes(ticker, { most: 24 });
  return html`<a class="unit token" href="${site.href(entityPath(kind === 'nft' ? 'nft' : 'token', address))}" title="${address}">${text}</a>`;
}

/** Returns the name of a currency, for titles and sentences. */
export function currencyText(site: Site, labels: TokenLabels, currency: Currency): string {
  if (currency === COIN) return site.network.coinTicker;
  const { kind, ticker } = tokenName(labels, currency);
  return kind === 'unissued' ? 'a token that is not issued' : plainChainText(Buffer.from(ticker, 'hex').toString(), 24);
}

export function currencyDecimals({ network }: Site, labels: TokenLabels, currency: Currency): number {
  return currency === COIN ? network.coinDecimals : tokenName(labels, currency).decimals;
}
