/** Writes the changed rows of the ledger's state: new rows by COPY, changed and removed ones by one statement a table. */
import type { StateChanges } from '../../ledger/state.ts';
import type { StateChange } from '../../ledger/state-table.ts';
import { arrayOf, CopyLines } from '../copy.ts';
import { copySteps, queryStep, type WriteStep } from '../steps.ts';
import { columnsOf, type StateTableSpec } from './spec.ts';
import { STATE_TABLE_NAMES, STATE_TABLES } from './tables.ts';

export type Spec = Pick<StateTableSpec<never>, 'table' | 'columns' | 'keyLength'>;
/** A row's fields as COPY has them. */
export type Fields = readonly string[];

/** What a batch changed in the state tables. */
export function stateSteps(changes: StateChanges): WriteStep[] {
  return STATE_TABLE_NAMES.flatMap((name) => {
    const spec = STATE_TABLES[name] as StateTableSpec<object>;
    const created = new CopyLines();
    const changed: Fields[] = [];
    const removed: Fields[] = [];
    for (const { before, after } of changes[name] as StateChange<object>[]) {
      if (after !== null && before === null) created.add(spec.fields(after).join('\t'));
      else if (after !== null) changed.push(spec.fields(after));
      else if (before !== null) removed.push(spec.keyFields(before));
    }
    return [
      ...removeSteps(spec, removed),
      ...changeSteps(spec, changed),
      ...copySteps(spec.table, columnsOf(spec), created),
    ];
  });
}

export function createSteps(spec: Spec, rows: readonly Fields[]): WriteStep[] {
  const lines = new CopyLines();
  for (const fields of rows) lines.add(fields.join('\t'));
  return copySteps(spec.table, columnsOf(spec), lines);
}

function changeSteps(spec: Spec, rows: readonly Fields[]): WriteStep[] {
  const columns = columnsOf(spec);
  const assignments = columns.slice(spec.keyLength).map((column) => `${column} = given.${column}`);
  // A row that is all key cannot change.
  if (rows.length === 0 || assignments.length === 0) return [];
  return [
    queryStep(
      `update ${spec.table} set ${assignments.join(', ')} from ${given(spec, columns)} where ${sameKey(spec)}`,
      ...columns.map((_, i) => column(rows, i)),
    ),
  ];
}

/** Removes the rows that have the keys (the first fields of each entry). */
export function removeSteps(spec: Spec, keys: readonly Fields[]): WriteStep[] {
  if (keys.length === 0) return [];
  const columns = columnsOf(spec).slice(0, spec.keyLength);
  return [
    queryStep(
      `delete from ${spec.table} using ${given(spec, columns)} where ${sameKey(spec)}`,
      ...columns.map((_, i) => column(keys, i)),
    ),
  ];
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
