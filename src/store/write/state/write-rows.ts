/** Writes the changed rows of the ledger's state: new rows by COPY, changed and removed ones by one statement a table. */
import type { StateChanges } from '../../../ledger/state.ts';
import type { StateChange } from '../../../ledger/state-table.ts';
import { arrayText, type ColumnValue, columnTypesOf, type TableColumns } from '../../postgres/column-values.ts';
import { CopyRows } from '../../postgres/copy.ts';
import { copyStatements, sqlStatement, type WriteStatement } from '../transferable-statements.ts';
import type { StateTableDefinition } from './define-state-table.ts';
import { STATE_TABLE_NAMES, STATE_TABLES } from './state-tables.ts';

type TableSpec = Pick<StateTableDefinition<never>, 'table' | 'columns'>;
/** Fields of a row. */
export type RowFields = readonly ColumnValue[];

/** Rows in one piece of a table's new rows: the first piece is being written while the next is encoded. */
const ROWS_AT_ONCE = 16_000;

/**
 * Yields the statements that write the changed rows, table by table, in pieces. The rows come in the order of their keys, so
 * that a page of the key's index is read and written once, and not again for each of its rows.
 */
export function* stateStatements(changes: StateChanges): Generator<WriteStatement[]> {
  for (const name of STATE_TABLE_NAMES) {
    const spec = STATE_TABLES[name] as StateTableDefinition<object>;
    const changed: RowFields[] = [];
    const removed: RowFields[] = [];
    const created = new CopyRows(spec.columns.all);
    let count = 0;
    const changesByKey = (changes[name] as StateChange<object>[]).toSorted((a, b) => (a.key < b.key ? -1 : 1));
    for (const { before, after } of changesByKey) {
      if (after !== null && before === null) {
        created.add(spec.allFields(after));
        if (++count % ROWS_AT_ONCE !== 0) continue;
        yield copyStatements(spec.table, created);
      } else if (after !== null) changed.push(spec.keyAndChangingFields(after));
      else if (before !== null) removed.push(spec.keyFields(before));
    }
    const statements = [
      ...deleteStatements(spec, removed),
      ...updateStatements(spec, changed),
      ...copyStatements(spec.table, created),
    ];
    if (statements.length > 0) yield statements;
  }
}

/** Returns the statements that add rows. `rows`: all their fields. */
export function insertStatements(spec: TableSpec, rows: readonly RowFields[]): WriteStatement[] {
  const created = new CopyRows(spec.columns.all);
  for (const fields of rows) created.add(fields);
  return copyStatements(spec.table, created);
}

/** Returns the statements that change rows. `rows`: the fields of their keys, and of the columns that may change. */
export function updateStatements(spec: TableSpec, rows: readonly RowFields[]): WriteStatement[] {
  const { key, changing } = spec.columns;
  const columns = { ...key, ...changing };
  const assignments = Object.keys(changing).map((column) => `${column} = given.${column}`);
  // A row that is all key cannot change.
  if (rows.length === 0 || assignments.length === 0) return [];
  return [
    sqlStatement(
      `update ${spec.table} set ${assignments.join(', ')} from ${given(columns)} where ${sameKey(spec)}`,
      ...columnwise(rows, columns),
    ),
  ];
}

/** Returns the statements that remove rows. `keys`: the key is the first fields of each entry. */
export function deleteStatements(spec: TableSpec, keys: readonly RowFields[]): WriteStatement[] {
  if (keys.length === 0) return [];
  const { key } = spec.columns;
  return [
    sqlStatement(`delete from ${spec.table} using ${given(key)} where ${sameKey(spec)}`, ...columnwise(keys, key)),
  ];
}

/** Rows that come as one array parameter a column. */
function given(columns: TableColumns): string {
  const arrays = columnTypesOf(columns).map((type, i) => `$${i + 1}::${type}[]`);
  return `unnest(${arrays.join(', ')}) as given (${Object.keys(columns).join(', ')})`;
}

function sameKey({ table, columns }: TableSpec): string {
  return Object.keys(columns.key)
    .map((column) => `${table}.${column} = given.${column}`)
    .join(' and ');
}

/** The first columns of the rows, each as the text of an array. */
function columnwise(rows: readonly RowFields[], columns: TableColumns): string[] {
  return columnTypesOf(columns).map((type, i) =>
    arrayText(
      type,
      rows.map((fields) => fields[i] ?? null),
    ),
  );
}
