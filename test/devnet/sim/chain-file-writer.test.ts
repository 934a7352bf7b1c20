import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ReplayNode } from '../../../src/devnet/replay-node.ts';
import { blockArrivals, chainFileLines } from '../../../src/devnet/sim/build-chain.ts';
import { writeLines } from '../../../src/devnet/sim/chain-file-writer.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { regtestPos, UPGRADES, upgrading } from './networks.ts';

for (const name of ['chain.ndjson', 'chain.ndjson.gz']) {
  test(`a chain that is written to a file is replayed from ${name} as it was made, on a network of its own`, async (t) => {
    const path = join(await temporaryDirectory(t), name);
    const options = { network: upgrading, mix: 'dense', seed: 5, blocks: 50, reorganisationProbability: 0.1 } as const;
    await writeLines(path, chainFileLines(options));
    const node = await ReplayNode.open(path);
    await node.replay();
    let tip = '';
    for (const { block, isTip } of blockArrivals(options)) if (isTip) tip = block.id;
    assert.equal(node.tip().id, tip);
    const described = node.head.line.network as { upgrades: unknown; name: string };
    assert.equal(described.name, 'upgrading');
    assert.deepEqual(described.upgrades, { ...UPGRADES, kernel_of_own_pool: 0 });
    await node.close();
  });
}

test('a chain that is written to a file is made no faster than it is written', async (t) => {
  const path = join(await temporaryDirectory(t), 'long.ndjson');
  const line = 'x'.repeat(1_000_000);
  let made = 0;
  let mostAhead = 0;
  const lines = function* () {
    for (let count = 0; count < 60; count++) {
      yield line;
      made += line.length + 1;
      mostAhead = Math.max(mostAhead, made - (statSync(path, { throwIfNoEntry: false })?.size ?? 0));
    }
  };
  await writeLines(path, lines());
  assert.equal(statSync(path).size, made);
  assert.ok(mostAhead < 8_000_000, `${mostAhead} bytes ahead of the file`);
});

test('a chain that is written to a file says when the file cannot be written', async (t) => {
  const path = join(await temporaryDirectory(t), 'no-such-folder', 'chain.ndjson');
  await assert.rejects(
    writeLines(path, chainFileLines({ network: regtestPos, mix: 'demo', seed: 1, blocks: 3 })),
    /ENOENT/,
  );
});
