/** A table that somebody else has locked: the scanner waits for the database, not for the node. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { PostgresOptions } from '../../../src/store/postgres/connect.ts';
import { stoppedScanner } from '../../support/following-scanner.ts';
import { query, RunningScanner, withClient } from '../../support/running-scanner.ts';
import { ScriptedNode } from '../../support/scripted-node.ts';
import { lightChain, SIMULATED_NETWORK } from '../../support/simulated-chain.ts';
import { until } from '../../support/until.ts';

const chain = lightChain(20, 4);
const indexOf = stoppedScanner(chain.slice(0, 15));

async function waitsForLock(postgres: PostgresOptions): Promise<boolean> {
  const { rowCount } = await query(
    postgres,
    `select from pg_stat_activity
      where datname = current_database() and application_name like 'chain-indexer%' and wait_event_type = 'Lock'`,
  );
  return rowCount! > 0;
}

it('a table that is locked when a scanner starts makes it wait for the database, before and after the failure', async (t) => {
  const postgres = await indexOf(t);
  const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
  node.grow(chain);
  const running = await withClient(postgres, async (client) => {
    await client.query('begin; lock table chain_indexer.chain_tip in access exclusive mode');
    const options = { ...postgres, timeouts: { lockMs: 1_000 } };
    const scanner = await RunningScanner.start(t, { node, postgres: options, isMonitored: true });
    for (const _ of ['the first attempt', 'the next one']) {
      await until(() => waitsForLock(postgres), 'a statement that waits');
      const { code, said } = await scanner.says('/ready');
      assert.deepEqual([code, said.phase], [503, 'waiting_for_database']);
      assert.match(said.status, /^waiting for the database/);
      await scanner.logged('a table is locked by somebody else');
    }
    return scanner;
  });
  await running.reaches(chain.at(-1)!.id);
  await until(
    async () => (await running.says('/ready')).said.phase === 'following',
    'the phase of a scanner that follows',
  );
});

it('a table that is locked while a scanner follows makes it wait for the database, until it is free', async (t) => {
  const postgres = await indexOf(t);
  const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
  node.grow(chain.slice(0, 15));
  const options = { ...postgres, timeouts: { stallMs: 300, lockMs: 600_000 } };
  const scanner = await RunningScanner.start(t, { node, postgres: options, isMonitored: true });
  const phase = async () => (await scanner.says('/ready')).said.phase;
  await until(async () => (await phase()) === 'following', 'a scanner that follows');
  await withClient(postgres, async (client) => {
    await client.query('begin; lock table chain_indexer.blocks in share mode');
    node.grow(chain.slice(15));
    await until(async () => (await phase()) === 'waiting_for_database', 'the wait for the database');
  });
  await scanner.reaches(chain.at(-1)!.id);
  await until(async () => (await phase()) === 'following', 'the phase afterwards');
});
