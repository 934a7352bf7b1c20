/** Currencies, and the fields that stand beside them. */
import { decimalsOfCurrency, tickerOfCurrency } from '../../answers/currency-labels.ts';
import { NO_LABEL, type TokenLabels } from '../../answers/token-label.ts';
import { currencyInPair, tokenAddress } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import { COIN_SCHEMA, oneOf, schemaRef } from '../../render/schemas/common.ts';
import type { TokenLabelRow } from '../../store/queries/tokens/tokens.ts';
import { defineEntry, kind } from '../entry/define-entry.ts';
import { bech32, count, literal, text } from '../entry/kinds.ts';

export const COIN_JSON = '{"type":"Coin"}';

/** `token`: its address. */
export const tokenCurrencyJson = (token: string): string => `{"token_id":"${token}","type":"Token"}`;

export const currency = kind<Currency>({
  schema: schemaRef('Currency'),
  json: (value, network) => (value === COIN ? COIN_JSON : tokenCurrencyJson(tokenAddress(network, value))),
  csv: (value, network) => currencyInPair(network, value),
});

/** The ticker and the decimals of a currency; `label`: returns the row that has them. */
export function labelFields<Row>(of: (row: Row) => Currency, label: (row: Row) => TokenLabelRow) {
  return {
    ticker: text.orNull(
      (row: Row, network) => tickerOfCurrency(network, of(row), label(row)),
      'null while the token is not issued: an order may ask for it',
    ),
    decimals: {
      ...count(
        (row: Row, network) => decimalsOfCurrency(network, of(row), label(row)),
        '0 for an NFT, and while the token is not issued',
      ),
      csv: {},
    },
  };
}

/** A currency, its ticker and its decimals. */
export const currencyFields = <Row>(of: (row: Row) => Currency, label: (row: Row) => TokenLabelRow) => ({
  currency: currency(of),
  ...labelFields(of, label),
});

/** A row of a currency, with its label. */
export interface CurrencyRow extends TokenLabelRow {
  /** Null where there is none: such a row is no entry. */
  readonly currency: Currency | null;
}

export const CURRENCY_FIELDS = currencyFields<CurrencyRow>(
  (row) => row.currency!,
  (row) => row,
);

/** The decimals of amounts of such a row. */
export const decimalsOfRow = (row: CurrencyRow, network: Network): number =>
  decimalsOfCurrency(network, row.currency!, row);

export interface LabelledCurrency {
  readonly currency: Currency;
  readonly label: TokenLabelRow;
}

const LABELLED_TOKEN = defineEntry<LabelledCurrency>(
  {
    type: literal('Token'),
    token_id: bech32((named, network) => tokenAddress(network, named.currency)),
    ...labelFields<LabelledCurrency>(
      (named) => named.currency,
      ({ label }) => label,
    ),
  },
  { title: 'CurrencyLabelledToken' },
);

/** A `Currency` with the token's ticker and decimals. */
export const labelledCurrency = kind<LabelledCurrency>({
  schema: oneOf([COIN_SCHEMA, LABELLED_TOKEN.schema], { title: 'LabelledCurrency' }),
  json: (named, network) => (named.currency === COIN ? COIN_JSON : LABELLED_TOKEN.json(network, named)),
});

export const labelledIn = (labels: TokenLabels, of: Currency): LabelledCurrency => ({
  currency: of,
  label: labels.get(of) ?? NO_LABEL,
});
