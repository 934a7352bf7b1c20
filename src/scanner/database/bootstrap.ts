/**
 * A new index: one transaction creates the tables and puts the genesis into them. The keys come with the first blocks, when
 * the rows are there.
 */
import { decodeGenesis } from '../../chain/codec/genesis.ts';
import { inTransaction } from '../../store/postgres/in-transaction.ts';
import { rememberResync } from '../../store/schema/resync-once.ts';
import { indexStatements, keyStatements, STORAGE_VERSION, tableStatements } from '../../store/schema/schema.ts';
import { allStatements } from '../../store/write/block-batch.ts';
import { markReady } from '../../store/write/tip.ts';
import { runStatements, sqlStatement, type WriteStatement } from '../../store/write/write-statement.ts';
import type { WriterSession } from '../../store/write/writer-session.ts';
import type { Indexer } from '../sync/indexer.ts';

export interface DatabaseBootstrap {
  /** The tables and the genesis: a transaction of its own, before the first block. */
  readonly begin: readonly WriteStatement[];
  /** The keys: at the end of the transaction of the first blocks, or with the indexes for reading. */
  readonly keys: readonly WriteStatement[];
  /** Must be called once `begin` is committed. */
  committed(): void;
}

/** Applies the genesis, and gives what writes it down. `resync`: the index is built anew because of `--resync`. */
export async function prepareNewIndex(indexer: Indexer, resync = false): Promise<DatabaseBootstrap> {
  const { network } = indexer;
  const { records, json, takeState } = indexer.applyGenesis(decodeGenesis(network.genesis), network.genesisId);
  const state = takeState();
  const meta = sqlStatement(
    `insert into meta (name, value) values
       ('storage_version', $1), ('network', $2), ('genesis_id', $3), ('genesis', $4)`,
    STORAGE_VERSION,
    network.name,
    network.genesisId,
    json,
  );
  return {
    begin: [
      ...(await tableStatements()),
      meta,
      ...(resync ? [rememberResync()] : []),
      ...allStatements(records, state),
    ],
    keys: await keyStatements(),
    committed: state.committed,
  };
}

/** Creates an index of the genesis alone, with the indexes for reading: where no bulk sync is to follow. */
export async function bootstrapDatabase({ writer }: WriterSession, bootstrap: DatabaseBootstrap): Promise<void> {
  await inTransaction(writer, async () => {
    await runStatements(writer, [...bootstrap.begin, ...bootstrap.keys]);
    for (const statement of await indexStatements()) await writer.query(statement);
    await markReady(writer);
  });
  bootstrap.committed();
}
