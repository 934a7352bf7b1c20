/** An index in a fresh database, driven block by block without a node; and everything it holds, as text. */
import type { TestContext } from 'node:test';
import type pg from 'pg';
import { identifyBlock } from '../../src/chain/codec/block.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import type { IdentifiedBlock } from '../../src/chain/types.ts';
import { createGenesisIndex, prepareNewIndex } from '../../src/scanner/database/database-state.ts';
import { type AppliedBlocks, BatchApplier, type PreparedBlocks } from '../../src/scanner/sync/apply-batches.ts';
import { extendChain } from '../../src/scanner/sync/follow-tip.ts';
import { replaceBranch } from '../../src/scanner/sync/reorg.ts';
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import { inDatabaseTransaction } from '../../src/store/postgres/in-transaction.ts';
import { APPEND_ONLY_TABLES } from '../../src/store/write/append-only-tables.ts';
import { blockStatements, newStateStatements } from '../../src/store/write/block-batch.ts';
import { countDays } from '../../src/store/write/day-counts.ts';
import { STATE_TABLES } from '../../src/store/write/state/state-tables.ts';
import { readChainTipAt, readTip } from '../../src/store/write/tip.ts';
import { runStatements } from '../../src/store/write/transferable-statements.ts';
import { WriterSession } from '../../src/store/write/writer-session.ts';
import { testDatabase } from './postgres.ts';
import { startTestWebServer, type TestServer, type TestServerOptions } from './web-server.ts';

/** Databases with the index of a network's genesis, to be copied; null for a network that was used once. */
const genesisDatabases = new Map<Network, Promise<string> | null>();
const dropsOfGenesisDatabases: (() => unknown)[] = [];

/**
 * The name of such a database, from the second use of a network in this process on: to copy one takes half the time of
 * making tables and indexes. It is dropped when the process has nothing else to do.
 */
function genesisDatabase(network: Network): Promise<string> | null {
  const known = genesisDatabases.get(network);
  const database = known === undefined ? null : (known ?? makeGenesisDatabase(network));
  genesisDatabases.set(network, database);
  return database;
}

/** Between two tests there may be nothing to do, too: the next one makes them anew. */
function dropGenesisDatabases(): void {
  genesisDatabases.clear();
  for (const drop of dropsOfGenesisDatabases.splice(0)) drop();
}

async function makeGenesisDatabase(network: Network): Promise<string> {
  const postgres = await testDatabase({
    after: (drop) => {
      if (dropsOfGenesisDatabases.push(drop as () => unknown) === 1) process.once('beforeExit', dropGenesisDatabases);
    },
  });
  const session = await WriterSession.open(postgres);
  await createGenesisIndex(session, await prepareNewIndex(new BatchApplier(network)));
  await session.close();
  return postgres.database;
}

export class TestIndex {
  readonly postgres: PostgresOptions;
  readonly session: WriterSession;
  readonly applier: BatchApplier;

  constructor(postgres: PostgresOptions, session: WriterSession, applier: BatchApplier) {
    this.postgres = postgres;
    this.session = session;
    this.applier = applier;
  }

  /**
   * An index that holds the genesis, with all indexes for reading. `isWhole`: as it was just created, so that everything
   * is known without reading. `cacheBytes`: so small a cache that it is full all the time.
   */
  static async create(
    t: Pick<TestContext, 'after'>,
    network: Network,
    { isWhole = false, cacheBytes }: { isWhole?: boolean; cacheBytes?: number } = {},
  ): Promise<TestIndex> {
    const genesis = isWhole ? null : await genesisDatabase(network);
    const postgres = await testDatabase(t, genesis ?? undefined);
    const session = await WriterSession.open(postgres);
    t.after(() => session.close());
    const applier = new BatchApplier(network, { cacheBytes });
    if (genesis === null) await createGenesisIndex(session, await prepareNewIndex(applier));
    await session.prepare();
    const index = new TestIndex(postgres, session, applier);
    if (!isWhole) await index.reopen();
    return index;
  }

  get network(): Network {
    return this.applier.network;
  }

  /** Starts a web server over the index on a free port. It ends with the test. */
  serve(t: Pick<TestContext, 'after'>, options: Partial<TestServerOptions> = {}): Promise<TestServer> {
    return startTestWebServer(t, { network: this.network, postgres: this.postgres, ...options });
  }

  /** One for each response profile. */
  async serveBoth(
    t: Pick<TestContext, 'after'>,
  ): Promise<{ readonly described: TestServer; readonly core: TestServer }> {
    return { described: await this.serve(t), core: await this.serve(t, { contract: 'mintlayer-core' }) };
  }

  /** Runs SQL beside the scanner. */
  // biome-ignore lint/suspicious/noExplicitAny: rows are what the query says
  query<Row extends pg.QueryResultRow = any>(text: string, values?: readonly unknown[]): Promise<pg.QueryResult<Row>> {
    return this.session.writer.query<Row>(text, values === undefined ? undefined : [...values]);
  }

  /**
   * Holds all reads of the statistics, each with its snapshot taken before, until `release` is called. `held` says how many
   * there are. With `t`, others use the index after that test.
   */
  async holdStatistics(t?: Pick<TestContext, 'after'>) {
    await this.query(`
      alter table statistics rename to slow_statistics;
      create view statistics as
        select s.* from slow_statistics s cross join lateral (select pg_advisory_xact_lock_shared(1) offset 0) wait;
      select pg_advisory_lock(1)`);
    t?.after(() =>
      this.query(`
        select pg_advisory_unlock_all();
        drop view statistics;
        alter table slow_statistics rename to statistics`),
    );
    const waiting = `select from pg_locks where locktype = 'advisory' and not granted
                     and database = (select oid from pg_database where datname = current_database())`;
    return {
      held: async () => (await this.query(waiting)).rowCount,
      release: () => this.query('select pg_advisory_unlock(1)'),
    };
  }

  /** Forgets everything cached, as a restart does. */
  async reopen(): Promise<void> {
    const { height } = await readTip(this.session.writer);
    this.applier.resumeAt(await readChainTipAt(this.session.writer, height));
  }

  /** Follows the blocks, `batch` of them at a time, with undo records. */
  async follow(blocks: readonly IdentifiedBlock[], batch = 1): Promise<void> {
    for (let i = 0; i < blocks.length; i += batch) {
      await extendChain(this.session, this.applier, blocks.slice(i, i + batch));
    }
  }

  /** Follows encoded blocks, a hundred at a time. */
  followBytes(encoded: readonly Uint8Array[]): Promise<void> {
    return this.follow(
      encoded.map((bytes) => identifyBlock(bytes)),
      100,
    );
  }

  /**
   * Takes the blocks as a bulk sync does, several batches to a transaction, without undo records. What a batch needs is
   * read before the batch ahead of it is applied, let alone committed, unless the cache is full: then it shrinks first.
   */
  async bulk(blocks: readonly IdentifiedBlock[], batch: number, batchesPerTransaction = 1): Promise<void> {
    const { session, applier } = this;
    const { reader, writer } = session;
    const batches = Array.from({ length: Math.ceil(blocks.length / batch) }, (_, i) =>
      blocks.slice(i * batch, (i + 1) * batch),
    );
    const prepare = async (i: number, previous?: PreparedBlocks): Promise<PreparedBlocks | null> => {
      const next = batches[i];
      if (next === undefined) return null;
      return previous?.prepareNext(reader, next) ?? applier.prepare(reader, next);
    };
    let prepared = await prepare(0);
    for (let i = 0; prepared !== null; ) {
      const state = await inDatabaseTransaction(writer, async () => {
        let applied: AppliedBlocks | undefined;
        for (let taken = 0; taken < batchesPerTransaction && prepared !== null; taken++, i++) {
          const early: PreparedBlocks | null | undefined = applier.isFull ? undefined : await prepare(i + 1, prepared);
          applied = prepared.apply({ undoAbove: Number.POSITIVE_INFINITY });
          await runStatements(writer, blockStatements(applied.records));
          prepared = early === undefined ? await prepare(i + 1) : early;
        }
        const pending = applied!.takeState();
        for (const steps of newStateStatements(pending)) await runStatements(writer, steps);
        return pending;
      });
      state.committed();
    }
    await countDays(writer);
  }

  /** Leaves what is above `ancestor` for other blocks. */
  reorganise(ancestor: number, blocks: readonly IdentifiedBlock[]): Promise<void> {
    return replaceBranch(this.session, this.applier, ancestor, blocks);
  }

  /** Every row of every table as sorted text; without the counter of commits, and without undo records unless asked. */
  dump(options: { undo?: boolean } = {}): Promise<Record<string, string[]>> {
    return dumpTables(this.session.writer, options);
  }
}

const TABLES = [
  ...Object.keys(APPEND_ONLY_TABLES),
  ...Object.values(STATE_TABLES).map(({ table }) => table),
  'price_levels',
  'day_counts',
  'markets',
  'candles',
];

export async function dumpTables(
  client: Pick<pg.Client, 'query'>,
  options: { undo?: boolean } = {},
): Promise<Record<string, string[]>> {
  const dump: Record<string, string[]> = {};
  for (const table of options.undo ? [...TABLES, 'undo'] : TABLES) {
    const { rows } = await client.query<{ line: string }>(
      `select t::text as line from chain_indexer.${table} t order by t::text collate "C"`,
    );
    dump[table] = rows.map(({ line }) => line);
  }
  const { rows } = await client.query<{ line: string }>(
    `select row(height, block_id, timestamp, median_time, transaction_count)::text as line from chain_indexer.chain_tip`,
  );
  dump.chain_tip = rows.map(({ line }) => line);
  return dump;
}
