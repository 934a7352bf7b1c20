/** Web servers beside a promotion whose old primary lives on, and beside a replica that does not replay, with real servers. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { noReplication, optionsFor, type PostgresServer, startReplicated } from '../../bench/replicated-postgres.ts';
import { Scrape } from '../support/prometheus.ts';
import { RunningScanner } from '../support/running-scanner.ts';
import { ScriptedNode } from '../support/scripted-node.ts';
import { lightChain, SIMULATED_NETWORK } from '../support/simulated-chain.ts';
import { until } from '../support/until.ts';
import { Notebook, startTestWebServer, type TestServer } from '../support/web-server.ts';

const network = SIMULATED_NETWORK;
const skip = noReplication;
const MAX_LAG_SECONDS = 3;
const PATIENCE = { withinMs: 60_000 };

const databaseOf = async (server: TestServer) => (await server.request('/status')).body.database;
const heightOf = async (server: TestServer) => (await server.json('/chain/tip')).block_height;

/** `/ready`, `/status` and the metric must say the same. */
async function isReadyEverywhere(server: TestServer): Promise<boolean> {
  const scrape = await Scrape.fresh(server.port);
  const { status } = await server.request('/ready');
  const { body } = await server.request('/status');
  assert.equal(body.ready, status === 200);
  assert.equal(scrape.value('chain_indexer_ready'), Number(status === 200));
  return body.ready;
}

it('web servers read from the newest timeline while the old primary lives, and a paused replay is not ready anywhere', {
  skip,
  timeout: 240_000,
}, async (t) => {
  const chain = lightChain(40, 'promotion');
  const node = await ScriptedNode.start(t, network);
  node.grow(chain.slice(0, 20));
  const { primary, replicas } = await startReplicated(t, 1);
  const replica = replicas[0]!;
  const old = await RunningScanner.start(t, { node, postgres: optionsFor(primary) });
  await old.reaches(chain[19]!.id);

  const start = async (...hosts: readonly PostgresServer[]) => {
    const logger = new Notebook();
    const options = { network, postgres: optionsFor(...hosts), maxLagSeconds: MAX_LAG_SECONDS, logger };
    return { server: await startTestWebServer(t, options), logger };
  };
  const serve = async (...hosts: readonly PostgresServer[]) => {
    const started = await start(...hosts);
    await until(() => started.server.isReady(), 'readiness', PATIENCE);
    return started;
  };
  const onPrimary = await serve(primary, replica);
  const onReplica = await serve(replica, primary);
  assert.equal((await databaseOf(onPrimary.server)).host, `127.0.0.1:${primary.port}`);
  assert.equal((await databaseOf(onReplica.server)).role, 'replica');

  // Replay is paused: what it serves gets old.
  await replica.query('select pg_wal_replay_pause()');
  node.grow(chain.slice(20, 22));
  await until(async () => !(await onReplica.server.isReady()), 'the replica is too old', PATIENCE);
  assert.equal(await isReadyEverywhere(onReplica.server), false);
  const scrape = await Scrape.fresh(onReplica.server.port);
  assert.ok([...scrape.samples('chain_indexer_replica_lag_seconds').values()][0]! > MAX_LAG_SECONDS);
  await until(() => onReplica.logger.of(/^warn Not ready.*behind/).length > 0, 'a line in the log');
  assert.equal(await isReadyEverywhere(onPrimary.server), true);
  await replica.query('select pg_wal_replay_resume()');
  await until(() => onReplica.server.isReady(), 'the replica has caught up', PATIENCE);

  // The old primary lives on, and its scanner writes to it.
  await replica.promote();
  const isOnNew = async ({ server }: typeof onPrimary) => {
    const { host, role, timeline } = await databaseOf(server);
    return host === `127.0.0.1:${replica.port}` && role === 'primary' && timeline === '00000002';
  };
  await until(() => isOnNew(onPrimary), 'the web server has left the old primary', PATIENCE);
  await until(() => isOnNew(onReplica), 'the web server of the promoted one knows it', PATIENCE);
  assert.equal(onPrimary.logger.of(/was promoted.*no longer the old primary/).length, 1);
  const label = `chain_indexer_database_in_use{database="127.0.0.1:${replica.port}",role="primary",timeline="00000002"}`;
  assert.equal((await Scrape.fresh(onPrimary.server.port)).value(label), 1);

  // Until the scanner follows, what is served is too old, whatever the role says.
  node.grow(chain.slice(22, 26));
  await old.reaches(chain[25]!.id);
  // One that starts now has not seen the old primary grow.
  const startedBetween = await start(primary, replica);
  for (const { server } of [onPrimary, onReplica, startedBetween]) {
    await until(async () => !(await server.isReady()), 'what is served is too old', PATIENCE);
    assert.match((await server.request('/ready')).text, /Another database server has had a newer tip/);
    assert.equal(await isReadyEverywhere(server), false);
  }
  await old.stop();
  await RunningScanner.start(t, { node, postgres: optionsFor(primary, replica) });
  node.grow(chain.slice(26, 28));
  for (const { server } of [onPrimary, onReplica, startedBetween]) {
    await until(() => server.isReady(), 'readiness', PATIENCE);
    await until(async () => (await heightOf(server)) === 28, 'the tip of the node', PATIENCE);
    assert.equal(await isReadyEverywhere(server), true);
  }

  // One that starts with the old primary first in its list does not stay there.
  const late = await serve(primary, replica);
  await until(() => isOnNew(late), 'the newest timeline', PATIENCE);
  assert.equal(await heightOf(late.server), 28);
});
