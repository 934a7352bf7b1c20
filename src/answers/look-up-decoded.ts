/** What the index knows of a decoded transaction or block: the outputs that it spends, whether it is confirmed, what it does. */
import { burnedFees } from '../chain/burned-fees.ts';
import { decodeHtlcSpend } from '../chain/codec/witness.ts';
import { COIN } from '../chain/currency.ts';
import { decimalText } from '../chain/decimal-text.ts';
import { isContractOutput } from '../chain/input-and-output-kinds.ts';
import type { Network } from '../chain/networks/network.ts';
import type { Atoms, Id, InputWitness, Outpoint, Transaction, TxOutput } from '../chain/types.ts';
import type { RenderContext } from '../render/common-values.ts';
import { hasUnknownInputs, sumsByCurrency } from '../render/currency-sums.ts';
import { renderOutput, renderOutputs } from '../render/output.ts';
import { outputJsonOfEntry } from '../render/output-entry.ts';
import {
  type ParsedOutput,
  type ParsedTransaction,
  parseGenesisJson,
  parseOutputsJson,
  parseTransactionJson,
} from '../render/stored-json.ts';
import { renderTransaction } from '../render/transaction.ts';
import { summarizeTransaction, type TransactionSummary } from '../render/transaction-summary.ts';
import type { PastedBlock, PastedTransaction } from '../serving/decoding/pasted-text.ts';
import type { Caller } from '../serving/resources/caller.ts';
import { getBlockHeader, getBlockReward } from '../store/queries/blocks/blocks.ts';
import { getMeta } from '../store/queries/chain/meta.ts';
import { getTransactionOutput } from '../store/queries/transactions/transactions.ts';
import { requireSameTip } from '../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../store/read/query.ts';
import type { AnswersContext } from './answers-context.ts';
import { readTokenDecimals } from './decimals-of-later-issued-tokens.ts';
import { nameConcluders, namePendingActors } from './name-command-actors.ts';
import { type FoundTransaction, findTransaction } from './pending/find-transaction.ts';

export interface LookedUpTransaction {
  readonly tip: SnapshotTip;
  /** The transaction with the inputs and outputs that were kept. */
  readonly transaction: ParsedTransaction;
  /** What it does, with who gave its commands. */
  readonly told: TransactionSummary;
  /** The heights at which the outputs of its inputs were spent, by the index of the input. */
  readonly spentAt: ReadonlyMap<number, number>;
  readonly state: 'confirmed' | 'pending' | 'unknown';
  /** The height of its block, or of the next one. */
  readonly height: number;
  /** Are all spent outputs known and shown? Then the sums are right. */
  readonly isWhole: boolean;
  /** As the index or the mempool has it, or what the inputs have more than the outputs; null if that is not known. */
  readonly fee: Atoms | null;
}

export interface LookedUpBlock {
  readonly tip: SnapshotTip;
  readonly reward: ParsedOutput[];
  /** The first transactions, each whole, as JSON without the outputs that their inputs spend. */
  readonly transactions: readonly string[];
  readonly isInChain: boolean;
}

/**
 * Looks up a transaction. What it spends and the index does not have is as its wallet says. Throws SnapshotChanged if the tip
 * changes between queries.
 */
export async function findDecodedTransaction(
  api: AnswersContext,
  store: QueryRunner,
  { id, transaction, signatures, wallet, inputCount, outputCount }: PastedTransaction,
  caller: Caller,
): Promise<LookedUpTransaction> {
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
  const said = await readSaid(network, store, tip, wallet?.spent ?? []);
  const known = shown.inputs.map((entry, i) => {
    const output = spent[i]?.output ?? said[i] ?? null;
    return { ...entry, utxo: output && withSecret(output, signatures?.[i]) };
  });
  const height = found.state === 'confirmed' ? found.row.height : tip.height + 1;
  const isWhole =
    inputs.length === inputCount &&
    outputs.length === outputCount &&
    inputs.every(({ type }, i) => type !== 'Utxo' || known[i]!.utxo !== null);
  const resolved = { ...shown, inputs: known };
  const fee = knownFee(found) ?? (isWhole ? feeOf(network, resolved, burnedFees(network, height, transaction)) : null);
  const value = fee === null ? resolved : { ...resolved, fee: amountOf(fee, network.coinDecimals) };
  const actors = found.state === 'confirmed' ? found.row.actors : null;
  const told = summarizeTransaction(network, value, height, actors);
  if (found.state === 'pending') {
    await namePendingActors(network, store, api.pending!.pool, [{ ...told, transaction: found.transaction }]);
  } else if (found.state === 'unknown') await nameConcluders(network, store, told.commands);
  return {
    tip,
    transaction: value,
    told,
    spentAt: new Map(spent.flatMap((each, i) => (each?.spentHeight ? [[i, each.spentHeight] as const] : []))),
    height,
    state: found.state,
    isWhole,
    fee,
  };
}

/** Returns the outputs of which a wallet says that they are spent. */
async function readSaid(
  network: Network,
  store: QueryRunner,
  tip: SnapshotTip,
  spent: readonly (TxOutput | null)[],
): Promise<(ParsedOutput | null)[]> {
  const outputs = spent.filter((output) => output !== null);
  const parsed = parseOutputsJson(
    await renderWithDecimals(network, store, tip, (context) => renderOutputs(context, outputs)),
  );
  return spent.map((output) => (output === null ? null : parsed.shift()!));
}

function knownFee(found: FoundTransaction): Atoms | null {
  if (found.state === 'unknown') return null;
  const { fee } = parseTransactionJson(found.state === 'confirmed' ? found.row.body : found.text);
  return fee === undefined ? null : BigInt(fee.atoms);
}

/** Returns what the inputs have more than the outputs and the protocol take; null if not all inputs are known. */
function feeOf(network: Network, transaction: ParsedTransaction, burned: Atoms): Atoms | null {
  if (hasUnknownInputs(transaction)) return null;
  const coin = sumsByCurrency(network, transaction).find(({ currency }) => currency === COIN);
  return coin === undefined ? -burned : coin.inputs - coin.outputs - coin.burned - burned;
}

const amountOf = (atoms: Atoms, decimals: number) => ({ atoms: `${atoms}`, decimal: decimalText(atoms, decimals) });

/** Looks up a block. Throws SnapshotChanged if the tip changes between queries. */
export async function findDecodedBlock(
  { network }: AnswersContext,
  store: QueryRunner,
  { id, block, transactionIds }: PastedBlock,
): Promise<LookedUpBlock> {
  const found = await getBlockHeader(store, id);
  const { tip } = found;
  const transactions = await Promise.all(
    block.transactions.map(({ transaction }, i) =>
      renderWithDecimals(network, store, tip, (context) => transactionText(context, transactionIds[i]!, transaction)),
    ),
  );
  const reward = parseOutputsJson(
    await renderWithDecimals(network, store, tip, (context) => renderOutputs(context, block.reward)),
  );
  return { tip, reward, transactions, isInChain: found.rows.length > 0 };
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
  const found = await getTransactionOutput(store, sourceId, index);
  requireSameTip({ tip }, found);
  const [row] = found.rows;
  if (row === undefined) return null;
  return { output: parseOutputsJson(`[${outputJsonOfEntry(row.entry)}]`)[0]!, spentHeight: row.spent_height };
}

/** Adds the secret that the spending input reveals to an HTLC. The index has secrets only of confirmed inputs. */
function withSecret(output: ParsedOutput, witness: InputWitness | null | undefined): ParsedOutput {
  if (!isContractOutput(output) || witness?.type !== 'Standard') return output;
  const spend = decodeHtlcSpend(witness.rawSignature);
  const secret = spend?.type === 'Spend' ? { hex: spend.secret, string: null } : null;
  return { ...output, htlc: { ...output.htlc, secret } };
}
