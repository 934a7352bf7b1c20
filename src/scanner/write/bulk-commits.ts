/** The applied batches of a bulk sync on their way into the database, several to a transaction. */
import type { IdentifiedBlock } from '../../chain/types.ts';
import { AppendOnlyRows } from '../../store/write/append-only-tables.ts';
import { blockStatements, newStateStatements } from '../../store/write/block-batch.ts';
import type { WriteStatement } from '../../store/write/write-statement.ts';
import type { DatabaseBootstrap } from '../database/database-state.ts';
import { type BlockCounts, countsOf, type ScannerStatus } from '../monitor/status.ts';
import type { AppliedBlocks } from '../sync/indexer.ts';
import type { BatchWriter, WriteRequest } from './batch-writer.ts';

/** A transaction ends with the batch that brings it to one of these; what changed stays in memory until then. */
const TRANSACTION_BYTES = 8 * 1024 * 1024;
const TRANSACTION_BLOCKS = 4_000;
/** Where the node is slow: what is redone after a crash, and how often readers see progress. */
const TRANSACTION_MS = 5_000;
/**
 * A table with fewer bytes is copied with a later batch, at the latest at the end of the transaction: a COPY of small rows
 * costs PostgreSQL 4 ms to begin with.
 */
const COPY_BYTES = 1024 * 1024;
/** Batches on their way into the database: more would only fill memory. */
const WRITES_IN_FLIGHT = 3;

const NO_BLOCKS: BlockCounts = { blocks: 0, transactions: 0 };

export class BulkCommits {
  /** The append-only rows of the open transaction that were not sent yet. */
  readonly history = new AppendOnlyRows();
  readonly #writer: BatchWriter;
  readonly #status: ScannerStatus;
  readonly #inFlight: Promise<void>[] = [];
  #bytes = 0;
  #counts: BlockCounts = NO_BLOCKS;
  #since = performance.now();
  /** Created at the end of the next transaction of blocks. */
  #keys: readonly WriteStatement[];

  /** `bootstrap`: of an index that is not there yet; it is the first transaction. */
  constructor(writer: BatchWriter, status: ScannerStatus, bootstrap: DatabaseBootstrap | null) {
    this.#writer = writer;
    this.#status = status;
    this.#keys = bootstrap?.keys ?? [];
    if (bootstrap !== null) this.#send({ statements: bootstrap.begin, commits: true }, () => bootstrap.committed());
  }

  /** Sends what a batch did, which has to be applied into `history`; waits while too much is in flight. */
  async add(
    applied: AppliedBlocks,
    blocks: readonly IdentifiedBlock[],
    { isLast }: { readonly isLast: boolean },
  ): Promise<void> {
    for (const { size } of blocks) this.#bytes += size;
    this.#counts = sum(this.#counts, countsOf(blocks));
    const commits =
      isLast ||
      this.#bytes >= TRANSACTION_BYTES ||
      this.#counts.blocks >= TRANSACTION_BLOCKS ||
      performance.now() - this.#since >= TRANSACTION_MS;
    const statements = blockStatements(applied.records, commits ? 0 : COPY_BYTES);
    while (this.#inFlight.length >= WRITES_IN_FLIGHT) await this.#inFlight.shift();
    this.#send({ statements, commits: false });
    if (commits) this.#commit(applied, isLast);
  }

  /** Waits until all is written. */
  async settle(): Promise<void> {
    while (this.#inFlight.length > 0) await this.#inFlight.shift();
  }

  /** Sends what changed since the transaction before, and its end. */
  #commit(applied: AppliedBlocks, isLast: boolean): void {
    const counts = this.#counts;
    this.#bytes = 0;
    this.#counts = NO_BLOCKS;
    this.#since = performance.now();
    const state = applied.takeState();
    // The first tables are being written while the others are encoded.
    for (const statements of newStateStatements(state)) this.#send({ statements, commits: false });
    // After the last transaction the keys are created together with the indexes, several at a time.
    this.#send({ statements: isLast ? [] : this.#keys, commits: true }, () => {
      state.committed();
      this.#status.indexed(state.chain, counts);
    });
    this.#keys = [];
  }

  #send(request: WriteRequest, whenDone?: () => void): void {
    const write = this.#writer.write(request).then(whenDone);
    // An error is seen at the next await of it.
    write.catch(() => {});
    this.#inFlight.push(write);
  }
}

function sum(a: BlockCounts, b: BlockCounts): BlockCounts {
  return { blocks: a.blocks + b.blocks, transactions: a.transactions + b.transactions };
}
