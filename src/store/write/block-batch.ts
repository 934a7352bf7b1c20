/** Writes applied blocks and their state as one transaction. */
import type pg from 'pg';
import type { ChainTip, StateChanges } from '../../ledger/state.ts';
import type { AppendOnlyRows } from './append-only-tables.ts';
import { stateSteps } from './state/write.ts';
import { tipStatement } from './tip.ts';
import { undoStatements } from './undo-log.ts';
import { runStatements, sqlStatement, type WriteStatement } from './write-plan.ts';

/** What blocks did. */
export interface BlockRecords {
  /** Also of blocks before, as long as nobody took it. */
  readonly history: AppendOnlyRows;
  /** The undo records (height, record) of its newest blocks: of all of them, unless the older ones are never undone. */
  readonly undo: readonly (readonly [number, string])[];
  /** Are there blocks without a record? Then no older record leads anywhere. */
  readonly hasUndoGap: boolean;
}

/** Where a transaction's blocks led. */
export interface NewState {
  readonly chain: ChainTip;
  readonly changes: StateChanges;
}

/**
 * The part of a transaction that grows with the blocks; where history has less than so many bytes for a table, they
 * stay.
 */
export function blockStatements({ history, undo, hasUndoGap }: BlockRecords, atLeastBytes = 0): WriteStatement[] {
  return [
    ...history.steps(atLeastBytes),
    ...(hasUndoGap ? [sqlStatement('delete from undo')] : []),
    ...undoStatements(undo),
  ];
}

/** The end of a transaction: what all its blocks together changed, table by table, and its tip. */
export function* newStateSteps({ chain, changes }: NewState): Generator<WriteStatement[]> {
  yield* stateSteps(changes);
  yield [tipStatement(chain)];
}

/** A whole transaction: what blocks did, and where they led. */
export function allStatements(records: BlockRecords, state: NewState): WriteStatement[] {
  return [...blockStatements(records), ...[...newStateSteps(state)].flat()];
}

/** Writes blocks and what they changed within the client's transaction. */
export async function writeBlocks(client: pg.Client, records: BlockRecords, state: NewState): Promise<void> {
  await runStatements(client, allStatements(records, state));
}
