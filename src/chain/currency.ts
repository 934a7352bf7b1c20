import type { Id } from './types.ts';

/** The currency of an amount: a token id, or the empty string for the coin. */
export type Currency = Id | '';
export const COIN: Currency = '';
