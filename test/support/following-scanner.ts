/** Scanners that follow a scripted node, for tests of reorganisations. */
import type { Scope } from './file-scope.ts';
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

/** The tables of an index that followed these blocks and no others. */
export async function dumpOf(t: Scope, blocks: readonly NodeBlock[]): Promise<Record<string, string[]>> {
  const index = await TestIndex.create(t, SIMULATED_NETWORK);
  await index.followBytes(blocks.map(({ bytes }) => bytes));
  return await index.dump();
}
