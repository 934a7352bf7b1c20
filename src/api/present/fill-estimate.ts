/** What it would cost to buy an amount from the order book, or bring to sell it. */
import Type from 'typebox';
import { type FillEstimate, MAX_LEVELS, type TakerSide } from '../../answers/fill-estimate.ts';
import type { Atoms } from '../../chain/types.ts';
import { amountJson } from '../../render/common-values.ts';
import { nullableJson, numberJson, plainJson } from '../../render/compose-json.ts';
import { COUNT_SCHEMA, describedRef, nullable, schemaRef, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import { PAIR_FROZEN_SINCE_SCHEMA, priceWriter } from './market.ts';
import { objectWriter } from './object-writer.ts';

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
