/** Fills of orders, the trades of a market, as JSON and CSV, in the direction that was asked for. */
import Type from 'typebox';
import { decimalsOfCurrency, tickerOfCurrency } from '../../answers/currency-labels.ts';
import { SIDES, shownFill } from '../../answers/fills.ts';
import { type AskedPair, currencyName, decimalsOfPair } from '../../answers/markets.ts';
import { wholeUnitPrice } from '../../answers/price.ts';
import { destinationAddress, orderAddress } from '../../chain/address.ts';
import type { Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms } from '../../chain/types.ts';
import { amountJson } from '../../render/common-values.ts';
import { nullableJson, plainJson } from '../../render/compose-json.ts';
import {
  BECH32_SCHEMA,
  COUNT_SCHEMA,
  HEX_ID_SCHEMA,
  nullable,
  schemaRef,
  strictObject,
} from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import { type CsvTable, csvTime } from '../../serving/route/csv.ts';
import type { FillEntryRow } from '../../store/queries/orders/fills.ts';
import { labelOfSide } from '../../store/queries/orders/market-labels.ts';
import { CURRENCY_FIELDS, currencyFieldsJson } from './currency.ts';
import { PRICE, priceWriter } from './market.ts';
import { objectWriter } from './object-writer.ts';

const TRADED_SCHEMA = strictObject({ ...CURRENCY_FIELDS, amount: schemaRef('Amount') }, { title: 'TradedAmount' });

const SIDE_SCHEMA = Type.Enum([...SIDES], { type: 'string', description: 'What the taker did with base' });

export const FILL_SCHEMA = strictObject({
  height: COUNT_SCHEMA,
  timestamp: COUNT_SCHEMA,
  tx_id: HEX_ID_SCHEMA,
  order_id: BECH32_SCHEMA,
  side: SIDE_SCHEMA,
  price: { ...nullable(PRICE), description: 'null where one of the amounts is 0' },
  base: TRADED_SCHEMA,
  quote: TRADED_SCHEMA,
  taker: {
    ...nullable(BECH32_SCHEMA),
    description: 'The owner of the first input that has one: commands have none. null if none has',
  },
});

const fillJson = objectWriter(FILL_SCHEMA);

/** A trade of a pair, or a fill of an order. */
export function presentFill(network: Network, pair: AskedPair, row: FillEntryRow): JsonTextOf<typeof FILL_SCHEMA> {
  const { side, price, baseAmount, quoteAmount } = shownFill(pair, row);
  const decimals = decimalsOfPair(network, pair, row);
  const traded = (currency: Currency, amount: Atoms) => {
    const label = labelOfSide(currency === row.base ? 'base' : 'quote', row);
    const fields = currencyFieldsJson(network, currency, label);
    return tradedJson({ ...fields, amount: amountJson(amount, decimalsOfCurrency(network, currency, label)) });
  };
  return fillJson({
    height: row.height,
    timestamp: row.timestamp,
    tx_id: row.tx_id,
    order_id: orderAddress(network, row.order_id),
    side: plainJson(side),
    price: nullableJson(price, priceWriter(decimals)),
    base: traded(pair.base, baseAmount),
    quote: traded(pair.quote, quoteAmount),
    taker: nullableJson(row.taker, (destination) => plainJson(destinationAddress(network, destination))),
  });
}

const tradedJson = objectWriter(TRADED_SCHEMA);

/** The columns of exported trades. */
export function fillCsv(network: Network, pair: AskedPair): CsvTable<FillEntryRow> {
  return {
    columns: [
      ...['height', 'time_utc', 'tx_id', 'order_id', 'side', 'price', 'price_atoms'],
      ...['base', 'base_currency', 'base_ticker', 'quote', 'quote_currency', 'quote_ticker', 'taker'],
    ],
    fields: (row) => {
      const { side, price, baseAmount, quoteAmount } = shownFill(pair, row);
      const decimals = decimalsOfPair(network, pair, row);
      const namesOf = (currency: Currency) => [
        currencyName(network, currency),
        tickerOfCurrency(network, currency, labelOfSide(currency === row.base ? 'base' : 'quote', row)),
      ];
      return [
        row.height,
        csvTime(row.timestamp),
        row.tx_id,
        orderAddress(network, row.order_id),
        side,
        price === null ? null : { atoms: wholeUnitPrice(price, decimals.base), decimals: decimals.quote },
        price === null ? null : `${price.numerator}/${price.denominator}`,
        { atoms: baseAmount, decimals: decimals.base },
        ...namesOf(pair.base),
        { atoms: quoteAmount, decimals: decimals.quote },
        ...namesOf(pair.quote),
        row.taker === null ? null : destinationAddress(network, row.taker),
      ];
    },
  };
}
