/** Writes the changed rows of the ledger's state: new ones, changed ones and removed ones, each with one COPY a table. */
import type pg from 'pg';
import type { StateChanges } from '../ledger/state.ts';
import type { StateChange } from '../ledger/state-table.ts';
import { copyInto } from './copy.ts';
import { STATE_TABLE_NAMES, STATE_TABLES, type StateTableSpec } from './state-tables.ts';

type Spec = Pick<StateTableSpec<never>, 'table' | 'columns' | 'keyLength'>;

/** The lines of a batch for one table. */
export interface StateLines {
  readonly spec: Spec;
  readonly created: readonly string[];
  readonly changed: readonly string[];
  /** The key fields of removed rows. */
  readonly removed: readonly string[];
}

/** The changes of a batch as lines. */
export function stateLines(changes: StateChanges): StateLines[] {
  return STATE_TABLE_NAMES.map((name) => {
    const spec = STATE_TABLES[name] as StateTableSpec<object>;
    const created: string[] = [];
    const changed: string[] = [];
    const removed: string[] = [];
    for (const { before, after } of changes[name] as StateChange<object>[]) {
      if (after !== null) (before === null ? created : changed).push(spec.fields(after).join('\t'));
      else if (before !== null) removed.push(spec.fields(before).slice(0, spec.keyLength).join('\t'));
    }
    return { spec, created, changed, removed };
  });
}

/** The tables that lines of changed and removed rows go through; they live as long as the connection. */
export async function createStagingTables(client: pg.Client): Promise<void> {
  for (const name of STATE_TABLE_NAMES) {
    const { table, columns, keyLength } = STATE_TABLES[name];
    const key = columns.slice(0, keyLength).join(', ');
    await client.query(
      `create temp table changed_${table} on commit delete rows as select ${columns.join(', ')} from ${table} with no data;
       create temp table removed_${table} on commit delete rows as select ${key} from ${table} with no data`,
    );
  }
}

export async function writeStateLines(client: pg.Client, tables: readonly StateLines[]): Promise<void> {
  for (const { spec, created, changed, removed } of tables) {
    await removeRows(client, spec, removed);
    await changeRows(client, spec, changed);
    await copyInto(client, spec.table, spec.columns, created);
  }
}

async function changeRows(client: pg.Client, spec: Spec, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  const { table, columns, keyLength } = spec;
  await copyInto(client, `changed_${table}`, columns, lines);
  const assignments = columns.slice(keyLength).map((column) => `${column} = changed.${column}`);
  await client.query(
    `with changed as (delete from changed_${table} returning *)
     update ${table} set ${assignments.join(', ')} from changed where ${sameKey(spec, 'changed')}`,
  );
}

/** Removes the rows with the keys (lines of the key's fields). */
export async function removeRows(client: pg.Client, spec: Spec, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const { table, columns, keyLength } = spec;
  await copyInto(client, `removed_${table}`, columns.slice(0, keyLength), keys);
  await client.query(
    `with removed as (delete from removed_${table} returning *)
     delete from ${table} using removed where ${sameKey(spec, 'removed')}`,
  );
}

function sameKey({ table, columns, keyLength }: Spec, other: string): string {
  return columns
    .slice(0, keyLength)
    .map((column) => `${table}.${column} = ${other}.${column}`)
    .join(' and ');
}
