/** A scanner that is watched, with its node and its database. */
import type { PostgresOptions } from '../../../src/store/postgres/connect.ts';
import type { Scope } from '../../support/file-scope.ts';
import { testDatabase } from '../../support/postgres.ts';
import { RunningScanner } from '../../support/running-scanner.ts';
import { ScriptedNode } from '../../support/scripted-node.ts';
import { lightChain, SIMULATED_NETWORK } from '../../support/simulated-chain.ts';
import { eventually, until } from '../../support/until.ts';

export const BLOCKS = 120;
export const chain = lightChain(BLOCKS);
export const tip = chain.at(-1)!;

interface Setup {
  readonly height?: number;
  readonly bulkDistance?: number;
  /** Before the scanner starts. */
  readonly prepare?: (node: ScriptedNode, postgres: PostgresOptions) => Promise<PostgresOptions | undefined>;
}

/** It follows the first blocks of the chain. */
export async function watched(t: Scope, { height = BLOCKS, bulkDistance = 50, prepare }: Setup = {}) {
  const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
  node.grow(chain.slice(0, height));
  const database = await testDatabase(t);
  const postgres = (await prepare?.(node, database)) ?? database;
  const scanner = await RunningScanner.start(t, { node, postgres, bulkDistance, isMonitored: true });
  const becomesReady = () => until(async () => (await scanner.says('/ready')).code === 200, 'readiness');
  /** What /ready says as soon as it says something of this kind. */
  const refuses = (reason: RegExp) =>
    eventually(
      `${reason} at /ready`,
      async () => {
        const { code, said } = await scanner.says('/ready');
        return code === 503 && reason.test(said.status) ? said : undefined;
      },
      { explain: () => scanner.logs.map(({ msg }) => msg).join('\n') },
    );
  return { node, scanner, database, becomesReady, refuses };
}
