/** What the authority of a token may do (docs/indexing-rules.md#token-commands). */
import { isBurnOutput, unknownKind } from '../chain/kind-facts.ts';
import { feesAt } from '../chain/networks/network.ts';
import type { AccountCommand, Atoms, Id } from '../chain/types.ts';
import { burnFee, changeStatistics } from './balances.ts';
import { refuse, subtract, type TransactionContext } from './block-context.ts';
import type { Token } from './rows.ts';

export type TokenCommand = Exclude<AccountCommand, { type: 'ConcludeOrder' | 'FillOrder' }>;

/** Applies a command with the nonce it was given; burns its fee. */
export function applyTokenCommand(context: TransactionContext, nonce: bigint, command: TokenCommand): void {
  const { state, network, height } = context.block;
  const fees = feesAt(network, height);
  const token = state.tokens.get(command.tokenId) ?? refuse(context, `unknown token ${command.tokenId}`);
  context.tokens.add(command.tokenId);
  const change = (fee: Atoms, changed: Partial<Token>): void => {
    burnFee(context, fee);
    state.tokens.set(command.tokenId, { ...token, ...changed, nextNonce: nonce + 1n });
  };
  switch (command.type) {
    case 'MintTokens':
      changeStatistics(context, command.tokenId, { circulatingSupply: command.amount });
      return change(fees.tokenSupplyChange, { circulatingSupply: token.circulatingSupply + command.amount });
    case 'UnmintTokens': {
      const burned = burnedBy(context, command.tokenId);
      return change(fees.tokenSupplyChange, {
        circulatingSupply: subtract(context, 'the supply of a token', token.circulatingSupply, burned),
      });
    }
    case 'LockTokenSupply':
      return change(fees.tokenSupplyChange, { isLocked: true });
    case 'FreezeToken':
      return change(fees.tokenFreeze, { isFrozen: true, isUnfreezable: command.isUnfreezable });
    case 'UnfreezeToken':
      return change(fees.tokenFreeze, { isFrozen: false, isFreezable: true, isUnfreezable: null });
    case 'ChangeTokenAuthority':
      return change(fees.tokenChangeAuthority, { authority: command.newAuthority });
    case 'ChangeTokenMetadataUri':
      return change(fees.tokenChangeMetadataUri, { metadataUri: command.metadataUri });
    default:
      return unknownKind(command);
  }
}

/** What the transaction burns of a token: the amount of an unmint. */
function burnedBy(context: TransactionContext, tokenId: Id): Atoms {
  let sum = 0n;
  for (const output of context.transaction.outputs) {
    if (isBurnOutput(output) && output.value.type === 'TokenV1' && output.value.tokenId === tokenId) {
      sum += output.value.amount;
    }
  }
  return sum;
}
