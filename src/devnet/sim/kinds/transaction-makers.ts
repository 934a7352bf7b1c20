/** Every kind of transaction that people of a simulated chain make. */
import type { TransactionMaker } from '../transaction-maker-context.ts';
import { HTLC_TRANSACTION_MAKERS } from './htlcs.ts';
import { NFT_TRANSACTION_MAKERS } from './nfts.ts';
import { ORDER_TRANSACTION_MAKERS } from './orders.ts';
import { STAKING_TRANSACTION_MAKERS } from './staking.ts';
import { TOKEN_TRANSACTION_MAKERS } from './tokens.ts';
import { TRANSFER_TRANSACTION_MAKERS } from './transfers.ts';

/** The makers. Their order must not change: a seed depends on it. */
export const TRANSACTION_MAKERS = {
  ...TRANSFER_TRANSACTION_MAKERS,
  ...STAKING_TRANSACTION_MAKERS,
  ...TOKEN_TRANSACTION_MAKERS,
  ...NFT_TRANSACTION_MAKERS,
  ...ORDER_TRANSACTION_MAKERS,
  ...HTLC_TRANSACTION_MAKERS,
} satisfies Readonly<Record<string, TransactionMaker>>;

export type SimulatedTransactionKind = keyof typeof TRANSACTION_MAKERS;
export const SIMULATED_KINDS = Object.keys(TRANSACTION_MAKERS) as readonly SimulatedTransactionKind[];
