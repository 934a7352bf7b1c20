import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { regtest, regtestPos } from '../../src/chain/networks/known-networks.ts';
import { loadNetwork } from '../../src/config/network.ts';
import { readRecordedNetwork } from '../../src/up/recorded-network.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

async function chainFile(t: TestContext, head: object): Promise<{ file: string; dataDir: string }> {
  const dataDir = await temporaryDirectory(t);
  const file = join(dataDir, 'chain.ndjson');
  await writeFile(file, `${JSON.stringify(head)}\n`);
  return { file, dataDir };
}

test('a chain from a known genesis belongs to the known network', async (t) => {
  const { file, dataDir } = await chainFile(t, { genesis: regtestPos.genesis, id: regtestPos.genesisId });
  const { network, networkArgument } = await readRecordedNetwork(file, dataDir);
  assert.equal(network, regtestPos);
  assert.equal(networkArgument, 'regtest-pos');
});

test('a network of its own is written into a file that the programs can load', async (t) => {
  const { genesis, genesisId: id } = regtestPos;
  const { file, dataDir } = await chainFile(t, {
    genesis,
    id,
    network: { base: 'regtest', name: 'old-rules', upgrades: { orders_v1: 100 } },
  });
  const { network, networkArgument } = await readRecordedNetwork(file, dataDir);
  assert.equal(network.upgrades.ordersV1, 100);
  assert.deepEqual(loadNetwork(networkArgument), network);
  assert.equal((JSON.parse(await readFile(networkArgument, 'utf8')) as { name: string }).name, 'old-rules');
});

test('a network that cannot be, and a file that is not there, are refused with the name of the file', async (t) => {
  const { genesis, genesisId: id } = regtest;
  const { file, dataDir } = await chainFile(t, { genesis, id, network: { base: 'moonnet' } });
  await assert.rejects(readRecordedNetwork(file, dataDir), /chain\.ndjson: .*moonnet/);
  await assert.rejects(readRecordedNetwork(`${file}.gone`, dataDir), /There is no chain file .*chain\.ndjson\.gone\./);
});
