/** Outputs as JSON. */
import {
  delegationAddress,
  destinationAddress,
  poolAddress,
  publicKeyAddress,
  tokenAddress,
  vrfKeyAddress,
} from '../chain/address.ts';
import { decimalText, percentText } from '../chain/decimal-text.ts';
import type {
  Destination,
  HashedTimelockContract,
  Hex,
  NftMetadata,
  OutputValue,
  StakePoolData,
  TokenIssuance,
  TxOutput,
} from '../chain/types.ts';
import {
  amountJson,
  byteArrayJson,
  lockJson,
  type RenderContext,
  stringOrHexJson,
  unissuedAmountJson,
} from './common-values.ts';
import {
  arrayJson,
  type Json,
  NULL_JSON,
  nullableJson,
  numberJson,
  objectJson,
  plainJson,
  uncheckedJson,
} from './compose-json.ts';
import type {
  HASHED_TIMELOCK_CONTRACT_SCHEMA as HashedTimelockContractSchema,
  STAKE_POOL_DATA_SCHEMA as StakePoolDataSchema,
} from './schemas/output.ts';
import type { ComponentJson, ComponentValue, JsonTextOf } from './schemas/value-of-schema.ts';

type OutputOf<Type extends TxOutput['type']> = Extract<ComponentValue<'Output'>, { type: Type }>;
type ValueAs<Type extends OutputValue['type']> = Extract<ComponentValue<'Value'>, { type: Type }>;
type SupplyValue = OutputOf<'IssueFungibleToken'>['total_supply'];
type SupplyOf<Type extends SupplyValue['type']> = Extract<SupplyValue, { type: Type }>;

/** Renders an output as in the REST API. `secret`: the secret that the spend of an HTLC revealed, if it is shown. */
export function renderOutput(
  context: RenderContext,
  output: TxOutput,
  secret: Hex | null = null,
): ComponentJson<'Output'> {
  const { network } = context;
  switch (output.type) {
    case 'Transfer':
      return uncheckedJson<OutputOf<'Transfer'>>(
        `{"destination":"${destinationAddress(network, output.destination)}"` +
          `,"type":"Transfer"` +
          `,"value":${renderValue(context, output.value)}}`,
      );
    case 'LockThenTransfer':
      return uncheckedJson<OutputOf<'LockThenTransfer'>>(
        `{"destination":"${destinationAddress(network, output.destination)}"` +
          `,"lock":${lockJson(output.lock)}` +
          `,"type":"LockThenTransfer"` +
          `,"value":${renderValue(context, output.value)}}`,
      );
    case 'Burn':
      return objectJson<OutputOf<'Burn'>>({
        type: plainJson('Burn'),
        value: renderValue(context, output.value),
      });
    case 'CreateStakePool':
      return objectJson<OutputOf<'CreateStakePool'>>({
        data: renderStakePoolData(context, output.data),
        pool_id: plainJson(poolAddress(network, output.poolId)),
        type: plainJson('CreateStakePool'),
      });
    case 'ProduceBlockFromStake':
      return objectJson<OutputOf<'ProduceBlockFromStake'>>({
        destination: renderDestination(context, output.destination),
        pool_id: plainJson(poolAddress(network, output.poolId)),
        type: plainJson('ProduceBlockFromStake'),
      });
    case 'CreateDelegationId':
      return objectJson<OutputOf<'CreateDelegationId'>>({
        destination: renderDestination(context, output.destination),
        pool_id: plainJson(poolAddress(network, output.poolId)),
        type: plainJson('CreateDelegationId'),
      });
    case 'DelegateStaking':
      return objectJson<OutputOf<'DelegateStaking'>>({
        amount: amountJson(output.amount, network.coinDecimals),
        delegation_id: plainJson(delegationAddress(network, output.delegationId)),
        type: plainJson('DelegateStaking'),
      });
    case 'IssueFungibleToken':
      return renderTokenIssuance(context, output.issuance);
    case 'IssueNft':
      return objectJson<OutputOf<'IssueNft'>>({
        data: renderNftIssuance(context, output.metadata),
        destination: renderDestination(context, output.destination),
        token_id: plainJson(tokenAddress(network, output.tokenId)),
        type: plainJson('IssueNft'),
      });
    case 'DataDeposit':
      return objectJson<OutputOf<'DataDeposit'>>({
        data: byteArrayJson(output.data),
        type: plainJson('DataDeposit'),
      });
    case 'Htlc':
      return objectJson<OutputOf<'Htlc'>>({
        htlc: renderHtlc(context, output.contract, secret),
        type: plainJson('Htlc'),
        value: renderValue(context, output.value),
      });
    case 'CreateOrder':
      return objectJson<OutputOf<'CreateOrder'>>({
        ask_value: renderAskedValue(context, output.order.ask),
        conclude_key: renderDestination(context, output.order.concludeKey),
        give_value: renderValue(context, output.order.give),
        type: plainJson('CreateOrder'),
      });
  }
}

/** Renders an array of outputs, such as a block's reward. */
export function renderOutputs(context: RenderContext, outputs: readonly TxOutput[]): Json<ComponentValue<'Output'>[]> {
  return arrayJson(outputs.map((output) => renderOutput(context, output)));
}

function renderDestination({ network }: RenderContext, destination: Destination): Json<string> {
  return plainJson(destinationAddress(network, destination));
}

function renderValue(context: RenderContext, value: OutputValue): ComponentJson<'Value'> {
  switch (value.type) {
    case 'Coin':
      return uncheckedJson<ValueAs<'Coin'>>(
        `{"amount":${amountJson(value.amount, context.network.coinDecimals)},"type":"Coin"}`,
      );
    case 'TokenV0':
      return objectJson<ValueAs<'TokenV0'>>({ type: plainJson('TokenV0') });
    case 'TokenV1':
      return uncheckedJson<ValueAs<'TokenV1'>>(
        `{"amount":${amountJson(value.amount, context.decimalsOf(value.tokenId) ?? 0)}` +
          `,"token_id":"${tokenAddress(context.network, value.tokenId)}"` +
          `,"type":"TokenV1"}`,
      );
  }
}

/** Renders the value that an order asks for. Only here can there be an amount of a token that is issued later. */
function renderAskedValue(context: RenderContext, asked: OutputValue): ComponentJson<'Value'> {
  if (asked.type !== 'TokenV1' || context.decimalsOf(asked.tokenId) !== null) return renderValue(context, asked);
  return objectJson<ValueAs<'TokenV1'>>({
    amount: unissuedAmountJson(asked.amount, asked.tokenId),
    token_id: plainJson(tokenAddress(context.network, asked.tokenId)),
    type: plainJson('TokenV1'),
  });
}

function renderStakePoolData(context: RenderContext, data: StakePoolData): JsonTextOf<typeof StakePoolDataSchema> {
  const { network } = context;
  const margin = data.marginRatioPerThousand;
  return objectJson({
    amount: amountJson(data.pledge, network.coinDecimals),
    cost_per_block: amountJson(data.costPerBlock, network.coinDecimals),
    decommission_key: renderDestination(context, data.decommissionKey),
    margin_ratio_decimal: plainJson(decimalText(BigInt(margin), 3)),
    margin_ratio_per_thousand: numberJson(margin),
    margin_ratio_percentage: plainJson(percentText(margin)),
    staker: renderDestination(context, data.staker),
    vrf_public_key: plainJson(vrfKeyAddress(network, data.vrfPublicKey)),
  });
}

function renderTokenIssuance(context: RenderContext, issuance: TokenIssuance): Json<OutputOf<'IssueFungibleToken'>> {
  return objectJson({
    authority: renderDestination(context, issuance.authority),
    is_freezable: plainJson(issuance.isFreezable ? 'Yes' : 'No'),
    metadata_uri: stringOrHexJson(issuance.metadataUri),
    number_of_decimals: numberJson(issuance.numberOfDecimals),
    token_ticker: stringOrHexJson(issuance.ticker),
    total_supply: renderTotalSupply(issuance),
    type: plainJson('IssueFungibleToken'),
  });
}

function renderTotalSupply({ totalSupply, numberOfDecimals }: TokenIssuance): Json<SupplyValue> {
  if (totalSupply.type !== 'Fixed') {
    return objectJson<SupplyOf<'Lockable' | 'Unlimited'>>({ type: plainJson(totalSupply.type) });
  }
  return objectJson<SupplyOf<'Fixed'>>({
    amount: amountJson(totalSupply.amount, numberOfDecimals),
    type: plainJson('Fixed'),
  });
}

/** Renders the issuance data of an NFT, without its owner. */
function renderNftIssuance({ network }: RenderContext, metadata: NftMetadata): ComponentJson<'NftIssuance'> {
  const optional = (hex: Hex) => (hex === '' ? NULL_JSON : stringOrHexJson(hex));
  return objectJson({
    additional_metadata_uri: optional(metadata.additionalMetadataUri),
    creator: nullableJson(metadata.creator, (key) => plainJson(publicKeyAddress(network, key))),
    description: stringOrHexJson(metadata.description),
    icon_uri: optional(metadata.iconUri),
    media_hash: stringOrHexJson(metadata.mediaHash),
    media_uri: optional(metadata.mediaUri),
    name: stringOrHexJson(metadata.name),
    ticker: stringOrHexJson(metadata.ticker),
  });
}

function renderHtlc(
  context: RenderContext,
  contract: HashedTimelockContract,
  secret: Hex | null,
): JsonTextOf<typeof HashedTimelockContractSchema> {
  return objectJson({
    refund_key: renderDestination(context, contract.refundKey),
    refund_timelock: lockJson(contract.refundTimelock),
    secret: nullableJson(secret, stringOrHexJson),
    secret_hash: stringOrHexJson(contract.secretHash),
    spend_key: renderDestination(context, contract.spendKey),
  });
}
