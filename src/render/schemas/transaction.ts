/** The schemas of transactions and their inputs (docs/api.md#transactions-in-json). */
import Type, { type TProperties, type TSchema } from 'typebox';
import type { AccountCommand, OrderAccountCommand, TxInput } from '../../chain/types.ts';
import { AtomsText, Bech32, Count, HexId, nullable, schemaRef, strictObject } from './common.ts';

const command = <const Name extends string, JsonFields extends TProperties>(name: Name, fields: JsonFields) =>
  strictObject({ input_type: Type.Literal('AccountCommand'), command: Type.Literal(name), ...fields }, { title: name });
const orderCommand = <const Name extends string, JsonFields extends TProperties>(name: Name, fields: JsonFields) =>
  strictObject(
    { input_type: Type.Literal('OrderAccountCommand'), command: Type.Literal(name), ...fields },
    { title: `${name} (orders V1)` },
  );

const FillAtoms = strictObject({ atoms: AtomsText });

const ACCOUNT_COMMANDS = {
  MintTokens: command('MintTokens', { token_id: Bech32, amount: schemaRef('Amount'), nonce: Count }),
  UnmintTokens: command('UnmintTokens', { token_id: Bech32, nonce: Count }),
  FreezeToken: command('FreezeTokens', { token_id: Bech32, is_token_unfreezable: Type.Boolean(), nonce: Count }),
  UnfreezeToken: command('UnfreezeTokens', { token_id: Bech32, nonce: Count }),
  LockTokenSupply: command('LockTokenSupply', { token_id: Bech32, nonce: Count }),
  ChangeTokenAuthority: command('ChangeTokenAuthority', { token_id: Bech32, new_authority: Bech32, nonce: Count }),
  ChangeTokenMetadataUri: command('ChangeTokenMetadataUri', { token_id: Bech32, metadata_uri: schemaRef('Bytes') }),
  ConcludeOrder: command('ConcludeOrder', { order_id: Bech32 }),
  FillOrder: command('FillOrder', { order_id: Bech32, fill_atoms: FillAtoms }),
} satisfies Record<AccountCommand['type'], TSchema>;

const ORDER_COMMANDS = {
  FillOrder: orderCommand('FillOrder', { order_id: Bech32, fill_atoms: FillAtoms }),
  FreezeOrder: orderCommand('FreezeOrder', { order_id: Bech32 }),
  ConcludeOrder: orderCommand('ConcludeOrder', { order_id: Bech32 }),
} satisfies Record<OrderAccountCommand['type'], TSchema>;

const INPUTS = {
  Utxo: strictObject(
    {
      input_type: Type.Literal('UTXO'),
      source_type: Type.Enum(['Transaction', 'BlockReward']),
      source_id: HexId,
      index: Count,
    },
    { title: 'UTXO' },
  ),
  Account: strictObject(
    {
      input_type: Type.Literal('Account'),
      account_type: Type.Literal('DelegationBalance'),
      delegation_id: Bech32,
      amount: schemaRef('Amount'),
      nonce: Count,
    },
    { title: 'Delegation withdrawal' },
  ),
  AccountCommand: ACCOUNT_COMMANDS,
  OrderAccountCommand: ORDER_COMMANDS,
} satisfies Record<TxInput['type'], object>;

export const Input = Type.Union(
  [INPUTS.Utxo, INPUTS.Account, ...Object.values(INPUTS.AccountCommand), ...Object.values(INPUTS.OrderAccountCommand)],
  { $id: 'Input', description: 'What a transaction spends, or the command that it gives to an account' },
);

export const InputEntry = strictObject(
  { input: schemaRef('Input'), utxo: nullable(schemaRef('Output')) },
  { $id: 'InputEntry', description: 'utxo: the output that is spent; null where the input spends none' },
);

export const BASE_TRANSACTION_PROPERTIES = {
  id: HexId,
  version_byte: Count,
  is_replaceable: Type.Boolean(),
  flags: Type.Integer({ minimum: 0 }),
  fee: schemaRef('Amount'),
  inputs: Type.Array(schemaRef('InputEntry')),
  outputs: Type.Array(schemaRef('Output')),
};

export const BaseTransaction = strictObject(BASE_TRANSACTION_PROPERTIES, {
  $id: 'BaseTransaction',
  description: 'A transaction as it stands in its block',
});

/** The properties of a pending transaction. It has no fee if an output that it spends is unknown. */
export const PENDING_TRANSACTION_PROPERTIES = {
  ...BASE_TRANSACTION_PROPERTIES,
  fee: Type.Optional(schemaRef('Amount')),
};
export const PendingTransaction = strictObject(PENDING_TRANSACTION_PROPERTIES);
