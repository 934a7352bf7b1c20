/** An upgrade beside the database that is served: what is filled, what is said and when, what is refused. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import pg from 'pg';
import { pino } from 'pino';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { OperatorError } from '../../src/errors/operator-error.ts';
import { secondDatabaseName, type UpgradeOptions, upgrade } from '../../src/scanner/upgrade-into-second-database.ts';
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import { STORAGE_VERSION } from '../../src/store/schema/database-identity.ts';
import { stoppedScanner } from '../support/following-scanner.ts';
import { testDatabase, testRole } from '../support/postgres.ts';
import { consistentDump, query, reached } from '../support/running-scanner.ts';
import { ScriptedNode } from '../support/scripted-node.ts';
import { lightChain, SIMULATED_NETWORK } from '../support/simulated-chain.ts';
import { until } from '../support/until.ts';

const chain = lightChain(40, 4);

interface Served {
  readonly node: ScriptedNode;
  readonly postgres: PostgresOptions;
  readonly second: PostgresOptions;
}

const indexOf = stoppedScanner(chain);

/** A complete index of an older storage version; the database that an upgrade makes goes away with the test. */
async function served(t: TestContext): Promise<Served> {
  const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
  node.grow(chain);
  const postgres = await indexOf(t);
  await query(postgres, `update chain_indexer.meta set value = '3' where name = 'storage_version'`);
  const second = { ...postgres, database: secondDatabaseName(postgres.database) };
  t.after(() => dropDatabase(second));
  return { node, postgres, second };
}

async function dropDatabase({ database, ...server }: PostgresOptions): Promise<void> {
  const name = pg.escapeIdentifier(database);
  await query({ ...server, database: 'postgres' }, `drop database if exists ${name} with (force)`);
}

/** Runs an upgrade until `stop`; `told` is what it says meanwhile. */
function start({ node, postgres }: Served, options: Partial<UpgradeOptions> = {}) {
  const told: string[] = [];
  const stopping = new AbortController();
  const done = upgrade(
    {
      network: node.network,
      node: { address: node.address, auth: { type: 'none' }, idleTimeoutMs: 2_000 },
      postgres,
      newDatabase: undefined,
      rebuild: false,
      untilReady: false,
      logger: pino({ level: 'silent' }),
      terminal: false,
      tell: (text) => void told.push(text),
      ...options,
    },
    stopping.signal,
  );
  done.catch(() => {});
  return { told: () => told.join(''), done, stop: () => stopping.abort() };
}

async function refusal(of: Served, options: Partial<UpgradeOptions> = {}): Promise<string> {
  const error = await start(of, { untilReady: true, ...options }).done.then(
    () => assert.fail('nothing was refused'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof OperatorError, String(error));
  assert.equal(error.exitCode, 2);
  assert.doesNotMatch(error.message, /\n/);
  return error.message;
}

it('an upgrade fills a second database, says when to switch, and keeps it at the tip until it is stopped', async (t) => {
  const world = await served(t);
  const { node, postgres, second } = world;
  const before = await consistentDumpOfOlder(postgres);
  const running = start(world);
  await until(() => /Switch now/.test(running.told()), 'it says when to switch');
  const text = running.told();
  assert.match(text, new RegExp(`${second.database} is complete and at the tip, height ${chain.length}\\.`));
  assert.match(
    text,
    new RegExp(`\n  1\\. Start web servers of this release with --postgres-database ${second.database} `),
  );
  assert.match(text, /\n {2}3\. Stop this program, which keeps \S+ at the tip until then\.\n {5}Start the scanner/);
  assert.match(text, new RegExp(`\n  5\\. .* dropdb ${postgres.database}\n`));
  assert.deepEqual(await consistentDump(second, SIMULATED_NETWORK), before);
  const more = lightChain(41, 4);
  node.grow(more.slice(chain.length));
  await reached(second, more.at(-1)!.id);
  running.stop();
  await running.done;
  assert.equal(running.told(), text, 'it is said once');
  assert.deepEqual(await consistentDumpOfOlder(postgres), before, 'the database that is served was changed');
});

it('an upgrade goes on where it was stopped, and ends when the second database is complete where that is wanted', async (t) => {
  const world = await served(t);
  const { second } = world;
  const short = await ScriptedNode.start(t, SIMULATED_NETWORK);
  short.grow(chain.slice(0, 30));
  const begun = start({ ...world, node: short });
  await reached(second, chain[29]!.id);
  begun.stop();
  await begun.done;
  assert.doesNotMatch(begun.told(), /Switch now/);
  // A table that was made anew is another one.
  const made = (await query(second, `select 'chain_indexer.blocks'::regclass::oid as oid`)).rows;
  const again = start(world, { untilReady: true });
  await again.done;
  const scanner = `the scanner of this release with --postgres-database ${second.database} `;
  assert.ok(again.told().includes(`1. Start ${scanner}`), 'nothing else keeps the second database at the tip');
  assert.match(again.told(), /\n {2}2\. Start web servers/);
  const { chain_tip: tips } = await consistentDump(second, SIMULATED_NETWORK);
  assert.match(tips![0]!, new RegExp(`^\\(${chain.length},`));
  const now = (await query(second, `select 'chain_indexer.blocks'::regclass::oid as oid`)).rows;
  assert.deepEqual(now, made, 'the second database was begun anew');
});

it('an upgrade lets those read the second database who may read the first, and nobody else', async (t) => {
  const world = await served(t);
  const { postgres, second } = world;
  const reader = await testRole(t, postgres);
  const stranger = await testRole(t, postgres);
  await query(
    postgres,
    `revoke connect on database ${postgres.database} from public;
       grant connect on database ${postgres.database} to ${reader.user};
       grant usage on schema chain_indexer to ${reader.user};
       alter default privileges in schema chain_indexer grant select on tables to ${reader.user}`,
  );
  const running = start(world, { untilReady: true });
  await running.done;
  assert.match(running.told(), new RegExp(`may read here: ${reader.user}\\.`));
  const asReader = { ...second, user: reader.user, password: reader.password };
  const { rows } = await query<{ height: number }>(asReader, 'select height from chain_indexer.chain_tip');
  assert.equal(rows[0]?.height, chain.length);
  const asStranger = { ...second, user: stranger.user, password: stranger.password };
  await assert.rejects(query(asStranger, 'select'), /permission denied for database/);
});

it('an upgrade does not say to switch while its node is behind the index that is served', async (t) => {
  const world = await served(t);
  const slow = await ScriptedNode.start(t, SIMULATED_NETWORK);
  slow.grow(chain.slice(0, 30));
  const running = start({ ...world, node: slow });
  await reached(world.second, chain[29]!.id);
  slow.grow(chain.slice(30, 35));
  await reached(world.second, chain[34]!.id);
  assert.doesNotMatch(running.told(), /Switch now/);
  slow.grow(chain.slice(35));
  await until(() => /Switch now/.test(running.told()), 'it says when to switch');
  running.stop();
  await running.done;
});

it('an upgrade of several hosts uses the one that can be written to, wherever it is in the list', async (t) => {
  const world = await served(t);
  const { host, port } = world.postgres;
  const postgres = { ...world.postgres, port: await freePort(), others: [{ host, port }] };
  const running = start({ ...world, postgres }, { untilReady: true });
  await running.done;
  assert.match(running.told(), /Switch now/);
});

it('an upgrade says that none is needed where the tables are those of this release, unless they are to be built anew', async (t) => {
  const world = await served(t);
  await query(
    world.postgres,
    `update chain_indexer.meta set value = '${STORAGE_VERSION}' where name = 'storage_version'`,
  );
  const needless = start(world);
  await needless.done;
  assert.match(
    needless.told(),
    /no second one is needed\.\nRestart the scanner and the web servers with this release; keep the database\.\n$/,
  );
  const rebuilt = start(world, { untilReady: true, rebuild: true });
  await rebuilt.done;
  assert.match(rebuilt.told(), /Switch now/);
});

it('an upgrade refuses what it cannot upgrade, or fill, in one line', async (t) => {
  const world = await served(t);
  const { postgres } = world;
  const empty = await testDatabase(t);
  const strange = await testDatabase(t);
  await query(strange, 'create schema chain_indexer; create table chain_indexer.blocks (n int)');
  const cases: [Partial<UpgradeOptions>, RegExp][] = [
    [{ postgres: empty }, /holds no index: there is nothing to upgrade/],
    [{ postgres: { ...empty, database: 'nowhere' } }, /nowhere does not exist: there is nothing to upgrade/],
    [{ postgres: { ...postgres, password: 'wrong' } }, /refuses the password/],
    [{ network: networkByName('testnet') }, /holds the chain of regtest-pos \(.*\), not of testnet/],
    [{ newDatabase: postgres.database }, /^--new-database must not be test_\w+, the database that is served\.$/],
    [{ newDatabase: 'x'.repeat(64) }, /more than 63 bytes/],
    [{ newDatabase: strange.database }, /holds tables that are no index \(blocks\); nothing was changed/],
  ];
  for (const [options, reason] of cases) assert.match(await refusal(world, options), reason);
  const older = await served(t);
  assert.match(
    await refusal(world, { newDatabase: older.postgres.database }),
    /storage version 3, not .*; nothing was changed\. Drop it/,
  );
  const newer = await served(t);
  await query(newer.postgres, `update chain_indexer.meta set value = '1000' where name = 'storage_version'`);
  assert.match(
    await refusal(newer),
    /storage version 1000, .* made by version \S+ or newer, start that one; nothing was/,
  );
  const away = [{ host: postgres.host, port: await freePort() }];
  assert.match(
    await refusal(world, { postgres: { ...postgres, port: await freePort(), others: away } }),
    /is not reachable/,
  );
  await query(older.postgres, `alter database ${older.postgres.database} set default_transaction_read_only = on`);
  assert.match(
    await refusal(older),
    /is read-only\. If it is a replica, name the primary with --postgres-host; otherwise default_transaction_read_only is on/,
  );
  const role = await testRole(t, postgres);
  await query(postgres, `grant usage on schema chain_indexer to ${role.user}`);
  await query(postgres, `grant select on all tables in schema chain_indexer to ${role.user}`);
  assert.match(
    await refusal(world, { postgres: role }),
    /may not create databases\. As an administrator of PostgreSQL: createdb --owner role_/,
  );
});

it('an upgrade names the second database after the first and the storage version', () => {
  const second = `mintlayer-mainnet-v${STORAGE_VERSION}`;
  assert.equal(secondDatabaseName('mintlayer-mainnet'), second);
  assert.equal(secondDatabaseName('mintlayer-mainnet-v4'), second);
  assert.throws(() => secondDatabaseName(second), /name the second with --new-database/);
});

/** The tables of an index that says to be of another storage version; it is put back afterwards. */
async function consistentDumpOfOlder(postgres: PostgresOptions) {
  const say = (version: string) =>
    query(postgres, `update chain_indexer.meta set value = $1 where name = 'storage_version'`, [version]);
  await say(STORAGE_VERSION);
  const dump = await consistentDump(postgres, SIMULATED_NETWORK);
  await say('3');
  return dump;
}
