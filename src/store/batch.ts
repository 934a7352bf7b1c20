/** A batch of applied blocks on its way into the database, and the one transaction that it becomes. */
import type pg from 'pg';
import type { ChainTip, StateChanges } from '../ledger/state.ts';
import type { HistoryLines } from './history.ts';
import { stateSteps } from './state/write.ts';
import { queryStep, runSteps, type WriteStep } from './steps.ts';
import { tipStep } from './tip.ts';
import { undoSteps } from './undo.ts';

export interface Batch {
  /** The tip after the batch. */
  readonly chain: ChainTip;
  readonly history: HistoryLines;
  readonly state: StateChanges;
  /** The undo records (height, record) of its newest blocks: of all of them, unless the older ones are never undone. */
  readonly undo: readonly (readonly [number, string])[];
  /** Are there blocks without a record? Then no older record leads anywhere. */
  readonly hasUndoGap: boolean;
}

/** Everything that the batch does to the database, its tip last. */
export function batchSteps({ chain, history, state, undo, hasUndoGap }: Batch): WriteStep[] {
  return [
    ...history.steps(),
    ...stateSteps(state),
    ...(hasUndoGap ? [queryStep('delete from undo')] : []),
    ...undoSteps(undo),
    tipStep(chain),
  ];
}

/** Writes a batch within the client's transaction. */
export async function writeBatch(client: pg.Client, batch: Batch): Promise<void> {
  await runSteps(client, batchSteps(batch));
}
