/** The schemas of outputs (docs/api.md#outputs-in-json). */
import Type, { type TProperties, type TSchema, type TSchemaOptions } from 'typebox';
import type { TotalSupply, TxOutput } from '../../chain/types.ts';
import { Bech32, Count, nullable, schemaRef, strictObject } from './common.ts';

/** Returns the schema of each kind of output, with `extra` properties. */
function outputKinds<Extra extends TProperties>(extra: Extra) {
  const kind = <const Kind extends string, JsonFields extends TProperties>(type: Kind, fields: JsonFields) =>
    strictObject({ type: Type.Literal(type), ...fields, ...extra }, { title: type });
  return {
    Transfer: kind('Transfer', { value: schemaRef('Value'), destination: Bech32 }),
    LockThenTransfer: kind('LockThenTransfer', {
      value: schemaRef('Value'),
      destination: Bech32,
      lock: schemaRef('Lock'),
    }),
    Burn: kind('Burn', { value: schemaRef('Value') }),
    CreateStakePool: kind('CreateStakePool', { pool_id: Bech32, data: schemaRef('StakePoolData') }),
    ProduceBlockFromStake: kind('ProduceBlockFromStake', { pool_id: Bech32, destination: Bech32 }),
    CreateDelegationId: kind('CreateDelegationId', { pool_id: Bech32, destination: Bech32 }),
    DelegateStaking: kind('DelegateStaking', { delegation_id: Bech32, amount: schemaRef('Amount') }),
    IssueFungibleToken: kind('IssueFungibleToken', {
      token_ticker: schemaRef('StringOrHex'),
      number_of_decimals: Count,
      metadata_uri: schemaRef('StringOrHex'),
      total_supply: Type.Union(Object.values(TOTAL_SUPPLIES)),
      authority: Bech32,
      is_freezable: Type.Enum(['Yes', 'No']),
    }),
    IssueNft: kind('IssueNft', { token_id: Bech32, destination: Bech32, data: schemaRef('NftIssuance') }),
    DataDeposit: kind('DataDeposit', { data: schemaRef('Bytes') }),
    Htlc: kind('Htlc', { value: schemaRef('Value'), htlc: schemaRef('HashedTimelockContract') }),
    CreateOrder: kind('CreateOrder', {
      conclude_key: Bech32,
      ask_value: schemaRef('Value'),
      give_value: schemaRef('Value'),
    }),
  } satisfies Record<TxOutput['type'], TSchema>;
}

const TOTAL_SUPPLIES = {
  Fixed: strictObject({ type: Type.Literal('Fixed'), amount: schemaRef('Amount') }),
  Lockable: strictObject({ type: Type.Literal('Lockable') }),
  Unlimited: strictObject({ type: Type.Literal('Unlimited') }),
} satisfies Record<TotalSupply['type'], TSchema>;

/** Returns the schema of an output of any kind, with `extra` properties. */
export function outputSchema<Extra extends TProperties>(extra: Extra, options: TSchemaOptions = {}) {
  return Type.Union(Object.values(outputKinds(extra)), options);
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

/** Used in outputs and, together with an owner, at `/nft/{id}` of the profile `mintlayer-core`. */
const NFT_ISSUANCE = {
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
