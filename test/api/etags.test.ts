/** The version in ETags. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { TestIndex } from '../support/indexed-database.ts';
import { spawnWebServer } from '../support/running-web-server.ts';
import { lightChain, SIMULATED_NETWORK } from '../support/simulated-chain.ts';

it('ETags of the same build are the same in two processes, and others in the other response profile', async (t) => {
  const index = await TestIndex.create(t, SIMULATED_NETWORK);
  await index.followBytes(lightChain(3).map(({ bytes }) => bytes));
  const here = await index.serveBoth(t);
  const port = await spawnWebServer(t, index.postgres, `--network=${SIMULATED_NETWORK.name}`);
  const etagAt = async (port: number) =>
    (await fetch(`http://127.0.0.1:${port}/api/v2/chain/genesis`)).headers.get('etag');
  const described = await etagAt(here.described.port);
  const core = await etagAt(here.core.port);
  assert.match(described!, /^W\/"[0-9a-f]{24}-[0-9a-z]+-[0-9a-z]{4,}"$/);
  assert.equal(await etagAt(port), described);
  assert.notEqual(core, described);
});
