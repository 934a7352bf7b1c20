/**
 * What each kind of output, input and command means, in one place: code with a new kind does not compile before the kind has
 * its row here. A switch over kinds, or over their properties, ends with `assertNever`, or every case returns.
 */
import type { BurnedFees } from './networks/network.ts';
import type { AccountCommand, OrderAccountCommand, TxInput, TxOutput } from './types.ts';

export type OutputKind = TxOutput['type'];
export type InputKind = TxInput['type'];
export type CommandKind = (AccountCommand | OrderAccountCommand)['type'];

/**
 * The holder of an output's value, until something spends it or pays it out. `owner`: the value is part of a balance.
 * `contract`: it is part of no balance until one of several keys spends it. `pool`: spending it in a transaction ends the
 * pool. `nobody`: it is burned.
 */
type Holder = 'owner' | 'contract' | 'pool' | 'delegation' | 'order' | 'nobody';

/** Is an output with this holder part of the set of unspent outputs, until an input spends it? */
const SPENDABLE = {
  owner: true,
  contract: true,
  pool: true,
  delegation: false,
  order: false,
  nobody: false,
} as const satisfies Readonly<Record<Holder, boolean>>;

/**
 * The field with the amount that an output takes from the inputs: a value, or a field of it. `nft`: one unit of the NFT
 * that it issues.
 */
type AmountField = 'value' | 'give' | 'pledge' | 'amount' | 'nft';

interface OutputFacts {
  /** The field with the amount that it takes; null if it takes nothing besides its burned fee. */
  readonly takes: AmountField | null;
  /** The holder of its value; null if it has no value. */
  readonly holder: Holder | null;
  /** The thing with an id that it creates. */
  readonly creates: 'pool' | 'delegation' | 'order' | 'token' | 'nft' | null;
  /** Its burned fee. */
  readonly fee: keyof BurnedFees | null;
}

const OUTPUTS = {
  Transfer: { takes: 'value', holder: 'owner', creates: null, fee: null },
  LockThenTransfer: { takes: 'value', holder: 'owner', creates: null, fee: null },
  Burn: { takes: 'value', holder: 'nobody', creates: null, fee: null },
  CreateStakePool: { takes: 'pledge', holder: 'pool', creates: 'pool', fee: null },
  ProduceBlockFromStake: { takes: null, holder: 'pool', creates: null, fee: null },
  CreateDelegationId: { takes: null, holder: null, creates: 'delegation', fee: null },
  DelegateStaking: { takes: 'amount', holder: 'delegation', creates: null, fee: null },
  IssueFungibleToken: { takes: null, holder: null, creates: 'token', fee: 'issueFungibleToken' },
  IssueNft: { takes: 'nft', holder: 'owner', creates: 'nft', fee: 'issueNft' },
  DataDeposit: { takes: null, holder: null, creates: null, fee: 'dataDeposit' },
  Htlc: { takes: 'value', holder: 'contract', creates: null, fee: null },
  CreateOrder: { takes: 'give', holder: 'order', creates: 'order', fee: null },
} as const satisfies Readonly<Record<OutputKind, OutputFacts>>;

const INPUTS = {
  Utxo: { spendsOutput: true, isCommand: false },
  Account: { spendsOutput: false, isCommand: false },
  AccountCommand: { spendsOutput: false, isCommand: true },
  OrderAccountCommand: { spendsOutput: false, isCommand: true },
} as const satisfies Readonly<Record<InputKind, { readonly spendsOutput: boolean; readonly isCommand: boolean }>>;

/** The burned fees of commands; commands of orders burn nothing. */
export const COMMAND_FEES: Readonly<Record<CommandKind, keyof BurnedFees | null>> = {
  MintTokens: 'tokenSupplyChange',
  UnmintTokens: 'tokenSupplyChange',
  LockTokenSupply: 'tokenSupplyChange',
  FreezeToken: 'tokenFreeze',
  UnfreezeToken: 'tokenFreeze',
  ChangeTokenAuthority: 'tokenChangeAuthority',
  ChangeTokenMetadataUri: 'tokenChangeMetadataUri',
  ConcludeOrder: null,
  FillOrder: null,
  FreezeOrder: null,
};

export const OUTPUT_KINDS = Object.keys(OUTPUTS) as readonly OutputKind[];

/** Returns the properties of a kind of output. */
export function outputKindProperties(kind: OutputKind): OutputFacts {
  return OUTPUTS[kind];
}

/** The kinds that have a property with this value. */
type KindsWith<Facts, Fact extends string, Value> = {
  [Kind in keyof Facts]: Facts[Kind] extends Readonly<Record<Fact, Value>> ? Kind : never;
}[keyof Facts];

/**
 * Makes a function that finds whether an output, of the chain or as the API shows it, has a property with this value.
 */
function outputsThat<Fact extends keyof OutputFacts, const Value extends OutputFacts[Fact]>(fact: Fact, value: Value) {
  type Kind = KindsWith<typeof OUTPUTS, Fact, Value>;
  // The ledger asks several times for each output: a set answers in less than half the time of two look-ups by name.
  const kinds = new Set(OUTPUT_KINDS.filter((kind) => outputKindProperties(kind)[fact] === value));
  return <Output extends { readonly type: OutputKind }>(
    output: Output,
  ): output is Extract<Output, { readonly type: Kind }> => kinds.has(output.type);
}

const SPENDABLE_KINDS = new Set(
  OUTPUT_KINDS.filter((kind) => {
    const { holder } = OUTPUTS[kind];
    return holder !== null && SPENDABLE[holder];
  }),
);
type SpendableHolder = { [Each in Holder]: (typeof SPENDABLE)[Each] extends true ? Each : never }[Holder];
type SpendableKind = KindsWith<typeof OUTPUTS, 'holder', SpendableHolder>;
export type SpendableOutput = Extract<TxOutput, { readonly type: SpendableKind }>;

/** Can an input spend this output? Then it is part of the set of unspent outputs. */
export function isSpendable<Output extends { readonly type: OutputKind }>(
  output: Output,
): output is Extract<Output, { readonly type: SpendableKind }> {
  return SPENDABLE_KINDS.has(output.type);
}

function inputsThat<Fact extends 'spendsOutput' | 'isCommand'>(fact: Fact) {
  return (input: TxInput): input is Extract<TxInput, { type: KindsWith<typeof INPUTS, Fact, true> }> =>
    INPUTS[input.type][fact];
}

export const isBalanceOutput = outputsThat('holder', 'owner');
export const isContractOutput = outputsThat('holder', 'contract');
export const isStakeOutput = outputsThat('holder', 'pool');
export const isDelegatingOutput = outputsThat('holder', 'delegation');
export const isOrderOutput = outputsThat('holder', 'order');
export const isBurnOutput = outputsThat('holder', 'nobody');

/** Does the input spend an output? */
export const isUtxoInput = inputsThat('spendsOutput');
/** Is the input a command, to a token or an order? */
export const isCommandInput = inputsThat('isCommand');

/** Ends an exhaustive switch over the kinds of a value: it compiles only if every kind has a case. */
export function assertNever(value: never): never {
  throw new TypeError(`a value of unknown kind: ${JSON.stringify(value)}`);
}
