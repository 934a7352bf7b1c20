/** Orders, and the levels of an order book, as JSON. */
import Type from 'typebox';
import type { BookLevel } from '../../answers/order-book.ts';
import { wholeUnitPrice } from '../../answers/price.ts';
import type { TokenLabels } from '../../answers/token-label.ts';
import { destinationAddress, orderAddress, tokenAddress } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import { amountJson } from '../../render/common-values.ts';
import { objectJson, plainJson } from '../../render/compose-json.ts';
import {
  BECH32_SCHEMA,
  COIN_SCHEMA,
  COUNT_SCHEMA,
  describedRef,
  oneOf,
  schemaRef,
  strictObject,
} from '../../render/schemas/common.ts';
import type { JsonTextOf, ValueOf } from '../../render/schemas/value-of-schema.ts';
import type { OrderRow } from '../../store/queries/orders/orders.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import { currencyJson } from './currency.ts';
import { objectWriter } from './object-writer.ts';
import { TOKEN_LABEL_PROPERTIES, tokenLabelJson } from './token-label.ts';

const ORDER = {
  order_id: BECH32_SCHEMA,
  conclude_destination: BECH32_SCHEMA,
  give_currency: schemaRef('Currency'),
  initially_given: schemaRef('Amount'),
  give_balance: describedRef('Amount', 'Still offered'),
  ask_currency: schemaRef('Currency'),
  initially_asked: schemaRef('Amount'),
  ask_balance: describedRef('Amount', 'Still asked'),
  nonce: COUNT_SCHEMA,
};

export const ORDER_SCHEMA = strictObject(ORDER);

const orderJson = objectWriter(ORDER_SCHEMA);

export function presentOrder(network: Network, row: OrderRow): JsonTextOf<typeof ORDER_SCHEMA> {
  return orderJson(orderFields(network, row, (currency) => currencyJson(network, currency)));
}

/** `currency`: returns a currency as JSON. */
function orderFields<CurrencyJson>(network: Network, row: OrderRow, currency: (currency: Currency) => CurrencyJson) {
  return {
    ask_balance: amountJson(row.ask_balance, row.ask_decimals),
    ask_currency: currency(row.ask_currency),
    conclude_destination: destinationAddress(network, row.conclude_destination),
    give_balance: amountJson(row.give_balance, row.give_decimals),
    give_currency: currency(row.give_currency),
    initially_asked: amountJson(row.initially_asked, row.ask_decimals),
    initially_given: amountJson(row.initially_given, row.give_decimals),
    nonce: row.next_nonce,
    order_id: orderAddress(network, row.order_id),
  };
}

const LABELLED_TOKEN = strictObject(
  { type: Type.Literal('Token'), token_id: BECH32_SCHEMA, ...TOKEN_LABEL_PROPERTIES },
  { title: 'CurrencyLabelledToken' },
);

/** A `Currency` with the token's ticker and decimals. */
export const LABELLED_CURRENCY = oneOf([COIN_SCHEMA, LABELLED_TOKEN], { title: 'LabelledCurrency' });

export const ADDRESS_ORDER_SCHEMA = strictObject({
  ...ORDER,
  give_currency: LABELLED_CURRENCY,
  ask_currency: LABELLED_CURRENCY,
  is_frozen: Type.Boolean({ description: 'A frozen order can no longer be filled' }),
  creation_block_height: COUNT_SCHEMA,
});

const ownOrderJson = objectWriter(ADDRESS_ORDER_SCHEMA);

/** An entry of an address' list of orders. */
export function presentAddressOrder(
  network: Network,
  labels: TokenLabels,
  row: OrderRow,
): JsonTextOf<typeof ADDRESS_ORDER_SCHEMA> {
  return ownOrderJson({
    ...orderFields(network, row, (currency) => labelledCurrencyJson(network, labels, currency)),
    is_frozen: row.is_frozen,
    creation_block_height: row.creation_height,
  });
}

export function labelledCurrencyJson(
  network: Network,
  labels: TokenLabels,
  currency: Currency,
): JsonTextOf<typeof LABELLED_CURRENCY> {
  if (currency === COIN) return objectJson<ValueOf<typeof COIN_SCHEMA>>({ type: plainJson('Coin') });
  return objectJson<ValueOf<typeof LABELLED_TOKEN>>({
    type: plainJson('Token'),
    token_id: plainJson(tokenAddress(network, currency)),
    ...tokenLabelJson(labels, currency),
  });
}

export function priceLevelSchema({ priceDecimal, priceLevel }: ResponseProfile) {
  return strictObject({
    price: strictObject({
      decimal: Type.String({
        pattern: priceDecimal.pattern,
        description: "For one whole unit of base, in whole units of quote, rounded down to quote's decimals",
      }),
      atoms: Type.String({
        pattern: '^[1-9][0-9]*/[1-9][0-9]*$',
        description: 'The exact price: atoms of quote for one atom of base, in lowest terms',
        examples: ['3/2'],
      }),
    }),
    amount: describedRef('Amount', 'The remaining amount of these orders in the base currency'),
    ...priceLevel.properties,
  });
}

export function presentPriceLevel(
  { priceDecimal, priceLevel }: ResponseProfile,
  { price, baseAmount, baseDecimals, quoteDecimals, orderCount }: BookLevel,
): JsonTextOf<ReturnType<typeof priceLevelSchema>> {
  return objectJson(
    {
      amount: amountJson(baseAmount, baseDecimals),
      price: objectJson({
        atoms: plainJson(`${price.numerator}/${price.denominator}`),
        decimal: plainJson(priceDecimal.text(wholeUnitPrice(price, baseDecimals), quoteDecimals)),
      }),
    },
    priceLevel.text(orderCount),
  );
}
