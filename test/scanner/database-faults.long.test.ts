/** What PostgreSQL does to a scanner: broken connections, errors, locks, silence. The tables end as if nothing had been. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import { fileScope, type Scope } from '../support/file-scope.ts';
import { dumpOf } from '../support/following-scanner.ts';
import { testDatabase } from '../support/postgres.ts';
import { consistentDump, query, RunningScanner, withClient } from '../support/running-scanner.ts';
import { ScriptedNode } from '../support/scripted-node.ts';
import { lightChain, SIMULATED_NETWORK } from '../support/simulated-chain.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

const BULK_DISTANCE = 40;
const BLOCKS = 130;
const NEAR = 110;

const scope = fileScope();
const chain = lightChain(BLOCKS, 3);
const tip = chain.at(-1)!;
let expected: Record<string, string[]>;

before(async () => {
  expected = await dumpOf(scope, chain);
});

/** A scanner whose index holds the genesis, of a node without blocks. */
async function atGenesis(t: Scope, postgres: PostgresOptions, bulkDistance = BULK_DISTANCE) {
  const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
  const scanner = await RunningScanner.start(t, { node, postgres, bulkDistance });
  await scanner.reaches(SIMULATED_NETWORK.genesisId);
  return { node, scanner };
}

/** A scanner whose index holds the genesis; then something happens to the database, then the node gets its chain. */
async function disturbed(t: Scope, disturb: (postgres: PostgresOptions, scanner: RunningScanner) => Promise<unknown>) {
  const postgres = await testDatabase(t);
  const { node, scanner } = await atGenesis(t, postgres);
  await disturb(postgres, scanner);
  node.grow(chain.slice(0, NEAR));
  await scanner.reaches(chain[NEAR - 1]!.id);
  for (const block of chain.slice(NEAR)) node.grow([block]);
  await scanner.reaches(tip.id);
  assert.deepEqual(await consistentDump(postgres, SIMULATED_NETWORK), expected);
  return scanner;
}

/** Does something in the scanner's own transaction whenever a table changes, the first few times. */
function trap(table: string, action: string, times: number, when: 'at once' | 'at commit' = 'at once') {
  const kind = when === 'at commit' ? 'constraint trigger trap after' : 'trigger trap before';
  const deferred = when === 'at commit' ? 'deferrable initially deferred' : '';
  return (postgres: PostgresOptions) =>
    query(
      postgres,
      `create sequence public.trapped;
       create function public.trap() returns trigger language plpgsql as $$
       begin
         if nextval('public.trapped') <= ${times} then ${action}; end if;
         return new;
       end $$;
       create ${kind} insert or update on chain_indexer.${table} ${deferred} for each row execute function public.trap()`,
    );
}

/** Ends the connections of the scanner that are so. */
function terminate(postgres: PostgresOptions, which: string) {
  const whose = `datname = current_database() and ${which}`;
  return query(postgres, `select pg_terminate_backend(pid) from pg_stat_activity where ${whose}`);
}

const TERMINATE = 'perform pg_terminate_backend(pg_backend_pid())';

// They mostly wait.
describe('a scanner and what PostgreSQL does to it', { concurrency: 3 }, () => {
  for (const [moment, table, when] of [
    ['in the middle of a COPY', 'outputs', 'at once'],
    ['when the state is written', 'utxos', 'at once'],
    ['just before the commit', 'chain_tip', 'at once'],
    ['during the commit', 'chain_tip', 'at commit'],
  ] as const) {
    it(`a scanner whose connections to PostgreSQL break goes on from the committed tip when that happens ${moment}`, async (t) => {
      const scanner = await disturbed(t, trap(table, TERMINATE, 2, when));
      await scanner.logged('waiting for PostgreSQL');
    });
  }

  it('a scanner whose connections to PostgreSQL break stops a bulk sync when the one that holds the lock of the only writer is gone', async (t) => {
    const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
    const postgres = await testDatabase(t);
    node.grow(chain);
    // The bulk sync waits for its blocks until it is stopped.
    const isOfBlocks = (method: string): boolean => method === 'chainstate_get_mainchain_blocks';
    node.faults = ({ method }) => (isOfBlocks(method) ? { type: 'delay', ms: 60_000 } : undefined);
    const scanner = await RunningScanner.start(t, { node, postgres, bulkDistance: BULK_DISTANCE });
    await scanner.logged('the index is open');
    await terminate(postgres, "application_name = 'chain-indexer scanner'");
    await scanner.logged('waiting for PostgreSQL', 30_000);
    node.faults = () => undefined;
    await scanner.reaches(tip.id);
    assert.deepEqual(await consistentDump(postgres, SIMULATED_NETWORK), expected);
  });

  it('a scanner whose database has settings for others waits when the database is read-only for a while, as during a failover', async (t) => {
    const scanner = await disturbed(t, async (postgres, running) => {
      await query(postgres, `alter database ${postgres.database} set default_transaction_read_only = on`);
      await terminate(postgres, "application_name like 'chain-indexer %'");
      const isTold = running.logged('default_transaction_read_only is on; nothing was changed');
      void isTold.then(() =>
        withClient(postgres, async (client) => {
          await client.query('set transaction_read_only = off; set default_transaction_read_only = off');
          await client.query(`alter database ${postgres.database} reset default_transaction_read_only`);
        }),
      );
    });
    const line = await scanner.logged('default_transaction_read_only is on; nothing was changed');
    assert.match(line.msg, /trying again/);
  });

  for (const [table, code] of [
    ['blocks', '53100'],
    ['balances', '53200'],
    ['undo', '53100'],
    ['chain_tip', '40001'],
  ] as const) {
    it(`a scanner whose statements fail tries again until ${table} can be written (SQLSTATE ${code})`, async (t) => {
      const failure = `raise exception 'could not extend file: No space left on device' using errcode = '${code}'`;
      const scanner = await disturbed(t, trap(table, failure, 2));
      const line = await scanner.logged('No space left on device');
      assert.equal(line.level, 50);
      assert.match(line.msg, /nothing half-written is kept/);
    });
  }
});

// On their own, because they give up soon.
describe('a scanner that PostgreSQL keeps waiting', { concurrency: 3 }, () => {
  const timeouts = { connectMs: 400, lockMs: 300, stallMs: 150, giveUpMs: 700 };

  it('a scanner that PostgreSQL keeps waiting says so, does not wait for a lock for ever, and goes on when it is free', async (t) => {
    const postgres = { ...(await testDatabase(t)), timeouts };
    const { node, scanner } = await atGenesis(t, postgres);
    await withClient(postgres, async (client) => {
      await client.query('begin; lock table chain_indexer.blocks in share mode');
      node.grow(chain);
      await scanner.logged('keeps us waiting');
      await scanner.logged('a table is locked by somebody else');
      await client.query('rollback');
    });
    await scanner.reaches(tip.id);
    assert.deepEqual(await consistentDump(postgres, SIMULATED_NETWORK), expected);
  });

  for (const [phase, distance] of [
    ['in bulk', BULK_DISTANCE],
    ['while it follows', 1_000],
  ] as const) {
    it(`a scanner that PostgreSQL keeps waiting gives up connections that fall silent ${phase}, and goes on when there are others`, async (t) => {
      const postgres = await testDatabase(t);
      const proxy = await TcpProxy.start(t, postgres);
      const { node, scanner } = await atGenesis(t, { ...postgres, ...proxy.address, timeouts }, distance);
      node.onRead = (height) => {
        if (height === 90) proxy.freeze();
      };
      node.grow(chain);
      await scanner.logged('keeps us waiting');
      await scanner.logged('has been silent');
      // New connections are accepted, but nobody answers there.
      await scanner.logged('is not reachable: it does not answer');
      node.onRead = () => {};
      proxy.thaw();
      await scanner.reaches(tip.id);
      assert.deepEqual(await consistentDump(postgres, SIMULATED_NETWORK), expected);
    });
  }

  it('a scanner that PostgreSQL keeps waiting stops within seconds all the same when it is told to', async (t) => {
    const postgres = await testDatabase(t);
    const proxy = await TcpProxy.start(t, postgres);
    const { node, scanner } = await atGenesis(t, { ...postgres, ...proxy.address }, 1_000);
    proxy.freeze();
    node.grow(chain);
    await sleep(200);
    const before = performance.now();
    await scanner.stop();
    assert.ok(performance.now() - before < 20_000, `it took ${performance.now() - before} ms`);
  });
});
