import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { identifyBlock } from '../../../src/chain/codec/block.ts';
import { SimulatedNode } from '../../../src/devnet/sim/simulated-node.ts';
import { imbalances } from '../../support/simulated-totals.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { regtestPos } from './networks.ts';

const demo = { network: regtestPos, mix: 'demo', seed: 'node' } as const;

test('a chain that is kept in a file is gone on with after a restart, also when the last line is cut off', async (t) => {
  const chainFile = join(await temporaryDirectory(t), 'kept.ndjson');
  const options = { ...demo, seed: 'kept', chainFile, reorganisationProbability: 0.1 };
  const first = await SimulatedNode.open(options);
  first.growTo(40);
  await appendFile(chainFile, '{"height":41,"id":"ab');
  const second = await SimulatedNode.open(options);
  assert.equal(second.tip().id, first.tip().id);
  second.growTo(80);
  const third = await SimulatedNode.open(options);
  assert.equal(third.tip().id, second.tip().id);
  third.growTo(90);
  for (let height = 1; height <= 90; height++) {
    const id = third.mainChainId(height)!;
    assert.equal(identifyBlock(third.blockBytes(id)!).id, id);
  }
  third.simulation.rewind(0);
  assert.deepEqual(imbalances(third.simulation.world), []);
  const { world } = third.simulation;
  assert.ok(world.contracts.size + world.coins.size > 100, 'it found the keys of what can be spent');
});

test('a chain that is kept in a file is refused when it is of another network or damaged', async (t) => {
  const chainFile = join(await temporaryDirectory(t), 'other.ndjson');
  await writeFile(chainFile, '{"genesis":"00"}\n');
  await assert.rejects(SimulatedNode.open({ ...demo, chainFile }), /line 1/);
  await writeFile(chainFile, 'no line of it is whole');
  const node = await SimulatedNode.open({ ...demo, chainFile });
  assert.equal(node.tip().height, 0);
  node.growTo(2);
  const lines = (await readFile(chainFile, 'utf8')).split('\n');
  await writeFile(chainFile, `${[lines[0], lines[2]].join('\n')}\n`);
  await assert.rejects(SimulatedNode.open({ ...demo, chainFile }), /has not come before/);
});
