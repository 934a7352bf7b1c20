/** Checks the consistency of an index. Reads only, from one snapshot: the scanner may run at the same time. */
import type pg from 'pg';
import type { Network } from '../../chain/networks/network.ts';
import { OperatorError } from '../../errors/operator-error.ts';
import { closePostgresConnection, type PostgresOptions } from '../postgres/connect.ts';
import { primaryOf } from '../postgres/hosts.ts';
import { beginTransaction } from '../postgres/in-transaction.ts';
import { openLongStatementConnection } from '../postgres/long-statement-connection.ts';
import { explainFinalPostgresError } from '../postgres/postgres-error.ts';
import { requireOwnOrEmptyDatabase } from '../schema/database-identity.ts';
import type { CheckResult } from './check-result.ts';
import { compareIndexes } from './compare-indexes.ts';
import { checkQuickly, type MainChain } from './quick-checks.ts';
import { checkSqlIndexes, checkTables } from './run-sql-checks.ts';

interface VerifyOptions {
  readonly signal?: AbortSignal | undefined;
  /** Makes only the quick checks, against this node. */
  readonly quickWith?: MainChain | undefined;
  /** Only compares the tables with those of this second index. */
  readonly against?: PostgresOptions | undefined;
}

/**
 * Makes all checks, one after the other, and yields their results. Throws an OperatorError if a database has no index of
 * the network, and the driver's error if it cannot be read.
 */
export async function* verifyIndex(
  postgres: PostgresOptions,
  network: Network,
  { signal, quickWith, against }: VerifyOptions = {},
): AsyncGenerator<CheckResult> {
  const client = await openSnapshot(postgres, network, signal);
  try {
    if (against !== undefined) yield* compareWith(client, network, against, signal);
    else yield* quickWith === undefined ? checkWholeIndex(client) : checkQuickly(client, quickWith);
  } finally {
    await closePostgresConnection(client);
  }
}

async function* compareWith(
  client: pg.Client,
  network: Network,
  against: PostgresOptions,
  signal: AbortSignal | undefined,
): AsyncGenerator<CheckResult> {
  const other = await openSnapshot(against, network, signal).catch((error: unknown) => {
    throw explainFinalPostgresError(error, against);
  });
  try {
    yield* compareIndexes(client, other);
  } finally {
    await closePostgresConnection(other);
  }
}

/** Opens a connection that reads one snapshot of the index, until the signal. */
export async function openSnapshot(
  postgres: PostgresOptions,
  network: Network,
  signal?: AbortSignal,
): Promise<pg.Client> {
  const name = 'chain-indexer verify';
  const client = await openLongStatementConnection(await primaryOf(postgres, name), name, { signal, givesUp: false });
  const stop = (): void => void client.end();
  signal?.addEventListener('abort', stop, { once: true });
  client.once('end', () => signal?.removeEventListener('abort', stop));
  try {
    await beginTransaction(client, 'isolation level repeatable read read only');
    if ((await requireOwnOrEmptyDatabase(client, network)) === 'ours') return client;
    throw new OperatorError(
      `the database ${postgres.database} holds no index; the scanner makes one. Is --postgres-database right?`,
    );
  } catch (error) {
    await closePostgresConnection(client);
    throw error;
  }
}

/** All checks but the comparison, within the client's transaction. */
export async function* checkWholeIndex(client: pg.Client): AsyncGenerator<CheckResult> {
  yield* checkTables(client);
  yield await checkSqlIndexes(client);
}

/** The text of a result for people: a line, and a line for each example. */
export function checkResultText({ name, checked, differences, examples }: CheckResult): string {
  if (differences === 0) return `ok     ${name} (${checked})\n`;
  const more = differences > examples.length ? `       … and ${differences - examples.length} more\n` : '';
  const lines = examples.map((example) => `       ${example}\n`).join('');
  return `WRONG  ${name}: ${differences} of ${checked}\n${lines}${more}`;
}
