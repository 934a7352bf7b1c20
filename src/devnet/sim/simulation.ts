/**
 * A chain that grows by chance from a seed: the world, and the blocks that lead to it.
 *
 * The same seed and the same calls give the same bytes. Blocks can be taken back as far as `undoDepth` says.
 */
import { identifyBlock } from '../../chain/codec/block.ts';
import { decodeSignedTransaction } from '../../chain/codec/transaction.ts';
import { NetworkError } from '../../chain/networks/error.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms, Id, SignedTransaction } from '../../chain/types.ts';
import { type SealedTransaction, type SimulatedBlock, sealBlock, sealTransaction, stake } from './block.ts';
import { type Kind, MAKES } from './kinds/index.ts';
import type { Maker } from './maker.ts';
import { type Mix, type Preset, presetByName, weightsOf } from './mix.ts';
import { Random } from './random.ts';
import { applyGenesis } from './rules/genesis.ts';
import { Refusal } from './rules/refusal.ts';
import { applyTransaction } from './rules/transaction.ts';
import { Wallet } from './wallet.ts';
import { medianTime, type Pool, World } from './world.ts';

/** The deepest reorganisation of the network, blocks. */
export const MAX_REORGANISATION_BLOCKS = 1_000;
const MAX_BLOCK_TRANSACTION_BYTES = 1_048_576;
const KINDS_TRIED = 6;
const PRODUCERS_TRIED = 64;
/** A kind of the set-up that cannot be made yet comes again so many times. */
const SETUP_TRIES = 40;
const MIN_COIN_OUTPUTS = 12;
/** Where the network's proof of stake starts. */
const INITIAL_TARGET_MANTISSA = 0x090000;
const TARGET_EXPONENT = 0x1a;

export interface SimulationOptions {
  readonly network: Network;
  readonly seed: string | number;
  readonly mix: Mix | Preset;
  /** Blocks that can be taken back; 0 to … 1,000 (the default). */
  readonly undoDepth?: number;
}

/** A transaction of the block being built, with its fee in atoms. */
export interface PendingTransaction extends SealedTransaction {
  readonly fee: Atoms;
}

interface Pending {
  /** Before the block was begun. */
  readonly mark: number;
  readonly transactions: PendingTransaction[];
  readonly producer: Pool;
  bytes: number;
  fees: Atoms;
}

interface Past {
  readonly block: Pick<SimulatedBlock, 'id' | 'height' | 'prev'>;
  readonly mark: number;
  /** To be decoded in the seldom case that the block is taken back. */
  readonly transactions: readonly Omit<SealedTransaction, 'signed'>[];
}

export interface ReorganisationOptions {
  /** How many of the orphaned transactions the new branch includes again, 0 … 1; 0.8 if not given. */
  readonly shared?: number;
}

export class Simulation {
  readonly world: World;
  readonly random: Random;
  readonly mix: Mix;
  readonly #maker: Maker;
  readonly #undoDepth: number;
  readonly #weights: ReturnType<typeof weightsOf>;
  readonly #setup: { kind: Kind; left: number }[];
  readonly #past: Past[] = [];
  #setupFailures = 0;
  #pending: Pending | null = null;
  /** Transactions that wait for a block: of senders, and of blocks that were taken back. */
  #waiting: SealedTransaction[] = [];
  #mantissa = INITIAL_TARGET_MANTISSA;
  readonly #made = new Map<Kind, number>();

  constructor(options: SimulationOptions) {
    const mix = typeof options.mix === 'string' ? presetByName(options.mix) : options.mix;
    if (mix === undefined) throw new RangeError(`There is no preset "${options.mix}"`);
    requireProofOfStake(options.network);
    this.mix = mix;
    this.random = new Random(options.seed);
    const wallet = new Wallet(options.seed);
    for (let count = 0; count < mix.addresses; count++) wallet.newDestination();
    this.world = new World(options.network, wallet);
    applyGenesis(this.world);
    const treasury = wallet.destinations[0] ?? wallet.newDestination();
    this.#maker = { world: this.world, random: this.random, habits: mix, treasury };
    this.#undoDepth = options.undoDepth ?? MAX_REORGANISATION_BLOCKS;
    this.#weights = weightsOf(mix);
    this.#setup = mix.setup.map(([kind, left]) => ({ kind, left }));
  }

  get network(): Network {
    return this.world.network;
  }

  get tipId(): Id {
    return this.#pending === null ? this.world.tipId : (this.#past.at(-1)?.block.id ?? this.world.tipId);
  }

  /** Of the last block, also while the next one is being built. */
  get height(): number {
    return this.#pending === null ? this.world.height : this.world.height - 1;
  }

  /** How many transactions of each kind were made so far, those of branches that were left included. */
  get made(): ReadonlyMap<Kind, number> {
    return this.#made;
  }

  /** How many blocks can be taken back now. */
  get undoable(): number {
    return this.#past.length;
  }

  /** The transactions of the next block as far as they are known: the mempool. */
  get pending(): readonly PendingTransaction[] {
    return this.#pending?.transactions ?? [];
  }

  /** Makes the transactions of the next block, unless that was done. */
  prepare(): void {
    if (this.#pending !== null) return;
    const pending = this.#begin();
    this.#includeWaiting(pending);
    const { blockBytes, transactionsPerBlock } = this.mix;
    if (this.#setup.length > 0) return this.#makeSetup(pending);
    if (this.world.coins.size < MIN_COIN_OUTPUTS) this.#make(pending, 'split');
    if (blockBytes !== undefined) {
      while (pending.bytes < blockBytes && this.#makeAny(pending));
      return;
    }
    for (let count = this.random.count(transactionsPerBlock); count > 0; count--) {
      if (!this.#makeAny(pending)) return;
    }
  }

  /** Ends the next block and gives it. */
  mineBlock(): SimulatedBlock {
    this.prepare();
    const { transactions, producer, fees, mark } = this.#pending!;
    const block = sealBlock(this.world, producer, transactions, fees, this.#target(), this.random);
    this.#pending = null;
    this.#remember(block, mark, transactions);
    return block;
  }

  mine(count: number): SimulatedBlock[] {
    return Array.from({ length: count }, () => this.mineBlock());
  }

  /**
   * A block of exactly these kinds, in this order. Throws an Error when the world has nothing to make one of them of;
   * the chain stays as it was.
   */
  mineTransactions(kinds: readonly Kind[]): SimulatedBlock {
    this.#takeBackPending();
    const pending = this.#begin();
    for (const kind of kinds) {
      let tries = 0;
      while (!this.#make(pending, kind)) {
        if (++tries < SETUP_TRIES) continue;
        this.world.journal.undo(pending.mark);
        this.#pending = null;
        throw new Error(`Nothing to make a transaction of kind ${kind} of at height ${this.height + 1}`);
      }
    }
    return this.mineBlock();
  }

  /**
   * Takes back the newest `depth` blocks and grows a branch of `length` blocks in their place, gives its blocks.
   *
   * Most of the orphaned transactions that are still valid come again in the branch. A branch that is not longer than
   * what it replaces has a harder target, so that it is heavier all the same.
   */
  reorganise(depth: number, length: number, options: ReorganisationOptions = {}): SimulatedBlock[] {
    const shared = options.shared ?? 0.8;
    const orphaned = this.rewind(depth).filter(() => this.random.chance(shared));
    if (length <= depth) this.#mantissa = Math.max(0x8000, Math.floor((this.#mantissa * length) / (2 * depth + 2)));
    const branch: SimulatedBlock[] = [];
    const own = this.#waiting;
    for (let made = 0; made < length; made++) {
      const share = Math.ceil(orphaned.length / (length - made));
      this.#waiting = [...orphaned.splice(0, share), ...(made === 0 ? own : this.#waiting)];
      branch.push(this.mineBlock());
    }
    return branch;
  }

  /** Takes back the newest `depth` blocks: the tip is their parent again. Gives their transactions in order. */
  rewind(depth: number): SealedTransaction[] {
    if (depth > this.#past.length) {
      throw new RangeError(`Only the newest ${this.#past.length} blocks can be taken back, not ${depth}`);
    }
    this.#takeBackPending();
    const removed = this.#past.splice(this.#past.length - depth);
    if (removed[0] !== undefined) this.world.journal.undo(removed[0].mark);
    return removed.flatMap(({ transactions }) =>
      transactions.map((sealed) => ({ ...sealed, signed: decodeSignedTransaction(sealed.bytes) })),
    );
  }

  /** Lets transactions wait for the next block: those that are still valid then go into it. */
  queue(transactions: readonly SealedTransaction[]): void {
    this.#waiting.push(...transactions);
  }

  /**
   * Takes a transaction into the next block, gives it with its fee. `check` and `checkFee` may throw a Refusal of their
   * own, `check` before it is applied. Throws Refusal, with a node's kind of text, when it is not valid on top of what
   * waits already; nothing has changed then.
   */
  submit(signed: SignedTransaction, check?: () => void, checkFee?: (fee: Atoms) => void): PendingTransaction {
    this.prepare();
    const pending = this.#pending!;
    const sealed = sealTransaction(signed);
    const known = pending.transactions.find(({ id }) => id === sealed.id);
    if (known !== undefined) return known;
    if (pending.bytes + sealed.bytes.length > MAX_BLOCK_TRANSACTION_BYTES) throw new Refusal('The mempool is full');
    check?.();
    const mark = this.world.journal.mark();
    const fee = applyTransaction(this.world, signed, sealed.id);
    try {
      checkFee?.(fee);
    } catch (error) {
      this.world.journal.undo(mark);
      throw error;
    }
    const accepted = { ...sealed, fee };
    pending.transactions.push(accepted);
    pending.bytes += sealed.bytes.length;
    pending.fees += fee;
    return accepted;
  }

  /**
   * Puts a block that was made before, with the same seed, on top: its keys and secrets are found again.
   * Throws Refusal when it does not fit.
   */
  restore(bytes: Uint8Array): SimulatedBlock {
    this.#takeBackPending();
    this.#setup.length = 0;
    const { world } = this;
    const { block, id, transactionIds } = identifyBlock(bytes);
    const { consensus, prevBlockId, timestamp } = block.header;
    if (prevBlockId !== world.tipId) throw new Refusal(`Block ${id} does not follow ${world.tipId}`);
    const pool = consensus.type === 'PoS' ? world.pools.get(consensus.data.stakePoolId) : undefined;
    const reward = block.reward[0];
    if (pool === undefined || reward === undefined) throw new Refusal(`Block ${id} is not made by a known pool`);
    const mark = world.journal.mark();
    let sealed: SealedTransaction[];
    let fees = 0n;
    try {
      world.journal.set<World, 'producer'>(world, 'producer', pool);
      world.beginBlock(timestamp);
      sealed = block.transactions.map((signed, index): SealedTransaction => {
        this.#recognise(signed);
        fees += applyTransaction(world, signed, transactionIds[index]!);
        return sealTransaction(signed);
      });
    } catch (error) {
      world.journal.undo(mark);
      throw error;
    }
    const prev = world.tipId;
    stake(world, pool, id, reward, fees);
    const restored = { id, height: world.height, prev, timestamp, bytes: Buffer.from(bytes), transactionIds };
    this.#remember(restored, mark, sealed);
    this.random.reseed(`${id}`);
    return restored;
  }

  #recognise({ transaction }: SignedTransaction): void {
    const { wallet } = this.world;
    for (const output of transaction.outputs) {
      if ('destination' in output) wallet.recognise(output.destination);
      if (output.type === 'CreateStakePool') {
        wallet.recognise(output.data.staker);
        wallet.recognise(output.data.decommissionKey);
      } else if (output.type === 'IssueFungibleToken') wallet.recognise(output.issuance.authority);
      else if (output.type === 'CreateOrder') wallet.recognise(output.order.concludeKey);
      else if (output.type === 'Htlc') {
        wallet.recognise(output.contract.spendKey);
        wallet.recognise(output.contract.refundKey);
        wallet.recogniseSecret(output.contract.secretHash);
      }
    }
  }

  #begin(): Pending {
    const { world, random } = this;
    const mark = world.journal.mark();
    const producer = this.#drawProducer();
    world.journal.set<World, 'producer'>(world, 'producer', producer);
    // About two minutes after the block before, now and then a little before it.
    const step = random.chance(0.04) ? -random.below(90) : random.between(30, 225);
    const earliest = medianTime(world.timestamps) + 1;
    world.beginBlock(Math.max(earliest, world.timestamp + step));
    this.#pending = { mark, transactions: [], producer, bytes: 0, fees: 0n };
    return this.#pending;
  }

  #drawProducer(): Pool {
    const { livePools } = this.world;
    for (let attempt = 0; attempt < PRODUCERS_TRIED; attempt++) {
      const pool = livePools.pick(this.random);
      if (pool === undefined) break;
      if (this.random.chance(pool.luck)) return pool;
    }
    const pool = livePools.items[0];
    if (pool === undefined) throw new Error('No pool of the simulation is left to make blocks');
    return pool;
  }

  /** What waits and is still valid comes first. */
  #includeWaiting(pending: Pending): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const sealed of waiting) {
      if (pending.bytes + sealed.bytes.length > MAX_BLOCK_TRANSACTION_BYTES) {
        this.#waiting.push(sealed);
        continue;
      }
      try {
        this.#include(pending, sealed);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
    }
  }

  #include(pending: Pending, sealed: SealedTransaction): void {
    const fee = applyTransaction(this.world, sealed.signed, sealed.id);
    pending.transactions.push({ ...sealed, fee });
    pending.bytes += sealed.bytes.length;
    pending.fees += fee;
  }

  #makeSetup(pending: Pending): void {
    let count = 0;
    while (count < this.mix.setupTransactionsPerBlock && this.#setup[0] !== undefined) {
      const next = this.#setup[0];
      if (this.#make(pending, next.kind)) {
        count++;
        next.left--;
        this.#setupFailures = 0;
      } else if (pending.bytes > MAX_BLOCK_TRANSACTION_BYTES / 2) return;
      else if (++this.#setupFailures > SETUP_TRIES) next.left = 0;
      if (next.left <= 0) this.#setup.shift();
    }
  }

  /** One transaction of any kind that can be made; false when the block is full or nothing can be. */
  #makeAny(pending: Pending): boolean {
    const { kinds, cumulated } = this.#weights;
    for (let attempt = 0; attempt < KINDS_TRIED; attempt++) {
      if (this.#make(pending, kinds[this.random.weighted(cumulated)]!)) return true;
    }
    return this.#make(pending, 'transfer');
  }

  #make(pending: Pending, kind: Kind): boolean {
    const signed = MAKES[kind](this.#maker);
    if (signed === null) return false;
    const sealed = sealTransaction(signed);
    if (pending.bytes + sealed.bytes.length > MAX_BLOCK_TRANSACTION_BYTES) return false;
    try {
      this.#include(pending, sealed);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new Error(`A transaction of kind ${kind} that was made is not valid: ${error.message}`, { cause: error });
    }
    this.#made.set(kind, (this.#made.get(kind) ?? 0) + 1);
    return true;
  }

  #takeBackPending(): void {
    if (this.#pending === null) return;
    this.world.journal.undo(this.#pending.mark);
    this.#waiting.unshift(...this.#pending.transactions);
    this.#pending = null;
  }

  #remember(block: SimulatedBlock, mark: number, sealed: readonly SealedTransaction[]): void {
    const { world } = this;
    const { id, height, prev } = block;
    const transactions = sealed.map(({ id, bytes, witnessHash }) => ({ id, bytes, witnessHash }));
    this.#past.push({ block: { id, height, prev }, mark, transactions });
    if (this.#past.length > this.#undoDepth) this.#past.shift();
    world.journal.forget(this.#past[0]?.mark ?? world.journal.mark());
    world.forgetWaiting(world.height - this.#undoDepth - 1, world.timestamps[0]! - this.#undoDepth * 300);
  }

  /** Wanders around where it began, as difficulty does. */
  #target(): number {
    const step = 1 + (this.random.unit() - 0.5) / 256;
    const towards = this.#mantissa < INITIAL_TARGET_MANTISSA / 2 ? 1.01 : 1;
    this.#mantissa = Math.min(0x7fffff, Math.max(0x8000, Math.floor(this.#mantissa * step * towards)));
    return TARGET_EXPONENT * 2 ** 24 + this.#mantissa;
  }
}

/** Blocks are made by pools from the first one on. */
function requireProofOfStake({ name, consensus }: Network): void {
  const first = consensus.findLast(({ height }) => height <= 1);
  if (first?.type !== 'PoS') {
    throw new NetworkError(
      `the network "${name}" has no proof of stake from block 1 on; take regtest-pos or one of your own`,
    );
  }
}
