/** Reorganisations as deep as a scanner can undo. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { UNDO_DEPTH } from '../../../src/store/write/undo-log.ts';
import { dumpOf, startFollowing } from '../../support/following-scanner.ts';
import { consistentDump, query } from '../../support/running-scanner.ts';
import { lightSimulation, SIMULATED_NETWORK } from '../../support/simulated-chain.ts';

const last = <T>(list: readonly T[]): T => list.at(-1)!;

/** As many blocks longer is the branch that comes. */
const EXTRA = 5;

it('a chain longer than the undo depth keeps an undo record for each block of the undo depth, is undone as deep as that and no deeper, and goes on when the node is back on it', async (t) => {
  const simulation = lightSimulation(8);
  const trunk = simulation.mine(30);
  const old = simulation.mine(UNDO_DEPTH);
  const branch = simulation.reorganise(UNDO_DEPTH, UNDO_DEPTH + EXTRA);
  const { node, postgres, scanner } = await startFollowing(t, [...trunk, ...old]);
  assert.deepEqual(await undoRecords(postgres), { count: UNDO_DEPTH, lowest: trunk.length + 1 });

  node.replace([...trunk, ...branch]);
  await scanner.reaches(last(branch).id);
  assert.deepEqual(await undoRecords(postgres), { count: UNDO_DEPTH, lowest: trunk.length + EXTRA + 1 });
  const dump = await consistentDump(postgres, SIMULATED_NETWORK);
  assert.deepEqual(dump, await dumpOf(t, [...trunk, ...branch]));

  // The old branch again, with a block more than can be undone.
  node.replace([...trunk, ...old]);
  const lowest = trunk.length + EXTRA;
  const reason = `parts from the index below height ${lowest}, more than the ${UNDO_DEPTH} blocks`;
  const { level, error } = await scanner.logged(reason);
  assert.equal(level, 50);
  assert.match(String(error), /nothing was changed.*--resync/);
  assert.deepEqual(await consistentDump(postgres, SIMULATED_NETWORK), dump);

  // The node comes back to the branch of the index.
  const more = simulation.mine(1);
  node.replace([...trunk, ...branch, ...more]);
  await scanner.reaches(last(more).id);
});

async function undoRecords(postgres: Parameters<typeof query>[0]): Promise<{ count: number; lowest: number }> {
  const { rows } = await query<{ count: number; lowest: number }>(
    postgres,
    'select count(*)::int as count, min(height) as lowest from chain_indexer.undo',
  );
  return rows[0]!;
}
