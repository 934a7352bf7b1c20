/**
 * The rules of the simulation against a real node: whatever that node put into its chain must be taken here, block by
 * block, and all that was minted must be found again.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { networkFromChainFile } from '../../../src/chain/networks/custom-network.ts';
import { ReplayNode } from '../../../src/devnet/replay-node.ts';
import { Simulation } from '../../../src/devnet/sim/simulation.ts';
import { recording } from '../../support/recordings.ts';
import { imbalances } from '../../support/simulated-totals.ts';

const own = ['regtest-8-reorganisations.ndjson.gz', 'regtest-2-upgrades.ndjson.gz'].map((name) =>
  fileURLToPath(new URL(`../../golden/${name}`, import.meta.url)),
);
const recorded = ['s11.ndjson', 's31.ndjson', 'bulk-2k.ndjson.gz'].map(recording);

for (const path of [...own, ...recorded]) {
  const skip = !existsSync(path) && 'the recorded chain is not here';
  test(`the simulation takes every block of ${basename(path)}, and finds again all that was minted`, {
    skip,
  }, async () => {
    const node = await ReplayNode.open(path);
    await node.replay();
    const network = networkFromChainFile(node.head.line);
    const simulation = new Simulation({ network, seed: 'a stranger', mix: 'demo' });
    const { height, id } = node.tip();
    for (let at = 1; at <= height; at++) simulation.restore(node.blockBytes(node.mainChainId(at)!)!);
    assert.equal(simulation.tipId, id);
    assert.deepEqual(imbalances(simulation.world), []);
    await node.close();
  });
}
