import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { mainnet } from '../../src/chain/networks/known-networks.ts';
import { loadNetwork } from '../../src/config/network.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('a network is known or in a file', async (t) => {
  const directory = await temporaryDirectory(t);
  const path = join(directory, 'ours.json');
  await writeFile(path, JSON.stringify({ base: 'regtest', name: 'ours', upgrades: { orders_v1: 100 } }));
  assert.equal(loadNetwork('mainnet'), mainnet);
  assert.equal(loadNetwork(path).name, 'ours');
  await writeFile(path, '{');
  assert.throws(() => loadNetwork(path), /network file .*ours\.json is not JSON/);
  assert.throws(() => loadNetwork(join(directory, 'theirs.json')), /network file .*theirs\.json cannot be read/);
  // A device that never ends would fill the memory.
  for (const path of ['/dev/zero', directory]) assert.throws(() => loadNetwork(path), /it is no file of a network/);
  assert.throws(() => loadNetwork('moonnet'), /there is no network "moonnet"/);
});
