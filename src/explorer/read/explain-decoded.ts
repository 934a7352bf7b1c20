/** Looks up a decoded transaction or block in the index: the outputs that it spends, whether it is confirmed, names. */

import { nameConcluders, namePendingActors } from '../../answers/command-actors.ts';
import { readTokenDecimals } from '../../answers/late-token-decimals.ts';
import { type FoundTransaction, findTransaction } from '../../answers/pending/find-any-transaction.ts';
import { decodeHtlcSpend } from '../../chain/codec/witness.ts';
import { isContractOutput } from '../../chain/input-and-output-kinds.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms, Id, InputWitness, Outpoint, Transaction, TxOutput } from '../../chain/types.ts';
import type { RenderContext } from '../../render/common-values.ts';
import { renderOutput, renderOutputs } from '../../render/output.ts';
import { outputJsonOfEntry } from '../../render/output-entry.ts';
import {
  type ParsedOutput,
  type ParsedTransaction,
  parseGenesisJson,
  parseOutputsJson,
  parseTransactionJson,
} from '../../render/stored-json.ts';
import { renderTransaction } from '../../render/transaction.ts';
import { summarizeTransaction } from '../../render/transaction-summary.ts';
import type { DecodedBlock, DecodedTransaction } from '../../serving/decoding/pasted-text.ts';
import type { Caller } from '../../serving/resources/caller.ts';
import type { ServingContext } from '../../serving/route/context.ts';
import { getBlockHeader, getBlockReward } from '../../store/queries/blocks/blocks.ts';
import { getMeta } from '../../store/queries/chain/meta.ts';
import { getTransactionOutput } from '../../store/queries/transactions/transactions.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import type { SentenceNames } from '../parts/transaction-actors.ts';
import { readSentenceNames } from './listed-transactions.ts';
import { readTransactionNames, type TransactionNames } from './transaction.ts';
import { outlineOfText, type SummarisedActions, summaryOf, type TransactionOutline } from './transaction-outline.ts';

export interface DecodedTransactionData extends TransactionNames {
  readonly tip: SnapshotTip;
  /** The transaction with the inputs and outputs that were kept. */
  readonly transaction: ParsedTransaction;
  readonly summary: SummarisedActions;
  readonly names: SentenceNames;
  /** The heights at which the outputs of its inputs were spent, by the index of the input. */
  readonly spentAt: ReadonlyMap<number, number>;
  readonly state: 'confirmed' | 'pending' | 'unknown';
  /** The height of its block, or of the next one. */
  readonly height: number;
  /** Are all spent outputs known and shown? Then the sums are right. */
  readonly isWhole: boolean;
  /** As the index or the mempool has it; null if neither knows. */
  readonly fee: Atoms | null;
}

export interface DecodedBlockData extends TransactionNames {
  readonly tip: SnapshotTip;
  readonly reward: readonly ParsedOutput[];
  /** The first transactions, each whole, without the outputs that their inputs spend. */
  readonly transactions: readonly TransactionOutline[];
  readonly names: SentenceNames;
  readonly isInChain: boolean;
}

/** Throws SnapshotChanged if the tip changes between queries. */
export async function readDecodedTransaction(
  api: ServingContext,
  store: QueryRunner,
  { id, transaction, signatures, inputCount, outputCount }: DecodedTransaction,
  caller: Caller,
): Promise<DecodedTransactionData> {
  const { network } = api;
  const { inputs, outputs } = transaction;
  const found = await findTransaction(api, store, id, caller);
  const { tip } = found;
  const spent = await Promise.all(
    inputs.map((input) => (input.type === 'Utxo' ? readSpent(network, store, tip, input.outpoint) : null)),
  );
  const shown = parseTransactionJson(
    await renderWithDecimals(network, store, tip, (context) => transactionText(context, id, transaction)),
  );
  const known = shown.inputs.map((entry, i) => {
    const output = spent[i]?.output ?? null;
    return { ...entry, utxo: output && withSecret(output, signatures?.[i]) };
  });
  const value = { ...shown, inputs: known };
  const height = found.state === 'confirmed' ? found.row.height : tip.height + 1;
  const actors = found.state === 'confirmed' ? found.row.actors : null;
  const told = summarizeTransaction(network, value, height, actors);
  if (found.state === 'pending') {
    await namePendingActors(network, store, api.pending!.pool, [{ ...told, transaction: found.transaction }]);
  } else if (found.state === 'unknown') await nameConcluders(network, store, told.commands);
  const summary = summaryOf(value, told.actions);
  return {
    tip,
    transaction: value,
    summary,
    names: await readSentenceNames(network, store, tip, [summary], { isWhole: true }),
    ...(await readTransactionNames(api, store, tip, [value])),
    spentAt: new Map(spent.flatMap((each, i) => (each?.spentHeight ? [[i, each.spentHeight] as const] : []))),
    height,
    state: found.state,
    isWhole:
      inputs.length === inputCount &&
      outputs.length === outputCount &&
      inputs.every(({ type }, i) => type !== 'Utxo' || spent[i] !== null),
    fee: knownFee(found),
  };
}

function knownFee(found: FoundTransaction): Atoms | null {
  if (found.state === 'unknown') return null;
  const { fee } = parseTransactionJson(found.state === 'confirmed' ? found.row.body : found.text);
  return fee === undefined ? null : BigInt(fee.atoms);
}

/** Throws SnapshotChanged if the tip changes between queries. */
export async function readDecodedBlock(
  api: ServingContext,
  store: QueryRunner,
  { id, block, transactionIds }: DecodedBlock,
): Promise<DecodedBlockData> {
  const { network } = api;
  const found = await getBlockHeader(store, id);
  const { tip } = found;
  const texts = await Promise.all(
    block.transactions.map(({ transaction }, i) =>
      renderWithDecimals(network, store, tip, (context) => transactionText(context, transactionIds[i]!, transaction)),
    ),
  );
  const transactions = texts.map((text) => outlineOfText(network, text, tip.height + 1));
  const value = parseOutputsJson(
    await renderWithDecimals(network, store, tip, (context) => renderOutputs(context, block.reward)),
  );
  return {
    tip,
    reward: value,
    transactions,
    names: await readSentenceNames(
      network,
      store,
      tip,
      transactions.flatMap(({ summary }) => summary ?? []),
    ),
    ...(await readTransactionNames(api, store, tip, [{ inputs: [], outputs: value }])),
    isInChain: found.rows.length > 0,
  };
}

/**
 * Renders what may have amounts of any tokens: first to know which, then with their decimals; 0 for a token that does not
 * exist. Throws SnapshotChanged.
 */
async function renderWithDecimals(
  network: Network,
  store: QueryRunner,
  tip: SnapshotTip,
  render: (context: RenderContext) => string,
): Promise<string> {
  const tokens = new Set<Id>();
  const noteToken = (token: Id): number => {
    tokens.add(token);
    return 0;
  };
  const text = render({ network, decimalsOf: noteToken });
  if (tokens.size === 0) return text;
  const decimals = await readTokenDecimals(store, tip, tokens);
  return render({ network, decimalsOf: (token) => decimals.get(token) ?? 0 });
}

/** Renders a transaction as in the API, but without the spent outputs. */
function transactionText(context: RenderContext, id: Id, transaction: Transaction): string {
  const outputs = transaction.outputs.map((output: TxOutput) => renderOutput(context, output));
  const inputs = transaction.inputs.map(() => null);
  return renderTransaction(context, { id, transaction, inputs, fee: null }, outputs);
}

/** Reads the outputs of a block's reward, or of the genesis; none if the block does not exist. */
async function readReward(
  network: Network,
  store: QueryRunner,
  tip: SnapshotTip,
  blockId: Id,
): Promise<readonly ParsedOutput[]> {
  if (blockId === network.genesisId) {
    const genesis = await getMeta(store, 'genesis');
    requireSameTip({ tip }, genesis);
    return genesis.rows[0] === undefined ? [] : parseGenesisJson(genesis.rows[0].value).utxos;
  }
  const reward = await getBlockReward(store, blockId);
  requireSameTip({ tip }, reward);
  return reward.rows[0] === undefined ? [] : parseOutputsJson(reward.rows[0].reward);
}

/** Reads the output that an input spends, and the height at which it was spent; null if the index does not have it. */
async function readSpent(
  network: Network,
  store: QueryRunner,
  tip: SnapshotTip,
  { sourceType, sourceId, index }: Outpoint,
): Promise<{ readonly output: ParsedOutput; readonly spentHeight: number | null } | null> {
  if (sourceType === 'BlockReward') {
    const output = (await readReward(network, store, tip, sourceId))[index];
    return output === undefined ? null : { output, spentHeight: null };
  }
  const found = await getTransactionOutput(store, { txId: sourceId, outputIndex: index });
  requireSameTip({ tip }, found);
  const [row] = found.rows;
  if (row === undefined) return null;
  return { output: parseOutputsJson(`[${outputJsonOfEntry(row.entry)}]`)[0]!, spentHeight: row.spent_height };
}

/** Adds the secret that the spending input reveals to an HTLC. The index has secrets only of confirmed inputs. */
function withSecret(output: ParsedOutput, witness: InputWitness | undefined): ParsedOutput {
  if (!isContractOutput(output) || witness?.type !== 'Standard') return output;
  const spend = decodeHtlcSpend(witness.rawSignature);
  const secret = spend?.type === 'Spend' ? { hex: spend.secret, string: null } : null;
  return { ...output, htlc: { ...output.htlc, secret } };
}
