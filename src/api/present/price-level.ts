/** The levels of an order book as JSON. */
import Type from 'typebox';
import type { Atoms } from '../../chain/types.ts';
import { schemaRef, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/schema-types.ts';
import { objectJson, plainJson } from '../../render/typed-json.ts';
import { amountJson } from '../../render/value-json.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import { type Ratio, wholeUnitPrice } from './price-ratio.ts';

/** The open orders of one price, in terms of the base and the quote currency. */
export interface BookLevel {
  /** Quote atoms for one base atom. */
  readonly price: Ratio;
  /** What is left on the base side. */
  readonly baseAmount: Atoms;
  readonly baseDecimals: number;
  readonly quoteDecimals: number;
  readonly orderCount: number;
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
        description: 'Exactly: atoms of quote for one atom of base, in lowest terms',
        examples: ['3/2'],
      }),
    }),
    amount: { ...schemaRef('Amount'), description: 'What is left in these orders of the base currency' },
    ...priceLevel.properties,
  });
}

export function presentPriceLevel(
  { priceDecimal, priceLevel }: ResponseProfile,
  { price, baseAmount, baseDecimals, quoteDecimals, orderCount }: BookLevel,
): JsonTextOf<ReturnType<typeof priceLevelSchema>> {
  return objectJson(
    {
      price: objectJson({
        decimal: plainJson(priceDecimal.text(wholeUnitPrice(price, baseDecimals), quoteDecimals)),
        atoms: plainJson(`${price.numerator}/${price.denominator}`),
      }),
      amount: amountJson(baseAmount, baseDecimals),
    },
    priceLevel.text(orderCount),
  );
}
