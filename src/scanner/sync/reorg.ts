/** Blocks into the database, with undo records: on top of the chain, or in place of a branch. */
import type { IdentifiedBlock } from '../../chain/types.ts';
import { inTransaction } from '../../store/postgres/in-transaction.ts';
import { deleteAbove } from '../../store/write/append-only-tables.ts';
import { writeBlocks } from '../../store/write/block-batch.ts';
import { rememberLeftBlocks } from '../../store/write/left-blocks.ts';
import { readChainAt } from '../../store/write/tip.ts';
import { restoreState } from '../../store/write/undo-log.ts';
import type { WriterSession } from '../../store/write/writer-session.ts';
import type { Indexer } from './indexer.ts';

/** Applies and commits blocks that follow the tip. */
export async function extendChain(
  session: WriterSession,
  indexer: Indexer,
  blocks: readonly IdentifiedBlock[],
): Promise<void> {
  indexer.evict();
  const records = indexer.apply(await indexer.prepare(session.reader, blocks));
  await inTransaction(session.writer, () => writeBlocks(session.writer, records, indexer.takeState()));
  indexer.committed();
}

/** Leaves the blocks above `ancestor` and puts others in their place, in one transaction: readers see one or the other. */
export async function replaceBranch(
  session: WriterSession,
  indexer: Indexer,
  ancestor: number,
  blocks: readonly IdentifiedBlock[],
): Promise<void> {
  const { writer } = session;
  await inTransaction(writer, async () => {
    const fork = await readChainAt(writer, ancestor);
    await restoreState(writer, ancestor);
    await rememberLeftBlocks(writer, ancestor);
    await deleteAbove(writer, ancestor, fork.transactionCount);
    indexer.resumeAt(fork);
    const records = indexer.apply(await indexer.prepare(writer, blocks));
    await writeBlocks(writer, records, indexer.takeState());
  });
  indexer.committed();
}
