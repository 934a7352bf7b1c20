/**
 * The kinds of outputs and inputs as something to decide about. A switch over them ends with `unknownKind`, or
 * every case returns; a question with a yes or no is a fact of the tables below. So a new kind does not compile until these
 * decisions are made.
 */
import { EncodeError } from './scale/decode-error.ts';
import type { TxInput, TxOutput } from './types.ts';

export type OutputKind = TxOutput['type'];
export type InputKind = TxInput['type'];

interface OutputFacts {
  /** Its value is part of its owner's balance while it is unspent. */
  readonly isBalance: boolean;
  /** Its value is nobody's balance until one of several keys spends it. */
  readonly isContract: boolean;
  /** It holds the stake of a pool: spending it in a transaction ends the pool. */
  readonly isStake: boolean;
  /** It pays into a delegation. */
  readonly delegates: boolean;
  readonly createsOrder: boolean;
  /** It destroys its value. */
  readonly burns: boolean;
  /** It may be under a time lock, which ends by itself. */
  readonly locks: boolean;
}

const OUTPUTS = {
  Transfer: {
    isBalance: true,
    isContract: false,
    isStake: false,
    delegates: false,
    createsOrder: false,
    burns: false,
    locks: false,
  },
  LockThenTransfer: {
    isBalance: true,
    isContract: false,
    isStake: false,
    delegates: false,
    createsOrder: false,
    burns: false,
    locks: true,
  },
  Burn: {
    isBalance: false,
    isContract: false,
    isStake: false,
    delegates: false,
    createsOrder: false,
    burns: true,
    locks: false,
  },
  CreateStakePool: {
    isBalance: false,
    isContract: false,
    isStake: true,
    delegates: false,
    createsOrder: false,
    burns: false,
    locks: false,
  },
  ProduceBlockFromStake: {
    isBalance: false,
    isContract: false,
    isStake: true,
    delegates: false,
    createsOrder: false,
    burns: false,
    locks: false,
  },
  CreateDelegationId: {
    isBalance: false,
    isContract: false,
    isStake: false,
    delegates: false,
    createsOrder: false,
    burns: false,
    locks: false,
  },
  DelegateStaking: {
    isBalance: false,
    isContract: false,
    isStake: false,
    delegates: true,
    createsOrder: false,
    burns: false,
    locks: false,
  },
  IssueFungibleToken: {
    isBalance: false,
    isContract: false,
    isStake: false,
    delegates: false,
    createsOrder: false,
    burns: false,
    locks: false,
  },
  IssueNft: {
    isBalance: true,
    isContract: false,
    isStake: false,
    delegates: false,
    createsOrder: false,
    burns: false,
    locks: false,
  },
  DataDeposit: {
    isBalance: false,
    isContract: false,
    isStake: false,
    delegates: false,
    createsOrder: false,
    burns: false,
    locks: false,
  },
  Htlc: {
    isBalance: false,
    isContract: true,
    isStake: false,
    delegates: false,
    createsOrder: false,
    burns: false,
    locks: false,
  },
  CreateOrder: {
    isBalance: false,
    isContract: false,
    isStake: false,
    delegates: false,
    createsOrder: true,
    burns: false,
    locks: false,
  },
} as const satisfies Readonly<Record<OutputKind, OutputFacts>>;

interface InputFacts {
  readonly spendsOutput: boolean;
  /** It is a command, to a token or an order. */
  readonly isCommand: boolean;
}

const INPUTS = {
  Utxo: { spendsOutput: true, isCommand: false },
  Account: { spendsOutput: false, isCommand: false },
  AccountCommand: { spendsOutput: false, isCommand: true },
  OrderAccountCommand: { spendsOutput: false, isCommand: true },
} as const satisfies Readonly<Record<InputKind, InputFacts>>;

/** The kinds of which a fact is true. */
type KindsWith<Facts, Fact extends string> = {
  [Kind in keyof Facts]: Facts[Kind] extends Readonly<Record<Fact, true>> ? Kind : never;
}[keyof Facts];

/** What holds of a kind of output, for those who have no more than its name. */
export function outputFacts(kind: OutputKind): OutputFacts {
  return OUTPUTS[kind];
}

/** Tells the outputs of which a fact is true. */
function outputsThat<Fact extends keyof OutputFacts>(fact: Fact) {
  return (output: TxOutput): output is Extract<TxOutput, { type: KindsWith<typeof OUTPUTS, Fact> }> =>
    OUTPUTS[output.type][fact];
}

function inputsThat<Fact extends keyof InputFacts>(fact: Fact) {
  return (input: TxInput): input is Extract<TxInput, { type: KindsWith<typeof INPUTS, Fact> }> =>
    INPUTS[input.type][fact];
}

export const isBalanceOutput = outputsThat('isBalance');
export const isContractOutput = outputsThat('isContract');
export const isStakeOutput = outputsThat('isStake');
export const isDelegatingOutput = outputsThat('delegates');
export const isBurnOutput = outputsThat('burns');
export const isLockableOutput = outputsThat('locks');

/** Does the input spend an output? */
export const isUtxoInput = inputsThat('spendsOutput');
/** Is the input a command, to a token or an order? */
export const isCommandInput = inputsThat('isCommand');

/** The end of an exhaustive switch over the kinds of a value. */
export function unknownKind(value: never): never {
  throw new EncodeError(`a value of unknown kind: ${JSON.stringify(value)}`);
}
