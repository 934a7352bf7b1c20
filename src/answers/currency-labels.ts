/** Tickers and decimals of currencies, by the row of a token. */

import { nftMetadataFromHex } from '../chain/codec/nft.ts';
import { COIN, type Currency } from '../chain/currency.ts';
import type { Network } from '../chain/networks/network.ts';
import { utf8OfHex } from '../chain/scale/hex.ts';
import type { TokenLabelRow } from '../store/queries/tokens/tokens.ts';

/** Returns the decimals of the currency of a row; 0 for an NFT, and while the token is not issued. */
export function decimalsOfCurrency(
  network: Network,
  currency: Currency,
  { decimals }: Pick<TokenLabelRow, 'decimals'>,
): number {
  return currency === COIN ? network.coinDecimals : (decimals ?? 0);
}

/**
 * Returns the ticker of the currency of a row; null while the token is not issued. Bytes that are not UTF-8 become replacement
 * characters.
 */
export function tickerOfCurrency(
  network: Network,
  currency: Currency,
  { ticker, metadata }: TokenLabelRow,
): string | null {
  if (currency === COIN) return network.coinTicker;
  const hex = metadata === null ? ticker : nftMetadataFromHex(metadata).ticker;
  return hex === null ? null : utf8OfHex(hex);
}
