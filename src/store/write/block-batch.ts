/** Writes applied blocks and their state as one transaction. */
import type pg from 'pg';
import type { ChainTip, StateChanges } from '../../ledger/state.ts';
import type { AppendOnlyRows } from './append-only-tables.ts';
import { dayCountStatement } from './day-counts.ts';
import { stateStatements } from './state/write-rows.ts';
import { tipStatement } from './tip.ts';
import { runStatements, sqlStatement, type WriteStatement } from './transferable-statements.ts';
import { undoRecordStatements } from './undo-log.ts';

/** The rows and undo records of applied blocks. */
export interface BlockRecords {
  /** The rows of these blocks, and those of earlier blocks that were not taken yet. */
  readonly history: AppendOnlyRows;
  /** The undo records (height, record): of all the blocks, or of the newest where the older ones are never undone. */
  readonly undo: readonly (readonly [number, string])[];
  /** Are there blocks without a record? Then older records are useless and are deleted. */
  readonly hasUndoGap: boolean;
  /** Is one of them the first block of a day? Then a day is over. */
  readonly startsDay: boolean;
}

/** The state that the blocks of a database transaction lead to. */
export interface StateAfterBlocks {
  readonly chain: ChainTip;
  readonly changes: StateChanges;
}

/** The statements of a transaction for a batch of blocks. Tables with fewer bytes than `atLeastBytes` wait for more. */
export function blockStatements({ history, undo, hasUndoGap }: BlockRecords, atLeastBytes = 0): WriteStatement[] {
  return [
    ...history.takeStatements(atLeastBytes),
    ...(hasUndoGap ? [sqlStatement('delete from undo')] : []),
    ...undoRecordStatements(undo),
  ];
}

/** The last statements of a database transaction: the changed state rows of all its blocks, table by table, and the tip. */
export function* newStateStatements({ chain, changes }: StateAfterBlocks): Generator<WriteStatement[]> {
  yield* stateStatements(changes);
  yield [tipStatement(chain)];
}

/** All statements of a database transaction. */
export function batchStatements(records: BlockRecords, state: StateAfterBlocks): WriteStatement[] {
  const counts = records.startsDay ? [dayCountStatement()] : [];
  return [...blockStatements(records), ...[...newStateStatements(state)].flat(), ...counts];
}

/** Writes blocks and the state they lead to, within the client's transaction. */
export async function writeBlocks(client: pg.Client, records: BlockRecords, state: StateAfterBlocks): Promise<void> {
  await runStatements(client, batchStatements(records, state));
}
