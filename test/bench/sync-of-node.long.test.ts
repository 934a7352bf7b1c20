/** `npm run bench -- sync --node`: a sync from a node that runs already. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ScriptedNode } from '../support/scripted-node.ts';
import { lightChain, SIMULATED_NETWORK } from '../support/simulated-chain.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const main = fileURLToPath(new URL('../../bench/main.ts', import.meta.url));
const env = {
  ...process.env,
  ML_API_SCANNER_DAEMON_NODE_RPC_USERNAME: 'u',
  ML_API_SCANNER_DAEMON_NODE_RPC_PASSWORD: 'p',
};
const bench = (...args: string[]) => promisify(execFile)(process.execPath, [main, ...args], { env });

test('the benchmark measures a sync from a running node up to its tip, and only that', async (t) => {
  const chain = lightChain(40, 3);
  const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
  node.grow(chain);
  const json = join(await temporaryDirectory(t), 'result.json');
  const args = ['--node', node.address, '--network', SIMULATED_NETWORK.name];
  const { stdout } = await bench('sync', ...args, '--json', json);
  assert.match(stdout, new RegExp(`Bulk sync: regtest-pos of the node at ${node.address}, 40 blocks`));
  assert.doesNotMatch(stdout, /devnet/);
  const { sync } = JSON.parse(await readFile(json, 'utf8')) as { sync: { blocks: number; blocksPerSecond: number } };
  assert.equal(sync.blocks, 40);
  assert.ok(sync.blocksPerSecond > 0);
  await assert.rejects(bench(...args), { code: 2, stderr: /--node is for the part sync alone/ });
});
