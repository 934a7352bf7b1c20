/**
 * What each kind of output, input and command means, in one place: code with a new kind does not compile before the kind has
 * its row here. A switch over kinds, or over their properties, ends with `assertNever`, or every case returns.
 */
import type { BurnedFees } from './networks/network.ts';
import type { AccountCommand, OrderAccountCommand, TxInput, TxOutput } from './types.ts';

export type OutputKind = TxOutput['type'];
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

interface OutputFacts {
  /** The holder of its value; null if it has no value. */
  readonly holder: Holder | null;
  /** Can it be spent only after its lock has ended, whoever spends it? */
  readonly isLocked: boolean;
  /** The thing with an id that it creates. */
  readonly creates: 'pool' | 'delegation' | 'order' | 'token' | 'nft' | null;
  /** Its burned fee. */
  readonly fee: keyof BurnedFees | null;
}

const OUTPUTS = {
  Transfer: { holder: 'owner', isLocked: false, creates: null, fee: null },
  LockThenTransfer: { holder: 'owner', isLocked: true, creates: null, fee: null },
  Burn: { holder: 'nobody', isLocked: false, creates: null, fee: null },
  CreateStakePool: { holder: 'pool', isLocked: false, creates: 'pool', fee: null },
  ProduceBlockFromStake: { holder: 'pool', isLocked: false, creates: null, fee: null },
  CreateDelegationId: { holder: null, isLocked: false, creates: 'delegation', fee: null },
  DelegateStaking: { holder: 'delegation', isLocked: false, creates: null, fee: null },
  IssueFungibleToken: { holder: null, isLocked: false, creates: 'token', fee: 'issueFungibleToken' },
  IssueNft: { holder: 'owner', isLocked: false, creates: 'nft', fee: 'issueNft' },
  DataDeposit: { holder: null, isLocked: false, creates: null, fee: 'dataDeposit' },
  Htlc: { holder: 'contract', isLocked: false, creates: null, fee: null },
  CreateOrder: { holder: 'order', isLocked: false, creates: 'order', fee: null },
} as const satisfies Readonly<Record<OutputKind, OutputFacts>>;

const INPUTS = {
  Utxo: { spendsOutput: true, isCommand: false },
  Account: { spendsOutput: false, isCommand: false },
  AccountCommand: { spendsOutput: false, isCommand: true },
  OrderAccountCommand: { spendsOutput: false, isCommand: true },
} as const satisfies Readonly<Record<TxInput['type'], { readonly spendsOutput: boolean; readonly isCommand: boolean }>>;

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

/** The kinds that have these properties. */
type KindsWith<Facts, Wanted> = {
  [Kind in keyof Facts]: Facts[Kind] extends Readonly<Wanted> ? Kind : never;
}[keyof Facts];

/**
 * Makes a function that finds whether an output, of the chain or as the API shows it, has these properties.
 */
function outputsThat<const Wanted extends Partial<OutputFacts>>(wanted: Wanted) {
  type Kind = KindsWith<typeof OUTPUTS, Wanted>;
  const facts = Object.entries(wanted) as readonly [keyof OutputFacts, unknown][];
  // The ledger asks several times for each output: a set answers in less than half the time of two look-ups by name.
  const kinds = new Set(
    OUTPUT_KINDS.filter((kind) => facts.every(([fact, value]) => outputKindProperties(kind)[fact] === value)),
  );
  return <Output extends { readonly type: OutputKind }>(output: Output): output is Output & { readonly type: Kind } =>
    kinds.has(output.type);
}

const SPENDABLE_KINDS = new Set(
  OUTPUT_KINDS.filter((kind) => {
    const { holder } = OUTPUTS[kind];
    return holder !== null && SPENDABLE[holder];
  }),
);
type SpendableHolder = { [Each in Holder]: (typeof SPENDABLE)[Each] extends true ? Each : never }[Holder];
type SpendableKind = KindsWith<typeof OUTPUTS, { holder: SpendableHolder }>;
export type SpendableOutput = Extract<TxOutput, { readonly type: SpendableKind }>;

/** Can an input spend this output? Then it is part of the set of unspent outputs. */
export function isSpendable<Output extends { readonly type: OutputKind }>(
  output: Output,
): output is Extract<Output, { readonly type: SpendableKind }> {
  return SPENDABLE_KINDS.has(output.type);
}

function inputsThat<Fact extends 'spendsOutput' | 'isCommand'>(fact: Fact) {
  return (input: TxInput): input is Extract<TxInput, { type: KindsWith<typeof INPUTS, Record<Fact, true>> }> =>
    INPUTS[input.type][fact];
}

export const isBalanceOutput = outputsThat({ holder: 'owner' });
/** The kinds that pay a value to an address, now or after a lock. */
export type PaymentKind = KindsWith<typeof OUTPUTS, { holder: 'owner'; creates: null }>;
/** Does the output pay a value to an address, now or after a lock? */
export const isPaymentOutput = outputsThat({ holder: 'owner', creates: null });
export const isLockedOutput = outputsThat({ isLocked: true });
export const isContractOutput = outputsThat({ holder: 'contract' });
export const isStakeOutput = outputsThat({ holder: 'pool' });
export const isDelegatingOutput = outputsThat({ holder: 'delegation' });
export const isBurnOutput = outputsThat({ holder: 'nobody' });
export const createsPool = outputsThat({ creates: 'pool' });
export const createsDelegation = outputsThat({ creates: 'delegation' });
export const createsOrder = outputsThat({ creates: 'order' });
export const createsToken = outputsThat({ creates: 'token' });
export const createsNft = outputsThat({ creates: 'nft' });

/** Does the input spend an output? */
export const isUtxoInput = inputsThat('spendsOutput');
/** Is the input a command, to a token or an order? */
export const isCommandInput = inputsThat('isCommand');

/** Ends an exhaustive switch over the kinds of a value: it compiles only if every kind has a case. */
export function assertNever(value: never): never {
  throw new TypeError(`a value of unknown kind: ${(value as { type?: unknown } | null | undefined)?.type ?? value}`);
}
