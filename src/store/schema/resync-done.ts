/**
 * The record of a carried-out `--resync`. The option drops the index only once, even if it stays in a unit or environment
 * file: the new index records that a resync made it, until a start without `--resync` removes the record.
 */
import type pg from 'pg';
import type { WriteStatement } from '../write/transferable-statements.ts';
import { readMeta, setMetaStatement } from './database-identity.ts';

const NAME = 'made_by_resync';

/** The statement that records a resync, for the transaction that creates the index. */
export function resyncStatement(): WriteStatement {
  return setMetaStatement(NAME, new Date().toISOString());
}

/** Returns when the resync that created the index in the database began; undefined if no resync created it. */
export async function resyncDoneAt(client: pg.Client): Promise<string | undefined> {
  return (await readMeta(client)).get(NAME);
}

/** Called at a start without `--resync`. Forgets that a resync was done, so that a later start with the option resyncs again. */
export async function removeResyncRecord(client: pg.Client): Promise<void> {
  if ((await readMeta(client)).has(NAME)) await client.query('delete from meta where name = $1', [NAME]);
}
