/** `up` with other chains than the small simulated one. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/embedded/free-port.ts';
import { memoryDirectory } from '../support/temporary-directory.ts';
import { eventually } from '../support/until.ts';
import { assertUrlsAnswer, UP_PATIENCE as PATIENCE, Up } from '../support/up-program.ts';

test('up tells which URLs to try when a chain that is synced in bulk can be asked for', async (t) => {
  const dataDir = await memoryDirectory('chain-indexer-up-');
  const address = `127.0.0.1:${await freePort()}`;
  const up = new Up([`--data-dir=${dataDir}`, `--bind-address=${address}`, '--preset=mainnet', '--blocks=1200']);
  t.after(async () => {
    await up.end('SIGTERM');
    await rm(dataDir, { recursive: true, force: true });
  });
  await assertUrlsAnswer(up, `http://${address}`);
  // A status, not a line for each of the indexes.
  assert.ok(up.output.split('sync phase').length < 5, up.output);
});

test('up goes on with a recorded chain where its index is', async (t) => {
  const dataDir = await memoryDirectory('chain-indexer-up-');
  const started: Up[] = [];
  t.after(async () => {
    for (const up of started) await up.end('SIGTERM');
    await rm(dataDir, { recursive: true, force: true });
  });
  const chain = fileURLToPath(new URL('../../chains/regtest-220-blocks.ndjson.gz', import.meta.url));
  const address = `127.0.0.1:${await freePort()}`;
  const args = [`--data-dir=${dataDir}`, `--bind-address=${address}`, `--replay=${chain}`];
  const first = new Up([...args, '--upto=31']);
  started.push(first);
  const block = async () => {
    const answer = await fetch(`http://${address}/api/v2/chain/30`).catch(() => undefined);
    return answer?.ok ? await answer.json() : void (await answer?.body?.cancel());
  };
  await eventually('the tip', block, PATIENCE);
  assert.equal(await first.end('SIGINT'), 0);
  const second = new Up([...args, '--block-interval=600000']);
  started.push(second);
  await second.says(/devnet is listening address=\S+ height=30 /);
  await second.says(/the index is open height=30 /);
});
