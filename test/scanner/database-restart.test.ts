/** A PostgreSQL of its own that is stopped, killed and started again under a scanner. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/embedded/free-port.ts';
import { type EmbeddedPostgres, startPostgres } from '../../src/embedded/postgres.ts';
import { dumpOf } from '../support/following-scanner.ts';
import { testDatabase } from '../support/postgres.ts';
import { consistentDump, query, RunningScanner } from '../support/running-scanner.ts';
import { ScriptedNode } from '../support/scripted-node.ts';
import { lightChain, SIMULATED_NETWORK } from '../support/simulated-chain.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

it('a scanner whose PostgreSQL goes away waits for it and goes on from what was committed, after a stop and after a crash', async (t) => {
  const chain = lightChain(300, 11);
  const dataDir = await temporaryDirectory(t);
  const port = await freePort();
  let server: EmbeddedPostgres = await startPostgres({ dataDir, port });
  t.after(async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const postgres = { ...server.options, database: 'postgres' };
  const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
  const scanner = await RunningScanner.start(t, { node, postgres, bulkDistance: 50 });
  await scanner.reaches(SIMULATED_NETWORK.genesisId);

  let stopping: Promise<unknown> | undefined;
  node.onRead = (height) => {
    if (height === 100) stopping ??= server.stop();
  };
  node.grow(chain.slice(0, 200));
  await scanner.logged('indexing stopped');
  await scanner.logged(`PostgreSQL at ${postgres.host}:${port} is not reachable`);
  await stopping;
  server = await startPostgres({ dataDir, port });
  await scanner.reaches(chain[199]!.id);

  scanner.logs.length = 0;
  for (const block of chain.slice(200, 250)) node.grow([block]);
  await sleep(100);
  process.kill(server.pid, 'SIGKILL');
  await server.ended;
  node.grow(chain.slice(250));
  await scanner.logged('indexing stopped');
  server = await startPostgres({ dataDir, port });
  await scanner.reaches(chain[299]!.id);

  assert.deepEqual(await consistentDump(postgres, SIMULATED_NETWORK), await dumpOf(t, chain));
});

it('a scanner whose PostgreSQL vanishes without a reset goes on with another host that answers', async (t) => {
  const chain = lightChain(62, 7);
  const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
  node.grow(chain.slice(0, 60));
  const server = await testDatabase(t);
  const proxy = await TcpProxy.start(t, server);
  const others = [{ host: server.host, port: server.port }];
  const postgres = { ...server, ...proxy.address, others, timeouts: { stallMs: 1_000 } };
  const scanner = await RunningScanner.start(t, { node, postgres });
  await scanner.reaches(chain[59]!.id);
  proxy.freeze();
  // A promoted replica has no session that holds the lock of the writer.
  await query(
    server,
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'chain-indexer scanner%'`,
  );
  node.grow(chain.slice(60));
  await scanner.logged('does not answer any more');
  proxy.cut();
  await until(async () => {
    const { rows } = await query<{ height: number }>(server, 'select height from chain_indexer.chain_tip');
    return rows[0]!.height === 62;
  }, 'the blocks are indexed by the other host');
});
