/** Inputs of transactions as JSON. */
import { delegationAddress, destinationAddress, orderAddress, tokenAddress } from '../chain/address.ts';
import type { AccountCommand, Id, OrderAccountCommand, TxInput } from '../chain/types.ts';
import { amountJson, byteArrayJson, type RenderContext } from './common-values.ts';
import { booleanJson, type Json, numberJson, objectJson, plainJson, uncheckedJson } from './compose-json.ts';
import type { ComponentJson, ComponentValue } from './schemas/value-of-schema.ts';

type InputValue = ComponentValue<'Input'>;
type InputOf<Type extends InputValue['input_type']> = Extract<InputValue, { input_type: Type }>;
type CommandOf<Command extends InputOf<'AccountCommand'>['command']> = Extract<
  InputOf<'AccountCommand'>,
  { command: Command }
>;
type OrderCommand = Extract<InputValue, { order_id: string }>;

/** Renders the `input` object of a transaction's input entry (docs/api.md#transactions-in-json). */
export function renderInput(context: RenderContext, input: TxInput): ComponentJson<'Input'> {
  switch (input.type) {
    case 'Utxo':
      return uncheckedJson<InputOf<'UTXO'>>(
        `{"index":${input.outpoint.index}` +
          `,"input_type":"UTXO"` +
          `,"source_id":"${input.outpoint.sourceId}"` +
          `,"source_type":"${input.outpoint.sourceType}"}`,
      );
    case 'Account':
      return objectJson<InputOf<'Account'>>({
        account_type: plainJson('DelegationBalance'),
        amount: amountJson(input.amount, context.network.coinDecimals),
        delegation_id: plainJson(delegationAddress(context.network, input.delegationId)),
        input_type: plainJson('Account'),
        nonce: numberJson(input.nonce),
      });
    case 'AccountCommand':
      return renderAccountCommand(context, input.command, input.nonce);
    case 'OrderAccountCommand':
      return renderOrderCommand(context, input.command, 'OrderAccountCommand');
  }
}

function renderAccountCommand(
  context: RenderContext,
  command: AccountCommand,
  nonce: bigint,
): Json<InputOf<'AccountCommand'> | OrderCommand> {
  const { network } = context;
  const tokenId = (id: Id) => plainJson(tokenAddress(network, id));
  switch (command.type) {
    case 'MintTokens':
      return objectJson<CommandOf<'MintTokens'>>({
        amount: amountJson(command.amount, context.decimalsOf(command.tokenId) ?? 0),
        command: plainJson('MintTokens'),
        input_type: plainJson('AccountCommand'),
        nonce: numberJson(nonce),
        token_id: tokenId(command.tokenId),
      });
    case 'UnmintTokens':
    case 'LockTokenSupply':
    case 'UnfreezeToken':
      return objectJson<CommandOf<'UnmintTokens' | 'LockTokenSupply' | 'UnfreezeTokens'>>({
        command: plainJson(command.type === 'UnfreezeToken' ? 'UnfreezeTokens' : command.type),
        input_type: plainJson('AccountCommand'),
        nonce: numberJson(nonce),
        token_id: tokenId(command.tokenId),
      });
    case 'FreezeToken':
      return objectJson<CommandOf<'FreezeTokens'>>({
        command: plainJson('FreezeTokens'),
        input_type: plainJson('AccountCommand'),
        is_token_unfreezable: booleanJson(command.isUnfreezable),
        nonce: numberJson(nonce),
        token_id: tokenId(command.tokenId),
      });
    case 'ChangeTokenAuthority':
      return objectJson<CommandOf<'ChangeTokenAuthority'>>({
        command: plainJson('ChangeTokenAuthority'),
        input_type: plainJson('AccountCommand'),
        new_authority: plainJson(destinationAddress(network, command.newAuthority)),
        nonce: numberJson(nonce),
        token_id: tokenId(command.tokenId),
      });
    case 'ChangeTokenMetadataUri':
      return objectJson<CommandOf<'ChangeTokenMetadataUri'>>({
        command: plainJson('ChangeTokenMetadataUri'),
        input_type: plainJson('AccountCommand'),
        metadata_uri: byteArrayJson(command.metadataUri),
        token_id: tokenId(command.tokenId),
      });
    case 'ConcludeOrder':
    case 'FillOrder':
      return renderOrderCommand(context, command, 'AccountCommand');
  }
}

/** Renders a command to an order of version 1; commands of version 0 are account commands. */
function renderOrderCommand(
  { network }: RenderContext,
  command: OrderAccountCommand,
  type: OrderCommand['input_type'],
): Json<OrderCommand> {
  const target = { input_type: plainJson(type), order_id: plainJson(orderAddress(network, command.orderId)) };
  switch (command.type) {
    case 'FillOrder':
      return objectJson<Extract<OrderCommand, { command: 'FillOrder' }>>({
        command: plainJson('FillOrder'),
        fill_atoms: objectJson({ atoms: plainJson(`${command.fillAmount}`) }),
        ...target,
      });
    case 'FreezeOrder':
    case 'ConcludeOrder':
      return objectJson<Exclude<OrderCommand, { command: 'FillOrder' }>>({
        command: plainJson(command.type),
        ...target,
      });
  }
}
