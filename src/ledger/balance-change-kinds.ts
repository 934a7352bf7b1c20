/** The kinds of a change of a balance: a change has several, stored as bits of a number. */
import { TRANSACTION_KINDS } from './transaction-kind.ts';

/**
 * The kinds in the order of their bits. `received`: the owner has more than before; `sent`: less; `unlocked`: a time lock
 * ended; `reward`: an output of a block reward or of the genesis. All others are kinds of the transaction that made the
 * change: every kind that applies to it (docs/indexing-rules.md#balances-with-a-past).
 */
export const BALANCE_CHANGE_KINDS = ['received', 'sent', 'unlocked', 'reward', ...TRANSACTION_KINDS] as const;

export type BalanceChangeKind = (typeof BALANCE_CHANGE_KINDS)[number];

/** The bit of a kind. */
export function balanceChangeKindBit(kind: BalanceChangeKind): number {
  return 1 << BALANCE_CHANGE_KINDS.indexOf(kind);
}

/** The kinds whose bits are set, in the order of `BALANCE_CHANGE_KINDS`. */
export function balanceChangeKinds(bits: number): BalanceChangeKind[] {
  return BALANCE_CHANGE_KINDS.filter((_, index) => (bits & (1 << index)) !== 0);
}

const TRANSACTION_KINDS_SHIFT = BALANCE_CHANGE_KINDS.length - TRANSACTION_KINDS.length;

/** The bits of kinds of a transaction, given as bits by `transactionKinds`. */
export function bitsOfTransactionKinds(kinds: number): number {
  return kinds << TRANSACTION_KINDS_SHIFT;
}
