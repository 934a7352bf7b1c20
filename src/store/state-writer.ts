/** Writes the changed rows of the ledger's state: new rows by COPY, changed and removed ones by one statement a table. */
import type pg from 'pg';
import type { StateChanges } from '../ledger/state.ts';
import type { StateChange } from '../ledger/state-table.ts';
import { arrayOf, copyInto } from './copy.ts';
import { columnsOf, STATE_TABLE_NAMES, STATE_TABLES, type StateTableSpec } from './state-tables.ts';

export type Spec = Pick<StateTableSpec<never>, 'table' | 'columns' | 'keyLength'>;
/** A row's fields as COPY has them. */
export type Fields = readonly string[];

/** What a batch does to one table. */
export interface TableChanges {
  readonly spec: Spec;
  readonly created: readonly Fields[];
  readonly changed: readonly Fields[];
  /** At least the key fields of the rows. */
  readonly removed: readonly Fields[];
}

/** The changes of a batch as fields. */
export function tableChanges(changes: StateChanges): TableChanges[] {
  return STATE_TABLE_NAMES.map((name) => {
    const spec = STATE_TABLES[name] as StateTableSpec<object>;
    const created: Fields[] = [];
    const changed: Fields[] = [];
    const removed: Fields[] = [];
    for (const { before, after } of changes[name] as StateChange<object>[]) {
      if (after !== null) (before === null ? created : changed).push(spec.fields(after));
      else if (before !== null) removed.push(spec.fields(before));
    }
    return { spec, created, changed, removed };
  });
}

export async function writeTableChanges(client: pg.Client, tables: readonly TableChanges[]): Promise<void> {
  for (const { spec, created, changed, removed } of tables) {
    await removeRows(client, spec, removed);
    await changeRows(client, spec, changed);
    await createRows(client, spec, created);
  }
}

export async function createRows(client: pg.Client, spec: Spec, rows: readonly Fields[]): Promise<void> {
  const lines = rows.map((fields) => fields.join('\t'));
  await copyInto(client, spec.table, columnsOf(spec), lines);
}

async function changeRows(client: pg.Client, spec: Spec, rows: readonly Fields[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = columnsOf(spec);
  const assignments = columns.slice(spec.keyLength).map((column) => `${column} = given.${column}`);
  await client.query(
    `update ${spec.table} set ${assignments.join(', ')} from ${given(spec, columns)} where ${sameKey(spec)}`,
    columns.map((_, i) => column(rows, i)),
  );
}

/** Removes the rows that have the keys. */
export async function removeRows(client: pg.Client, spec: Spec, keys: readonly Fields[]): Promise<void> {
  if (keys.length === 0) return;
  const columns = columnsOf(spec).slice(0, spec.keyLength);
  await client.query(
    `delete from ${spec.table} using ${given(spec, columns)} where ${sameKey(spec)}`,
    columns.map((_, i) => column(keys, i)),
  );
}

/** Rows that come as one array parameter a column. */
function given(spec: Spec, columns: readonly string[]): string {
  const arrays = columns.map((column, i) => `$${i + 1}::${spec.columns[column]}[]`);
  return `unnest(${arrays.join(', ')}) as given (${columns.join(', ')})`;
}

function sameKey(spec: Spec): string {
  const key = columnsOf(spec).slice(0, spec.keyLength);
  return key.map((column) => `${spec.table}.${column} = given.${column}`).join(' and ');
}

function column(rows: readonly Fields[], index: number): string {
  return arrayOf(rows.map((fields) => fields[index] ?? ''));
}
