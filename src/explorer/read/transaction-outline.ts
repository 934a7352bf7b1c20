/**
 * What a list says of a transaction, found in its stored JSON without parsing it: some have thousands of inputs and outputs,
 * of which a list shows nothing. The text is our own rendering: no white space, fields in the order of the alphabet. Quotation
 * marks in texts of the chain have a backslash before them, so a name between plain ones is a field's. Of amounts it takes
 * those of the coin only, so that it does not matter whether the text lacks decimals of tokens.
 */
import { isOutputKind, OUTPUT_KINDS, type OutputKind, outputFacts, type Taken } from '../../chain/kind-facts.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms, Id, TxOutput } from '../../chain/types.ts';
import type { PendingTransaction } from '../../mempool/transaction.ts';
import { renderOutput } from '../../render/output.ts';
import { renderTransaction } from '../../render/transaction.ts';
import type { ExactAmount } from '../parts/amount.ts';
import { COMMAND_DEEDS, type Command, deedOfSpend, INPUT_DEEDS, OUTPUT_DEEDS } from './transaction-summary.ts';

export interface TransactionOutline {
  readonly id: Id;
  /** Null where it is not known. */
  readonly fee: ExactAmount | null;
  readonly inputCount: number;
  readonly outputCount: number;
  /** The coins in its outputs. */
  readonly coins: Atoms;
  /** What it does, in a few words for each kind of thing, the special ones first. */
  readonly deeds: readonly string[];
}

/** A text longer than this takes some milliseconds: its outline is remembered. */
const LONG_TEXT = 65_536;
const MAX_REMEMBERED = 256;
/** Of long texts, oldest first. An id stands for one content; with its length, for one rendering. */
const remembered = new Map<string, TransactionOutline>();

/** Of a base transaction, or of a pending one. */
export function readTransactionOutline(text: string): TransactionOutline {
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

/** Of a text with one output of each kind: a transaction of a megabyte has 26 times as much text. */
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
  // Decimals of tokens are not part of it.
  const context = { network, decimalsOf: () => 0 };
  const outputs = Array.from(ofEachKind.values(), (output) => renderOutput(context, output));
  const text = renderTransaction(context, { id, transaction, inputs, fee }, outputs);
  const outline = { ...readTransactionOutline(text), outputCount: transaction.outputs.length, coins };
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

/** A slice of a text keeps all of that in memory; this is a text of its own. ASCII only. */
function ownText(slice: string): string {
  return Buffer.from(slice, 'latin1').toString('latin1');
}

function withOwnTexts({ id, fee, ...rest }: TransactionOutline): TransactionOutline {
  return { ...rest, id: ownText(id), fee: fee && { atoms: fee.atoms, decimal: ownText(fee.decimal) } };
}

function outlineOf(text: string, inputs: number): TransactionOutline {
  const outputs = text.indexOf(OUTPUTS, inputs);
  const deeds = new Set<string>();
  const inputCount = readInputs(text.slice(inputs, outputs), deeds);
  const { outputCount, coins } = readOutputs(text.slice(outputs), deeds, { hasCoins: true });
  return {
    id: idBefore(text, inputs),
    fee: readFee(text),
    inputCount,
    outputCount,
    coins,
    deeds: [...deeds],
  };
}

/** What a transaction has to do with a token. */
interface TokenOutline extends Pick<TransactionOutline, 'id' | 'deeds'> {
  /** In its outputs, burned ones included. */
  readonly moved: Atoms;
  readonly burned: Atoms;
}

/** `token`: the address of a token or NFT. */
export function readTokenOutline(text: string, token: string): TokenOutline {
  const name = `"token_id":"${token}",`;
  let moved = 0n;
  let burned = 0n;
  let at = text.indexOf(name, text.indexOf(OUTPUTS));
  for (; at >= 0; at = text.indexOf(name, at + name.length)) {
    const type = at + name.length;
    const kind = text.slice(type + TYPE.length, text.indexOf('"', type + TYPE.length));
    if (isOutputKind(kind) && outputFacts(kind).takes === 'nft') moved += 1n;
    if (!text.startsWith(TOKEN_VALUE, type)) continue;
    const atoms = movedBefore(text, at);
    moved += atoms;
    const start = text.lastIndexOf(ATOMS, at) + ATOMS.length;
    if (BURNED_VALUES.some((burnedValue) => text.startsWith(burnedValue, start - burnedValue.length))) burned += atoms;
  }
  const inputs = text.indexOf(INPUTS);
  const outputs = text.indexOf(OUTPUTS, inputs);
  const deeds = new Set<string>();
  readInputs(text.slice(inputs, outputs), deeds);
  readOutputs(text.slice(outputs), deeds, { hasCoins: false });
  return { id: idBefore(text, inputs), deeds: [...deeds], moved, burned };
}

const TOKEN_VALUE = '"type":"TokenV1"';

/** The id ends before the inputs, with a quotation mark. */
const ID_END = 65;

function idBefore(text: string, inputs: number): Id {
  return text.slice(inputs - ID_END, inputs - 1);
}

const FEE = '{"fee":{"atoms":"';
const DECIMAL = '","decimal":"';

/** It stands first where it is known. */
function readFee(text: string): ExactAmount | null {
  if (!text.startsWith(FEE)) return null;
  const end = text.indexOf('"', FEE.length);
  const decimal = end + DECIMAL.length;
  return { atoms: BigInt(text.slice(FEE.length, end)), decimal: text.slice(decimal, text.indexOf('"', decimal)) };
}

/** Between the fields before the inputs and these, and between them and the outputs. */
const INPUTS = ',"inputs":[';
const OUTPUTS = '],"is_replaceable":';

/** How inputs of most transactions are: outputs that are spent, with nothing special to it. */
const INPUT = '"input_type":"';
const SPEND = 'UTXO';
const SPECIAL_KINDS = OUTPUT_KINDS.filter((kind) => deedOfSpend(kind, false) !== null);
const SPECIAL_SPEND = new RegExp(`"type":"(?:${SPECIAL_KINDS.join('|')})"`);

/** Adds what the inputs do; gives how many they are. */
function readInputs(text: string, deeds: Set<string>): number {
  let inputCount = 0;
  let isUsual = true;
  for (let at = text.indexOf(INPUT); at >= 0; at = text.indexOf(INPUT, at + INPUT.length)) {
    inputCount++;
    if (!text.startsWith(SPEND, at + INPUT.length)) isUsual = false;
  }
  if (!isUsual || SPECIAL_SPEND.test(text)) addInputDeeds(text, deeds);
  return inputCount;
}

/** The kind of an input, its command, the kind of the output that it spends, and what comes before that in one. */
const OF_INPUT = /"(input_type|command|type)":"(\w+)"|"secret":(null)?/g;

function addInputDeeds(text: string, deeds: Set<string>): void {
  let hasSecret = false;
  for (const [, field, value, noSecret] of text.matchAll(OF_INPUT)) {
    switch (field) {
      case 'input_type':
        if (value === 'Account') deeds.add(INPUT_DEEDS.withdrawal);
        break;
      case 'command':
        deeds.add(COMMAND_DEEDS[value as Command]);
        break;
      case 'type': {
        const deed = isOutputKind(value!) ? deedOfSpend(value, hasSecret) : null;
        if (deed !== null) deeds.add(deed);
        break;
      }
      default:
        hasSecret = noSecret === undefined;
    }
  }
}

const TYPE = '"type":"';
/** What stands before the atoms of a value. */
const VALUE = '"value":{"amount":{"atoms":"';
const GIVEN_VALUE = '"give_value":{"amount":{"atoms":"';
const ATOMS = '"atoms":"';
const BURNED_VALUES = OUTPUT_KINDS.filter((kind) => outputFacts(kind).holder === 'nobody').map(
  (kind) => `"type":"${kind}",${VALUE}`,
);
/** What stands before the atoms of what an output takes that is always coins. A value has a type of its own. */
const COINS: Readonly<Record<Taken, string | null>> = {
  value: null,
  give: null,
  pledge: '"data":{"amount":{"atoms":"',
  amount: '{"amount":{"atoms":"',
  nft: null,
};

/** Adds what the outputs are; gives how many they are, and their coins where these are asked for. */
function readOutputs(
  text: string,
  deeds: Set<string>,
  { hasCoins }: { readonly hasCoins: boolean },
): { outputCount: number; coins: Atoms } {
  let outputCount = 0;
  let coins = 0n;
  let hasTransfer = false;
  for (let at = text.indexOf(TYPE); at >= 0; at = text.indexOf(TYPE, at + TYPE.length)) {
    const start = at + TYPE.length;
    const type = text.slice(start, text.indexOf('"', start));
    if (hasCoins && type === 'Coin') coins += movedBefore(text, at);
    // Parts of outputs have types as well.
    if (!isOutputKind(type)) continue;
    outputCount++;
    const { takes } = outputFacts(type);
    const before = takes && COINS[takes];
    if (hasCoins && before !== null) coins += atomsAfter(text, text.lastIndexOf(before, at) + before.length);
    if (type === 'Transfer') hasTransfer = true;
    else deeds.add(OUTPUT_DEEDS[type]);
  }
  if (deeds.size === 0 || hasTransfer) deeds.add(OUTPUT_DEEDS.Transfer);
  return { outputCount, coins };
}

/** The amount of the value that ends there; 0 where it is what an order asks for. */
function movedBefore(text: string, end: number): Atoms {
  const start = text.lastIndexOf(ATOMS, end) + ATOMS.length;
  const isMoved =
    text.startsWith(VALUE, start - VALUE.length) || text.startsWith(GIVEN_VALUE, start - GIVEN_VALUE.length);
  return isMoved ? atomsAfter(text, start) : 0n;
}

function atomsAfter(text: string, start: number): Atoms {
  return BigInt(text.slice(start, text.indexOf('"', start)));
}
