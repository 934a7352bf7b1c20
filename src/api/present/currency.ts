/** Currencies, and the fields that stand beside them. */
import { decimalsOfCurrency, tickerOfCurrency } from '../../answers/currency-labels.ts';
import { tokenAddress } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import { nullableJson, objectJson, plainJson, textJson } from '../../render/compose-json.ts';
import { type CURRENCY_SCHEMA as CurrencySchema, schemaRef } from '../../render/schemas/common.ts';
import type { JsonTextOf, ValueOf } from '../../render/schemas/value-of-schema.ts';
import type { TokenLabelRow } from '../../store/queries/tokens/tokens.ts';
import { TOKEN_LABEL_PROPERTIES } from './token-label.ts';

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

/** Returns the fields {@link CURRENCY_FIELDS} of a row. */
export function currencyFieldsJson(network: Network, currency: Currency, label: TokenLabelRow) {
  return {
    currency: currencyJson(network, currency),
    ticker: nullableJson(tickerOfCurrency(network, currency, label), textJson),
    decimals: decimalsOfCurrency(network, currency, label),
  };
}
