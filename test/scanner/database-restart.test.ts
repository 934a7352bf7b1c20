import { describe, it } from 'node:test';
import { stoppedScanner } from '../support/following-scanner.ts';
import { query, RunningScanner, withClient } from '../support/running-scanner.ts';
import { ScriptedNode } from '../support/scripted-node.ts';
import { lightChain, SIMULATED_NETWORK } from '../support/simulated-chain.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

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
