/**
 * Undo records: for each of the newest blocks the old values of what it changed in the state tables.
 *
 * A record is text, one line per change: the table's name, then `-` and the key for a row that did not exist before,
 * `+` and the whole row for one that was removed, or `~`, the key and what else may change for one that was changed;
 * fields separated by tabs, null is nothing (no field of ours is ever an empty text).
 */
import type pg from 'pg';
import { MAX_REORGANISATION_DEPTH } from '../../chain/reorganisation-depth.ts';
import type { LedgerState } from '../../ledger/state.ts';
import { type ColumnType, columnTypesOf, columnValueFromText, columnValueText } from '../postgres/column-values.ts';
import { CopyRows } from '../postgres/copy.ts';
import type { StateTableDefinition } from './state/define-state-table.ts';
import { STATE_TABLE_NAMES, STATE_TABLES, type StateTableName } from './state/state-tables.ts';
import { deleteStatements, insertStatements, type RowFields, updateStatements } from './state/write-rows.ts';
import { copyStatements, runStatements, sqlStatement, type WriteStatement } from './transferable-statements.ts';

/**
 * The number of newest blocks that have undo records: as many as a reorganisation can remove. With fewer records the index
 * might be unable to follow the node, and more would never be used.
 */
export const UNDO_DEPTH = MAX_REORGANISATION_DEPTH;

/** Starts to record what the next block changes. */
export function startUndoRecord(state: LedgerState): void {
  for (const table of Object.values(state.tables)) table.startBlock();
}

/** The undo record of the block that was just applied. */
export function finishUndoRecord(state: LedgerState): string {
  const lines: string[] = [];
  for (const name of STATE_TABLE_NAMES) collectLines(state, name, lines);
  return lines.join('\n');
}

function collectLines(state: LedgerState, name: StateTableName, lines: string[]): void {
  const spec = STATE_TABLES[name] as StateTableDefinition<object>;
  for (const { before, after } of state.tables[name].finishBlock()) {
    if (before === null) lines.push(recordLine(name, '-', spec.keyFields(after!)));
    else if (after === null) lines.push(recordLine(name, '+', spec.allFields(before)));
    else lines.push(recordLine(name, '~', spec.keyAndChangingFields(before)));
  }
}

/** The change of a row: created, removed or changed. */
type Mark = '-' | '+' | '~';

/** The types of the columns that a line with the mark holds. */
const TYPES = Object.fromEntries(
  Object.entries(STATE_TABLES).map(([name, spec]) => {
    const { key, changing } = spec.columns;
    return [
      name,
      {
        '-': columnTypesOf(key),
        '+': columnTypesOf(spec.columns.all),
        '~': columnTypesOf({ ...key, ...changing }),
      },
    ];
  }),
) as Record<StateTableName, Record<Mark, ColumnType[]>>;

function recordLine(name: StateTableName, mark: Mark, fields: RowFields): string {
  const types = TYPES[name][mark];
  let line = `${name}\t${mark}`;
  for (let i = 0; i < fields.length; i++) line += `\t${columnValueText(types[i]!, fields[i]!)}`;
  return line;
}

/** The columns of the table `undo`. */
export const UNDO_COLUMNS = { height: 'integer', data: 'text' } as const;

/** Stores the records of new blocks (height, record) and deletes those deeper than `UNDO_DEPTH`. */
export function undoRecordStatements(records: readonly (readonly [number, string])[]): WriteStatement[] {
  const last = records.at(-1);
  if (last === undefined) return [];
  const rows = new CopyRows(UNDO_COLUMNS);
  for (const [height, data] of records) rows.addRow({ height, data });
  return [
    ...copyStatements('undo', rows),
    sqlStatement('delete from undo where height <= $1', `${last[0] - UNDO_DEPTH}`),
  ];
}

/** The lowest height that the undo records lead back to; `tip` when there are none. */
export async function lowestUndoHeight(client: pg.Client, tip: number): Promise<number> {
  const { rows } = await client.query<{ lowest: number | null }>('select min(height) as lowest from undo');
  return (rows[0]?.lowest ?? tip + 1) - 1;
}

/** Restores the state tables as they were at `height` and deletes the records above it. */
export async function restoreState(client: pg.Client, height: number): Promise<void> {
  const { rows } = await client.query<{ data: string }>(
    'with deleted as (delete from undo where height > $1 returning height, data) select data from deleted order by height desc',
    [height],
  );
  const oldest = new Map<StateTableName, Map<string, OldRow>>(STATE_TABLE_NAMES.map((name) => [name, new Map()]));
  // Goes from the newest block to the oldest: the oldest value of each key is the one that stays.
  for (const { data } of rows) {
    for (const line of data.split('\n')) {
      if (line === '') continue;
      const [name, mark, ...texts] = line.split('\t') as [StateTableName, Mark, ...string[]];
      const types = TYPES[name];
      const fields = texts.map((text, i) => columnValueFromText(types[mark][i]!, text));
      const keyLength = types['-'].length;
      const key = texts.slice(0, keyLength).join('\t');
      const table = oldest.get(name)!;
      table.set(key, olderRow(table.get(key), mark, fields, keyLength));
    }
  }
  for (const [name, old] of oldest) {
    const spec = STATE_TABLES[name];
    const marked = (...marks: Mark[]): RowFields[] =>
      [...old.values()].filter(({ mark }) => marks.includes(mark)).map(({ fields }) => fields);
    await runStatements(client, [
      ...deleteStatements(spec, marked('-', '+')),
      ...updateStatements(spec, marked('~')),
      ...insertStatements(spec, marked('+')),
    ]);
  }
}

interface OldRow {
  readonly mark: Mark;
  /** The fields in a line with this mark. */
  readonly fields: RowFields;
}

/** Returns a row before a change, given the later changes. */
function olderRow(later: OldRow | undefined, mark: Mark, fields: RowFields, keyLength: number): OldRow {
  if (mark !== '~' || later?.mark !== '+') return { mark, fields };
  // It was removed later: what did not change until then is known from there.
  const changing = fields.slice(keyLength);
  return { mark: '+', fields: [...later.fields.slice(0, later.fields.length - changing.length), ...changing] };
}
