/** Transactions and their inputs (docs/api.md#transactions-in-json). */
import Type, { type TProperties } from 'typebox';
import type { ResponseProfile } from '../response-profile/profile.ts';
import { AtomsText, Bech32, Count, HexId, nullable, schemaRef, strictObject } from './common.ts';

const Nonce = Type.Integer({ minimum: 0 });

const account = (fields: TProperties) =>
  strictObject(
    { input_type: Type.Literal('Account'), account_type: Type.Literal('DelegationBalance'), ...fields },
    { title: 'Delegation withdrawal' },
  );
const command = (name: string, fields: TProperties) =>
  strictObject({ input_type: Type.Literal('AccountCommand'), command: Type.Literal(name), ...fields }, { title: name });
const orderCommand = (name: string, fields: TProperties) =>
  strictObject(
    { input_type: Type.Literal('OrderAccountCommand'), command: Type.Literal(name), ...fields },
    { title: `${name} (orders V1)` },
  );

const FillAtoms = strictObject({ atoms: AtomsText });

export const Input = Type.Union(
  [
    strictObject(
      {
        input_type: Type.Literal('UTXO'),
        source_type: Type.Enum(['Transaction', 'BlockReward']),
        source_id: HexId,
        index: Count,
      },
      { title: 'UTXO' },
    ),
    account({ delegation_id: Bech32, amount: schemaRef('Amount'), nonce: Nonce }),
    command('MintTokens', { token_id: Bech32, amount: schemaRef('Amount'), nonce: Nonce }),
    command('UnmintTokens', { token_id: Bech32, nonce: Nonce }),
    command('FreezeTokens', { token_id: Bech32, is_token_unfreezable: Type.Boolean(), nonce: Nonce }),
    command('UnfreezeTokens', { token_id: Bech32, nonce: Nonce }),
    command('LockTokenSupply', { token_id: Bech32, nonce: Nonce }),
    command('ChangeTokenAuthority', { token_id: Bech32, new_authority: Bech32, nonce: Nonce }),
    command('ChangeTokenMetadataUri', { token_id: Bech32, metadata_uri: schemaRef('Bytes') }),
    command('ConcludeOrder', { order_id: Bech32 }),
    command('FillOrder', { order_id: Bech32, fill_atoms: FillAtoms }),
    orderCommand('FillOrder', { order_id: Bech32, fill_atoms: FillAtoms }),
    orderCommand('FreezeOrder', { order_id: Bech32 }),
    orderCommand('ConcludeOrder', { order_id: Bech32 }),
  ],
  { $id: 'Input', description: 'What a transaction spends, or the command that it gives to an account' },
);

export const InputEntry = strictObject(
  { input: schemaRef('Input'), utxo: nullable(schemaRef('Output')) },
  { $id: 'InputEntry', description: 'utxo: the output that is spent; null where the input spends none' },
);

export const BASE_TRANSACTION: TProperties = {
  id: HexId,
  version_byte: Count,
  is_replaceable: Type.Boolean(),
  flags: Type.Integer({ minimum: 0 }),
  fee: schemaRef('Amount'),
  inputs: Type.Array(schemaRef('InputEntry')),
  outputs: Type.Array(schemaRef('Output')),
};

export const BaseTransaction = strictObject(BASE_TRANSACTION, {
  $id: 'BaseTransaction',
  description: 'A transaction as it stands in its block',
});

/** A transaction that is asked for by its id: in a block, or waiting for one. */
export function transactionSchema({ transactionIndex, transactionTimestamp }: ResponseProfile) {
  const index = Object.entries(transactionIndex.single.properties).map(([name, schema]) => [
    name,
    Type.Optional(schema),
  ]);
  return strictObject(
    {
      ...BASE_TRANSACTION,
      fee: Type.Optional(schemaRef('Amount')),
      block_id: nullable(HexId),
      timestamp: nullable(transactionTimestamp.schema),
      confirmations: { ...nullable(AtomsText), description: 'Blocks above the one with the transaction' },
      ...Object.fromEntries(index),
    },
    { description: 'Without a block while it is pending: then what comes from the block is null or absent' },
  );
}
