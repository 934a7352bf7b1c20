/** Scanners that follow a scripted node, and what they leave when they are stopped. */
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import { fileScope, type Scope } from './file-scope.ts';
import { TestIndex } from './indexed-database.ts';
import { testDatabase } from './postgres.ts';
import { RunningScanner } from './running-scanner.ts';
import { type NodeBlock, ScriptedNode } from './scripted-node.ts';
import { SIMULATED_NETWORK } from './simulated-chain.ts';

/** A scanner at the tip of these blocks, with its node and its database. */
export async function startFollowing(t: Scope, blocks: readonly NodeBlock[], bulkDistance?: number) {
  const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
  node.grow(blocks);
  const postgres = await testDatabase(t);
  const scanner = await RunningScanner.start(t, {
    node,
    postgres,
    ...(bulkDistance === undefined ? {} : { bulkDistance }),
  });
  await scanner.reaches(blocks.at(-1)!.id);
  return { node, postgres, scanner };
}

/**
 * Databases with the index that a scanner made of these blocks before it was stopped: made once, and copied for each test. To
 * be called at the top of a test file.
 */
export function stoppedScanner(blocks: readonly NodeBlock[]): (t: Scope) => Promise<PostgresOptions> {
  const scope = fileScope();
  let made: Promise<PostgresOptions> | undefined;
  const make = async () => {
    const { postgres, scanner } = await startFollowing(scope, blocks);
    await scanner.stop();
    return postgres;
  };
  return async (t) => {
    made ??= make();
    return testDatabase(t, (await made).database);
  };
}

/** The tables of an index that followed these blocks and no others. */
export async function dumpOf(t: Scope, blocks: readonly NodeBlock[]): Promise<Record<string, string[]>> {
  const index = await TestIndex.create(t, SIMULATED_NETWORK);
  await index.followBytes(blocks.map(({ bytes }) => bytes));
  return await index.dump();
}
