import type { Id } from '../chain/types.ts';
import { RecentPoolBlocks } from './recent-pool-blocks.ts';
import type {
  Balance,
  CurrencyStatistics,
  Delegation,
  Hour,
  Nft,
  NftNameFragment,
  Order,
  Pool,
  TickerFragment,
  Token,
  Utxo,
} from './state-rows.ts';
import { type StateChange, StateTable, UnreadRowError } from './state-table.ts';

/** The state that blocks are applied to. `tables` are a cache over the store; `chain` is the tip. */
export class LedgerState {
  readonly utxos = new StateTable<Utxo>('utxos', { forgets: 'removed' });
  readonly balances = new StateTable<Balance>('balances');
  readonly pools = new StateTable<Pool>('pools');
  readonly delegations = new StateTable<Delegation>('delegations');
  readonly tokens = new StateTable<Token>('tokens');
  readonly nfts = new StateTable<Nft>('nfts');
  readonly orders = new StateTable<Order>('orders');
  readonly statistics = new StateTable<CurrencyStatistics>('statistics');
  readonly tickerFragments = new StateTable<TickerFragment>('ticker_fragments', { forgets: 'all' });
  readonly hours = new StateTable<Hour>('hours');
  readonly nameFragments = new StateTable<NftNameFragment>('name_fragments', { forgets: 'all' });
  readonly tables = {
    utxos: this.utxos,
    balances: this.balances,
    pools: this.pools,
    delegations: this.delegations,
    tokens: this.tokens,
    nfts: this.nfts,
    orders: this.orders,
    statistics: this.statistics,
    hours: this.hours,
    tickerFragments: this.tickerFragments,
    nameFragments: this.nameFragments,
  } as const;

  /** The delegations of the pools that were collected, in the order in which their ids came. */
  readonly delegationsOfPool = new Map<Id, Id[]>();
  readonly locks = new Locks();
  readonly poolBlocks: RecentPoolBlocks;
  chain: ChainTip = EMPTY_CHAIN;

  /** `isWhole`: every row is in memory, so an unknown key has no row. */
  constructor({ isWhole = false } = {}) {
    if (isWhole) for (const table of Object.values(this.tables)) table.startWhole();
    this.poolBlocks = new RecentPoolBlocks(isWhole);
  }

  /** Takes the changes since the last call, table by table. */
  takeChanges(): StateChanges {
    const changes = Object.entries(this.tables).map(([name, table]) => [name, table.takeChanges()]);
    return Object.fromEntries(changes) as StateChanges;
  }

  /** Notes that the oldest changes that were taken are committed. */
  committed(changes: StateChanges): void {
    for (const [name, table] of Object.entries(this.tables))
      (table as StateTable<object>).committed(changes[name as keyof Tables]);
  }

  /** Is every row in memory? Then nothing has to be read. */
  get isWhole(): boolean {
    return Object.values(this.tables).every((table) => table.isWhole);
  }
}

/** The ids of all delegations to the pool. Throws an UnreadRowError if they were not collected. */
export function delegationsOfPool(state: LedgerState, poolId: Id): Id[] {
  const ids = state.delegationsOfPool.get(poolId);
  if (ids === undefined) throw new UnreadRowError('delegationsOfPools', poolId);
  return ids;
}

type Tables = LedgerState['tables'];
type RowOf<Table> = Table extends StateTable<infer Row> ? Row : never;

export type StateChanges = { readonly [Name in keyof Tables]: StateChange<RowOf<Tables[Name]>>[] };

export interface ChainTip {
  /** −1 before the genesis. */
  readonly height: number;
  readonly blockId: Id;
  /** The timestamps of the newest 11 blocks, oldest first, genesis included. */
  readonly timestamps: readonly number[];
  /** The latest UTC hour of a block up to here, in hours since the epoch; −1 before the genesis. */
  readonly hour: number;
  /** Transactions in the chain: the global index of the next one. */
  readonly transactionCount: number;
}

const EMPTY_CHAIN: ChainTip = { height: -1, blockId: '', timestamps: [], hour: -1, transactionCount: 0 };

/**
 * The time-locked outputs whose lock ends within the blocks being applied, by the end of the lock. Outputs with later
 * locks are not kept: they are read from the store before the blocks that unlock them.
 */
class Locks {
  readonly #byHeight = new Map<number, Set<string>>();
  readonly #byTime = new Map<number, Set<string>>();
  #lastHeight = Number.POSITIVE_INFINITY;
  #lastTime = Number.POSITIVE_INFINITY;

  /** Starts again, empty, for blocks up to `lastHeight` whose median time past is at most `lastTime`. */
  begin(lastHeight: number, lastTime: number): void {
    this.#byHeight.clear();
    this.#byTime.clear();
    this.#lastHeight = lastHeight;
    this.#lastTime = lastTime;
  }

  /** Keeps an output whose lock ends within these blocks. */
  add(utxo: Utxo): void {
    const { unlockHeight, unlockTime, outpoint } = utxo;
    if (unlockHeight !== null && unlockHeight <= this.#lastHeight) addTo(this.#byHeight, unlockHeight, outpoint);
    else if (unlockTime !== null && unlockTime <= this.#lastTime) addTo(this.#byTime, unlockTime, outpoint);
  }

  /**
   * Removes and returns the outpoints that a block at `height` unlocks. It moves the median time past from
   * `previousMedian` to `median`.
   */
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
}

function addTo(sets: Map<number, Set<string>>, at: number, outpoint: string): void {
  const set = sets.get(at);
  if (set === undefined) sets.set(at, new Set([outpoint]));
  else set.add(outpoint);
}
