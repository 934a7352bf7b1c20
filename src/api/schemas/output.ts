/** Outputs as all answers show them (indexing rules, section 5.2). */
import Type, { type TProperties, type TSchemaOptions } from 'typebox';
import { Bech32, Count, named, nullable, object } from './common.ts';

/** `extra` comes in addition to the fields of each kind of output. */
export function outputSchema(extra: TProperties = {}, options: TSchemaOptions = {}) {
  const kind = (type: string, fields: TProperties) =>
    object({ type: Type.Literal(type), ...fields, ...extra }, { title: type });
  return Type.Union(
    [
      kind('Transfer', { value: named('Value'), destination: Bech32 }),
      kind('LockThenTransfer', { value: named('Value'), destination: Bech32, lock: named('Lock') }),
      kind('Burn', { value: named('Value') }),
      kind('CreateStakePool', { pool_id: Bech32, data: named('StakePoolData') }),
      kind('ProduceBlockFromStake', { pool_id: Bech32, destination: Bech32 }),
      kind('CreateDelegationId', { pool_id: Bech32, destination: Bech32 }),
      kind('DelegateStaking', { delegation_id: Bech32, amount: named('Amount') }),
      kind('IssueFungibleToken', {
        token_ticker: named('StringOrHex'),
        number_of_decimals: Count,
        metadata_uri: named('StringOrHex'),
        total_supply: Type.Union([
          object({ type: Type.Literal('Fixed'), amount: named('Amount') }),
          object({ type: Type.Literal('Lockable') }),
          object({ type: Type.Literal('Unlimited') }),
        ]),
        authority: Bech32,
        is_freezable: Type.Enum(['Yes', 'No']),
      }),
      kind('IssueNft', { token_id: Bech32, destination: Bech32, data: named('NftIssuance') }),
      kind('DataDeposit', { data: named('Bytes') }),
      kind('Htlc', { value: named('Value'), htlc: named('HashedTimelockContract') }),
      kind('CreateOrder', { conclude_key: Bech32, ask_value: named('Value'), give_value: named('Value') }),
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

export const StakePoolData = object(
  {
    amount: named('Amount'),
    staker: Bech32,
    vrf_public_key: Bech32,
    decommission_key: Bech32,
    margin_ratio_per_thousand: Count,
    margin_ratio_decimal: Type.String(),
    margin_ratio_percentage: Type.String(),
    cost_per_block: named('Amount'),
  },
  { $id: 'StakePoolData', description: 'What a pool was created with; `amount` is the pledge' },
);

/** In outputs and, together with an owner, at `/nft/{id}` of the `mintlayer-core` contract. */
const NFT_ISSUANCE: TProperties = {
  creator: nullable(Bech32),
  name: named('StringOrHex'),
  description: named('StringOrHex'),
  ticker: named('StringOrHex'),
  icon_uri: nullable(named('StringOrHex')),
  additional_metadata_uri: nullable(named('StringOrHex')),
  media_uri: nullable(named('StringOrHex')),
  media_hash: named('StringOrHex'),
};

export const NftIssuance = object(NFT_ISSUANCE, { $id: 'NftIssuance', description: 'What an NFT was issued with' });

export const HashedTimelockContract = object(
  {
    secret: nullable(named('StringOrHex')),
    secret_hash: named('StringOrHex'),
    spend_key: Bech32,
    refund_key: Bech32,
    refund_timelock: named('Lock'),
  },
  { $id: 'HashedTimelockContract', description: 'secret: only where a spend by the secret is shown' },
);
