/**
 * Reads a result of any length, of one snapshot, in constant memory: on a connection of its own, in one read transaction, by a
 * cursor in the database.
 */
import type pg from 'pg';
import { argumentTexts } from '../postgres/column-values.ts';
import { breakPostgresConnection, closePostgresConnection, type PostgresOptions } from '../postgres/connect.ts';
import { beginTransaction } from '../postgres/in-transaction.ts';
import { openLongStatementConnection } from '../postgres/long-statement-connection.ts';
import type { Query, SnapshotTip, SqlValue } from './query.ts';
import { READING_SETTINGS } from './read-connection.ts';
import { classifyPgError, StoreError } from './store-error.ts';

/** The rows of a batch: more of them would keep the event loop from others for longer than a few milliseconds. */
const BATCH_ROWS = 500;
/** The first batch of a sorted result takes as long as the sort. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** A connection on which nothing arrives although PostgreSQL should have cancelled the statement is closed. */
const SILENCE_MS = STATEMENT_TIMEOUT_MS + 2_000;
/** PostgreSQL ends the transaction of a process that asks for no more rows, which has stopped without a word. */
const IDLE_TIMEOUT_MS = 300_000;

interface TipRow extends Record<string, unknown> {
  readonly revision: number;
  readonly height: number;
  readonly block_id: string;
}

export class ExportReader<Row> {
  readonly tip: SnapshotTip;
  readonly #client: pg.Client;

  private constructor(client: pg.Client, tip: SnapshotTip) {
    this.#client = client;
    this.tip = tip;
  }

  /** Begins to read a query's rows, whatever their number. To be closed. Throws a {@link StoreError}. */
  static async open<P extends readonly SqlValue[], Row>(
    postgres: PostgresOptions,
    query: Query<P, Row>,
    parameters: P,
  ): Promise<ExportReader<Row>> {
    let client: pg.Client | null = null;
    try {
      const timeouts = { giveUpMs: SILENCE_MS, ...postgres.timeouts };
      client = await openLongStatementConnection({ ...postgres, timeouts }, 'chain-indexer export');
      await client.query(`${READING_SETTINGS};
        set statement_timeout = ${STATEMENT_TIMEOUT_MS};
        set lock_timeout = 0;
        set idle_in_transaction_session_timeout = ${IDLE_TIMEOUT_MS}`);
      await beginTransaction(client, 'isolation level repeatable read read only');
      const tips = await client.query<TipRow>('select revision, height, block_id from chain_tip where is_ready');
      const tip = tips.rows[0];
      if (tip === undefined) throw new StoreError('not ready');
      await client.query(`declare rows no scroll cursor for ${query.sql}`, argumentTexts(query, parameters));
      const { revision, height, block_id: id } = tip;
      return new ExportReader<Row>(client, { revision, height, id });
    } catch (error) {
      if (client !== null) breakPostgresConnection(client);
      throw storeError(error);
    }
  }

  /** Returns the next rows; none after the last one. Throws a {@link StoreError}. */
  async next(): Promise<Row[]> {
    try {
      const { rows } = await this.#client.query<Row & Record<string, unknown>>(`fetch ${BATCH_ROWS} from rows`);
      return rows;
    } catch (error) {
      throw storeError(error);
    }
  }

  /** Ends the transaction, also in the middle of a statement: that fails. */
  close(): void {
    void closePostgresConnection(this.#client);
  }
}

function storeError(error: unknown): StoreError {
  return error instanceof StoreError ? error : new StoreError(classifyPgError(error as Error).kind, error as Error);
}
