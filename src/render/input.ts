import { delegationAddress, destinationAddress, orderAddress, tokenAddress } from '../chain/address.ts';
import type { AccountCommand, OrderAccountCommand, TxInput } from '../chain/types.ts';
import { amountJson, byteArrayJson, type RenderContext } from './text.ts';

/** The `input` object of a transaction's input entry (docs/api.md#transactions-in-json). */
export function renderInput(context: RenderContext, input: TxInput): string {
  switch (input.type) {
    case 'Utxo': {
      const { index, sourceId, sourceType } = input.outpoint;
      return `{"index":${index},"input_type":"UTXO","source_id":"${sourceId}","source_type":"${sourceType}"}`;
    }
    case 'Account': {
      const { network } = context;
      return `{"account_type":"DelegationBalance","amount":${amountJson(input.amount, network.coinDecimals)},"delegation_id":"${delegationAddress(network, input.delegationId)}","input_type":"Account","nonce":${input.nonce}}`;
    }
    case 'AccountCommand':
      return `{${accountCommand(context, input.command, input.nonce)},"input_type":"AccountCommand"}`;
    case 'OrderAccountCommand':
      return `{${orderCommand(context, input.command)},"input_type":"OrderAccountCommand"}`;
  }
}

function accountCommand(context: RenderContext, command: AccountCommand, nonce: bigint): string {
  const { network } = context;
  switch (command.type) {
    case 'ConcludeOrder':
    case 'FillOrder':
      return orderCommand(context, command);
    default:
  }
  const token = `"token_id":"${tokenAddress(network, command.tokenId)}"`;
  switch (command.type) {
    case 'MintTokens':
      return `"amount":${amountJson(command.amount, context.decimalsOf(command.tokenId) ?? 0)},"command":"MintTokens","nonce":${nonce},${token}`;
    case 'UnmintTokens':
    case 'LockTokenSupply':
      return `"command":"${command.type}","nonce":${nonce},${token}`;
    case 'FreezeToken':
      return `"command":"FreezeTokens","is_token_unfreezable":${command.isUnfreezable},"nonce":${nonce},${token}`;
    case 'UnfreezeToken':
      return `"command":"UnfreezeTokens","nonce":${nonce},${token}`;
    case 'ChangeTokenAuthority':
      return `"command":"ChangeTokenAuthority","new_authority":"${destinationAddress(network, command.newAuthority)}","nonce":${nonce},${token}`;
    case 'ChangeTokenMetadataUri':
      return `"command":"ChangeTokenMetadataUri","metadata_uri":${byteArrayJson(command.metadataUri)},${token}`;
  }
}

function orderCommand(
  { network }: RenderContext,
  command: OrderAccountCommand | Extract<AccountCommand, { orderId: string }>,
): string {
  const order = `"order_id":"${orderAddress(network, command.orderId)}"`;
  return command.type === 'FillOrder'
    ? `"command":"FillOrder","fill_atoms":{"atoms":"${command.fillAmount}"},${order}`
    : `"command":"${command.type}",${order}`;
}
