import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LedgerState } from '../../../src/ledger/state.ts';
import { ScannerStatus } from '../../../src/scanner/monitor/status.ts';
import type { AppliedBlocks } from '../../../src/scanner/sync/apply-batches.ts';
import type { BatchWriter, WriteRequest } from '../../../src/scanner/write/batch-writer.ts';
import { BulkCommits } from '../../../src/scanner/write/bulk-commits.ts';
import { AppendOnlyRows } from '../../../src/store/write/append-only-tables.ts';

/** A writer that executes nothing until it is told to. */
class SlowWriter {
  readonly requests: WriteRequest[] = [];
  readonly #done: (() => void)[] = [];

  write(request: WriteRequest): Promise<void> {
    this.requests.push(request);
    return new Promise((resolve) => this.#done.push(resolve));
  }

  get commits(): number {
    return this.requests.filter(({ commits }) => commits).length;
  }

  executeAll(): void {
    for (const resolve of this.#done.splice(0)) resolve();
  }
}

/** An applied batch without rows. `onCommitted`: called when its state is committed. */
function emptyBatch(onCommitted = () => {}): AppliedBlocks {
  const state = new LedgerState();
  return {
    records: { history: new AppendOnlyRows(), undo: [], hasUndoGap: false, startsDay: false },
    takeState: () => ({ chain: state.chain, changes: state.takeChanges(), committed: onCommitted }),
  };
}

/** With `transactionBytes` of 0 each batch is a transaction. */
function commitsTo(writer: SlowWriter, transactionBytes: number): BulkCommits {
  return new BulkCommits(writer as unknown as BatchWriter, new ScannerStatus(), transactionBytes, null);
}

it('batches are sent on while a transaction is being written, until twelve are on their way', async () => {
  const writer = new SlowWriter();
  const transactions = commitsTo(writer, Number.POSITIVE_INFINITY);
  const committed: string[] = [];
  await transactions.add(
    emptyBatch(() => committed.push('first')),
    [],
    { isLast: true },
  );
  for (let i = 0; i < 11; i++) await transactions.add(emptyBatch(), [], { isLast: false });
  assert.deepEqual([writer.commits, committed], [1, []]);

  let isSent = false;
  const next = transactions.add(emptyBatch(), [], { isLast: false }).then(() => (isSent = true));
  await nextTurn();
  assert.equal(isSent, false);
  writer.executeAll();
  await next;
  assert.deepEqual(committed, ['first']);
});

it('transactions are committed in their order', async () => {
  const writer = new SlowWriter();
  const transactions = commitsTo(writer, 0);
  const committed: number[] = [];
  for (const number of [1, 2, 3]) {
    await transactions.add(
      emptyBatch(() => committed.push(number)),
      [],
      { isLast: false },
    );
  }
  assert.equal(writer.commits, 3);
  writer.executeAll();
  await transactions.settle();
  assert.deepEqual(committed, [1, 2, 3]);
});
