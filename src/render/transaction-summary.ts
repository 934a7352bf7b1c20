/** What a transaction did, from its JSON alone: actions, net changes, protocol fee (docs/api.md#what-a-transaction-did). Pure. */
import { delegationAddress, orderAddress, tokenAddress } from '../chain/address.ts';
import { commandFee, outputFee } from '../chain/burned-fees.ts';
import type { CommandKind } from '../chain/input-and-output-kinds.ts';
import { type BurnedFees, burnedFeesAt, type Network } from '../chain/networks/network.ts';
import type { Atoms, Id } from '../chain/types.ts';
import { type Action, actionsOf, type CommandAction } from './actions.ts';
import { derivedIds } from './created-ids.ts';
import { amountFlows, type NetChange } from './net-changes.ts';
import type { ParsedInput, ParsedTransaction } from './stored-json.ts';

export interface TransactionSummary {
  readonly id: Id;
  readonly actions: readonly Action[];
  /** Those of the actions that are commands. */
  readonly commands: readonly CommandAction[];
  /** Null while the fee is unknown. */
  readonly netChanges: readonly NetChange[] | null;
  /** The coins that the protocol burns, besides the fee. */
  readonly protocolFee: Atoms;
}

/**
 * The longest JSON that is summarized, in characters: some thousand inputs and outputs. Parsing 512 kB takes 5 ms; a
 * transaction may have fifty times as much.
 */
export const MAX_SUMMARIZED_LENGTH = 512 * 1024;

/**
 * Summarizes a transaction's JSON; null if it is too long. All amounts in it have decimals. `actors`: of its row
 * (src/store/schema/1-tables.sql), null if nobody is known.
 */
export function summarizeTransactionText(
  network: Network,
  text: string,
  height: number,
  actors: string | null = null,
): TransactionSummary | null {
  // Nothing here depends on an integer that a double cannot hold: no need to look for one.
  return text.length > MAX_SUMMARIZED_LENGTH ? null : summarizeTransaction(network, JSON.parse(text), height, actors);
}

/** `height`: of the transaction's block, or of the next one while it is pending. `actors`: see {@link summarizeTransactionText}. */
export function summarizeTransaction(
  network: Network,
  transaction: ParsedTransaction,
  height: number,
  actors: string | null = null,
): TransactionSummary {
  const ids = derivedIds(network, transaction, height);
  const created = {
    delegation: ids.delegation && delegationAddress(network, ids.delegation),
    order: ids.order && orderAddress(network, ids.order),
    token: ids.token && tokenAddress(network, ids.token),
  };
  const protocolFee = protocolFeeOf(burnedFeesAt(network, height), transaction);
  const flows = amountFlows(network, transaction, { orderId: created.order, protocolFee });
  const { actions, commands } = actionsOf(transaction, flows, created);
  const givers: string[] = actors === null ? [] : JSON.parse(actors);
  for (const [i, { action }] of commands.entries()) action.by = givers[i] ?? null;
  return {
    id: transaction.id,
    actions,
    commands,
    netChanges: flows.netChanges,
    protocolFee,
  };
}

function protocolFeeOf(fees: BurnedFees, { inputs, outputs }: ParsedTransaction): Atoms {
  let sum = 0n;
  for (const { input } of inputs) if ('command' in input) sum += commandFee(fees, kindOfCommand(input.command));
  for (const { type } of outputs) sum += outputFee(fees, type);
  return sum;
}

type CommandName = Extract<ParsedInput, { readonly command: string }>['command'];

/** Returns the kind of a command by its name in the JSON. */
function kindOfCommand(name: CommandName): CommandKind {
  if (name === 'FreezeTokens') return 'FreezeToken';
  return name === 'UnfreezeTokens' ? 'UnfreezeToken' : name;
}
