/** Renders the names and units of currencies: the coin, a token by its ticker, or an NFT by its name. */

import type { TokenLabels } from '../../answers/token-label.ts';
import { tokenAddress } from '../../chain/address.ts';
import { nftMetadataFromHex } from '../../chain/codec/nft.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Hex, Id } from '../../chain/types.ts';
import { tickerIsUnique } from '../../render/unique-ticker.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { textOf } from '../words/catalogue.ts';
import { coinUnit } from './amount.ts';
import { bytesAsText, plainChainText } from './chain-text.ts';
import { idHtml, shortId, thingPath } from './id-links.ts';
import { markIcon, markWarning } from './operator-mark.ts';

interface TokenName {
  readonly kind: 'token' | 'nft' | 'unissued';
  /** The bytes of its ticker, or of an NFT's name, which may not be UTF-8. */
  readonly text: Hex;
  readonly decimals: number;
  /** Does the text name this token alone? */
  readonly isUnique: boolean;
}

/** Returns the name of a token from its label, which `readTokenLabels` of `src/answers/token-label.ts` reads. */
function tokenName({ network }: Site, labels: TokenLabels, token: Id): TokenName {
  const label = labels.get(token);
  if (label === undefined) return { kind: 'unissued', text: '', decimals: 0, isUnique: true };
  const isUnique = tickerIsUnique(network, label);
  if (label.metadata === null) return { kind: 'token', text: label.ticker!, decimals: label.decimals!, isUnique };
  return { kind: 'nft', text: nftMetadataFromHex(label.metadata).name, decimals: 0, isUnique };
}

export const isNft = (labels: TokenLabels, currency: Currency): boolean => labels.get(currency)?.metadata != null;

/** Renders an NFT where others have an amount: there is one of each. */
export const nftHtml = (unit: Html): Html => html`<span data-atoms="1">NFT</span> ${unit}`;

/** Renders the unit of an amount; a token's is a link. Beside a text that others may have, too, stands the id. */
export function currencyUnit(site: Site, labels: TokenLabels, currency: Currency): Html {
  if (currency === COIN) return coinUnit(site);
  const { kind, text: name, isUnique } = tokenName(site, labels, currency);
  const address = tokenAddress(site.network, currency);
  const text = kind === 'unissued' ? html`(not issued yet)` : bytesAsText(name, { most: 24 });
  const id = isUnique ? null : html` ${idHtml(address, { isShort: true })}`;
  return html`<a class="unit token" href="${site.href(thingPath(kind === 'nft' ? 'nft' : 'token', address))}" title="${address}">${markIcon(site, address)}${text}${id}</a>${markWarning(site, address)}`;
}

/** Returns the name of a currency, for titles and sentences, with the id as in {@link currencyUnit}. */
export function currencyText(site: Site, labels: TokenLabels, currency: Currency): string {
  const text = tickerText(site, labels, currency);
  return currency === COIN || tokenName(site, labels, currency).isUnique
    ? text
    : `${text} (${shortId(tokenAddress(site.network, currency))})`;
}

/** Returns the ticker, or the name, alone, for labels below a heading that says which currency it is. */
export function tickerText(site: Site, labels: TokenLabels, currency: Currency): string {
  if (currency === COIN) return site.network.coinTicker;
  const { kind, text } = tokenName(site, labels, currency);
  if (kind === 'unissued') return textOf('a token that is not issued');
  return plainChainText(Buffer.from(text, 'hex').toString(), 24);
}

/** Sorts what is of several currencies by their names, the coin first. */
export function sortedByName<Row extends { readonly currency: Currency }>(
  site: Site,
  labels: TokenLabels,
  rows: readonly Row[],
): Row[] {
  const name = ({ currency }: Row) => (currency === COIN ? '' : currencyText(site, labels, currency));
  return rows.toSorted((a, b) => name(a).localeCompare(name(b)));
}

export function currencyDecimals({ network }: Site, labels: TokenLabels, currency: Currency): number {
  return currency === COIN ? network.coinDecimals : (labels.get(currency)?.decimals ?? 0);
}
