/** Every kind of transaction that people of a simulated chain make. */
import type { Make } from '../transaction-maker.ts';
import { HTLCS } from './htlcs.ts';
import { NFTS } from './nfts.ts';
import { ORDERS } from './orders.ts';
import { STAKING } from './staking.ts';
import { TOKENS } from './tokens.ts';
import { TRANSFERS } from './transfers.ts';

/** The makers. Their order must not change: a seed depends on it. */
export const MAKES = {
  ...TRANSFERS,
  ...STAKING,
  ...TOKENS,
  ...NFTS,
  ...ORDERS,
  ...HTLCS,
} satisfies Readonly<Record<string, Make>>;

export type Kind = keyof typeof MAKES;
export const KINDS = Object.keys(MAKES) as readonly Kind[];
