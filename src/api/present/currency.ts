/** Currencies, and the fields that stand beside them. */
import Type from 'typebox';
import { tokenAddress } from '../../chain/address.ts';
import { nftMetadataFromHex } from '../../chain/codec/nft.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import { objectJson, plainJson, textJson } from '../../render/compose-json.ts';
import { COUNT_SCHEMA, type CURRENCY_SCHEMA as CurrencySchema, schemaRef } from '../../render/schemas/common.ts';
import type { JsonTextOf, ValueOf } from '../../render/schemas/value-of-schema.ts';
import type { TokenLabelRow } from '../../store/queries/tokens.ts';

type CurrencyValue = ValueOf<typeof CurrencySchema>;

export function currencyJson(network: Network, currency: Currency): JsonTextOf<typeof CurrencySchema> {
  if (currency === COIN) return objectJson<Extract<CurrencyValue, { type: 'Coin' }>>({ type: plainJson('Coin') });
  return objectJson<Extract<CurrencyValue, { type: 'Token' }>>({
    type: plainJson('Token'),
    token_id: plainJson(tokenAddress(network, currency)),
  });
}

/** The fields of a currency, with its ticker and decimals. */
export const CURRENCY_FIELDS = {
  currency: schemaRef('Currency'),
  ticker: Type.String(),
  decimals: { ...COUNT_SCHEMA, description: '0 for an NFT' },
};

/** Returns the decimals of the currency of a row; 0 for an NFT. */
export function decimalsOfCurrency(network: Network, currency: Currency, { decimals }: TokenLabelRow): number {
  return currency === COIN ? network.coinDecimals : (decimals ?? 0);
}

/** Returns the ticker of the currency of a row; bytes that are not UTF-8 become replacement characters. */
export function tickerOfCurrency(network: Network, currency: Currency, { ticker, metadata }: TokenLabelRow): string {
  if (currency === COIN) return network.coinTicker;
  const hex = metadata === null ? (ticker ?? '') : nftMetadataFromHex(metadata).ticker;
  return Buffer.from(hex, 'hex').toString('utf8');
}

/** Returns the fields {@link CURRENCY_FIELDS} of a row. */
export function currencyFieldsJson(network: Network, currency: Currency, label: TokenLabelRow) {
  return {
    currency: currencyJson(network, currency),
    ticker: textJson(tickerOfCurrency(network, currency, label)),
    decimals: decimalsOfCurrency(network, currency, label),
  };
}
