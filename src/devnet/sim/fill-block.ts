/** Fills blocks with the transactions of simulated users, drawn by the probabilities of the mix. */

import { type SimulatedTransactionKind, TRANSACTION_MAKERS } from './kinds/transaction-makers.ts';
import { TransactionRefusal } from './rules/refusal.ts';
import { sealTransaction } from './seal-block.ts';
import type { TransactionMakerContext } from './transaction-maker-context.ts';
import { cumulatedWeights, type TransactionMix } from './transaction-mix.ts';
import type { UnsealedBlock } from './unsealed-block.ts';

const KINDS_TRIED = 6;
/** Number of attempts to make a transaction when the random draws did not fit the world. */
const TRIES = 40;
const MIN_COIN_OUTPUTS = 12;
/** A block of the set-up that is fuller than this may end early. */
const SETUP_BLOCK_BYTES = 500_000;

export class BlockFiller {
  /** The number of transactions of each kind, including those of removed branches. */
  readonly made = new Map<SimulatedTransactionKind, number>();
  readonly #maker: TransactionMakerContext;
  readonly #mix: TransactionMix;
  readonly #weights: ReturnType<typeof cumulatedWeights>;
  readonly #setup: { readonly kind: SimulatedTransactionKind; left: number }[];
  #setupFailures = 0;

  constructor(maker: TransactionMakerContext, mix: TransactionMix) {
    this.#maker = maker;
    this.#mix = mix;
    this.#weights = cumulatedWeights(mix);
    this.#setup = Object.entries(mix.setup).map(([kind, left]) => ({ kind: kind as SimulatedTransactionKind, left }));
  }

  /**
   * Puts the transactions of a usual block into the next one, one at a time: of the set-up as long as that is not done.
   * Before each it says how many are to come at most.
   */
  *fill(block: UnsealedBlock): Generator<number, void, void> {
    if (this.#setup.length > 0) return yield* this.#setUp(block);
    const { random, world } = this.#maker;
    const { blockBytes, transactionsPerBlock } = this.#mix;
    if (world.coins.size < MIN_COIN_OUTPUTS) {
      yield 1;
      this.make(block, 'split');
    }
    if (blockBytes !== undefined) {
      while (block.bytes < blockBytes && this.#makeAny(block)) yield 1;
      return;
    }
    for (let count = random.count(transactionsPerBlock); count > 0; count--) {
      yield count;
      if (!this.#makeAny(block)) return;
    }
  }

  /** Makes a transaction of that kind. Returns false if the world lacks anything for it, or the block is full. */
  make(block: UnsealedBlock, kind: SimulatedTransactionKind): boolean {
    const signed = TRANSACTION_MAKERS[kind](this.#maker);
    if (signed === null) return false;
    const sealed = sealTransaction(signed);
    if (!block.hasRoomFor(sealed.bytes.length)) return false;
    try {
      block.include(sealed);
    } catch (error) {
      if (!(error instanceof TransactionRefusal)) throw error;
      throw new Error(`A transaction of kind ${kind} that was made is not valid: ${error.message}`, { cause: error });
    }
    this.made.set(kind, (this.made.get(kind) ?? 0) + 1);
    return true;
  }

  /** Like `make`, with many attempts. */
  makeSurely(block: UnsealedBlock, kind: SimulatedTransactionKind): boolean {
    for (let attempt = 0; attempt < TRIES; attempt++) if (this.make(block, kind)) return true;
    return false;
  }

  /** The world was set up elsewhere. */
  skipSetup(): void {
    this.#setup.length = 0;
  }

  *#setUp(block: UnsealedBlock): Generator<number, void, void> {
    const { setupTransactionsPerBlock } = this.#mix;
    let count = 0;
    while (count < setupTransactionsPerBlock && this.#setup[0] !== undefined) {
      const next = this.#setup[0];
      yield Math.min(setupTransactionsPerBlock - count, next.left);
      if (this.make(block, next.kind)) {
        count++;
        next.left--;
        this.#setupFailures = 0;
      } else if (block.bytes > SETUP_BLOCK_BYTES) return;
      else if (++this.#setupFailures > TRIES) next.left = 0;
      if (next.left <= 0) this.#setup.shift();
    }
  }

  /** Makes a transaction of any kind that is possible. Returns false if the block is full or no kind is possible. */
  #makeAny(block: UnsealedBlock): boolean {
    const { kinds, cumulated } = this.#weights;
    for (let attempt = 0; attempt < KINDS_TRIED; attempt++) {
      if (this.make(block, kinds[this.#maker.random.weighted(cumulated)]!)) return true;
    }
    return this.make(block, 'transfer');
  }
}
