/**
 * The record of a carried-out `--resync`. The option drops the index only once, even if it stays in a unit or environment
 * file: the new index records that a resync made it, until a start without `--resync` removes the record.
 */
import type pg from 'pg';
import { OperatorError } from '../../errors/operator-error.ts';
import { sqlStatement, type WriteStatement } from '../write/transferable-statements.ts';
import { type DatabaseIdentity, readMeta, requireOwnOrEmptyDatabase } from './database-identity.ts';

const NAME = 'made_by_resync';

/** The statement that records a resync, for the transaction that creates the index. */
export function resyncStatement(): WriteStatement {
  return sqlStatement('insert into meta (name, value) values ($1, $2)', NAME, new Date().toISOString());
}

/**
 * Returns when the resync that created the index in the database began. Null if no resync created it, if it is of
 * another network or storage version, if there are other tables, and if the schema is empty.
 */
export async function resyncDoneAt(client: pg.Client, identity: DatabaseIdentity): Promise<string | null> {
  try {
    if ((await requireOwnOrEmptyDatabase(client, identity)) === 'empty') return null;
  } catch (error) {
    if (error instanceof OperatorError) return null;
    throw error;
  }
  return (await readMeta(client)).get(NAME) ?? null;
}

/** Called at a start without `--resync`. Forgets that a resync was done, so that a later start with the option resyncs again. */
export async function removeResyncRecord(client: pg.Client): Promise<void> {
  if ((await readMeta(client)).has(NAME)) await client.query('delete from meta where name = $1', [NAME]);
}
