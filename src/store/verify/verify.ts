/** Checks the consistency of an index. Reads only, from one snapshot: the scanner may run at the same time. */
import type pg from 'pg';
import type { Network } from '../../chain/networks/network.ts';
import { OperatorError } from '../../errors/operator-error.ts';
import { closePostgresConnection, type PostgresOptions } from '../postgres/connect.ts';
import { primaryOf } from '../postgres/hosts.ts';
import { beginTransaction } from '../postgres/in-transaction.ts';
import { openWatchedConnection } from '../postgres/watched-connection.ts';
import { requireOwnOrEmptyDatabase } from '../schema/database-identity.ts';
import { checkAmounts } from './amount-checks.ts';
import type { CheckResult } from './check-result.ts';
import { checkSqlIndexes, checkTables } from './cross-table-checks.ts';
import { checkQuickly, type MainChain } from './quick-checks.ts';
import { checkRecomputedChain } from './recomputed-chain-checks.ts';
import { checkRecounts } from './recount-checks.ts';

interface VerifyOptions {
  readonly signal?: AbortSignal;
  /** Makes only the quick checks, against this node. */
  readonly quickWith?: MainChain;
}

/**
 * Makes all checks, one after the other, and yields their results. Throws an OperatorError if the database has no index of
 * the network, and the driver's error if it cannot be read.
 */
export async function* verifyIndex(
  postgres: PostgresOptions,
  network: Network,
  { signal, quickWith }: VerifyOptions = {},
): AsyncGenerator<CheckResult> {
  const name = 'chain-indexer verify';
  const client = await openWatchedConnection(await primaryOf(postgres, name), name, { signal, givesUp: false });
  const stop = (): void => void client.end();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    await beginTransaction(client, 'isolation level repeatable read read only');
    const identity = { network: network.name, genesisId: network.genesisId };
    if ((await requireOwnOrEmptyDatabase(client, identity)) === 'empty') {
      throw new OperatorError(
        `the database ${postgres.database} holds no index; the scanner makes one. Is --postgres-database right?`,
      );
    }
    yield* quickWith === undefined ? checkWholeIndex(client, network) : checkQuickly(client, quickWith);
  } finally {
    signal?.removeEventListener('abort', stop);
    await closePostgresConnection(client);
  }
}

/** All checks, within the client's transaction. */
export async function* checkWholeIndex(client: pg.Client, network: Network): AsyncGenerator<CheckResult> {
  yield* checkTables(client);
  yield await checkSqlIndexes(client);
  yield* checkRecounts(client, network);
  yield* checkAmounts(client, network);
  yield* checkRecomputedChain(client, network);
}

/** The text of a result for people: a line, and a line for each example. */
export function checkResultText({ name, checked, differences, examples }: CheckResult): string {
  if (differences === 0) return `ok     ${name} (${checked})\n`;
  const more = differences > examples.length ? `       … and ${differences - examples.length} more\n` : '';
  const lines = examples.map((example) => `       ${example}\n`).join('');
  return `WRONG  ${name}: ${differences} of ${checked}\n${lines}${more}`;
}
