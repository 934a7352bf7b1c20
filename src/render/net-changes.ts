/** What each account has more or less of each currency after a transaction. Pure; from its JSON alone. */
import { createsNft, isStakeOutput } from '../chain/input-and-output-kinds.ts';
import type { Network } from '../chain/networks/network.ts';
import type { Atoms } from '../chain/types.ts';
import { amountOf, broughtBy, type CountedValue, decimalsOf, takenBy, tokenOf } from './input-and-output-amounts.ts';
import type { ParsedInputEntry, ParsedOutput, ParsedTransaction } from './stored-json.ts';

export const ACCOUNT_TYPES = ['address', 'pool', 'delegation', 'order', 'htlc'] as const;

interface Account {
  readonly type: (typeof ACCOUNT_TYPES)[number] | null;
  readonly id: string | null;
}

interface TransactionCurrency {
  /** The address of the token; `''` for the coin. */
  readonly token: string;
  readonly decimals: number;
}

interface ChangeSoFar {
  readonly account: Account;
  readonly currency: TransactionCurrency;
  atoms: Atoms;
}

/** What an account has more or less of a currency after a transaction; never 0. */
export type NetChange = Readonly<ChangeSoFar>;

/** An order or a pool that gives or takes amounts which the transaction does not name. */
interface UnnamedSource extends Account {
  /** What a fill pays, in the currency that the order asks; null for a source that only gives. */
  readonly fillAtoms: Atoms | null;
}

/** What the sources whose amounts are not named gave and took together. */
interface UnnamedAmounts {
  readonly given: CountedValue[];
  readonly taken: CountedValue[];
}

export interface AmountFlows {
  /** Null while the fee is unknown, because a spent output or an order is. */
  readonly netChanges: NetChange[] | null;
  readonly sources: readonly UnnamedSource[];
  /** Null if it cannot be told what the sources gave or took. */
  readonly unnamed: UnnamedAmounts | null;
  /** By currency, what comes from elsewhere than addresses: minted, or from delegations, HTLCs, orders, pools. */
  readonly payouts: ReadonlyMap<string, Atoms>;
}

const TOGETHER: Account = { type: null, id: null };

/** Returns what a transaction moves. `orderId`: the order that it creates; `protocolFee`: the coins that it burns beside its fee. */
export function amountFlows(
  network: Network,
  transaction: ParsedTransaction,
  { orderId, protocolFee }: { readonly orderId: string | null; readonly protocolFee: Atoms },
): AmountFlows {
  const { id, inputs, outputs, fee } = transaction;
  const changes = new Changes(network);
  const sources: UnnamedSource[] = [];
  for (const entry of inputs) {
    const source = unnamedSource(entry);
    if (source !== null) sources.push(source);
    else changes.take(accountOfInput(entry, orderId), broughtBy(entry));
  }
  for (const [index, output] of outputs.entries()) {
    const value = takenBy(output);
    changes.give(accountOf(output, id, index, orderId), value);
    // An NFT comes from nowhere, as what is minted does.
    if (createsNft(output)) changes.take(null, value);
  }
  if (fee === undefined) return { netChanges: null, sources, unnamed: null, payouts: changes.payouts };
  changes.pay(BigInt(fee.atoms) + protocolFee);
  const unnamed = settle(changes, sources);
  return { netChanges: changes.list(), sources, unnamed, payouts: changes.payouts };
}

/**
 * Gives what is missing for the outputs to the sources. A fill is certain if the inputs have as much beyond the outputs
 * as the fills pay; tokens that are left over otherwise are nobody's.
 */
function settle(changes: Changes, sources: readonly UnnamedSource[]): UnnamedAmounts | null {
  if (sources.length === 0) return { given: [], taken: [] };
  const { given, taken } = changes.rest();
  const fills = sources.filter(({ fillAtoms }) => fillAtoms !== null);
  const paid = fills.reduce((sum, { fillAtoms }) => sum + fillAtoms!, 0n);
  const isPaid = fills.length > 0 && taken.reduce((sum, { amount }) => sum + BigInt(amount.atoms), 0n) === paid;
  const isCertain = sources.length === 1 ? fills.length === 0 || isPaid : isPaid && fills.length === sources.length;
  const account = sources.length === 1 && isCertain ? sources[0]! : TOGETHER;
  for (const value of given) changes.take(account, value);
  if (fills.length > 0) for (const value of taken) changes.give(account, value);
  return isCertain ? { given, taken: isPaid ? taken : [] } : null;
}

/** The sums of a currency. */
class CurrencyFlow {
  readonly currency: TransactionCurrency;
  /** What outputs take beyond what inputs bring. */
  rest = 0n;
  /** By the id of the account. */
  readonly changes = new Map<string | null, ChangeSoFar>();

  constructor(token: string, decimals: number) {
    this.currency = { token, decimals };
  }
}

/** The sums of each account and currency, and what inputs and outputs differ by. */
class Changes {
  readonly #coin: CurrencyFlow;
  readonly #tokens = new Map<string, CurrencyFlow>();
  readonly #changes: ChangeSoFar[] = [];
  readonly payouts = new Map<string, Atoms>();

  constructor({ coinDecimals }: Network) {
    this.#coin = new CurrencyFlow('', coinDecimals);
  }

  give(account: Account | null, value: CountedValue | null): void {
    if (value !== null) this.#add(account, value, BigInt(value.amount.atoms));
  }

  take(account: Account | null, value: CountedValue | null): void {
    if (value === null) return;
    const atoms = BigInt(value.amount.atoms);
    this.#add(account, value, -atoms);
    if (account?.type === 'address') return;
    const token = tokenOf(value);
    this.payouts.set(token, (this.payouts.get(token) ?? 0n) + atoms);
  }

  pay(coins: Atoms): void {
    this.#coin.rest += coins;
  }

  #add(account: Account | null, value: CountedValue, atoms: Atoms): void {
    if (atoms === 0n) return;
    const flow = this.#flowOf(value);
    flow.rest += atoms;
    if (account === null) return;
    // Only an order may lack an id, besides the sources together.
    const key = account.id ?? account.type;
    const known = flow.changes.get(key);
    if (known !== undefined) {
      known.atoms += atoms;
      return;
    }
    const change = { account, currency: flow.currency, atoms };
    flow.changes.set(key, change);
    this.#changes.push(change);
  }

  #flowOf(value: CountedValue): CurrencyFlow {
    if (value.type === 'Coin') return this.#coin;
    const known = this.#tokens.get(value.token_id);
    if (known !== undefined) return known;
    const flow = new CurrencyFlow(value.token_id, decimalsOf(value.amount));
    this.#tokens.set(value.token_id, flow);
    return flow;
  }

  /** Returns what is missing for the outputs, and what the inputs have beyond them. */
  rest(): UnnamedAmounts {
    const given: CountedValue[] = [];
    const taken: CountedValue[] = [];
    for (const { currency, rest } of [this.#coin, ...this.#tokens.values()]) {
      if (rest > 0n) given.push(countedOf(currency, rest));
      if (rest < 0n) taken.push(countedOf(currency, -rest));
    }
    return { given, taken };
  }

  list(): NetChange[] {
    return this.#changes.filter(({ atoms }) => atoms !== 0n);
  }
}

export function countedOf({ token, decimals }: TransactionCurrency, atoms: Atoms): CountedValue {
  const amount = amountOf(atoms, decimals);
  return token === '' ? { type: 'Coin', amount } : { type: 'TokenV1', token_id: token, amount };
}

/** Returns the order or pool of an input whose amounts are not named; null for all other inputs. */
function unnamedSource({ input, utxo }: ParsedInputEntry): UnnamedSource | null {
  switch (input.input_type) {
    case 'UTXO':
      return utxo !== null && isStakeOutput(utxo) ? { type: 'pool', id: utxo.pool_id, fillAtoms: null } : null;
    case 'Account':
      return null;
    case 'AccountCommand':
    case 'OrderAccountCommand':
      switch (input.command) {
        case 'FillOrder':
          return { type: 'order', id: input.order_id, fillAtoms: BigInt(input.fill_atoms.atoms) };
        case 'ConcludeOrder':
          return { type: 'order', id: input.order_id, fillAtoms: null };
        case 'FreezeOrder':
        case 'MintTokens':
        case 'UnmintTokens':
        case 'FreezeTokens':
        case 'UnfreezeTokens':
        case 'LockTokenSupply':
        case 'ChangeTokenAuthority':
        case 'ChangeTokenMetadataUri':
          return null;
      }
  }
}

function accountOfInput({ input, utxo }: ParsedInputEntry, orderId: string | null): Account | null {
  switch (input.input_type) {
    case 'UTXO':
      return utxo && accountOf(utxo, input.source_id, input.index, orderId);
    case 'Account':
      return { type: 'delegation', id: input.delegation_id };
    case 'AccountCommand':
    case 'OrderAccountCommand':
      return null;
  }
}

/** Returns the account that has the value of the output at `index` of a transaction. Null if nobody has it. */
function accountOf(output: ParsedOutput, txId: string, index: number, orderId: string | null): Account | null {
  switch (output.type) {
    case 'Transfer':
    case 'LockThenTransfer':
    case 'IssueNft':
      return { type: 'address', id: output.destination };
    case 'CreateStakePool':
    case 'ProduceBlockFromStake':
      return { type: 'pool', id: output.pool_id };
    case 'DelegateStaking':
      return { type: 'delegation', id: output.delegation_id };
    case 'Htlc':
      return { type: 'htlc', id: `${txId}:${index}` };
    case 'CreateOrder':
      return { type: 'order', id: orderId };
    case 'Burn':
    case 'CreateDelegationId':
    case 'IssueFungibleToken':
    case 'DataDeposit':
      return null;
  }
}
