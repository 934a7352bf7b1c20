/**
 * A new index: one transaction makes the tables and puts the genesis into them. The keys come with the first blocks, when
 * the rows are there.
 */
import { decodeGenesis } from '../../chain/codec/genesis.ts';
import { allSteps } from '../../store/write/block-batch.ts';
import { rememberResync } from '../../store/schema/resync.ts';
import { indexStatements, keySteps, STORAGE_VERSION, tableSteps } from '../../store/schema/schema.ts';
import type { StoreSession } from '../../store/write/writer-session.ts';
import { queryStep, runSteps, type WriteStep } from '../../store/write/write-plan.ts';
import { markReady } from '../../store/write/tip.ts';
import { inTransaction } from '../../store/postgres/in-transaction.ts';
import type { Indexer } from '../sync/indexer.ts';

export interface IndexCreation {
  /** The tables and the genesis: a transaction of its own, before the first block. */
  readonly begin: readonly WriteStep[];
  /** The keys: at the end of the transaction of the first blocks, or with the indexes for reading. */
  readonly keys: readonly WriteStep[];
}

/**
 * Applies the genesis, and gives what writes it down; the indexer has to be told when that is committed. `resync`: the
 * index is made because `--resync` was asked for.
 */
export async function prepareCreation(indexer: Indexer, resync = false): Promise<IndexCreation> {
  const { network } = indexer;
  const { records, text } = indexer.applyGenesis(decodeGenesis(network.genesis), network.genesisId);
  const meta = queryStep(
    `insert into meta (name, value) values
       ('storage_version', $1), ('network', $2), ('genesis_id', $3), ('genesis', $4)`,
    STORAGE_VERSION,
    network.name,
    network.genesisId,
    text,
  );
  return {
    begin: [
      ...(await tableSteps()),
      meta,
      ...(resync ? [rememberResync()] : []),
      ...allSteps(records, indexer.takeState()),
    ],
    keys: await keySteps(),
  };
}

/** Creates an index of the genesis alone, with the indexes for reading: where no bulk sync is to follow. */
export async function createIndex({ writer }: StoreSession, indexer: Indexer, creation: IndexCreation): Promise<void> {
  await inTransaction(writer, async () => {
    await runSteps(writer, [...creation.begin, ...creation.keys]);
    for (const statement of await indexStatements()) await writer.query(statement);
    await markReady(writer);
  });
  indexer.committed();
}
