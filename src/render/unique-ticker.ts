/** Whether a ticker tells a token from all others. */

import type { Network } from '../chain/networks/network.ts';
import { utf8OfHex } from '../chain/scale/hex.ts';
import type { Hex } from '../chain/types.ts';

/**
 * Does no other issued token, nor the coin, have this ticker, ignoring case? Always false for NFTs: those of a collection share
 * one.
 */
export function tickerIsUnique(
  { coinTicker }: Network,
  label: { readonly ticker: Hex | null; readonly ticker_is_shared: boolean | null },
): boolean {
  const { ticker, ticker_is_shared } = label;
  if (ticker === null || ticker_is_shared !== false) return false;
  return utf8OfHex(ticker).toLowerCase() !== coinTicker.toLowerCase();
}
