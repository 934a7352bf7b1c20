/** The index as the database has it: not yet, without the indexes for reading, or ready for readers. */
import type { Logger } from 'pino';
import type { PostgresOptions } from '../store/connect.ts';
import { buildIndexes } from '../store/indexes.ts';
import { dropTables, keySteps, recogniseDatabase } from '../store/schema.ts';
import type { StoreSession } from '../store/session.ts';
import { runSteps } from '../store/steps.ts';
import { markReady, readChainAt, readTip } from '../store/tip.ts';
import { createIndex, type IndexCreation, prepareCreation } from './create-index.ts';
import type { Indexer } from './indexer.ts';
import type { Progress } from './progress.ts';

/** Indexes built at the same time at the end of a bulk sync. */
const INDEX_CONNECTIONS = 2;

export interface BuildOptions {
  readonly postgres: PostgresOptions;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  onSilence(what: string, seconds: number): void;
}

export class StoredIndex {
  readonly #session: StoreSession;
  readonly #indexer: Indexer;
  #creation: IndexCreation | null;
  #isReady: boolean;

  private constructor(session: StoreSession, indexer: Indexer, creation: IndexCreation | null, isReady: boolean) {
    this.#session = session;
    this.#indexer = indexer;
    this.#creation = creation;
    this.#isReady = isReady;
  }

  /**
   * Brings the indexer to the tip of the network's index in the database. In an empty one a new index begins: the
   * indexer knows the genesis, the database nothing yet. Throws an OperatorError when the database holds something else.
   */
  static async open(session: StoreSession, indexer: Indexer): Promise<StoredIndex> {
    const { network } = indexer;
    const found = await recogniseDatabase(session.writer, { network: network.name, genesisId: network.genesisId });
    if (found === 'empty') return new StoredIndex(session, indexer, await prepareCreation(indexer), false);
    const tip = await readTip(session.writer);
    indexer.resumeAt(await readChainAt(session.writer, tip.height));
    return new StoredIndex(session, indexer, null, tip.isReady);
  }

  /** Drops what the database holds of an index. */
  static async drop(session: StoreSession, logger: Logger): Promise<void> {
    logger.warn('dropping the index to build it anew, as --resync says');
    await dropTables(session.writer);
  }

  /** What makes a new index; null when there is one. */
  get creation(): IndexCreation | null {
    return this.#creation;
  }

  /** Is there nothing in the database yet? */
  get isNew(): boolean {
    return this.#creation !== null;
  }

  /** Can readers use it? */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Says that the new index was made. */
  created(): void {
    this.#creation = null;
  }

  /** Makes the keys by which the ledger reads, where the last bulk sync ended before they were made. */
  async makeKeys(): Promise<void> {
    if (this.isNew || this.#isReady) return;
    await runSteps(this.#session.writer, await keySteps());
  }

  /** Makes what readers need: after a bulk sync the indexes and the planner's statistics, or a whole new index. */
  async makeReady(options: BuildOptions): Promise<void> {
    if (this.#creation !== null) await createIndex(this.#session, this.#indexer, this.#creation);
    else if (!this.#isReady) await this.#build(options);
    this.#creation = null;
    this.#isReady = true;
  }

  async #build({ postgres, progress, signal, onSilence }: BuildOptions): Promise<void> {
    const { writer } = this.#session;
    progress.phase('building indexes');
    await buildIndexes({
      client: writer,
      postgres,
      connections: INDEX_CONNECTIONS,
      signal,
      onSilence: (seconds) => onSilence('building an index', seconds),
      onBuilt: (built, all) => progress.phase(`built index ${built} of ${all}`),
    });
    await markReady(writer);
    progress.phase('ready');
  }
}
