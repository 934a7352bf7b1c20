/** Applies the commands of a token's authority (docs/indexing-rules.md#token-commands). */
import { assertNever, isBurnOutput } from '../chain/input-and-output-kinds.ts';
import type { Atoms, Id, TokenCommand } from '../chain/types.ts';
import { changeStatistics } from './balances-and-statistics.ts';
import { refuseBlock, subtractOrRefuse, type TransactionContext } from './block-context.ts';
import type { Token } from './rows.ts';

/** Applies a command to its token. `nonce`: that of the command. */
export function applyTokenCommand(context: TransactionContext, nonce: bigint, command: TokenCommand): void {
  const { state } = context.block;
  const token = state.tokens.get(command.tokenId) ?? refuseBlock(context, `unknown token ${command.tokenId}`);
  const change = (changed: Partial<Token>): void => {
    state.tokens.set(command.tokenId, { ...token, ...changed, nextNonce: nonce + 1n });
  };
  switch (command.type) {
    case 'MintTokens':
      changeStatistics(context, command.tokenId, { circulatingSupply: command.amount });
      return change({ circulatingSupply: token.circulatingSupply + command.amount });
    case 'UnmintTokens': {
      const burned = burnedBy(context, command.tokenId);
      return change({
        circulatingSupply: subtractOrRefuse(context, 'the supply of a token', token.circulatingSupply, burned),
      });
    }
    case 'LockTokenSupply':
      return change({ isLocked: true });
    case 'FreezeToken':
      return change({ isFrozen: true, isUnfreezable: command.isUnfreezable });
    case 'UnfreezeToken':
      return change({ isFrozen: false, isFreezable: true, isUnfreezable: null });
    case 'ChangeTokenAuthority':
      return change({ authority: command.newAuthority });
    case 'ChangeTokenMetadataUri':
      return change({ metadataUri: command.metadataUri });
    default:
      return assertNever(command);
  }
}

/** Returns the amount of a token in the transaction's `Burn` outputs, which an unmint takes out of the supply. */
function burnedBy(context: TransactionContext, tokenId: Id): Atoms {
  let sum = 0n;
  for (const output of context.transaction.outputs) {
    if (isBurnOutput(output) && output.value.type === 'TokenV1' && output.value.tokenId === tokenId) {
      sum += output.value.amount;
    }
  }
  return sum;
}
