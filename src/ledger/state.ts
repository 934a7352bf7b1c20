import type { Id } from '../chain/types.ts';
import { BlockHours } from './block-windows.ts';
import type {
  Balance,
  Delegation,
  NameFragment,
  Nft,
  Order,
  Pool,
  Statistics,
  TickerFragment,
  Token,
  Utxo,
} from './rows.ts';
import { type StateChange, StateTable } from './state-table.ts';

/** The state that blocks are applied to. `tables` are a cache over the store; `chain` is the tip. */
export class LedgerState {
  readonly utxos: StateTable<Utxo>;
  readonly balances: StateTable<Balance>;
  readonly pools: StateTable<Pool>;
  readonly delegations: StateTable<Delegation>;
  readonly tokens: StateTable<Token>;
  readonly nfts: StateTable<Nft>;
  readonly orders: StateTable<Order>;
  readonly statistics: StateTable<Statistics>;
  readonly tickerFragments: StateTable<TickerFragment>;
  readonly nameFragments: StateTable<NameFragment>;

  /** The delegations of the pools that were collected, in the order in which their ids came. */
  readonly delegationsOfPool = new Map<Id, Id[]>();
  readonly locks = new Locks();
  readonly hours: BlockHours;
  chain: ChainTip = EMPTY_CHAIN;

  /** `isWhole`: every row is in memory, so an unknown key has no row. */
  constructor({ isWhole = false } = {}) {
    this.utxos = new StateTable('utxos', isWhole);
    this.balances = new StateTable('balances', isWhole);
    this.pools = new StateTable('pools', isWhole);
    this.delegations = new StateTable('delegations', isWhole);
    this.tokens = new StateTable('tokens', isWhole);
    this.nfts = new StateTable('nfts', isWhole);
    this.orders = new StateTable('orders', isWhole);
    this.statistics = new StateTable('statistics', isWhole);
    this.tickerFragments = new StateTable('ticker_fragments', isWhole);
    this.nameFragments = new StateTable('name_fragments', isWhole);
    this.hours = new BlockHours(isWhole);
  }

  get tables() {
    return {
      utxos: this.utxos,
      balances: this.balances,
      pools: this.pools,
      delegations: this.delegations,
      tokens: this.tokens,
      nfts: this.nfts,
      orders: this.orders,
      statistics: this.statistics,
      tickerFragments: this.tickerFragments,
      nameFragments: this.nameFragments,
    };
  }

  /** Takes the changes since the last call, table by table. */
  takeChanges(): StateChanges {
    return {
      utxos: this.utxos.takeChanges(),
      balances: this.balances.takeChanges(),
      pools: this.pools.takeChanges(),
      delegations: this.delegations.takeChanges(),
      tokens: this.tokens.takeChanges(),
      nfts: this.nfts.takeChanges(),
      orders: this.orders.takeChanges(),
      statistics: this.statistics.takeChanges(),
      tickerFragments: this.tickerFragments.takeChanges(),
      nameFragments: this.nameFragments.takeChanges(),
    };
  }

  /** Is every row in memory? Then nothing has to be read. */
  get isWhole(): boolean {
    return Object.values(this.tables).every((table) => table.isWhole);
  }
}

export interface StateChanges {
  readonly utxos: StateChange<Utxo>[];
  readonly balances: StateChange<Balance>[];
  readonly pools: StateChange<Pool>[];
  readonly delegations: StateChange<Delegation>[];
  readonly tokens: StateChange<Token>[];
  readonly nfts: StateChange<Nft>[];
  readonly orders: StateChange<Order>[];
  readonly statistics: StateChange<Statistics>[];
  readonly tickerFragments: StateChange<TickerFragment>[];
  readonly nameFragments: StateChange<NameFragment>[];
}

export interface ChainTip {
  /** −1 before the genesis. */
  readonly height: number;
  readonly blockId: Id;
  /** The timestamps of the newest 11 blocks, oldest first, genesis included. */
  readonly timestamps: readonly number[];
  /** Transactions in the chain: the global index of the next one. */
  readonly transactionCount: number;
}

const EMPTY_CHAIN: ChainTip = { height: -1, blockId: '', timestamps: [], transactionCount: 0 };

/**
 * The time-locked outputs whose lock ends within the blocks being applied, by when it ends. What ends later is not
 * kept: the store knows it, and it is added again before the blocks that it concerns.
 */
class Locks {
  readonly #byHeight = new Map<number, Set<string>>();
  readonly #byTime = new Map<number, Set<string>>();
  #lastHeight = Number.POSITIVE_INFINITY;
  #lastTime = Number.POSITIVE_INFINITY;

  /** Starts over for blocks up to a height, whose median time past stays within a time. */
  begin(lastHeight: number, lastTime: number): void {
    this.clear();
    this.#lastHeight = lastHeight;
    this.#lastTime = lastTime;
  }

  /** Keeps the output when it is locked and its lock ends in time; says whether it does. */
  add(utxo: Utxo): boolean {
    const { unlockHeight, unlockTime, outpoint } = utxo;
    if (unlockHeight !== null && unlockHeight <= this.#lastHeight) addTo(this.#byHeight, unlockHeight, outpoint);
    else if (unlockTime !== null && unlockTime <= this.#lastTime) addTo(this.#byTime, unlockTime, outpoint);
    else return false;
    return true;
  }

  /** Removes and gives the outpoints that a block at `height`, moving the median time, unlocks. */
  takeDue(height: number, previousMedian: number, median: number): string[] {
    const due = [...(this.#byHeight.get(height) ?? [])];
    this.#byHeight.delete(height);
    for (const [time, outpoints] of this.#byTime) {
      if (time > previousMedian && time <= median) {
        due.push(...outpoints);
        this.#byTime.delete(time);
      }
    }
    return due.sort();
  }

  clear(): void {
    this.#byHeight.clear();
    this.#byTime.clear();
    this.#lastHeight = Number.POSITIVE_INFINITY;
    this.#lastTime = Number.POSITIVE_INFINITY;
  }
}

function addTo(sets: Map<number, Set<string>>, at: number, outpoint: string): void {
  const set = sets.get(at);
  if (set === undefined) sets.set(at, new Set([outpoint]));
  else set.add(outpoint);
}
