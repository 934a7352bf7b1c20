/** Outputs as all answers show them (docs/api.md#outputs-in-json). */
import Type, { type TProperties, type TSchemaOptions } from 'typebox';
import { Bech32, Count, nullable, schemaRef, strictObject } from './common.ts';

/** `extra` comes in addition to the fields of each kind of output. */
export function outputSchema(extra: TProperties = {}, options: TSchemaOptions = {}) {
  const kind = (type: string, fields: TProperties) =>
    strictObject({ type: Type.Literal(type), ...fields, ...extra }, { title: type });
  return Type.Union(
    [
      kind('Transfer', { value: schemaRef('Value'), destination: Bech32 }),
      kind('LockThenTransfer', { value: schemaRef('Value'), destination: Bech32, lock: schemaRef('Lock') }),
      kind('Burn', { value: schemaRef('Value') }),
      kind('CreateStakePool', { pool_id: Bech32, data: schemaRef('StakePoolData') }),
      kind('ProduceBlockFromStake', { pool_id: Bech32, destination: Bech32 }),
      kind('CreateDelegationId', { pool_id: Bech32, destination: Bech32 }),
      kind('DelegateStaking', { delegation_id: Bech32, amount: schemaRef('Amount') }),
      kind('IssueFungibleToken', {
        token_ticker: schemaRef('StringOrHex'),
        number_of_decimals: Count,
        metadata_uri: schemaRef('StringOrHex'),
        total_supply: Type.Union([
          strictObject({ type: Type.Literal('Fixed'), amount: schemaRef('Amount') }),
          strictObject({ type: Type.Literal('Lockable') }),
          strictObject({ type: Type.Literal('Unlimited') }),
        ]),
        authority: Bech32,
        is_freezable: Type.Enum(['Yes', 'No']),
      }),
      kind('IssueNft', { token_id: Bech32, destination: Bech32, data: schemaRef('NftIssuance') }),
      kind('DataDeposit', { data: schemaRef('Bytes') }),
      kind('Htlc', { value: schemaRef('Value'), htlc: schemaRef('HashedTimelockContract') }),
      kind('CreateOrder', { conclude_key: Bech32, ask_value: schemaRef('Value'), give_value: schemaRef('Value') }),
    ],
    options,
  );
}

export const Output = outputSchema(
  {},
  { $id: 'Output', description: 'An output of a transaction or of a block reward' },
);

export const Bytes = Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), {
  $id: 'Bytes',
  description: 'Bytes as numbers',
});

export const StakePoolData = strictObject(
  {
    amount: schemaRef('Amount'),
    staker: Bech32,
    vrf_public_key: Bech32,
    decommission_key: Bech32,
    margin_ratio_per_thousand: Count,
    margin_ratio_decimal: Type.String(),
    margin_ratio_percentage: Type.String(),
    cost_per_block: schemaRef('Amount'),
  },
  { $id: 'StakePoolData', description: 'What a pool was created with; `amount` is the pledge' },
);

/** In outputs and, together with an owner, at `/nft/{id}` of the `mintlayer-core` contract. */
const NFT_ISSUANCE: TProperties = {
  creator: nullable(Bech32),
  name: schemaRef('StringOrHex'),
  description: schemaRef('StringOrHex'),
  ticker: schemaRef('StringOrHex'),
  icon_uri: nullable(schemaRef('StringOrHex')),
  additional_metadata_uri: nullable(schemaRef('StringOrHex')),
  media_uri: nullable(schemaRef('StringOrHex')),
  media_hash: schemaRef('StringOrHex'),
};

export const NftIssuance = strictObject(NFT_ISSUANCE, {
  $id: 'NftIssuance',
  description: 'What an NFT was issued with',
});

export const HashedTimelockContract = strictObject(
  {
    secret: nullable(schemaRef('StringOrHex')),
    secret_hash: schemaRef('StringOrHex'),
    spend_key: Bech32,
    refund_key: Bech32,
    refund_timelock: schemaRef('Lock'),
  },
  { $id: 'HashedTimelockContract', description: 'secret: only where a spend by the secret is shown' },
);
