/** What the authority of a token may do (docs/indexing-rules.md#token-commands). */
import { isBurnOutput, unknownKind } from '../chain/kinds.ts';
import { feesAt } from '../chain/networks/network.ts';
import type { AccountCommand, Atoms, Id } from '../chain/types.ts';
import { burnFee, changeStatistics } from './balances.ts';
import { refuse, subtract, type TransactionContext } from './context.ts';
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

/** The longest ticker of which every piece is searchable; consensus allows 12 bytes. */
const SEARCHABLE_TICKER_LENGTH = 32;

/** Every distinct piece of a ticker in lower case; none when it is not printable UTF-8. */
export function tickerFragments(ticker: string): Set<string> {
  const text = tickerText(ticker);
  const fragments = new Set<string>();
  if (text === null) return fragments;
  const characters = [...text.toLowerCase()].slice(0, SEARCHABLE_TICKER_LENGTH);
  for (let start = 0; start < characters.length; start++) {
    for (let end = start + 1; end <= characters.length; end++) fragments.add(characters.slice(start, end).join(''));
  }
  return fragments;
}

function tickerText(ticker: string): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(ticker, 'hex'));
    // Nobody searches for control characters, and a store may not be able to keep them.
    return /\p{Cc}/u.test(text) ? null : text;
  } catch {
    return null;
  }
}
