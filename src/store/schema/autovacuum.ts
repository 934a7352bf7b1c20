/**
 * Autovacuum during a bulk sync. The append-only tables have nothing to clean then, and nobody reads them, but they grow so fast
 * that its workers would come to them again and again. They leave them alone, and clean the state tables instead: the removed
 * rows there make each look-up of the ledger slower.
 */
import type pg from 'pg';
import { APPEND_ONLY_TABLES } from '../write/append-only-tables.ts';
import { sqlStatement, type WriteStatement } from '../write/transferable-statements.ts';

/** The statement that keeps autovacuum from the append-only tables, for the transaction that creates them. */
export function suspendAutovacuum(): WriteStatement {
  return sqlStatement(alterTables('set (autovacuum_enabled = false)'));
}

/** Lets autovacuum have all tables again, for the transaction that makes the index ready. */
export async function resumeAutovacuum(client: pg.Client): Promise<void> {
  await client.query(alterTables('reset (autovacuum_enabled)'));
}

function alterTables(action: string): string {
  return Object.keys(APPEND_ONLY_TABLES)
    .map((table) => `alter table ${table} ${action}`)
    .join(';\n');
}
