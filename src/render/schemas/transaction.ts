/** The schemas of transactions and their inputs (docs/api.md#transactions-in-json). */
import Type, { type TProperties, type TSchema } from 'typebox';
import type { AccountCommand, OrderAccountCommand, TxInput } from '../../chain/types.ts';
import {
  ATOMS_TEXT_SCHEMA,
  BECH32_SCHEMA,
  COUNT_SCHEMA,
  HEX_ID_SCHEMA,
  nullable,
  oneOf,
  schemaRef,
  strictObject,
} from './common.ts';

const command = <const Name extends string, JsonFields extends TProperties>(name: Name, fields: JsonFields) =>
  strictObject(
    { input_type: Type.Literal('AccountCommand'), command: Type.Literal(name), ...fields },
    { title: `Input${name}` },
  );
const orderCommand = <const Name extends string, JsonFields extends TProperties>(name: Name, fields: JsonFields) =>
  strictObject(
    { input_type: Type.Literal('OrderAccountCommand'), command: Type.Literal(name), ...fields },
    { title: `InputOrderV1${name}` },
  );

const FillAtoms = strictObject({ atoms: ATOMS_TEXT_SCHEMA }, { title: 'FillAtoms' });

const ACCOUNT_COMMANDS = {
  MintTokens: command('MintTokens', { token_id: BECH32_SCHEMA, amount: schemaRef('Amount'), nonce: COUNT_SCHEMA }),
  UnmintTokens: command('UnmintTokens', { token_id: BECH32_SCHEMA, nonce: COUNT_SCHEMA }),
  FreezeToken: command('FreezeTokens', {
    token_id: BECH32_SCHEMA,
    is_token_unfreezable: Type.Boolean(),
    nonce: COUNT_SCHEMA,
  }),
  UnfreezeToken: command('UnfreezeTokens', { token_id: BECH32_SCHEMA, nonce: COUNT_SCHEMA }),
  LockTokenSupply: command('LockTokenSupply', { token_id: BECH32_SCHEMA, nonce: COUNT_SCHEMA }),
  ChangeTokenAuthority: command('ChangeTokenAuthority', {
    token_id: BECH32_SCHEMA,
    new_authority: BECH32_SCHEMA,
    nonce: COUNT_SCHEMA,
  }),
  ChangeTokenMetadataUri: command('ChangeTokenMetadataUri', {
    token_id: BECH32_SCHEMA,
    metadata_uri: schemaRef('Bytes'),
  }),
  ConcludeOrder: command('ConcludeOrder', { order_id: BECH32_SCHEMA }),
  FillOrder: command('FillOrder', { order_id: BECH32_SCHEMA, fill_atoms: FillAtoms }),
} satisfies Record<AccountCommand['type'], TSchema>;

const ORDER_COMMANDS = {
  FillOrder: orderCommand('FillOrder', { order_id: BECH32_SCHEMA, fill_atoms: FillAtoms }),
  FreezeOrder: orderCommand('FreezeOrder', { order_id: BECH32_SCHEMA }),
  ConcludeOrder: orderCommand('ConcludeOrder', { order_id: BECH32_SCHEMA }),
} satisfies Record<OrderAccountCommand['type'], TSchema>;

/** The names of commands, some of them twice. */
export const COMMAND_NAMES = [...Object.values(ACCOUNT_COMMANDS), ...Object.values(ORDER_COMMANDS)].map(
  ({ properties }) => properties.command.const,
);

const INPUTS = {
  Utxo: strictObject(
    {
      input_type: Type.Literal('UTXO'),
      source_type: Type.Enum(['Transaction', 'BlockReward'], { type: 'string' }),
      source_id: HEX_ID_SCHEMA,
      index: COUNT_SCHEMA,
    },
    { title: 'UTXO' },
  ),
  Account: strictObject(
    {
      input_type: Type.Literal('Account'),
      account_type: Type.Literal('DelegationBalance'),
      delegation_id: BECH32_SCHEMA,
      amount: schemaRef('Amount'),
      nonce: COUNT_SCHEMA,
    },
    { title: 'Account' },
  ),
  AccountCommand: ACCOUNT_COMMANDS,
  OrderAccountCommand: ORDER_COMMANDS,
} satisfies Record<TxInput['type'], object>;

// The parts are named as their `input_type`: with that ogen tells apart parts that have parts themselves.
export const INPUT_SCHEMA = oneOf(
  [
    INPUTS.Utxo,
    INPUTS.Account,
    oneOf(Object.values(INPUTS.AccountCommand), { title: 'AccountCommand' }),
    oneOf(Object.values(INPUTS.OrderAccountCommand), { title: 'OrderAccountCommand' }),
  ],
  { description: 'What a transaction spends, or the command that it gives to an account' },
);

export const INPUT_ENTRY_SCHEMA = strictObject(
  { input: schemaRef('Input'), utxo: nullable(schemaRef('Output')) },
  { description: 'utxo: the output that is spent; null where the input spends none' },
);

export const BASE_TRANSACTION_PROPERTIES = {
  id: HEX_ID_SCHEMA,
  version_byte: COUNT_SCHEMA,
  is_replaceable: Type.Boolean(),
  flags: COUNT_SCHEMA,
  fee: schemaRef('Amount'),
  inputs: Type.Array(schemaRef('InputEntry')),
  outputs: Type.Array(schemaRef('Output')),
};

/** A transaction as it stands in its block. */
export const BASE_TRANSACTION_SCHEMA = strictObject(BASE_TRANSACTION_PROPERTIES);

/** The properties of a pending transaction. It has no fee if an output that it spends is unknown. */
export const PENDING_TRANSACTION_PROPERTIES = {
  ...BASE_TRANSACTION_PROPERTIES,
  fee: Type.Optional(schemaRef('Amount')),
};
export const PENDING_TRANSACTION_SCHEMA = strictObject(PENDING_TRANSACTION_PROPERTIES);
