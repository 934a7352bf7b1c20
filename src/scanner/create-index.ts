/**
 * A new index: its first transaction makes the tables, puts the genesis into them and whatever blocks come at once, and
 * makes the keys when the rows are there. So there is no index, or one that holds something; and PostgreSQL need not log
 * what goes into tables that nobody has seen yet.
 */
import { decodeGenesis } from '../chain/codec/genesis.ts';
import { blockSteps, newStateSteps } from '../store/batch.ts';
import { indexStatements, keyStatements, STORAGE_VERSION, tableSteps } from '../store/schema.ts';
import type { StoreSession } from '../store/session.ts';
import { queryStep, runSteps, type WriteStep } from '../store/steps.ts';
import { markReady } from '../store/tip.ts';
import { inTransaction } from '../store/transaction.ts';
import type { Indexer } from './indexer.ts';

/** What the first transaction of an index does besides writing its blocks and their state. */
export interface IndexCreation {
  /** The tables and the genesis: before the first block. */
  readonly begin: readonly WriteStep[];
  /** The keys: after the last row, before anything is changed. */
  readonly end: readonly WriteStep[];
}

/** Applies the genesis, and gives what writes it down. */
export async function prepareCreation(indexer: Indexer): Promise<IndexCreation> {
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
    begin: [...(await tableSteps()), meta, ...blockSteps(records)],
    end: (await keyStatements()).map((statement) => queryStep(statement)),
  };
}

/** Creates an index of the genesis alone, with the indexes for reading: where no bulk sync is to follow. */
export async function createIndex({ writer }: StoreSession, indexer: Indexer, creation: IndexCreation): Promise<void> {
  await inTransaction(writer, async () => {
    await runSteps(writer, creation.begin);
    for (const steps of newStateSteps(indexer.takeState())) await runSteps(writer, steps);
    await runSteps(writer, creation.end);
    for (const statement of await indexStatements()) await writer.query(statement);
    await markReady(writer);
  });
  indexer.committed();
}
