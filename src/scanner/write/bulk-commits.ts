/** Sends the applied batches of a bulk sync to the database, several in one transaction. */
import type { IdentifiedBlock } from '../../chain/types.ts';
import { AppendOnlyRows } from '../../store/write/append-only-tables.ts';
import { blockStatements, newStateStatements } from '../../store/write/block-batch.ts';
import type { WriteStatement } from '../../store/write/transferable-statements.ts';
import type { DatabaseBootstrap } from '../database/database-state.ts';
import { countsOfBlocks, type IndexedCounts, type ScannerStatus } from '../monitor/status.ts';
import type { AppliedBlocks } from '../sync/apply-batches.ts';
import type { BatchWriter, WriteRequest } from './batch-writer.ts';

/**
 * A transaction ends with the batch that brings it to one of its limits: this one, the next, or `transactionBytes`. Changed
 * state stays in memory until then. The longer the transaction, the fewer rows are written: an output that is created and
 * spent in it never becomes a row, and a balance is written once.
 */
const TRANSACTION_BLOCKS = 32_000;
/**
 * The longest duration of a transaction, which matters with a slow node. It limits the work that a crash loses, and lets
 * readers see progress.
 */
const TRANSACTION_MS = 10_000;
/**
 * The rows of a table with fewer bytes wait for a later batch, at the latest for the end of the transaction. PostgreSQL
 * begins each COPY with up to 1,000 row buffers, in a time that grows with the square of their number: 4 ms for 1,000.
 */
const COPY_BYTES = 4 * 1024 * 1024;
/**
 * The most batches on their way to the database. Writing the changed state of a transaction takes as long as many batches:
 * the next ones are applied meanwhile.
 */
const BATCHES_IN_FLIGHT = 12;

const NO_BLOCKS: IndexedCounts = { blocks: 0, transactions: 0 };

export class BulkCommits {
  /** The append-only rows of applied batches that are not sent yet. */
  readonly history = new AppendOnlyRows();
  readonly #writer: BatchWriter;
  readonly #status: ScannerStatus;
  readonly #transactionBytes: number;
  /** Batches on their way, oldest first. The last batch of a transaction arrives with its commit. */
  readonly #inFlight: Promise<void>[] = [];
  #bytes = 0;
  #counts: IndexedCounts = NO_BLOCKS;
  #since = performance.now();
  /** The keys to create at the end of the next transaction of blocks. */
  #keys: readonly WriteStatement[];

  /**
   * `transactionBytes`: the bytes of blocks that are committed together. `bootstrap`: the statements of a new index, which
   * are the first transaction; null if the index exists.
   */
  constructor(
    writer: BatchWriter,
    status: ScannerStatus,
    transactionBytes: number,
    bootstrap: DatabaseBootstrap | null,
  ) {
    this.#writer = writer;
    this.#status = status;
    this.#transactionBytes = transactionBytes;
    this.#keys = bootstrap?.keys ?? [];
    if (bootstrap !== null)
      this.#inFlight.push(this.#write({ statements: bootstrap.begin, commits: true }, () => bootstrap.committed()));
  }

  /** Sends a batch, which must have been applied into `history`. Waits while too many batches are on their way. */
  async add(
    applied: AppliedBlocks,
    blocks: readonly IdentifiedBlock[],
    { isLast }: { readonly isLast: boolean },
  ): Promise<void> {
    for (const { size } of blocks) this.#bytes += size;
    this.#counts = sum(this.#counts, countsOfBlocks(blocks));
    const commits =
      isLast ||
      this.#bytes >= this.#transactionBytes ||
      this.#counts.blocks >= TRANSACTION_BLOCKS ||
      performance.now() - this.#since >= TRANSACTION_MS;
    const statements = blockStatements(applied.records, commits ? 0 : COPY_BYTES);
    while (this.#inFlight.length >= BATCHES_IN_FLIGHT) await this.#inFlight.shift();
    const written = this.#write({ statements, commits: false });
    this.#inFlight.push(commits ? this.#commit(applied, isLast) : written);
  }

  /** Waits until everything is written. */
  async settle(): Promise<void> {
    while (this.#inFlight.length > 0) await this.#inFlight.shift();
  }

  /** Sends the changes since the last transaction, and the commit. Returns the promise of the commit. */
  #commit(applied: AppliedBlocks, isLast: boolean): Promise<void> {
    const counts = this.#counts;
    this.#bytes = 0;
    this.#counts = NO_BLOCKS;
    this.#since = performance.now();
    const state = applied.takeState();
    // Each table is sent at once, so that it is written while the next one is encoded.
    for (const statements of newStateStatements(state)) this.#write({ statements, commits: false });
    // After the last transaction, the keys are created together with the indexes, several at a time.
    const keys = isLast ? [] : this.#keys;
    this.#keys = [];
    return this.#write({ statements: keys, commits: true }, () => {
      state.committed();
      this.#status.indexed(state.chain, counts);
    });
  }

  /** Requests are executed one after the other, and none after one that failed: the last promise rejects as the first does. */
  #write(request: WriteRequest, whenDone?: () => void): Promise<void> {
    const write = this.#writer.write(request).then(whenDone);
    // The error is thrown where the promise is awaited.
    write.catch(() => {});
    return write;
  }
}

function sum(a: IndexedCounts, b: IndexedCounts): IndexedCounts {
  return { blocks: a.blocks + b.blocks, transactions: a.transactions + b.transactions };
}
