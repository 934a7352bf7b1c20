/** Determines the kind of a transaction: each transaction counts as one kind. */

import { type CommandKind, type OutputKind, outputKindProperties } from '../chain/input-and-output-kinds.ts';
import type { ResolvedInput, Transaction, TxInput } from '../chain/types.ts';

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

/** The positions of the kinds in this list: their ranks, and their numbers in the database. */
export const KIND_NUMBERS = Object.fromEntries(TRANSACTION_KINDS.map((kind, rank) => [kind, rank])) as Record<
  TransactionKind,
  number
>;

/**
 * Returns the kinds that apply to a transaction as bits, bit i for `TRANSACTION_KINDS[i]`; `transfer` only if nothing else
 * applies. `resolved`: the outputs that its inputs spend.
 */
export function transactionKinds(
  { inputs, outputs }: Transaction,
  resolved: readonly (ResolvedInput | null)[],
): number {
  let bits = TRANSFER;
  for (let i = 0; i < inputs.length; i++) bits |= 1 << KIND_NUMBERS[kindOfInput(inputs[i]!, resolved[i] ?? null)];
  for (const { type } of outputs) bits |= 1 << KIND_NUMBERS[OUTPUTS[type]];
  return bits === TRANSFER ? TRANSFER : bits & ~TRANSFER;
}

const TRANSFER = 1 << KIND_NUMBERS.transfer;

/** Returns the kind that comes first among those that `transactionKinds` returned: the transaction counts as this one. */
export function firstKind(kinds: number): TransactionKind {
  return TRANSACTION_KINDS[31 - Math.clz32(kinds & -kinds)]!;
}

function kindOfInput(input: TxInput, spent: ResolvedInput | null): TransactionKind {
  switch (input.type) {
    case 'Utxo':
      return spent === null ? 'transfer' : kindOfSpend(spent);
    case 'Account':
      return 'delegation_withdraw';
    case 'AccountCommand':
    case 'OrderAccountCommand':
      return kindOfCommand(input.command.type);
  }
}

function kindOfSpend({ output, secret }: ResolvedInput): TransactionKind {
  switch (outputKindProperties(output.type).holder) {
    case 'contract':
      return secret === null ? 'htlc_refund' : 'htlc_claim';
    case 'pool':
      return 'pool_decommission';
    case 'owner':
      return 'transfer';
    // Nothing can spend these.
    case 'delegation':
    case 'order':
    case 'nobody':
    case null:
      return 'transfer';
  }
}

/** Returns the kind of a transaction whose only deed is this command. */
export function kindOfCommand(command: CommandKind): TransactionKind {
  return COMMANDS[command];
}

const COMMANDS: Readonly<Record<CommandKind, TransactionKind>> = {
  MintTokens: 'token_mint',
  UnmintTokens: 'token_unmint',
  LockTokenSupply: 'token_lock',
  FreezeToken: 'token_freeze',
  UnfreezeToken: 'token_unfreeze',
  ChangeTokenAuthority: 'token_authority',
  ChangeTokenMetadataUri: 'token_metadata',
  FillOrder: 'order_fill',
  FreezeOrder: 'order_freeze',
  ConcludeOrder: 'order_conclude',
};

const OUTPUTS: Readonly<Record<OutputKind, TransactionKind>> = {
  Transfer: 'transfer',
  LockThenTransfer: 'lock',
  Burn: 'burn',
  CreateStakePool: 'pool_create',
  ProduceBlockFromStake: 'transfer',
  CreateDelegationId: 'delegation_create',
  DelegateStaking: 'delegate',
  IssueFungibleToken: 'token_issue',
  IssueNft: 'nft_issue',
  DataDeposit: 'data_deposit',
  Htlc: 'htlc_create',
  CreateOrder: 'order_create',
};
