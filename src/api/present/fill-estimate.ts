/** What it would cost to buy an amount from the order book, or bring to sell it. */
import Type from 'typebox';
import type { Atoms } from '../../chain/types.ts';
import { amountJson } from '../../render/common-values.ts';
import { nullableJson, numberJson, plainJson } from '../../render/compose-json.ts';
import { COUNT_SCHEMA, describedRef, nullable, schemaRef, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import { badRequest } from '../../serving/errors/api-error.ts';
import { PAIR_FROZEN_SINCE_SCHEMA, priceWriter } from './market.ts';
import { objectWriter } from './object-writer.ts';
import { type BookLevel, type PriceRatio, reducedPriceRatio } from './order.ts';

/** What somebody does with base: `buy` takes from the orders that give it, `sell` from those that ask for it. */
export type TakerSide = 'buy' | 'sell';

/** The levels that are looked at: the best ones. */
export const MAX_LEVELS = 500;

interface FillEstimate {
  /** Of base, in atoms. */
  readonly filled: Atoms;
  /** What these levels of the book have too little of. */
  readonly unfilled: Atoms;
  /** Of quote, in atoms: rounded up when paid, and down when received, at each level. */
  readonly total: Atoms;
  /** Null if nothing is filled. */
  readonly average: PriceRatio | null;
  readonly worst: PriceRatio | null;
  readonly levels: number;
}

/** `levels`: the best first. `amount`: of base, in atoms. */
export function estimateFill(
  levels: Iterable<Pick<BookLevel, 'price' | 'baseAmount'>>,
  side: TakerSide,
  amount: Atoms,
): FillEstimate {
  let [unfilled, total, count] = [amount, 0n, 0];
  let worst: PriceRatio | null = null;
  for (const { price, baseAmount } of levels) {
    if (unfilled === 0n) break;
    const taken = baseAmount < unfilled ? baseAmount : unfilled;
    const { numerator, denominator } = price;
    total += (taken * numerator + (side === 'buy' ? denominator - 1n : 0n)) / denominator;
    unfilled -= taken;
    worst = price;
    count++;
  }
  const filled = amount - unfilled;
  const average = filled > 0n && total > 0n ? reducedPriceRatio(total, filled) : null;
  return { filled, unfilled, total, average, worst, levels: count };
}

/** Returns the atoms of a decimal text. Throws the error 400, for which a token's decimals must be known. */
export function parseWholeAmount(text: string, decimals: number): Atoms {
  const [, whole, fraction = ''] = /^(\d{1,30})(?:\.(\d{0,30}))?$/.exec(text) ?? [];
  if (whole === undefined || fraction.replace(/0+$/, '').length > decimals)
    throw badRequest(`Invalid amount: a number with at most ${decimals} decimals is expected`);
  const atoms = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
  if (atoms === 0n) throw badRequest('Invalid amount: more than 0 is expected');
  return atoms;
}

const NULLABLE_PRICE = nullable(schemaRef('Price'));

export const FILL_ESTIMATE_SCHEMA = strictObject({
  side: Type.Enum(['buy', 'sell'], { type: 'string' }),
  amount: describedRef('Amount', 'Of base: what was asked for'),
  filled: describedRef('Amount', 'Of base: what the book can fill'),
  unfilled: describedRef('Amount', `Of base: what the best ${MAX_LEVELS} levels of the book have too little of`),
  total: describedRef('Amount', 'Of quote: what is paid or received, rounded to atoms against the taker at each level'),
  average_price: NULLABLE_PRICE,
  worst_price: NULLABLE_PRICE,
  levels: { ...COUNT_SCHEMA, description: 'The price levels that are used' },
  frozen_since: PAIR_FROZEN_SINCE_SCHEMA,
});

const estimateJson = objectWriter(FILL_ESTIMATE_SCHEMA);

export function presentFillEstimate(
  side: TakerSide,
  amount: Atoms,
  { filled, unfilled, total, average, worst, levels }: FillEstimate,
  decimals: { readonly base: number; readonly quote: number },
  frozenSince: number | null,
): JsonTextOf<typeof FILL_ESTIMATE_SCHEMA> {
  const price = priceWriter(decimals);
  return estimateJson({
    side: plainJson(side),
    amount: amountJson(amount, decimals.base),
    filled: amountJson(filled, decimals.base),
    unfilled: amountJson(unfilled, decimals.base),
    total: amountJson(total, decimals.quote),
    average_price: nullableJson(average, price),
    worst_price: nullableJson(worst, price),
    levels,
    frozen_since: nullableJson(frozenSince, numberJson),
  });
}
