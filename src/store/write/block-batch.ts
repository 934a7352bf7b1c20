/** Applied blocks on their way into the database, and the transaction that they become. */
import type pg from 'pg';
import type { ChainTip, StateChanges } from '../../ledger/state.ts';
import type { HistoryRows } from './append-only-tables.ts';
import { stateSteps } from './state/write.ts';
import { queryStep, runSteps, type WriteStep } from './write-plan.ts';
import { tipStep } from './tip.ts';
import { undoSteps } from './undo-log.ts';

/** What blocks did. */
export interface BlockRecords {
  /** Also of blocks before, as long as nobody took it. */
  readonly history: HistoryRows;
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

/** The part of a transaction that grows with the blocks; where history has less than so many bytes for a table, they stay. */
export function blockSteps({ history, undo, hasUndoGap }: BlockRecords, atLeastBytes = 0): WriteStep[] {
  return [...history.steps(atLeastBytes), ...(hasUndoGap ? [queryStep('delete from undo')] : []), ...undoSteps(undo)];
}

/** The end of a transaction: what all its blocks together changed, table by table, and its tip. */
export function* newStateSteps({ chain, changes }: NewState): Generator<WriteStep[]> {
  yield* stateSteps(changes);
  yield [tipStep(chain)];
}

/** A whole transaction: what blocks did, and where they led. */
export function allSteps(records: BlockRecords, state: NewState): WriteStep[] {
  return [...blockSteps(records), ...[...newStateSteps(state)].flat()];
}

/** Writes blocks and what they changed within the client's transaction. */
export async function writeBlocks(client: pg.Client, records: BlockRecords, state: NewState): Promise<void> {
  await runSteps(client, allSteps(records, state));
}
