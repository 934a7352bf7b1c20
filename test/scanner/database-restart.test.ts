/** A PostgreSQL of its own that is stopped, killed and started again under a scanner. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/embedded/free-port.ts';
import { type EmbeddedPostgres, startPostgres } from '../../src/embedded/postgres.ts';
import { dumpOf, stoppedScanner } from '../support/following-scanner.ts';
import { consistentDump, query, RunningScanner, withClient } from '../support/running-scanner.ts';
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
  await scanner.logged('waiting for PostgreSQL');
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
  await scanner.logged('waiting for PostgreSQL');
  server = await startPostgres({ dataDir, port });
  await scanner.reaches(chain[299]!.id);

  assert.deepEqual(await consistentDump(postgres, SIMULATED_NETWORK), await dumpOf(t, chain));
});

/** The connections of a scanner to this database. */
const IS_OF_SCANNER = `datname = current_database() and application_name like 'chain-indexer%'`;

const vanishingChain = lightChain(200, 7);
const indexOf = stoppedScanner(vanishingChain.slice(0, 60));

// Together, because each waits for seconds.
describe('a scanner whose PostgreSQL vanishes without a reset', { concurrency: 3 }, () => {
  for (const [phase, { blocks, isReady, lock }] of [
    ['while it follows', { blocks: 62, isReady: true, lock: 'share' }],
    ['in a bulk sync', { blocks: 200, isReady: true, lock: 'share' }],
    ['while it builds indexes', { blocks: 60, isReady: false, lock: 'row exclusive' }],
  ] as const) {
    it(`a scanner whose PostgreSQL vanishes without a reset ${phase} goes on with another host that answers`, async (t) => {
      const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
      node.grow(vanishingChain.slice(0, blocks));
      const server = await indexOf(t);
      await query(server, 'update chain_indexer.chain_tip set is_ready = $1', [isReady]);
      const proxy = await TcpProxy.start(t, server);
      const others = [{ host: server.host, port: server.port }];
      const postgres = { ...server, ...proxy.address, others, timeouts: { stallMs: 1_000 } };
      await withClient(server, async (client) => {
        await client.query(`begin; lock table chain_indexer.blocks in ${lock} mode`);
        await RunningScanner.start(t, { node, postgres, bulkDistance: 100 });
        await until(async () => {
          const { rowCount } = await query(
            server,
            `select from pg_stat_activity where ${IS_OF_SCANNER} and wait_event_type = 'Lock'`,
          );
          return rowCount! > 0;
        }, 'a statement waits');
        proxy.freeze();
        // A promoted replica has no session that holds the lock of the writer.
        await query(server, `select pg_terminate_backend(pid) from pg_stat_activity where ${IS_OF_SCANNER}`);
      });
      await until(
        async () => {
          const { rows } = await query<{ height: number; is_ready: boolean }>(
            server,
            'select * from chain_indexer.chain_tip',
          );
          return rows[0]!.height === blocks && rows[0]!.is_ready;
        },
        'the blocks are indexed by the other host',
        { withinMs: 60_000 },
      );
      proxy.cut();
    });
  }
});
