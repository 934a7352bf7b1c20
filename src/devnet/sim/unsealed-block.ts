/** The block being built: begun in the world, not yet sealed. */
import { effectiveStake } from '../../chain/effective-stake.ts';
import { allowsForeignKernel } from '../../chain/networks/network.ts';
import type { Atoms } from '../../chain/types.ts';
import type { BlockTimes } from './block-times.ts';
import type { Random } from './random.ts';
import { applyTransactionToWorld } from './rules/apply-transaction.ts';
import { TransactionRefusal } from './rules/refusal.ts';
import type { SealedTransaction } from './seal-block.ts';
import type { BlockStakers, SimulatedPool, SimulatedWorld } from './world.ts';

const MAX_BLOCK_TRANSACTION_BYTES = 1_048_576;
const PRODUCERS_TRIED = 64;
const FOREIGN_KERNEL_CHANCE = 0.15;

/** A transaction of the block being built, with its fee in atoms. */
export interface UnsealedTransaction extends SealedTransaction {
  readonly fee: Atoms;
}

export class UnsealedBlock {
  readonly world: SimulatedWorld;
  readonly stakers: BlockStakers;
  readonly transactions: UnsealedTransaction[] = [];
  /** Before each of them was applied. */
  readonly #marks: number[] = [];
  bytes = 0;
  fees = 0n;
  /** Before the block was begun. */
  readonly mark: number;

  /** Draws who makes it (`byStake`: as on a real chain) and when. `blocks`: the number of blocks that are made at once. */
  constructor(world: SimulatedWorld, random: Random, times: BlockTimes, blocks: number, byStake = false) {
    this.world = world;
    this.mark = world.journal.mark();
    const producer = (byStake ? drawByStake : drawByLuck)(world, random);
    this.stakers = { producer, kernelPool: drawKernelPool(world, random) ?? producer };
    world.journal.set<SimulatedWorld, 'stakers'>(world, 'stakers', this.stakers);
    world.beginBlock(times(world, blocks, random));
  }

  hasRoomFor(bytes: number): boolean {
    return this.bytes + bytes <= MAX_BLOCK_TRANSACTION_BYTES;
  }

  /** Applies a transaction and adds it; `checkFee` may refuse, too. Throws TransactionRefusal, with nothing changed. */
  include(sealed: SealedTransaction, checkFee?: (fee: Atoms) => void): UnsealedTransaction {
    const { journal } = this.world;
    const mark = journal.mark();
    const fee = applyTransactionToWorld(this.world, sealed.signed, sealed.id);
    try {
      checkFee?.(fee);
    } catch (error) {
      journal.undo(mark);
      throw error;
    }
    const pending = { ...sealed, fee };
    this.transactions.push(pending);
    this.#marks.push(mark);
    this.bytes += sealed.bytes.length;
    this.fees += fee;
    return pending;
  }

  /** Adds those that are valid and gives those that found no room; the others are dropped. */
  includeWaiting(waiting: readonly SealedTransaction[]): SealedTransaction[] {
    return waiting.filter((sealed) => {
      if (!this.hasRoomFor(sealed.bytes.length)) return true;
      try {
        this.include(sealed);
      } catch (error) {
        if (!(error instanceof TransactionRefusal)) throw error;
      }
      return false;
    });
  }

  /** Takes back all but the first `count` transactions, and gives them. */
  keepFirst(count: number): UnsealedTransaction[] {
    const mark = this.#marks[count];
    if (mark === undefined) return [];
    this.world.journal.undo(mark);
    this.#marks.length = count;
    const others = this.transactions.splice(count);
    for (const { bytes, fee } of others) {
      this.bytes -= bytes.length;
      this.fees -= fee;
    }
    return others;
  }

  /** The world as it was before the block was begun. */
  takeBack(): void {
    this.world.journal.undo(this.mark);
  }
}

/** Each pool as often as its effective stake says. */
function drawByStake({ livePools, network }: SimulatedWorld, random: Random): SimulatedPool {
  let sum = 0;
  const cumulated = livePools.items.map(({ stakerBalance, delegationsBalance }) => {
    sum += Number(effectiveStake(network.finalSupply, stakerBalance, delegationsBalance));
    return sum;
  });
  return requirePool(livePools.items[random.weighted(cumulated)]);
}

/** Another pool now and then, where the network allows it. */
function drawKernelPool({ livePools, network, height }: SimulatedWorld, random: Random): SimulatedPool | undefined {
  if (!allowsForeignKernel(network, height + 1) || !random.chance(FOREIGN_KERNEL_CHANCE)) return undefined;
  return livePools.pick(random);
}

/** The lucky ones more often. */
function drawByLuck({ livePools }: SimulatedWorld, random: Random): SimulatedPool {
  for (let attempt = 0; attempt < PRODUCERS_TRIED; attempt++) {
    const pool = livePools.pick(random);
    if (pool !== undefined && random.chance(pool.luck)) return pool;
  }
  return requirePool(livePools.items[0]);
}

function requirePool(pool: SimulatedPool | undefined): SimulatedPool {
  if (pool === undefined) throw new Error('No pool of the simulation is left to make blocks');
  return pool;
}
