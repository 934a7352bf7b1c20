import { decodeGenesis } from '../chain/codec/genesis.ts';
import { writeBlocks } from '../store/batch.ts';
import { createTables, indexStatements, STORAGE_VERSION } from '../store/schema.ts';
import type { StoreSession } from '../store/session.ts';
import { markReady } from '../store/tip.ts';
import { inTransaction } from '../store/transaction.ts';
import type { Indexer } from './indexer.ts';

/**
 * Applies the genesis at once, then creates the tables and puts it into them, all or nothing. `ready`: with the indexes
 * for reading, which is right when no bulk sync is to follow.
 */
export async function createIndex(
  { writer }: StoreSession,
  indexer: Indexer,
  options: { ready: boolean },
): Promise<void> {
  const { network } = indexer;
  const { records, text } = indexer.applyGenesis(decodeGenesis(network.genesis), network.genesisId);
  const state = indexer.takeState();
  await inTransaction(writer, async () => {
    await createTables(writer);
    await writeBlocks(writer, records, state);
    await writer.query(
      `insert into meta (name, value) values
         ('storage_version', $1), ('network', $2), ('genesis_id', $3), ('genesis', $4)`,
      [STORAGE_VERSION, network.name, network.genesisId, text],
    );
    if (options.ready) {
      for (const statement of await indexStatements()) await writer.query(statement);
      await markReady(writer);
    }
  });
  indexer.committed();
}
