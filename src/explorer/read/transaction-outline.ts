/**
 * The outline of a transaction for lists, taken from its stored JSON without parsing: some transactions have thousands
 * of inputs and outputs, of which a list shows nothing. The text is our own rendering: no white space, fields in
 * alphabetical order. Quotation marks in texts of the chain are escaped, so a name between plain ones is a field. Only
 * amounts of the coin are read, so token decimals may be missing in the text.
 */
import {
  type AmountField,
  isOutputKind,
  OUTPUT_KINDS,
  type OutputKind,
  outputKindProperties,
} from '../../chain/input-and-output-kinds.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms, Id, TxOutput } from '../../chain/types.ts';
import type { PendingTransaction } from '../../mempool/transaction.ts';
import { renderOutput } from '../../render/output.ts';
import { renderTransaction } from '../../render/transaction.ts';
import type { ExactAmount } from '../parts/amount.ts';
import {
  actionOfSpend,
  COMMAND_ACTIONS,
  type CommandType,
  INPUT_ACTIONS,
  OUTPUT_ACTIONS,
} from './transaction-sums-and-actions.ts';

export interface TransactionOutline {
  readonly id: Id;
  /** The fee; null if it is unknown. */
  readonly fee: ExactAmount | null;
  readonly inputCount: number;
  readonly outputCount: number;
  /** The coins in the outputs. */
  readonly coins: Atoms;
  /** The actions of the transaction, in a few words for each kind, special ones first. */
  readonly actions: readonly string[];
}

/** A longer text takes some milliseconds, so its outline is remembered. */
const LONG_TEXT = 65_536;
const MAX_REMEMBERED = 256;
/** Outlines of long texts, oldest first. The key is the id and the length, which identify the rendering. */
const remembered = new Map<string, TransactionOutline>();

/** Reads the outline of a base transaction or a pending one. */
export function extractTransactionOutline(text: string): TransactionOutline {
  const inputs = text.indexOf(INPUTS);
  if (text.length < LONG_TEXT) return outlineOf(text, inputs);
  const key = ownText(`${idBefore(text, inputs)} ${text.length}`);
  const known = remembered.get(key) ?? withOwnTexts(outlineOf(text, inputs));
  remembered.delete(key);
  remembered.set(key, known);
  if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!);
  return known;
}

const outlinesOfPending = new WeakMap<PendingTransaction, TransactionOutline>();

/**
 * Reads the outline of a pending transaction, from a text with one output of each kind. The whole text of a transaction
 * of one megabyte would be 26 megabytes.
 */
export function outlineOfPending(network: Network, pending: PendingTransaction): TransactionOutline {
  const known = outlinesOfPending.get(pending);
  if (known !== undefined) return known;
  const { id, signed, inputs, fee } = pending;
  const { transaction } = signed;
  const ofEachKind = new Map<OutputKind, TxOutput>();
  let coins = 0n;
  for (const output of transaction.outputs) {
    if (!ofEachKind.has(output.type)) ofEachKind.set(output.type, output);
    coins += coinsTakenBy(output);
  }
  // The outline has no decimals of tokens.
  const context = { network, decimalsOf: () => 0 };
  const outputs = Array.from(ofEachKind.values(), (output) => renderOutput(context, output));
  const text = renderTransaction(context, { id, transaction, inputs, fee }, outputs);
  const outline = { ...extractTransactionOutline(text), outputCount: transaction.outputs.length, coins };
  outlinesOfPending.set(pending, outline);
  return outline;
}

function coinsTakenBy(output: TxOutput): Atoms {
  switch (output.type) {
    case 'Transfer':
    case 'LockThenTransfer':
    case 'Burn':
    case 'Htlc':
      return output.value.type === 'Coin' ? output.value.amount : 0n;
    case 'CreateOrder':
      return output.order.give.type === 'Coin' ? output.order.give.amount : 0n;
    case 'CreateStakePool':
      return output.data.pledge;
    case 'DelegateStaking':
      return output.amount;
    case 'ProduceBlockFromStake':
    case 'CreateDelegationId':
    case 'IssueFungibleToken':
    case 'IssueNft':
    case 'DataDeposit':
      return 0n;
  }
}

/** Copies a slice, which would otherwise keep the whole text in memory. ASCII only. */
function ownText(slice: string): string {
  return Buffer.from(slice, 'latin1').toString('latin1');
}

function withOwnTexts({ id, fee, ...rest }: TransactionOutline): TransactionOutline {
  return { ...rest, id: ownText(id), fee: fee && { atoms: fee.atoms, decimal: ownText(fee.decimal) } };
}

function outlineOf(text: string, inputs: number): TransactionOutline {
  const outputs = text.indexOf(OUTPUTS, inputs);
  const actions = new Set<string>();
  const inputCount = readInputs(text.slice(inputs, outputs), actions);
  const { outputCount, coins } = readOutputs(text.slice(outputs), actions);
  return { id: idBefore(text, inputs), fee: readFee(text), inputCount, outputCount, coins, actions: [...actions] };
}

/** The outline of a transaction in the list of a token. */
interface TokenOutline extends Pick<TransactionOutline, 'id' | 'actions'> {
  /** The amount of the token in the outputs, including burned amounts. */
  readonly moved: Atoms;
  readonly burned: Atoms;
}

/** Reads the outline for a token. `token`: the address of a token or NFT. */
export function extractTransactionOutlineForToken(text: string, token: string): TokenOutline {
  const name = `"token_id":"${token}",`;
  let moved = 0n;
  let burned = 0n;
  let at = text.indexOf(name, text.indexOf(OUTPUTS));
  for (; at >= 0; at = text.indexOf(name, at + name.length)) {
    const type = at + name.length;
    const kind = text.slice(type + TYPE.length, text.indexOf('"', type + TYPE.length));
    if (isOutputKind(kind) && outputKindProperties(kind).takes === 'nft') moved += 1n;
    if (!text.startsWith(TOKEN_VALUE, type)) continue;
    const atoms = movedBefore(text, at);
    moved += atoms;
    const start = text.lastIndexOf(ATOMS, at) + ATOMS.length;
    if (BURNED_VALUES.some((burnedValue) => text.startsWith(burnedValue, start - burnedValue.length))) burned += atoms;
  }
  const { id, actions } = extractTransactionOutline(text);
  return { id, actions, moved, burned };
}

const TOKEN_VALUE = '"type":"TokenV1"';

/** The length of an id and the quotation mark after it. */
const ID_END = 65;

function idBefore(text: string, inputs: number): Id {
  return text.slice(inputs - ID_END, inputs - 1);
}

const FEE = '{"fee":{"atoms":"';
const DECIMAL = '","decimal":"';

/** Returns the fee, which is the first field if it is known. */
function readFee(text: string): ExactAmount | null {
  if (!text.startsWith(FEE)) return null;
  const end = text.indexOf('"', FEE.length);
  const decimal = end + DECIMAL.length;
  return { atoms: BigInt(text.slice(FEE.length, end)), decimal: text.slice(decimal, text.indexOf('"', decimal)) };
}

/** The separators between the first fields, the inputs and the outputs. */
const INPUTS = ',"inputs":[';
const OUTPUTS = '],"is_replaceable":';

/** The text of most inputs, which spend outputs of an ordinary kind. */
const INPUT = '"input_type":"';
const SPEND = 'UTXO';
const SPECIAL_KINDS = OUTPUT_KINDS.filter((kind) => actionOfSpend(kind, false) !== null);
const SPECIAL_SPEND = new RegExp(`"type":"(?:${SPECIAL_KINDS.join('|')})"`);

/** Adds what the inputs do. Returns the number of inputs. */
function readInputs(text: string, actions: Set<string>): number {
  let inputCount = 0;
  let isUsual = true;
  for (let at = text.indexOf(INPUT); at >= 0; at = text.indexOf(INPUT, at + INPUT.length)) {
    inputCount++;
    if (!text.startsWith(SPEND, at + INPUT.length)) isUsual = false;
  }
  if (!isUsual || SPECIAL_SPEND.test(text)) addInputActions(text, actions);
  return inputCount;
}

/** Matches the kind of an input, its command, the kind of the spent output, and the secret of an HTLC before that. */
const OF_INPUT = /"(input_type|command|type)":"(\w+)"|"secret":(null)?/g;

function addInputActions(text: string, actions: Set<string>): void {
  let hasSecret = false;
  for (const [, field, value, noSecret] of text.matchAll(OF_INPUT)) {
    switch (field) {
      case 'input_type':
        if (value === 'Account') actions.add(INPUT_ACTIONS.withdrawal);
        break;
      case 'command':
        actions.add(COMMAND_ACTIONS[value as CommandType]);
        break;
      case 'type': {
        const action = isOutputKind(value!) ? actionOfSpend(value, hasSecret) : null;
        if (action !== null) actions.add(action);
        break;
      }
      default:
        hasSecret = noSecret === undefined;
    }
  }
}

const TYPE = '"type":"';
/** The text before the atoms of a value. */
const VALUE = '"value":{"amount":{"atoms":"';
const MOVED_VALUES = [VALUE, '"give_value":{"amount":{"atoms":"'];
const ATOMS = '"atoms":"';
const BURNED_VALUES = OUTPUT_KINDS.filter((kind) => outputKindProperties(kind).holder === 'nobody').map(
  (kind) => `"type":"${kind}",${VALUE}`,
);
/** The text before the atoms of an output's amount, if that is always coins; null for values, which have a type. */
const COINS: Readonly<Record<AmountField, string | null>> = {
  value: null,
  give: null,
  pledge: '"data":{"amount":{"atoms":"',
  amount: '{"amount":{"atoms":"',
  nft: null,
};

/** Adds what the outputs do. Returns their number and their coins. */
function readOutputs(text: string, actions: Set<string>): Pick<TransactionOutline, 'outputCount' | 'coins'> {
  let outputCount = 0;
  let coins = 0n;
  let hasTransfer = false;
  for (let at = text.indexOf(TYPE); at >= 0; at = text.indexOf(TYPE, at + TYPE.length)) {
    const start = at + TYPE.length;
    const type = text.slice(start, text.indexOf('"', start));
    if (type === 'Coin') coins += movedBefore(text, at);
    // Parts of outputs have a `type`, too.
    if (!isOutputKind(type)) continue;
    outputCount++;
    const { takes } = outputKindProperties(type);
    const before = takes && COINS[takes];
    if (before !== null) coins += atomsAfter(text, text.lastIndexOf(before, at) + before.length);
    if (type === 'Transfer') hasTransfer = true;
    else actions.add(OUTPUT_ACTIONS[type]);
  }
  if (actions.size === 0 || hasTransfer) actions.add(OUTPUT_ACTIONS.Transfer);
  return { outputCount, coins };
}

/** Returns the amount of the value that ends there; 0 for an amount that an order asks. */
function movedBefore(text: string, end: number): Atoms {
  const start = text.lastIndexOf(ATOMS, end) + ATOMS.length;
  const isMoved = MOVED_VALUES.some((before) => text.startsWith(before, start - before.length));
  return isMoved ? atomsAfter(text, start) : 0n;
}

function atomsAfter(text: string, start: number): Atoms {
  return BigInt(text.slice(start, text.indexOf('"', start)));
}
