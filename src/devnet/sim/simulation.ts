/**
 * A chain that grows by chance from a seed: the world, and the blocks that lead to it.
 *
 * The same seed and the same calls give the same bytes. Blocks can be taken back as far as `undoDepth` says.
 */
import { identifyBlock } from '../../chain/codec/block.ts';
import { decodeSignedTransaction } from '../../chain/codec/transaction.ts';
import { isStakeOutput } from '../../chain/input-and-output-kinds.ts';
import type { Network } from '../../chain/networks/network.ts';
import { MAX_REORGANISATION_DEPTH } from '../../chain/reorganisation-depth.ts';
import type { Atoms, Id, SignedTransaction } from '../../chain/types.ts';
import { OperatorError } from '../../errors/operator-error.ts';
import { type BlockTimes, forkChoiceWeight, minBranchLength, timesOfHeavierBranch, usualTimes } from './block-times.ts';
import { BlockFiller } from './fill-block.ts';
import type { SimulatedTransactionKind } from './kinds/transaction-makers.ts';
import { Random } from './random.ts';
import { applyGenesisToWorld } from './rules/apply-genesis.ts';
import { applyTransactionToWorld } from './rules/apply-transaction.ts';
import { PolicyRefusal, TransactionRefusal } from './rules/refusal.ts';
import {
  payRewardAndEndBlock,
  type SealedTransaction,
  type SimulatedBlock,
  sealBlock,
  sealTransaction,
} from './seal-block.ts';
import { TargetWalk } from './target-walk.ts';
import { TransactionMakerContext } from './transaction-maker-context.ts';
import { type MixPreset, mixPresetByName, type TransactionMix } from './transaction-mix.ts';
import { UnsealedBlock, type UnsealedTransaction } from './unsealed-block.ts';
import { UserKeys } from './user-keys.ts';
import { type BlockStakers, SimulatedWorld } from './world.ts';

export interface SimulationOptions {
  readonly network: Network;
  readonly seed: string | number;
  readonly mix: TransactionMix | MixPreset;
  /** Blocks that can be taken back, from 0 on; `MAX_REORGANISATION_DEPTH` if not given. */
  readonly undoDepth?: number;
  /** When blocks are made; if not given, they follow the genesis at the interval of the mix. */
  readonly times?: BlockTimes | undefined;
}

interface Past {
  /** Before the block was begun. */
  readonly mark: number;
  /** Seconds since the epoch; no later than the median time past of the next block. */
  readonly time: number;
  readonly weight: number;
  /** Decoded in the rare case that the block is undone. */
  readonly transactions: readonly Omit<SealedTransaction, 'signed'>[];
}

export interface ReorganisationOptions {
  /** The part of the orphaned transactions that the new branch includes again, 0 … 1; 0.95 by default. */
  readonly shared?: number;
}

export class Simulation {
  readonly world: SimulatedWorld;
  readonly random: Random;
  readonly mix: TransactionMix;
  readonly #filler: BlockFiller;
  readonly #targets = new TargetWalk();
  readonly #times: BlockTimes;
  /** Blocks that can be taken back, at most. */
  readonly undoDepth: number;
  readonly #past: Past[] = [];
  #next: UnsealedBlock | null = null;
  /** The people who still make transactions for it, and how many at most. */
  #making: Iterator<number, void, void> | null = null;
  #left = 0;
  /** Transactions that wait for a block: of senders, and of blocks that were taken back. */
  #waiting: SealedTransaction[] = [];

  /** Throws RangeError for an unknown preset, OperatorError for a network without proof of stake. */
  constructor(options: SimulationOptions) {
    const mix = typeof options.mix === 'string' ? mixPresetByName(options.mix) : options.mix;
    if (mix === undefined) throw new RangeError(`There is no preset "${options.mix}"`);
    requireProofOfStake(options.network);
    this.mix = mix;
    this.#times = options.times ?? usualTimes(mix.blockSeconds);
    this.random = new Random(options.seed);
    const userKeys = new UserKeys(options.seed);
    for (let count = 0; count < mix.addresses; count++) userKeys.newDestination();
    this.world = new SimulatedWorld(options.network, userKeys);
    applyGenesisToWorld(this.world);
    const treasury = userKeys.destinations[0] ?? userKeys.newDestination();
    this.#filler = new BlockFiller(new TransactionMakerContext(this.world, this.random, mix, treasury), mix);
    this.undoDepth = options.undoDepth ?? MAX_REORGANISATION_DEPTH;
  }

  get network(): Network {
    return this.world.network;
  }

  get tipId(): Id {
    return this.world.tipId;
  }

  /** Height of the last block, also while the next one is being built. */
  get height(): number {
    return this.#next === null ? this.world.height : this.world.height - 1;
  }

  /** The number of transactions of each kind so far, including those of removed branches. */
  get made(): ReadonlyMap<SimulatedTransactionKind, number> {
    return this.#filler.made;
  }

  /** The number of blocks that can be undone now. */
  get undoable(): number {
    return this.#past.length;
  }

  /** The transactions of the next block as far as they are known, in the order of their acceptance: the mempool. */
  get pending(): readonly UnsealedTransaction[] {
    return this.#next?.transactions ?? [];
  }

  /**
   * Begins the next block with what waits, unless that was done; `quiet`: people make no transactions for it; `blocks`: the
   * number of blocks that are made at once, this one included; `times`: when, if not as usual.
   */
  begin(quiet = false, blocks = 1, times = this.#times): void {
    if (this.#next !== null) return;
    this.#next = new UnsealedBlock(this.world, this.random, times, blocks, this.mix.drawsByStake);
    this.#waiting = this.#next.includeWaiting(this.#waiting);
    if (quiet) return;
    this.#making = this.#filler.fill(this.#next);
    this.#makeNext();
  }

  /**
   * Lets people make transactions for the next block, one at a time, until none are left to make or `enough` says so,
   * which is told how many are left at most. When they are made does not change what they are.
   */
  makeTransactions(enough: (left: number) => boolean = () => false): void {
    this.begin();
    while (this.#making !== null && !enough(this.#left)) this.#makeNext();
  }

  /** Completes the next block. It takes the first `most` pending transactions, the others stay pending. */
  mineBlock(most = Number.POSITIVE_INFINITY): SimulatedBlock {
    this.makeTransactions();
    this.#waiting.unshift(...this.#next!.keepFirst(most));
    const { transactions, stakers, fees, mark } = this.#next!;
    const target = this.#targets.next(this.random);
    const block = sealBlock(this.world, stakers, transactions, fees, target, this.random);
    this.#next = null;
    this.#remember(mark, transactions);
    return block;
  }

  mine(count: number): SimulatedBlock[] {
    return Array.from({ length: count }, () => this.mineBlock());
  }

  /**
   * A block of exactly these kinds, in this order. Throws an Error when the world has nothing to make one of them of;
   * the chain stays as it was.
   */
  mineTransactions(kinds: readonly SimulatedTransactionKind[]): SimulatedBlock {
    this.#takeBackNext();
    const next = new UnsealedBlock(this.world, this.random, this.#times, 1, this.mix.drawsByStake);
    for (const kind of kinds) {
      if (this.#filler.makeSurely(next, kind)) continue;
      next.takeBack();
      throw new Error(`Nothing to make a transaction of kind ${kind} of at height ${this.height + 1}`);
    }
    this.#next = next;
    return this.mineBlock();
  }

  /**
   * Takes back the newest `depth` blocks and grows a branch of `length` blocks in their place, gives its blocks.
   *
   * Most of the orphaned transactions that are still valid come again in the branch. Its blocks come fast enough for it to weigh
   * more than what it replaces; if it has fewer blocks than `minBranchLength` says, it is lighter all the same.
   */
  reorganise(depth: number, length: number, options: ReorganisationOptions = {}): SimulatedBlock[] {
    const shared = options.shared ?? 0.95;
    const times = timesOfHeavierBranch(this.#times, this.#weightOf(depth));
    const orphaned = this.rewind(depth).filter(() => this.random.chance(shared));
    const branch: SimulatedBlock[] = [];
    while (branch.length < length) {
      const left = length - branch.length;
      this.#waiting.unshift(...orphaned.splice(0, Math.ceil(orphaned.length / left)));
      this.begin(false, left, times);
      branch.push(this.mineBlock());
    }
    return branch;
  }

  /** Returns the least number of blocks of a branch that a node prefers to the newest `depth` blocks. */
  leastBranch(depth: number): number {
    return minBranchLength(this.#weightOf(depth));
  }

  /** Takes back the newest `depth` blocks: the tip is their parent again. Gives their transactions in order. */
  rewind(depth: number): SealedTransaction[] {
    if (depth > this.#past.length) {
      throw new RangeError(`Only the newest ${this.#past.length} blocks can be taken back, not ${depth}`);
    }
    this.#takeBackNext();
    const removed = this.#past.splice(this.#past.length - depth);
    if (removed[0] !== undefined) this.world.journal.undo(removed[0].mark);
    return removed.flatMap(({ transactions }) =>
      transactions.map((sealed) => ({ ...sealed, signed: decodeSignedTransaction(sealed.bytes) })),
    );
  }

  /** Puts transactions before all others of the next block, which includes those that are still valid. */
  queue(transactions: readonly SealedTransaction[]): void {
    this.#takeBackNext();
    this.#waiting.unshift(...transactions);
  }

  /** Drops transactions that wait for a block, and with them those that spend their outputs. */
  drop(isDropped: (id: Id) => boolean): void {
    this.#takeBackNext();
    this.#waiting = this.#waiting.filter(({ id }) => !isDropped(id));
  }

  /**
   * Takes a transaction into the next block, gives it with its fee. `check` and `checkFee` may throw a
   * TransactionRefusal of their own, `check` before it is applied. Throws TransactionRefusal, with a node's kind of
   * text, when it is not valid on top of what waits already; nothing has changed then.
   */
  submit(signed: SignedTransaction, check?: () => void, checkFee?: (fee: Atoms) => void): UnsealedTransaction {
    this.begin();
    const next = this.#next!;
    const sealed = sealTransaction(signed);
    const known = next.transactions.find(({ id }) => id === sealed.id);
    if (known !== undefined) return known;
    if (!next.hasRoomFor(sealed.bytes.length)) throw new PolicyRefusal('Mempool is full');
    check?.();
    return next.include(sealed, checkFee);
  }

  /**
   * Puts a block on top that was made before with the same seed: its keys and secrets are found again. `isFinal`: the
   * block will not be undone, which is faster. Throws DecodeError for other bytes, TransactionRefusal if the block does
   * not fit; then nothing has changed.
   */
  restore(bytes: Uint8Array, isFinal = false): void {
    this.#takeBackNext();
    this.#filler.skipSetup();
    const { world } = this;
    const { block, id, transactionIds } = identifyBlock(bytes);
    const { consensus, prevBlockId, timestamp } = block.header;
    if (prevBlockId !== world.tipId) throw new TransactionRefusal(`Block ${id} does not follow ${world.tipId}`);
    const producer = consensus.type === 'PoS' ? world.pools.get(consensus.data.stakePoolId) : undefined;
    const reward = block.reward.find(isStakeOutput);
    const kernelPool = reward && world.pools.get(reward.poolId);
    if (producer === undefined || reward === undefined || kernelPool === undefined)
      throw new TransactionRefusal(`Block ${id} is not made by a known pool`);
    const stakers: BlockStakers = { producer, kernelPool };
    const mark = world.journal.mark();
    let fees = 0n;
    try {
      world.journal.set<SimulatedWorld, 'stakers'>(world, 'stakers', stakers);
      world.beginBlock(timestamp);
      for (const [index, signed] of block.transactions.entries()) {
        world.userKeys.recogniseAll(signed.transaction.outputs);
        fees += applyTransactionToWorld(world, signed, transactionIds[index]!);
      }
    } catch (error) {
      world.journal.undo(mark);
      throw error;
    }
    payRewardAndEndBlock(world, stakers, id, reward, fees);
    this.random.reseed(`${this.random.seed}/${id}`);
    if (isFinal) {
      this.#past.length = 0;
      world.journal.forget(world.journal.mark());
    } else this.#remember(mark, block.transactions.map(sealTransaction));
  }

  /** Resumes who makes the next transaction, up to the one after it. */
  #makeNext(): void {
    const { done, value } = this.#making!.next();
    if (done) this.#making = null;
    else this.#left = value;
  }

  /** Prepared transactions wait again. */
  #takeBackNext(): void {
    if (this.#next === null) return;
    this.#next.takeBack();
    this.#waiting.unshift(...this.#next.transactions);
    this.#next = null;
    this.#making = null;
  }

  #weightOf(depth: number): number {
    return this.#past.slice(this.#past.length - depth).reduce((sum, { weight }) => sum + weight, 0);
  }

  #remember(mark: number, sealed: readonly SealedTransaction[]): void {
    const { world } = this;
    const depth = this.undoDepth;
    const transactions = depth === 0 ? [] : sealed.map(({ signed: _, ...transaction }) => transaction);
    const weight = forkChoiceWeight(world.timestamp - world.timestamps.at(-2)!);
    this.#past.push({ mark, time: world.timestamps[0]!, weight, transactions });
    if (this.#past.length <= depth) return;
    const last = this.#past.shift()!;
    world.journal.forget(this.#past[0]?.mark ?? world.journal.mark());
    world.forgetWaiting(world.height - depth, last.time);
  }
}

/** Blocks are made by pools from the first one on. */
function requireProofOfStake({ name, consensus }: Network): void {
  const first = consensus.findLast(({ height }) => height <= 1);
  if (first?.type !== 'PoS') {
    throw new OperatorError(
      `The network "${name}" has no proof of stake from block 1 on. Give --network regtest-pos or one of your own.`,
    );
  }
}
