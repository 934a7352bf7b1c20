/** Every kind of transaction that people of a simulated chain make. */
import type { TransactionMaker } from '../transaction-maker-context.ts';
import { HTLC_MAKERS } from './htlcs.ts';
import { NFT_MAKERS } from './nfts.ts';
import { ORDER_MAKERS } from './orders.ts';
import { STAKING_MAKERS } from './staking.ts';
import { TOKEN_MAKERS } from './tokens.ts';
import { TRANSFER_MAKERS } from './transfers.ts';

/** The makers. Their order must not change: a seed depends on it. */
export const TRANSACTION_MAKERS = {
  ...TRANSFER_MAKERS,
  ...STAKING_MAKERS,
  ...TOKEN_MAKERS,
  ...NFT_MAKERS,
  ...ORDER_MAKERS,
  ...HTLC_MAKERS,
} satisfies Readonly<Record<string, TransactionMaker>>;

export type SimulatedTransactionKind = keyof typeof TRANSACTION_MAKERS;
export const SIMULATED_KINDS = Object.keys(TRANSACTION_MAKERS) as readonly SimulatedTransactionKind[];
