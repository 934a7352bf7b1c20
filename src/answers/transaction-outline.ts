/** The outline of a transaction for lists: what it did first, and how much more. */
import {
  isBalanceOutput,
  isContractOutput,
  isPaymentOutput,
  isStakeOutput,
  OUTPUT_KINDS,
} from '../chain/input-and-output-kinds.ts';
import type { Network } from '../chain/networks/network.ts';
import type { Atoms, Id } from '../chain/types.ts';
import { countedBytesOf, type PendingTransaction } from '../mempool/pending-transaction.ts';
import type { Action, CommandAction } from '../render/actions.ts';
import { sumOfAmounts, takenBy, tokenOf } from '../render/input-and-output-amounts.ts';
import type { NetChange } from '../render/net-changes.ts';
import { type ParsedOutput, type ParsedTransaction, parseTransactionJson } from '../render/stored-json.ts';
import { MAX_SUMMARIZED_LENGTH, summarizeTransaction, type TransactionSummary } from '../render/transaction-summary.ts';

/** The actions of a transaction, as far as a sentence tells them. */
export interface SummarizedActions {
  /** Null if it did nothing but pay its fee. All delegations of a transaction, and all withdrawals, are one, with the sum. */
  readonly first: Action | null;
  /** The number of delegations that the first action is of. */
  readonly delegationCount: number;
  readonly otherPayments: number;
  /** The other actions that are no payments. */
  readonly otherChanges: number;
  /**
   * The addresses that pay: the owners of what the inputs spend who have less afterwards; empty if an owner is unknown. Commands name
   * no owner.
   */
  readonly payers: readonly string[];
  /** Those of them that pay coins, and so the fee. */
  readonly feePayers: readonly string[];
  /** The owners of what the first action sends, locks or burns, puts into an HTLC or an order, or fills orders with. */
  readonly givers: readonly string[];
  /** The delegations from which it takes all that it pays, if nobody else pays and they are few. */
  readonly payingDelegations: readonly string[];
  /** The first few actions that the sentence does not tell one by one: all but the first one, or all if the sentence joins them. */
  readonly untold: readonly Action[];
  readonly untoldCount: number;
  /** Whom the outputs give a right in what they create, each once. A sentence says who owns a new NFT. */
  readonly rightHolders: readonly RightHolder[];
  /**
   * The addresses that receive what the first action mints, withdraws or takes out of a pool, or, if others paid, what a trade brings; empty
   * if that cannot be told.
   */
  readonly receivers: readonly string[];
}

/** An address that has a right in what an output creates. */
export interface RightHolder {
  readonly role: 'authority' | 'creator' | 'owner' | 'staker' | 'decommission_key' | 'conclude_key' | 'refund_key';
  readonly id: string;
}

export interface TransactionOutline {
  readonly id: Id;
  /** The fee; null if it is unknown. */
  readonly fee: Atoms | null;
  readonly inputCount: number;
  readonly outputCount: number;
  /** Null if the transaction is too long to be summarized. */
  readonly summary: SummarizedActions | null;
  /** The first action if it is a command; else none. */
  readonly commands: readonly CommandAction[];
  /** Null if they are unknown, or too many. The last are those of addresses that only pay for the transaction. */
  readonly netChanges: readonly NetChange[] | null;
}

/** The most actions below a sentence. */
const MAX_UNTOLD = 20;
const MAX_PAYING_DELEGATIONS = 8;
const MAX_RIGHT_HOLDERS = 8;

/** Returns what a sentence tells of the actions of a transaction. */
export function summaryOf(
  { inputs, outputs }: Pick<ParsedTransaction, 'inputs' | 'outputs'>,
  { actions, netChanges }: Pick<TransactionSummary, 'actions' | 'netChanges'>,
): SummarizedActions {
  const { first, delegationCount, others } = joined(actions);
  const otherPayments = others.filter(isPayment).length;
  const spent = inputs.flatMap(({ input, utxo }) => (input.input_type === 'UTXO' ? [utxo] : []));
  const isKnown = spent.every((utxo) => utxo !== null);
  const payers = isKnown ? ownersWithLess(ownersOf(spent), netChanges) : [];
  const givers = isKnown && first !== null ? giversOf(first, spent, netChanges) : [];
  const withdrawn = actions.flatMap((action) => (action.type === 'delegation_withdraw' ? [action.delegation_id] : []));
  const sources = isKnown && payers.length === 0 ? [...new Set(withdrawn)] : [];
  const untold = delegationCount > 1 ? actions : actions.slice(1);
  return {
    first,
    delegationCount,
    otherPayments,
    otherChanges: others.length - otherPayments,
    payers,
    feePayers: isKnown ? ownersWithLess(ownersOf(spent.filter(isOfCoin)), netChanges, ['']) : [],
    givers,
    receivers: isKnown && first !== null ? receiversOf(first, spent, outputs, { givers, netChanges }) : [],
    payingDelegations: sources.length > MAX_PAYING_DELEGATIONS ? [] : sources,
    untold: untold.slice(0, MAX_UNTOLD),
    untoldCount: untold.length,
    rightHolders: rightHoldersOf(outputs),
  };
}

function rightHoldersOf(outputs: readonly ParsedOutput[]): RightHolder[] {
  const rightHolders = new Map<string, RightHolder>();
  for (const output of outputs) {
    for (const [role, id] of Object.entries(rolesIn(output))) {
      if (rightHolders.size < MAX_RIGHT_HOLDERS)
        rightHolders.set(`${role} ${id}`, { role: role as RightHolder['role'], id });
    }
  }
  return [...rightHolders.values()];
}

function rolesIn(output: ParsedOutput): Readonly<Partial<Record<RightHolder['role'], string>>> {
  switch (output.type) {
    case 'IssueFungibleToken':
      return { authority: output.authority };
    case 'IssueNft': {
      const { creator } = output.data;
      return creator === null ? {} : { creator };
    }
    case 'CreateStakePool': {
      const { staker, decommission_key } = output.data;
      return { staker, decommission_key };
    }
    case 'CreateDelegationId':
      return { owner: output.destination };
    case 'CreateOrder':
      return { conclude_key: output.conclude_key };
    case 'Htlc':
      return { refund_key: output.htlc.refund_key };
    case 'Transfer':
    case 'LockThenTransfer':
    case 'Burn':
    case 'DelegateStaking':
    case 'DataDeposit':
    case 'ProduceBlockFromStake':
      return {};
  }
}

/** Returns the owners who have less of some currencies (of any by default) than before; all if none has, or if that is unknown. */
function ownersWithLess(
  owners: readonly string[],
  netChanges: readonly NetChange[] | null,
  tokens?: readonly string[],
): string[] {
  const losers = new Set<string | null>();
  for (const { account, currency, atoms } of netChanges ?? []) {
    const isMeant = tokens === undefined || tokens.includes(currency.token);
    if (isMeant && atoms < 0n && account.type === 'address') losers.add(account.id);
  }
  const less = owners.filter((owner) => losers.has(owner));
  return less.length === 0 ? [...owners] : less;
}

/** Returns who pays the currencies that an action takes. */
function giversOf(action: Action, spent: readonly ParsedOutput[], netChanges: readonly NetChange[] | null): string[] {
  const tokens = tokensOf(takenByAction(action));
  const owners = ownersOf(
    spent.filter((output) => {
      const held = takenBy(output);
      return held !== null && tokens.includes(tokenOf(held));
    }),
  );
  return ownersWithLess(owners, netChanges, tokens);
}

/** Returns the currencies of values. Legacy tokens are none. */
const tokensOf = (values: ReturnType<typeof takenByAction>): string[] =>
  values.flatMap((value) => (value.type === 'TokenV0' ? [] : tokenOf(value)));

function takenByAction(action: Action) {
  switch (action.type) {
    case 'transfer':
    case 'lock':
    case 'burn':
    case 'htlc_create':
      return [action.value];
    case 'order_create':
      return [action.give];
    case 'order_fill':
      return action.paid ?? [];
    default:
      return [];
  }
}

/** Joins the first action with those of its kind, if it delegates or withdraws. */
function joined(actions: readonly Action[]) {
  const [first, ...others] = actions;
  if (first?.type !== 'delegate' && first?.type !== 'delegation_withdraw') {
    return { first: first ?? null, delegationCount: 0, others };
  }
  const alike = [first, ...others.filter((action): action is typeof first => action.type === first.type)];
  return {
    first: { ...first, amount: sumOfAmounts(alike.map(({ amount }) => amount)) },
    delegationCount: new Set(alike.map(({ delegation_id }) => delegation_id)).size,
    others: others.filter(({ type }) => type !== first.type),
  };
}

const isOfCoin = (output: ParsedOutput) => takenBy(output)?.type === 'Coin';

const ownersOf = (outputs: readonly ParsedOutput[]): string[] => [...new Set(outputs.flatMap(ownerOf))];

/** Returns the owner of an output. The output of a pool's stake does not name its owner; the other outputs have none. */
function ownerOf(output: ParsedOutput): string[] {
  if (isBalanceOutput(output)) return [output.destination];
  if (!isContractOutput(output)) return [];
  return [output.htlc.secret === null ? output.htlc.refund_key : output.htlc.spend_key];
}

/** What is minted or withdrawn can be told from other coins of the currency only if the inputs bring none. */
function receiversOf(
  action: Action,
  spent: readonly ParsedOutput[],
  outputs: readonly ParsedOutput[],
  { givers, netChanges }: Pick<SummarizedActions, 'givers'> & Pick<TransactionSummary, 'netChanges'>,
): string[] {
  if (action.type === 'order_fill') {
    const tokens = tokensOf(action.received ?? []);
    const gains = (netChanges ?? []).filter(({ currency, atoms }) => atoms > 0n && tokens.includes(currency.token));
    const gainers = gains.flatMap(({ account }) => (account.type === 'address' ? account.id! : []));
    const known = new Set(givers);
    return gainers.every((gainer) => known.has(gainer)) ? [] : [...new Set(gainers)];
  }
  if (action.type === 'delegation_withdraw' || action.type === 'pool_decommission') {
    const isOther = (output: ParsedOutput) => action.type === 'delegation_withdraw' || !isStakeOutput(output);
    return spent.some((output) => isOfCoin(output) && isOther(output))
      ? []
      : ownersOf(outputs.filter((output) => isPaymentOutput(output) && isOfCoin(output)));
  }
  if (action.type !== 'token_mint') return [];
  const atoms = (output: ParsedOutput): bigint =>
    'value' in output && output.value.type === 'TokenV1' && output.value.token_id === action.token_id
      ? BigInt(output.value.amount.atoms)
      : 0n;
  const payments = outputs.filter((output) => isPaymentOutput(output) && atoms(output) > 0n);
  const isAll = payments.reduce((sum, each) => sum + atoms(each), 0n) === BigInt(action.amount.atoms);
  if (!isAll || spent.some((output) => atoms(output) > 0n)) return action.to === null ? [] : [action.to];
  return [...new Set(payments.flatMap(ownerOf))];
}

/** The most net changes of an address that a row of a list has room for. */
export const MAX_ROW_CHANGES = 2;

/** Returns all net changes of an address; null if they are unknown. */
export function changesOfAddress(
  { netChanges }: Pick<TransactionOutline, 'netChanges'>,
  address: string,
): NetChange[] | null {
  return netChanges?.filter(({ account }) => account.type === 'address' && account.id === address) ?? null;
}

export function isPayment({ type }: Action): boolean {
  return type === 'transfer' || type === 'lock';
}

/** A longer text takes some milliseconds, so its outline is remembered. */
const LONG_TEXT = 65_536;
const MAX_REMEMBERED = 256;
/** The most net changes that an outline has: remembered outlines would be large. */
const MAX_NET_CHANGES = 256;
/** Outlines of long texts, oldest first. The key is the id and the length, which identify the rendering. */
const remembered = new Map<string, TransactionOutline>();
/** Copies a part of a long text: the part itself would keep the whole text in memory. */
const copied = (part: string): string => Buffer.from(part, 'latin1').toString('latin1');

/**
 * Reads the outline of a base transaction or a pending one, with the decimals of all tokens. `height`: of its block, or
 * of the next one. `actors`: see `summarizeTransactionText`.
 */
export function outlineOfText(
  network: Network,
  text: string,
  height: number,
  actors: string | null = null,
): TransactionOutline {
  if (text.length < LONG_TEXT) return shortOutline(network, text, height, actors);
  const key = copied(`${idOf(text)} ${text.length} ${actors}`);
  const known =
    remembered.get(key) ??
    (text.length > MAX_SUMMARIZED_LENGTH ? longOutline(text) : shortOutline(network, text, height, actors));
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
    fee,
    inputCount: inputs.length,
    outputCount: outputs.length,
    summary: null,
    commands: [],
    netChanges: null,
  };
}

function shortOutline(network: Network, text: string, height: number, actors: string | null): TransactionOutline {
  const transaction = parseTransactionJson(text);
  const { id, fee, inputs, outputs } = transaction;
  const summary = summarizeTransaction(network, transaction, height, actors);
  const { actions, commands, netChanges, protocolFee } = summary;
  const costs = BigInt(fee?.atoms ?? 0) + protocolFee;
  const isCost = ({ account, currency, atoms }: NetChange) =>
    account.type === 'address' && currency.token === '' && atoms < 0n && -atoms <= costs;
  return {
    id,
    fee: fee === undefined ? null : BigInt(fee.atoms),
    inputCount: inputs.length,
    outputCount: outputs.length,
    summary: summaryOf(transaction, summary),
    commands: commands.filter(({ action }) => action === actions[0]),
    netChanges:
      netChanges !== null && netChanges.length <= MAX_NET_CHANGES
        ? netChanges.toSorted((a, b) => Number(isCost(a)) - Number(isCost(b)))
        : null,
  };
}

/** Counts inputs and outputs in the text. Quotation marks in texts of the chain are escaped, so these are fields. */
function longOutline(text: string): TransactionOutline {
  const outputs = text.slice(text.indexOf(OUTPUTS));
  const fee = FEE.exec(text.slice(0, 128));
  return {
    id: copied(idOf(text)),
    fee: fee && BigInt(fee[1]!),
    inputCount: countMatches(text, INPUT),
    outputCount: countMatches(outputs, OUTPUT),
    summary: null,
    commands: [],
    netChanges: null,
  };
}

function countMatches(text: string, pattern: RegExp): number {
  let count = 0;
  for (const _ of text.matchAll(pattern)) count++;
  return count;
}

const INPUTS = ',"inputs":[';
const OUTPUTS = '],"is_replaceable":';
const FEE = /^\{"fee":\{"atoms":"(\d+)"/;
const INPUT = /"input_type":"/g;
const OUTPUT = new RegExp(`"type":"(?:${OUTPUT_KINDS.join('|')})"`, 'g');
/** The length of an id and the quotation mark after it. */
const ID_END = 65;

function idOf(text: string): Id {
  const inputs = text.indexOf(INPUTS);
  return text.slice(inputs - ID_END, inputs - 1);
}
