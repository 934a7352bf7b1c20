/** A batch of applied blocks on its way into the database, and the one transaction that it becomes. */
import type pg from 'pg';
import type { ChainTip } from '../ledger/state.ts';
import type { HistoryLines } from './history.ts';
import { type TableChanges, writeTableChanges } from './state-writer.ts';
import { writeTip } from './tip.ts';
import { writeUndo } from './undo.ts';

export interface Batch {
  /** The tip after the batch. */
  readonly chain: ChainTip;
  readonly history: HistoryLines;
  readonly state: readonly TableChanges[];
  /** The undo records (height, record) of its newest blocks: of all of them, unless the older ones are never undone. */
  readonly undo: readonly (readonly [number, string])[];
  /** Are there blocks without a record? Then no older record leads anywhere. */
  readonly hasUndoGap: boolean;
}

/** Writes a batch within the client's transaction. */
export async function writeBatch(client: pg.Client, batch: Batch): Promise<void> {
  await batch.history.write(client);
  await writeTableChanges(client, batch.state);
  if (batch.hasUndoGap) await client.query('delete from undo');
  await writeUndo(client, batch.undo);
  await writeTip(client, batch.chain);
}

/** Runs `work` in a transaction: everything of it, or nothing. */
export async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    // A lost connection has rolled back already; the first error is the one that matters.
    await client.query('rollback').catch(() => {});
    throw error;
  }
}
