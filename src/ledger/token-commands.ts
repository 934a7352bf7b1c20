/** Applies the commands of a token's authority (docs/indexing-rules.md#token-commands). */
import { assertNever, isBurnOutput } from '../chain/input-and-output-kinds.ts';
import type { Atoms, Id, TokenCommand } from '../chain/types.ts';
import type { TokenEvent } from './applied-block.ts';
import { refuseBlock, subtractOrRefuse, type TransactionContext } from './block-context.ts';
import { changeStatistics } from './currency-statistics.ts';
import type { Token } from './state-rows.ts';
import { kindOfCommand } from './transaction-kind.ts';

/** Applies a command to its token. `nonce`: that of the command. `index`: of the input. */
export function applyTokenCommand(
  context: TransactionContext,
  nonce: bigint,
  command: TokenCommand,
  index: number,
): void {
  const { state } = context.block;
  const token = state.tokens.get(command.tokenId) ?? refuseBlock(context, `unknown token ${command.tokenId}`);
  context.actors.push(token.authority);
  const change = (changed: Partial<Token>, amount: Atoms | null = null): void => {
    const { tokenId } = command;
    const row = { ...token, ...changed, nextNonce: nonce + 1n };
    state.tokens.set(tokenId, row);
    const { authority: actor } = token;
    const { authority = null, metadataUri = null, isUnfreezable = null } = changed;
    const supply = row.circulatingSupply;
    const kind = kindOfCommand(command.type);
    recordTokenEvent(context, { tokenId, index, kind, amount, supply, actor, authority, metadataUri, isUnfreezable });
  };
  switch (command.type) {
    case 'MintTokens':
      changeStatistics(context, command.tokenId, { circulatingSupply: command.amount });
      return change({ circulatingSupply: token.circulatingSupply + command.amount }, command.amount);
    case 'UnmintTokens': {
      const burned = burnedBy(context, command.tokenId);
      const circulatingSupply = subtractOrRefuse(context, 'the supply of a token', token.circulatingSupply, burned);
      return change({ circulatingSupply }, burned);
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

/** The details of an event that most have not. */
const NO_DETAILS = { amount: null, actor: null, authority: null, metadataUri: null, isUnfreezable: null };

/** Records an issuance or a command; what is left out is null. */
export function recordTokenEvent(
  { block, position }: TransactionContext,
  event: Omit<TokenEvent, 'position' | keyof typeof NO_DETAILS> & Partial<Pick<TokenEvent, keyof typeof NO_DETAILS>>,
): void {
  block.tokenEvents.push({ ...NO_DETAILS, ...event, position });
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
