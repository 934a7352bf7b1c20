/**
 * Undo records: for each of the newest blocks the old rows of what it changed in the state tables.
 *
 * A record is text, one line per change: the table's name, then `-` and the key for a row that did not exist before, or
 * `+` and the whole old row; fields separated by tabs, null is nothing (no field of ours is ever an empty text).
 */
import type pg from 'pg';
import type { LedgerState } from '../ledger/state.ts';
import { CopyLines, NULL, text } from './copy.ts';
import type { StateTableSpec } from './state/spec.ts';
import { STATE_TABLE_NAMES, STATE_TABLES, type StateTableName } from './state/tables.ts';
import { createSteps, type Fields, removeSteps } from './state/write.ts';
import { copySteps, queryStep, runSteps, type WriteStep } from './steps.ts';

/** The deepest reorganisation of the network, in blocks: as many undo records are kept. */
export const UNDO_DEPTH = 1000;

/** Starts to remember what the next block changes. */
export function startUndo(state: LedgerState): void {
  for (const table of Object.values(state.tables)) table.startBlock();
}

/** The undo record of the block that was just applied, as a field of COPY. */
export function finishUndo(state: LedgerState): string {
  const lines: string[] = [];
  for (const name of STATE_TABLE_NAMES) collectLines(state, name, lines);
  return lines.join(LINE_END);
}

/** Tabs and line ends within a record, as COPY escapes them. */
const TAB = '\\t';
const LINE_END = '\\n';

function collectLines(state: LedgerState, name: StateTableName, lines: string[]): void {
  const spec = STATE_TABLES[name] as StateTableSpec<object>;
  for (const { before, after } of state.tables[name].finishBlock()) {
    if (before !== null) lines.push(recordLine(name, '+', spec.fields(before)));
    else if (after !== null) lines.push(recordLine(name, '-', spec.keyFields(after)));
  }
}

function recordLine(name: StateTableName, existed: '+' | '-', fields: Fields): string {
  let line = name + TAB + existed;
  for (const field of fields) line += field === NULL ? TAB : TAB + field;
  return line;
}

/** Keeps the records of new blocks (height, record) and drops those that are too deep to be needed. */
export function undoSteps(records: readonly (readonly [number, string])[]): WriteStep[] {
  const last = records.at(-1);
  if (last === undefined) return [];
  const lines = new CopyLines();
  for (const [height, record] of records) lines.add(`${height}\t${record}`);
  return [
    ...copySteps('undo', ['height', 'data'], lines),
    queryStep('delete from undo where height <= $1', `${last[0] - UNDO_DEPTH}`),
  ];
}

/** The lowest height that the undo records lead back to; `tip` when there are none. */
export async function lowestUndoHeight(client: pg.Client, tip: number): Promise<number> {
  const { rows } = await client.query<{ lowest: number | null }>('select min(height) as lowest from undo');
  return (rows[0]?.lowest ?? tip + 1) - 1;
}

/** Puts the state tables back to what they were at `height` and drops the records above it. */
export async function restore(client: pg.Client, height: number): Promise<void> {
  const { rows } = await client.query<{ data: string }>(
    'with gone as (delete from undo where height > $1 returning height, data) select data from gone order by height desc',
    [height],
  );
  const oldest = new Map<StateTableName, Map<string, OldRow>>(STATE_TABLE_NAMES.map((name) => [name, new Map()]));
  // From the newest block to the oldest: the oldest value of each key is the one that stays.
  for (const { data } of rows) {
    for (const line of data.split('\n')) {
      if (line === '') continue;
      const [name, existed, ...texts] = line.split('\t') as [StateTableName, '+' | '-', ...string[]];
      const fields = texts.map((field) => (field === '' ? NULL : text(field)));
      const key = fields.slice(0, STATE_TABLES[name].keyLength).join('\t');
      oldest.get(name)?.set(key, { fields, existed: existed === '+' });
    }
  }
  for (const [name, old] of oldest) {
    const values = [...old.values()];
    const existing = values.filter(({ existed }) => existed);
    const spec = STATE_TABLES[name];
    const keys = values.map(({ fields }) => fields);
    const rowsBefore = existing.map(({ fields }) => fields);
    await runSteps(client, [...removeSteps(spec, keys), ...createSteps(spec, rowsBefore)]);
  }
}

interface OldRow {
  /** The whole row when it existed, else its key. */
  readonly fields: Fields;
  readonly existed: boolean;
}
