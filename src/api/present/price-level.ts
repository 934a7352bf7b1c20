/** The levels of an order book as JSON. */
import Type from 'typebox';
import type { Atoms } from '../../chain/types.ts';
import { schemaRef, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/schema-types.ts';
import { objectJson, plainJson } from '../../render/typed-json.ts';
import { amountJson } from '../../render/value-json.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';

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

/** Quote atoms for base atoms, in lowest terms. */
export interface Ratio {
  readonly numerator: Atoms;
  readonly denominator: Atoms;
}

/** The ratio in lowest terms of two amounts that are not both 0. */
export function reducedRatio(quoteAtoms: Atoms, baseAtoms: Atoms): Ratio {
  const divisor = greatestCommonDivisor(quoteAtoms, baseAtoms);
  return { numerator: quoteAtoms / divisor, denominator: baseAtoms / divisor };
}

/** Up to here a double counts exactly. */
const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

function greatestCommonDivisor(first: Atoms, second: Atoms): Atoms {
  let [a, b] = [first, second];
  // Most steps are with numbers that a double holds, where a step costs a tenth.
  while (b !== 0n && (a > MAX_EXACT || b > MAX_EXACT)) [a, b] = [b, a % b];
  if (b === 0n) return a;
  let [x, y] = [Number(a), Number(b)];
  while (y !== 0) [x, y] = [y, x % y];
  return BigInt(x);
}

/** What one whole unit of base costs, in atoms of quote, rounded down. */
export function wholeUnitPrice({ numerator, denominator }: Ratio, baseDecimals: number): Atoms {
  return (numerator * 10n ** BigInt(baseDecimals)) / denominator;
}
