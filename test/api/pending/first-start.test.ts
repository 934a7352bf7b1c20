/** The mempool's mirror beside an index that is still being made. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyBlock } from '../../../src/chain/codec/block.ts';
import { serveRpc } from '../../../src/devnet/rpc-server.ts';
import { SimulatedNode } from '../../../src/devnet/sim/simulated-node.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { SIMULATED_NETWORK as network } from '../../support/simulated-chain.ts';
import { until } from '../../support/until.ts';
import { Notebook, startTestWebServer } from '../../support/web-server.ts';

/** PostgreSQL may be silent for seconds on a busy machine. */
const WRONG = /^(warn|error) (?!Waiting for PostgreSQL)/;
/** The mirror waits two seconds for the index before it goes on without. */
const LONG_ENOUGH_MS = 2_500;

it('a web server whose index is still being made logs no warning, and resolves what is pending when the index is there', async (t) => {
  const node = await SimulatedNode.open({ network, seed: 'first-start', mix: 'dense' });
  node.growTo(30);
  const rpc = await serveRpc(node);
  t.after(() => rpc.close());
  const ids = node.mempoolTransactions().map(({ id }) => id);
  assert.ok(ids.length > 0);
  const index = await TestIndex.create(t, network);
  await index.query('update chain_tip set is_ready = false, revision = revision + 1');
  const logger = new Notebook();
  const server = await startTestWebServer(t, {
    network,
    postgres: index.postgres,
    node: { address: rpc.address, auth: { type: 'none' } },
    logger,
  });
  await sleep(LONG_ENOUGH_MS);
  assert.deepEqual(logger.of(WRONG), []);

  await index.follow(
    Array.from({ length: node.tip().height }, (_, i) => identifyBlock(node.blockBytes(node.mainChainId(i + 1)!)!)),
  );
  await index.query('update chain_tip set is_ready = true, revision = revision + 1');
  const feeOf = async () => (await server.get(`/transaction/${ids[0]}`)).body?.fee;
  await until(async () => (await feeOf()) !== undefined, 'what is pending is resolved');
  assert.match((await feeOf()).decimal, /^\d/);
  assert.deepEqual(logger.of(WRONG), []);
});
