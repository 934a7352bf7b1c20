/** Currencies, and the fields that stand beside them. */

import { TOKEN_LABEL_PROPERTIES } from '../../answers/token-label.ts';
import { tokenAddress } from '../../chain/address.ts';
import { nftMetadataFromHex } from '../../chain/codec/nft.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import { nullableJson, objectJson, plainJson, textJson } from '../../render/compose-json.ts';
import { type CURRENCY_SCHEMA as CurrencySchema, schemaRef } from '../../render/schemas/common.ts';
import type { JsonTextOf, ValueOf } from '../../render/schemas/value-of-schema.ts';
import type { TokenLabelRow } from '../../store/queries/tokens/tokens.ts';

type CurrencyValue = ValueOf<typeof CurrencySchema>;

export function currencyJson(network: Network, currency: Currency): JsonTextOf<typeof CurrencySchema> {
  return currency === COIN ? COIN_JSON : tokenCurrencyJson(tokenAddress(network, currency));
}

export const COIN_JSON = objectJson<Extract<CurrencyValue, { type: 'Coin' }>>({ type: plainJson('Coin') });

/** `token`: its address. */
export function tokenCurrencyJson(token: string): JsonTextOf<typeof CurrencySchema> {
  return objectJson<Extract<CurrencyValue, { type: 'Token' }>>({
    token_id: plainJson(token),
    type: plainJson('Token'),
  });
}

/** The fields of a currency, with its ticker and decimals. */
export const CURRENCY_FIELDS = { currency: schemaRef('Currency'), ...TOKEN_LABEL_PROPERTIES };

/** Returns the decimals of the currency of a row; 0 for an NFT, and while the token is not issued. */
export function decimalsOfCurrency(network: Network, currency: Currency, { decimals }: TokenLabelRow): number {
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
  return hex === null ? null : Buffer.from(hex, 'hex').toString('utf8');
}

/** Returns the fields {@link CURRENCY_FIELDS} of a row. */
export function currencyFieldsJson(network: Network, currency: Currency, label: TokenLabelRow) {
  return {
    currency: currencyJson(network, currency),
    ticker: nullableJson(tickerOfCurrency(network, currency, label), textJson),
    decimals: decimalsOfCurrency(network, currency, label),
  };
}
