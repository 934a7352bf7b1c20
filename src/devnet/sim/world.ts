/**
 * Everything that exists on a simulated chain at its tip: a compact model of its own. Apart from how a reward is divided its
 * rules are independent of the ledger's, so that each can be checked against the other.
 *
 * All changes go through the journal. What may be done to the world is in `rules/`.
 */
import { isContractOutput, isStakeOutput } from '../../chain/input-and-output-kinds.ts';
import { MEDIAN_TIME_SPAN, type Network, ordersVersionAt } from '../../chain/networks/network.ts';
import type { Atoms, Destination, Hex, Id, Outpoint, TokenIssuance, TxOutput } from '../../chain/types.ts';
import type { LockOpening } from './rules/locks.ts';
import { UndoJournal } from './undo-journal.ts';
import { type BagItem, UndoableBag, UndoableListsByNumber, UndoableMap } from './undoable-collections.ts';
import type { UserKeys } from './user-keys.ts';

/** The coin, or a token or NFT by id. */
export type SimulatedCurrency = 'coin' | Id;

export interface SimulatedUtxo extends BagItem {
  readonly key: string;
  readonly outpoint: Outpoint;
  readonly output: TxOutput;
  /** The destination that may spend it (of an HTLC: with the secret). */
  readonly destination: Destination;
  readonly currency: SimulatedCurrency;
  /** Zero for outputs of pools: their worth is the pool's. */
  readonly amount: Atoms;
  /** Height of the block that created it. */
  readonly height: number;
  readonly timestamp: number;
  /** The first height at which it may be spent. */
  readonly freeAtHeight: number;
  /** The median time past of the parent from which on it may be spent, seconds. */
  readonly freeAtTime: number;
}

/** Somebody with an address, and what can be spent there now. */
export interface SimulatedOwner {
  readonly destination: Destination;
  readonly coins: UndoableBag<SimulatedUtxo>;
}

export interface SimulatedPool extends BagItem {
  readonly id: Id;
  readonly staker: Destination;
  readonly decommissionKey: Destination;
  readonly marginRatioPerThousand: number;
  readonly costPerBlock: Atoms;
  readonly creationHeight: number;
  /** The probability that it is drawn to make a block, 0 … 1. */
  readonly luck: number;
  /** Pledge and the staker's rewards; zero once decommissioned. */
  stakerBalance: Atoms;
  delegationsBalance: Atoms;
  readonly delegations: SimulatedDelegation[];
  /** The pool's latest CreateStakePool or ProduceBlockFromStake output; empty after it is decommissioned. */
  outputKey: string;
  blocks: number;
}

/** Who makes a block: a node also takes the stake of another pool as its kernel where `allowsForeignKernel` says so. */
export interface BlockStakers {
  readonly producer: SimulatedPool;
  /** The pool whose newest output the block spends. */
  readonly kernelPool: SimulatedPool;
}

export interface SimulatedDelegation extends BagItem {
  readonly id: Id;
  readonly pool: SimulatedPool;
  readonly owner: Destination;
  readonly creationHeight: number;
  balance: Atoms;
  nonce: bigint;
}

export interface SimulatedToken extends BagItem {
  readonly id: Id;
  readonly issuance: TokenIssuance;
  readonly creationHeight: number;
  authority: Destination;
  metadataUri: Hex;
  /** Minted less unminted. */
  supply: Atoms;
  minted: Atoms;
  burned: Atoms;
  /** Spent by transactions that gave it to nobody. */
  forsaken: Atoms;
  isLocked: boolean;
  frozen: 'No' | 'Unfreezable' | 'ForEver';
  nonce: bigint;
  readonly utxos: UndoableBag<SimulatedUtxo>;
}

interface SimulatedNft {
  readonly id: Id;
  readonly creationHeight: number;
  burned: boolean;
  forsaken: Atoms;
}

export interface SimulatedOrder extends BagItem {
  readonly id: Id;
  readonly concludeKey: Destination;
  readonly creationHeight: number;
  readonly ask: { readonly currency: SimulatedCurrency; readonly amount: Atoms };
  readonly give: { readonly currency: SimulatedCurrency; readonly amount: Atoms };
  /** Still to be paid in; the difference to the amount asked waits for the conclusion. */
  askBalance: Atoms;
  giveBalance: Atoms;
  nonce: bigint;
  isFrozen: boolean;
  isConcluded: boolean;
}

/** Coin statistics by the rules of docs/indexing-rules.md#supply-and-statistics. */
interface SimulatedCoinStatistics {
  preminted: Atoms;
  circulating: Atoms;
  burned: Atoms;
  staked: Atoms;
}

/** Seconds of one list of outputs that wait for a time. */
const TIME_BUCKET_SECONDS = 600;

export function worldOutpointKey(outpoint: Outpoint): string {
  return (outpoint.sourceType === 'Transaction' ? 't' : 'r') + outpoint.sourceId + outpoint.index;
}

export function worldMedianTime(timestamps: readonly number[]): number {
  return [...timestamps].sort((a, b) => a - b)[timestamps.length >> 1]!;
}

export class SimulatedWorld {
  readonly network: Network;
  readonly userKeys: UserKeys;
  readonly journal = new UndoJournal();
  readonly utxos = new UndoableMap<SimulatedUtxo>(this.journal);
  /** Coins that may be spent in the next block by keys of users. */
  readonly coins = new UndoableBag<SimulatedUtxo>(this.journal);
  readonly nftUtxos = new UndoableBag<SimulatedUtxo>(this.journal);
  readonly contracts = new UndoableBag<SimulatedUtxo>(this.journal);
  /** Outputs of zero atoms. */
  readonly nothings = new UndoableBag<SimulatedUtxo>(this.journal);
  readonly pools = new UndoableMap<SimulatedPool>(this.journal);
  readonly livePools = new UndoableBag<SimulatedPool>(this.journal);
  readonly delegations = new UndoableMap<SimulatedDelegation>(this.journal);
  readonly delegationBag = new UndoableBag<SimulatedDelegation>(this.journal);
  readonly tokens = new UndoableMap<SimulatedToken>(this.journal);
  readonly tokenBag = new UndoableBag<SimulatedToken>(this.journal);
  readonly nfts = new UndoableMap<SimulatedNft>(this.journal);
  readonly orders = new UndoableMap<SimulatedOrder>(this.journal);
  readonly openOrders = new UndoableBag<SimulatedOrder>(this.journal);
  readonly statistics: SimulatedCoinStatistics = { preminted: 0n, circulating: 0n, burned: 0n, staked: 0n };
  /** Height of the last sealed block; its outputs' locks are measured from it. */
  height = 0;
  timestamp = 0;
  tipId: Id = '';
  /** Timestamps of the newest sealed blocks, oldest first. */
  timestamps: readonly number[] = [];
  medianTime = 0;
  /** The pools of the block being built. */
  stakers: BlockStakers | null = null;
  readonly #owners = new Map<Destination, SimulatedOwner>();
  readonly #waitingForHeight = new UndoableListsByNumber<SimulatedUtxo>(this.journal);
  readonly #waitingForTime = new UndoableListsByNumber<SimulatedUtxo>(this.journal);

  constructor(network: Network, userKeys: UserKeys) {
    this.network = network;
    this.userKeys = userKeys;
  }

  /** The version of orders in the block being built. */
  get ordersVersion(): 0 | 1 {
    return ordersVersionAt(this.network, this.height);
  }

  /** Starts the next block: outputs whose lock ends may be spent from here on. */
  beginBlock(timestamp: number): void {
    const { journal } = this;
    journal.change<SimulatedWorld>(this, { height: this.height + 1, timestamp });
    for (const utxo of this.#waitingForHeight.at(this.height)) this.#release(utxo);
    const median = worldMedianTime(this.timestamps);
    const previous = this.medianTime;
    journal.change<SimulatedWorld>(this, { medianTime: median });
    const last = Math.floor(median / TIME_BUCKET_SECONDS);
    for (let bucket = Math.floor(previous / TIME_BUCKET_SECONDS); bucket <= last; bucket++) {
      for (const utxo of this.#waitingForTime.at(bucket)) {
        if (utxo.freeAtTime > previous && utxo.freeAtTime <= median) this.#release(utxo);
      }
    }
  }

  /** Ends the block that was begun. */
  endBlock(id: Id): void {
    const timestamps = [...this.timestamps.slice(1 - MEDIAN_TIME_SPAN), this.timestamp];
    this.journal.change<SimulatedWorld>(this, { tipId: id, timestamps });
  }

  /** The genesis stands at height 0 with nothing before it. */
  startAt(id: Id, timestamp: number): void {
    this.tipId = id;
    this.timestamp = timestamp;
    this.timestamps = [timestamp];
    this.medianTime = timestamp;
  }

  /** Drops what is only needed to take back blocks up to `height`; `time`, in seconds, is no later than their next median. */
  forgetWaiting(height: number, time: number): void {
    this.#waitingForHeight.dropBelow(height);
    this.#waitingForTime.dropBelow(Math.floor(time / TIME_BUCKET_SECONDS));
  }

  owner(destination: Destination): SimulatedOwner {
    const owner = this.#owners.get(destination) ?? { destination, coins: new UndoableBag(this.journal, 'ownerIndex') };
    this.#owners.set(destination, owner);
    return owner;
  }

  /** Is a lock open for a transaction of the block being built? */
  hasOpened({ height, time }: LockOpening): boolean {
    return height <= this.height && time <= this.medianTime;
  }

  /** Is the pool one of the block being built? Then it cannot be decommissioned in this block. */
  isStaking(pool: SimulatedPool): boolean {
    return pool === this.stakers?.producer || pool === this.stakers?.kernelPool;
  }

  isFree(utxo: SimulatedUtxo): boolean {
    return this.hasOpened({ height: utxo.freeAtHeight, time: utxo.freeAtTime });
  }

  isFrozen(currency: SimulatedCurrency): boolean {
    return currency !== 'coin' && (this.tokens.get(currency)?.frozen ?? 'No') !== 'No';
  }

  addUtxo(utxo: SimulatedUtxo): void {
    this.utxos.set(utxo.key, utxo);
    if (this.isFree(utxo)) this.#release(utxo);
    else if (utxo.freeAtHeight > this.height) {
      if (Number.isSafeInteger(utxo.freeAtHeight)) this.#waitingForHeight.add(utxo.freeAtHeight, utxo);
    } else this.#waitingForTime.add(Math.floor(utxo.freeAtTime / TIME_BUCKET_SECONDS), utxo);
  }

  removeUtxo(utxo: SimulatedUtxo): void {
    this.utxos.delete(utxo.key);
    if (utxo.index < 0) return;
    this.#bagOf(utxo)?.remove(utxo);
    if (utxo.ownerIndex >= 0) this.owner(utxo.destination).coins.remove(utxo);
  }

  /** Puts an output where the makers of transactions find it. */
  #release(utxo: SimulatedUtxo): void {
    if (!this.utxos.get(utxo.key) || !this.userKeys.owns(utxo.destination)) return;
    const bag = this.#bagOf(utxo);
    bag?.add(utxo);
    if (bag === this.coins) this.owner(utxo.destination).coins.add(utxo);
  }

  #bagOf({ output, currency, amount }: SimulatedUtxo): UndoableBag<SimulatedUtxo> | undefined {
    if (isContractOutput(output)) return this.contracts;
    if (isStakeOutput(output)) return undefined;
    if (amount === 0n) return this.nothings;
    if (currency === 'coin') return this.coins;
    return this.tokens.get(currency)?.utxos ?? this.nftUtxos;
  }
}
