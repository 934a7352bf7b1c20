/** Orders, and the levels of an order book, as JSON. */
import type { BookLevel } from '../../answers/order-book.ts';
import { wholeUnitPrice } from '../../answers/price-ratio.ts';
import type { TokenLabels } from '../../answers/token-label.ts';
import { orderAddress } from '../../chain/address.ts';
import type { Currency } from '../../chain/currency.ts';
import { patternString } from '../../render/schemas/common.ts';
import type { OrderRow } from '../../store/queries/orders/orders.ts';
import { defineEntry, type Entry, type Field, type Fields } from '../entry/define-entry.ts';
import { amountsIn, bech32, count, destination, flag, nested, unescapedText } from '../entry/kinds.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import { currency, labelledCurrency, labelledIn } from './currency.ts';
import { PRICE_ATOMS } from './market.ts';

/** `order`: returns the row of an entry; `currencyOf`: makes the field of a currency. */
function orderFields<Row>(
  order: (row: Row) => OrderRow,
  currencyOf: (of: (row: OrderRow) => Currency) => Field<Row>,
): Fields<Row> {
  const asked = amountsIn<Row>((row) => order(row).ask_decimals);
  const given = amountsIn<Row>((row) => order(row).give_decimals);
  return {
    ask_balance: asked((row) => order(row).ask_balance, 'Still asked'),
    ask_currency: currencyOf((row) => row.ask_currency),
    conclude_destination: destination((row) => order(row).conclude_destination),
    give_balance: given((row) => order(row).give_balance, 'Still offered'),
    give_currency: currencyOf((row) => row.give_currency),
    initially_asked: asked((row) => order(row).initially_asked),
    initially_given: given((row) => order(row).initially_given),
    nonce: count((row) => order(row).next_nonce),
    order_id: bech32((row, network) => orderAddress(network, order(row).order_id)),
  };
}

export const ORDER = defineEntry<OrderRow>(orderFields((row) => row, currency));

interface LabelledOrder {
  readonly row: OrderRow;
  readonly labels: TokenLabels;
}

/** An entry of an address' list of orders. */
export const ADDRESS_ORDER = defineEntry<LabelledOrder>({
  ...orderFields<LabelledOrder>(
    ({ row }) => row,
    (of) => labelledCurrency(({ row, labels }) => labelledIn(labels, of(row))),
  ),
  is_frozen: flag(({ row }) => row.is_frozen, 'A frozen order can no longer be filled'),
  creation_block_height: count(({ row }) => row.creation_height),
});

export function priceLevelEntry({ priceDecimal, priceLevel }: ResponseProfile): Entry<BookLevel> {
  const price = defineEntry<BookLevel>({
    atoms: PRICE_ATOMS((level) => level.price),
    decimal: unescapedText(patternString({ pattern: priceDecimal.pattern }))(
      (level) => priceDecimal.text(wholeUnitPrice(level.price, level.baseDecimals), level.quoteDecimals),
      "For one whole unit of base, in whole units of quote, rounded down to quote's decimals",
    ),
  });
  return defineEntry<BookLevel>({
    amount: amountsIn<BookLevel>(({ baseDecimals }) => baseDecimals)(
      ({ baseAmount }) => baseAmount,
      'The remaining amount of these orders in the base currency',
    ),
    price: nested(price)((level) => level),
    ...priceLevel,
  });
}
