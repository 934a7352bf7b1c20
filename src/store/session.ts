/** The scanner's connections: one that writes, one that reads ahead; and the right to be the only writer. */
import type pg from 'pg';
import { OperatorError } from '../config/operator-error.ts';
import { createClient, type PostgresOptions } from './connect.ts';

/** Any two scanners of one database meet at this advisory lock. */
const WRITER_LOCK = 0x4d4c_6978;

/**
 * The ledger's reads and writes go by key, always; the planner must not guess otherwise while a bulk sync grows the
 * tables under it. A crash of the database may lose the newest commits, which the scanner then fetches again.
 */
export const WRITE_BY_KEY = `
  set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off; set enable_material = off;
  set jit = off; set synchronous_commit = off; set statement_timeout = 0`;

export class StoreSession {
  readonly writer: pg.Client;
  readonly reader: pg.Client;

  private constructor(writer: pg.Client, reader: pg.Client) {
    this.writer = writer;
    this.reader = reader;
  }

  /**
   * Opens both connections and takes the writer's lock. `onLost` is told when a connection breaks while nobody waits
   * for it. Throws an OperatorError when the operator has to act, the driver's error when trying again may help.
   */
  static async open(options: PostgresOptions, onLost: (error: Error) => void): Promise<StoreSession> {
    const writer = createClient(options, 'chain-indexer scanner');
    const reader = createClient(options, 'chain-indexer scanner (reads)');
    for (const client of [writer, reader]) client.on('error', onLost);
    try {
      await writer.connect();
      await reader.connect();
      const { rows } = await writer.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
        WRITER_LOCK,
      ]);
      if (!rows[0]?.taken) {
        throw new OperatorError(`another scanner is writing to the database ${options.database}: stop it first`);
      }
      await checkServer(writer);
      return new StoreSession(writer, reader);
    } catch (error) {
      await Promise.allSettled([writer.end(), reader.end()]);
      throw explain(error, options);
    }
  }

  /** Makes the connections ready for blocks. */
  async prepare(): Promise<void> {
    await this.writer.query(WRITE_BY_KEY);
    await this.reader.query(WRITE_BY_KEY);
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.writer.end(), this.reader.end()]);
  }
}

const OLDEST_SERVER = 150_000;

async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string; encoding: string }>(
    `select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding`,
  );
  if (Number(rows[0]?.version) < OLDEST_SERVER) throw new OperatorError('PostgreSQL 15 or newer is needed');
  if (rows[0]?.encoding !== 'UTF8') {
    throw new OperatorError(`the database has the encoding ${rows[0]?.encoding}, UTF8 is needed`);
  }
}

/** Errors of PostgreSQL that no waiting cures. */
const REFUSALS: Record<string, (options: PostgresOptions, message: string) => string> = {
  '28P01': (options) => `PostgreSQL refuses the password of user ${options.user}`,
  '28000': (options, message) => `PostgreSQL refuses user ${options.user}: ${message}`,
  '3D000': (options) => `there is no database ${options.database}: create it (createdb ${options.database})`,
  '42501': (options, message) => `user ${options.user} may not do this in PostgreSQL: ${message}`,
};

function explain(error: unknown, options: PostgresOptions): unknown {
  const { code, message } = error as { code?: string; message?: string };
  const refusal = code === undefined ? undefined : REFUSALS[code];
  return refusal === undefined ? error : new OperatorError(refusal(options, message ?? ''));
}
