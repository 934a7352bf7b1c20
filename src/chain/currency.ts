import type { Id } from './types.ts';

/** What an amount is of: a token id, or the empty text for the coin. */
export type Currency = Id | '';
export const COIN: Currency = '';
