/**
 * A resync is carried out once. `--resync` in a unit or environment file is the same request at every start, so the
 * index that it made remembers it until a start without `--resync`.
 */
import type pg from 'pg';
import { OperatorError } from '../../errors/operator-error.ts';
import { sqlStatement, type WriteStatement } from '../write/write-plan.ts';
import { type DatabaseIdentity, identifyDatabase, readMeta } from './schema.ts';

const NAME = 'made_by_resync';

/** Part of the transaction that creates an index for `--resync`. */
export function rememberResync(): WriteStatement {
  return sqlStatement('insert into meta (name, value) values ($1, $2)', NAME, new Date().toISOString());
}

/**
 * When the index in the database was begun by the `--resync` that is still set; null if there is something to drop: an
 * index from before, of another network or storage version, or what is no index.
 */
export async function resyncDoneAt(client: pg.Client, identity: DatabaseIdentity): Promise<string | null> {
  try {
    if ((await identifyDatabase(client, identity)) === 'empty') return null;
  } catch (error) {
    if (error instanceof OperatorError) return null;
    throw error;
  }
  return (await readMeta(client)).get(NAME) ?? null;
}

/** A start without `--resync`: the next one with it is a new request. */
export async function endResync(client: pg.Client): Promise<void> {
  if ((await readMeta(client)).has(NAME)) await client.query('delete from meta where name = $1', [NAME]);
}
