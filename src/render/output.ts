import {
  delegationAddress,
  destinationAddress,
  poolAddress,
  publicKeyAddress,
  tokenAddress,
  vrfKeyAddress,
} from '../chain/address.ts';
import { decimalText } from '../chain/amount.ts';
import type {
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
} from './text.ts';

/** An output as the REST API shows it. `secret`: what the spend of an HTLC revealed, where that is shown. */
export function renderOutput(context: RenderContext, output: TxOutput, secret: Hex | null = null): string {
  const { network } = context;
  const address = (destination: string): string => destinationAddress(network, destination);
  switch (output.type) {
    case 'Transfer':
      return `{"destination":"${address(output.destination)}","type":"Transfer","value":${value(context, output.value)}}`;
    case 'LockThenTransfer':
      return `{"destination":"${address(output.destination)}","lock":${lockJson(output.lock)},"type":"LockThenTransfer","value":${value(context, output.value)}}`;
    case 'Burn':
      return `{"type":"Burn","value":${value(context, output.value)}}`;
    case 'CreateStakePool':
      return `{"data":${stakePoolData(context, output.data)},"pool_id":"${poolAddress(network, output.poolId)}","type":"CreateStakePool"}`;
    case 'ProduceBlockFromStake':
      return `{"destination":"${address(output.destination)}","pool_id":"${poolAddress(network, output.poolId)}","type":"ProduceBlockFromStake"}`;
    case 'CreateDelegationId':
      return `{"destination":"${address(output.destination)}","pool_id":"${poolAddress(network, output.poolId)}","type":"CreateDelegationId"}`;
    case 'DelegateStaking':
      return `{"amount":${amountJson(output.amount, network.coinDecimals)},"delegation_id":"${delegationAddress(network, output.delegationId)}","type":"DelegateStaking"}`;
    case 'IssueFungibleToken':
      return tokenIssuance(context, output.issuance);
    case 'IssueNft':
      return `{"data":${nftData(context, output.metadata)},"destination":"${address(output.destination)}","token_id":"${tokenAddress(network, output.tokenId)}","type":"IssueNft"}`;
    case 'DataDeposit':
      return `{"data":${byteArrayJson(output.data)},"type":"DataDeposit"}`;
    case 'Htlc':
      return `{"htlc":${htlc(context, output.contract, secret)},"type":"Htlc","value":${value(context, output.value)}}`;
    case 'CreateOrder':
      return `{"ask_value":${askedValue(context, output.order.ask)},"conclude_key":"${address(output.order.concludeKey)}","give_value":${value(context, output.order.give)},"type":"CreateOrder"}`;
  }
}

function value(context: RenderContext, outputValue: OutputValue): string {
  switch (outputValue.type) {
    case 'Coin':
      return `{"amount":${amountJson(outputValue.amount, context.network.coinDecimals)},"type":"Coin"}`;
    case 'TokenV0':
      return '{"type":"TokenV0"}';
    case 'TokenV1': {
      const { tokenId } = outputValue;
      return `{"amount":${amountJson(outputValue.amount, context.decimalsOf(tokenId) ?? 0)},"token_id":"${tokenAddress(context.network, tokenId)}","type":"TokenV1"}`;
    }
  }
}

/** What an order asks may be a token that is issued later; only nothing of such a token can be anywhere else. */
function askedValue(context: RenderContext, asked: OutputValue): string {
  if (asked.type !== 'TokenV1' || context.decimalsOf(asked.tokenId) !== null) return value(context, asked);
  const { tokenId } = asked;
  return `{"amount":${unissuedAmountJson(asked.amount, tokenId)},"token_id":"${tokenAddress(context.network, tokenId)}","type":"TokenV1"}`;
}

function stakePoolData({ network }: RenderContext, data: StakePoolData): string {
  const margin = data.marginRatioPerThousand;
  return `{"amount":${amountJson(data.pledge, network.coinDecimals)},"cost_per_block":${amountJson(data.costPerBlock, network.coinDecimals)},"decommission_key":"${destinationAddress(network, data.decommissionKey)}","margin_ratio_decimal":"${decimalText(BigInt(margin), 3)}","margin_ratio_per_thousand":${margin},"margin_ratio_percentage":"${decimalText(BigInt(margin), 1)}%","staker":"${destinationAddress(network, data.staker)}","vrf_public_key":"${vrfKeyAddress(network, data.vrfPublicKey)}"}`;
}

function tokenIssuance({ network }: RenderContext, issuance: TokenIssuance): string {
  const { totalSupply } = issuance;
  const supply =
    totalSupply.type === 'Fixed'
      ? `{"amount":${amountJson(totalSupply.amount, issuance.numberOfDecimals)},"type":"Fixed"}`
      : `{"type":"${totalSupply.type}"}`;
  return `{"authority":"${destinationAddress(network, issuance.authority)}","is_freezable":"${issuance.isFreezable ? 'Yes' : 'No'}","metadata_uri":${stringOrHexJson(issuance.metadataUri)},"number_of_decimals":${issuance.numberOfDecimals},"token_ticker":${stringOrHexJson(issuance.ticker)},"total_supply":${supply},"type":"IssueFungibleToken"}`;
}

/** The issuance data of an NFT, without its owner. */
function nftData({ network }: Pick<RenderContext, 'network'>, metadata: NftMetadata): string {
  const optional = (hex: Hex): string => (hex === '' ? 'null' : stringOrHexJson(hex));
  const creator = metadata.creator === null ? 'null' : `"${publicKeyAddress(network, metadata.creator)}"`;
  return `{"additional_metadata_uri":${optional(metadata.additionalMetadataUri)},"creator":${creator},"description":${stringOrHexJson(metadata.description)},"icon_uri":${optional(metadata.iconUri)},"media_hash":${stringOrHexJson(metadata.mediaHash)},"media_uri":${optional(metadata.mediaUri)},"name":${stringOrHexJson(metadata.name)},"ticker":${stringOrHexJson(metadata.ticker)}}`;
}

function htlc({ network }: RenderContext, contract: HashedTimelockContract, secret: Hex | null): string {
  return `{"refund_key":"${destinationAddress(network, contract.refundKey)}","refund_timelock":${lockJson(contract.refundTimelock)},"secret":${secret === null ? 'null' : stringOrHexJson(secret)},"secret_hash":${stringOrHexJson(contract.secretHash)},"spend_key":"${destinationAddress(network, contract.spendKey)}"}`;
}
