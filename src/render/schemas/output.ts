/** The schemas of outputs (docs/api.md#outputs-in-json). */
import Type, { type TProperties, type TSchema, type TSchemaOptions } from 'typebox';
import type { TotalSupply, TxOutput } from '../../chain/types.ts';
import { BECH32_SCHEMA, COUNT_SCHEMA, nullable, oneOf, schemaRef, strictObject, unsignedInteger } from './common.ts';

/** Returns the schema of each kind of output, with `extra` properties. `name`: of all kinds together. */
function outputKinds<Extra extends TProperties>(name: string, extra: Extra) {
  const kind = <const Kind extends string, JsonFields extends TProperties>(type: Kind, fields: JsonFields) =>
    strictObject({ type: Type.Literal(type), ...fields, ...extra }, { title: name + type });
  return {
    Transfer: kind('Transfer', { value: schemaRef('Value'), destination: BECH32_SCHEMA }),
    LockThenTransfer: kind('LockThenTransfer', {
      value: schemaRef('Value'),
      destination: BECH32_SCHEMA,
      lock: schemaRef('Lock'),
    }),
    Burn: kind('Burn', { value: schemaRef('Value') }),
    CreateStakePool: kind('CreateStakePool', { pool_id: BECH32_SCHEMA, data: schemaRef('StakePoolData') }),
    ProduceBlockFromStake: kind('ProduceBlockFromStake', { pool_id: BECH32_SCHEMA, destination: BECH32_SCHEMA }),
    CreateDelegationId: kind('CreateDelegationId', { pool_id: BECH32_SCHEMA, destination: BECH32_SCHEMA }),
    DelegateStaking: kind('DelegateStaking', { delegation_id: BECH32_SCHEMA, amount: schemaRef('Amount') }),
    IssueFungibleToken: kind('IssueFungibleToken', {
      token_ticker: schemaRef('StringOrHex'),
      number_of_decimals: COUNT_SCHEMA,
      metadata_uri: schemaRef('StringOrHex'),
      total_supply: TOTAL_SUPPLY,
      authority: BECH32_SCHEMA,
      is_freezable: Type.Enum(['Yes', 'No'], { type: 'string' }),
    }),
    IssueNft: kind('IssueNft', { token_id: BECH32_SCHEMA, destination: BECH32_SCHEMA, data: schemaRef('NftIssuance') }),
    DataDeposit: kind('DataDeposit', { data: schemaRef('Bytes') }),
    Htlc: kind('Htlc', { value: schemaRef('Value'), htlc: schemaRef('HashedTimelockContract') }),
    CreateOrder: kind('CreateOrder', {
      conclude_key: BECH32_SCHEMA,
      ask_value: schemaRef('Value'),
      give_value: schemaRef('Value'),
    }),
  } satisfies Record<TxOutput['type'], TSchema>;
}

const TOTAL_SUPPLIES = {
  Fixed: strictObject({ type: Type.Literal('Fixed'), amount: schemaRef('Amount') }, { title: 'TotalSupplyFixed' }),
  Lockable: strictObject({ type: Type.Literal('Lockable') }, { title: 'TotalSupplyLockable' }),
  Unlimited: strictObject({ type: Type.Literal('Unlimited') }, { title: 'TotalSupplyUnlimited' }),
} satisfies Record<TotalSupply['type'], TSchema>;
const TOTAL_SUPPLY = oneOf(Object.values(TOTAL_SUPPLIES), { title: 'TotalSupply' });

/** Returns the schema of an output of any kind, with `extra` properties, as a component with this name. */
export function outputSchema<Extra extends TProperties>(name: string, extra: Extra, options: TSchemaOptions = {}) {
  return oneOf(Object.values(outputKinds(name, extra)), options);
}

export const OUTPUT_SCHEMA = outputSchema(
  'Output',
  {},
  { description: 'An output of a transaction or of a block reward' },
);

export const BYTE_ARRAY_SCHEMA = Type.Array(unsignedInteger({ format: 'int32', maximum: 255 }), {
  description: 'Bytes as numbers',
});

export const STAKE_POOL_DATA_SCHEMA = strictObject(
  {
    amount: schemaRef('Amount'),
    staker: BECH32_SCHEMA,
    vrf_public_key: BECH32_SCHEMA,
    decommission_key: BECH32_SCHEMA,
    margin_ratio_per_thousand: COUNT_SCHEMA,
    margin_ratio_decimal: Type.String(),
    margin_ratio_percentage: Type.String(),
    cost_per_block: schemaRef('Amount'),
  },
  { description: 'What a pool was created with; `amount` is the pledge' },
);

/** Used in outputs and, together with an owner, at `/nft/{id}` of the profile `mintlayer-core`. */
const NFT_ISSUANCE = {
  creator: nullable(BECH32_SCHEMA),
  name: schemaRef('StringOrHex'),
  description: schemaRef('StringOrHex'),
  ticker: schemaRef('StringOrHex'),
  icon_uri: nullable(schemaRef('StringOrHex')),
  additional_metadata_uri: nullable(schemaRef('StringOrHex')),
  media_uri: nullable(schemaRef('StringOrHex')),
  media_hash: schemaRef('StringOrHex'),
};

export const NFT_ISSUANCE_SCHEMA = strictObject(NFT_ISSUANCE, { description: 'What an NFT was issued with' });

export const HASHED_TIMELOCK_CONTRACT_SCHEMA = strictObject(
  {
    secret: nullable(schemaRef('StringOrHex')),
    secret_hash: schemaRef('StringOrHex'),
    spend_key: BECH32_SCHEMA,
    refund_key: BECH32_SCHEMA,
    refund_timelock: schemaRef('Lock'),
  },
  { description: 'secret: only where a spend by the secret is shown' },
);
