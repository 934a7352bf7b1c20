/** The outline of a transaction for lists: what it did first, and how much more. */
import { OUTPUT_KINDS } from '../../chain/input-and-output-kinds.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import { countedBytesOf, type PendingTransaction } from '../../mempool/transaction.ts';
import type { Action } from '../../render/actions.ts';
import { RememberedByText } from '../../render/remembered-by-text.ts';
import { parseTransactionJson } from '../../render/stored-json.ts';
import { MAX_SUMMARIZED_LENGTH, summarizeTransaction } from '../../render/transaction-summary.ts';
import { type ExactAmount, exactAmount } from '../parts/amount.ts';
import { exactAmountOfJson } from './stored-json.ts';

/** The actions of a transaction, as far as a sentence tells them. */
export interface SummarisedActions {
  /** Null if it did nothing but pay its fee. */
  readonly first: Action | null;
  readonly otherPayments: number;
  /** The other actions that are no payments. */
  readonly otherChanges: number;
}

export interface TransactionOutline {
  readonly id: Id;
  /** The owner of the first input that has one: commands have none. Null if none has, or if the transaction is too long. */
  readonly sender: string | null;
  /** The fee; null if it is unknown. */
  readonly fee: ExactAmount | null;
  readonly inputCount: number;
  readonly outputCount: number;
  /** Null if the transaction is too long to be summarized. */
  readonly summary: SummarisedActions | null;
}

/** Returns what a sentence tells of actions. */
export function summaryOf(actions: readonly Action[]): SummarisedActions {
  const [first, ...others] = actions;
  const otherPayments = others.filter(isPayment).length;
  return { first: first ?? null, otherPayments, otherChanges: others.length - otherPayments };
}

export function isPayment({ type }: Action): boolean {
  return type === 'transfer' || type === 'lock';
}

/** A longer text takes some milliseconds, so its outline is remembered. */
const LONG_TEXT = 65_536;
const MAX_REMEMBERED = 256;
/** Outlines of long texts, oldest first. The key is the id and the length, which identify the rendering. */
const remembered = new Map<string, TransactionOutline>();

/**
 * Reads the outline of a base transaction or a pending one, with the decimals of all tokens. `height`: of its block, or
 * of the next one.
 */
export function outlineOfText(network: Network, text: string, height: number): TransactionOutline {
  if (text.length < LONG_TEXT) return shortOutline(network, text, height);
  const key = Buffer.from(`${idOf(text)} ${text.length}`, 'latin1').toString('latin1');
  const known =
    remembered.get(key) ??
    (text.length > MAX_SUMMARIZED_LENGTH ? longOutline(text) : shortOutline(network, text, height));
  remembered.delete(key);
  remembered.set(key, known);
  if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!);
  return known;
}

/** The most bytes of a pending transaction that is rendered to be summarized; its JSON has up to 26 times as many. */
const MAX_PENDING_BYTES = 65_536;

/** Reads the outline of a pending transaction. `textOf`: renders it. */
export async function outlineOfPending(
  network: Network,
  pending: PendingTransaction,
  textOf: (pending: PendingTransaction) => Promise<string>,
): Promise<TransactionOutline> {
  const { id, fee, height, signed } = pending;
  if (countedBytesOf(pending) <= MAX_PENDING_BYTES) return outlineOfText(network, await textOf(pending), height);
  const { inputs, outputs } = signed.transaction;
  return {
    id,
    sender: null,
    fee: fee === null ? null : exactAmount(fee, network.coinDecimals),
    inputCount: inputs.length,
    outputCount: outputs.length,
    summary: null,
  };
}

const outlines = new RememberedByText<TransactionOutline>(2 ** 21);

const shortOutline = (network: Network, text: string, height: number): TransactionOutline =>
  outlines.of(network, text, height, () => newOutline(network, text, height));

function newOutline(network: Network, text: string, height: number): TransactionOutline {
  const transaction = parseTransactionJson(text);
  const { id, fee, inputs, outputs } = transaction;
  const senders = inputs.flatMap(({ utxo }) => (utxo !== null && 'destination' in utxo ? [utxo.destination] : []));
  return {
    id,
    sender: senders[0] ?? null,
    fee: fee === undefined ? null : exactAmountOfJson(fee),
    inputCount: inputs.length,
    outputCount: outputs.length,
    summary: summaryOf(summarizeTransaction(network, transaction, height).actions),
  };
}

/** Counts inputs and outputs in the text. Quotation marks in texts of the chain are escaped, so these are fields. */
function longOutline(text: string): TransactionOutline {
  const outputs = text.slice(text.indexOf(OUTPUTS));
  const fee = FEE.exec(text.slice(0, 128));
  return {
    id: Buffer.from(idOf(text), 'latin1').toString('latin1'),
    sender: null,
    fee: fee && { atoms: BigInt(fee[1]!), decimal: Buffer.from(fee[2]!, 'latin1').toString('latin1') },
    inputCount: countMatches(text, INPUT),
    outputCount: countMatches(outputs, OUTPUT),
    summary: null,
  };
}

function countMatches(text: string, pattern: RegExp): number {
  let count = 0;
  for (const _ of text.matchAll(pattern)) count++;
  return count;
}

const INPUTS = ',"inputs":[';
const OUTPUTS = '],"is_replaceable":';
const FEE = /^\{"fee":\{"atoms":"(\d+)","decimal":"([\d.]+)"/;
const INPUT = /"input_type":"/g;
const OUTPUT = new RegExp(`"type":"(?:${OUTPUT_KINDS.join('|')})"`, 'g');
/** The length of an id and the quotation mark after it. */
const ID_END = 65;

function idOf(text: string): Id {
  const inputs = text.indexOf(INPUTS);
  return text.slice(inputs - ID_END, inputs - 1);
}
