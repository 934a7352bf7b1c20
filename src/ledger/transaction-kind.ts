/** What a transaction does, in one word: each is counted as one kind. */
import type { AccountCommand, OrderAccountCommand, Transaction, TxInput, TxOutput } from '../chain/types.ts';
import type { ResolvedInput } from './applied.ts';

/** A transaction that does several of these is of the kind that comes first. */
export const TRANSACTION_KINDS = [
  'token_issue',
  'nft_issue',
  'token_mint',
  'token_unmint',
  'token_lock',
  'token_freeze',
  'token_unfreeze',
  'token_authority',
  'token_metadata',
  'pool_create',
  'pool_decommission',
  'delegation_create',
  'delegate',
  'delegation_withdraw',
  'order_create',
  'order_fill',
  'order_freeze',
  'order_conclude',
  'htlc_create',
  'htlc_claim',
  'htlc_refund',
  'data_deposit',
  'burn',
  'lock',
  'transfer',
] as const;

export type TransactionKind = (typeof TRANSACTION_KINDS)[number];

const RANKS = Object.fromEntries(TRANSACTION_KINDS.map((kind, rank) => [kind, rank])) as Record<
  TransactionKind,
  number
>;

/** The kind of a transaction; `resolved` are the outputs that its inputs spend. */
export function transactionKind(
  { inputs, outputs }: Transaction,
  resolved: readonly (ResolvedInput | null)[],
): TransactionKind {
  let first: TransactionKind = 'transfer';
  const consider = (kind: TransactionKind): void => {
    if (RANKS[kind] < RANKS[first]) first = kind;
  };
  for (let i = 0; i < inputs.length; i++) consider(kindOfInput(inputs[i]!, resolved[i] ?? null));
  for (const output of outputs) consider(kindOfOutput(output));
  return first;
}

function kindOfInput(input: TxInput, spent: ResolvedInput | null): TransactionKind {
  switch (input.type) {
    case 'Utxo':
      return spent === null ? 'transfer' : kindOfSpend(spent);
    case 'Account':
      return 'delegation_withdraw';
    case 'AccountCommand':
    case 'OrderAccountCommand':
      return kindOfCommand(input.command);
  }
}

function kindOfSpend({ output, secret }: ResolvedInput): TransactionKind {
  switch (output.type) {
    case 'Htlc':
      return secret === null ? 'htlc_refund' : 'htlc_claim';
    case 'CreateStakePool':
    case 'ProduceBlockFromStake':
      return 'pool_decommission';
    case 'Transfer':
    case 'LockThenTransfer':
    case 'IssueNft':
      return 'transfer';
    // Nothing can spend these.
    case 'Burn':
    case 'CreateDelegationId':
    case 'DelegateStaking':
    case 'IssueFungibleToken':
    case 'DataDeposit':
    case 'CreateOrder':
      return 'transfer';
  }
}

function kindOfCommand(command: AccountCommand | OrderAccountCommand): TransactionKind {
  switch (command.type) {
    case 'MintTokens':
      return 'token_mint';
    case 'UnmintTokens':
      return 'token_unmint';
    case 'LockTokenSupply':
      return 'token_lock';
    case 'FreezeToken':
      return 'token_freeze';
    case 'UnfreezeToken':
      return 'token_unfreeze';
    case 'ChangeTokenAuthority':
      return 'token_authority';
    case 'ChangeTokenMetadataUri':
      return 'token_metadata';
    case 'FillOrder':
      return 'order_fill';
    case 'FreezeOrder':
      return 'order_freeze';
    case 'ConcludeOrder':
      return 'order_conclude';
  }
}

function kindOfOutput(output: TxOutput): TransactionKind {
  switch (output.type) {
    case 'Transfer':
    case 'ProduceBlockFromStake':
      return 'transfer';
    case 'LockThenTransfer':
      return 'lock';
    case 'Burn':
      return 'burn';
    case 'CreateStakePool':
      return 'pool_create';
    case 'CreateDelegationId':
      return 'delegation_create';
    case 'DelegateStaking':
      return 'delegate';
    case 'IssueFungibleToken':
      return 'token_issue';
    case 'IssueNft':
      return 'nft_issue';
    case 'DataDeposit':
      return 'data_deposit';
    case 'Htlc':
      return 'htlc_create';
    case 'CreateOrder':
      return 'order_create';
  }
}
