/**
 * The rules of the simulation against a real node: whatever that node put into its chain must be taken here, block by
 * block, and all that was minted must be found again.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { networkFromChainFile } from '../../../src/chain/networks/file.ts';
import { ReplayNode } from '../../../src/devnet/replay.ts';
import { Simulation } from '../../../src/devnet/sim/simulation.ts';
import { imbalances } from '../../../src/devnet/sim/totals.ts';

const own = ['r21.ndjson.gz', 'v0.ndjson.gz'].map((name) => new URL(`../../golden/${name}`, import.meta.url));
const shared = ['s11.ndjson', 's31.ndjson', 'bulk-2k.ndjson.gz'].map(
  (name) => new URL(`../../../../shared/golden/${name}`, import.meta.url),
);

describe('the rules of the simulation take all that a real node took', () => {
  for (const url of [...own, ...shared]) {
    const skip = !existsSync(url) && 'the recorded chain is not here';
    test(url.pathname.slice(url.pathname.lastIndexOf('/') + 1), { skip }, async () => {
      const recorded = await ReplayNode.open(url.pathname);
      await recorded.replay();
      const network = networkFromChainFile(recorded.head.line);
      const simulation = new Simulation({ network, seed: 'a stranger', mix: 'demo' });
      const { height, id } = recorded.tip();
      for (let at = 1; at <= height; at++) simulation.restore(recorded.blockBytes(recorded.mainChainId(at)!)!);
      assert.equal(simulation.tipId, id);
      assert.deepEqual(imbalances(simulation.world), []);
      await recorded.close();
    });
  }
});
