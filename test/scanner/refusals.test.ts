/** What a scanner refuses to begin with: one clear line each, and nothing changed. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import { STORAGE_VERSION } from '../../src/store/schema/database-identity.ts';
import { stoppedScanner } from '../support/following-scanner.ts';
import { testDatabase, testRole } from '../support/postgres.ts';
import { consistentDump, query, RunningScanner } from '../support/running-scanner.ts';
import { ScriptedNode } from '../support/scripted-node.ts';
import { lightChain, SIMULATED_NETWORK } from '../support/simulated-chain.ts';

const chain = lightChain(20, 4);
const tip = chain.at(-1)!;

const indexOf = stoppedScanner(chain);

/** A node, and the whole index that a scanner made of its blocks. */
async function indexed(t: TestContext): Promise<{ node: ScriptedNode; postgres: PostgresOptions }> {
  const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
  node.grow(chain);
  return { node, postgres: await indexOf(t) };
}

/** A node without blocks, and an empty database. */
async function empty(t: TestContext): Promise<{ node: ScriptedNode; postgres: PostgresOptions }> {
  return { node: await ScriptedNode.start(t, SIMULATED_NETWORK), postgres: await testDatabase(t) };
}

/** Status 1: a supervisor starts the scanner again, which may work then. */
async function refusal(t: TestContext, node: ScriptedNode, postgres: PostgresOptions, status = 2): Promise<string> {
  const error = await (await RunningScanner.start(t, { node, postgres })).ended();
  assert.equal(error.exitCode, status);
  assert.doesNotMatch(error.message, /\n/);
  return error.message;
}

it('a scanner refuses to write beside another one, and says who that is', async (t) => {
  const { node, postgres } = await indexed(t);
  const scanner = await RunningScanner.start(t, { node, postgres });
  await scanner.logged('the index is open');
  assert.match(
    await refusal(t, node, { ...postgres, timeouts: { writerMs: 300 } }, 1),
    /^another scanner is writing to the database test_\w+ \(connected from \S+ since 20.* UTC, user \w+, PostgreSQL process \d+\); nothing was changed/,
  );
});

it('a scanner refuses an index of another storage version at once, also while the scanner of that release runs', async (t) => {
  const { node, postgres } = await indexed(t);
  const scanner = await RunningScanner.start(t, { node, postgres });
  await scanner.logged('the index is open');
  await query(postgres, `update chain_indexer.meta set value = '0.9' where name = 'storage_version'`);
  assert.match(await refusal(t, node, postgres), /^the database has storage version 0\.9, .*nothing was changed/);
});

it('a scanner of another role, which may not see when the first one connected, refuses to write beside it, and says whose it is', async (t) => {
  const { node, postgres } = await indexed(t);
  const scanner = await RunningScanner.start(t, { node, postgres });
  await scanner.logged('the index is open');
  const other = await testRole(t, postgres);
  assert.match(
    await refusal(t, node, { ...other, timeouts: { writerMs: 300 } }, 1),
    /^another scanner is writing to the database test_\w+ \(user \w+, PostgreSQL process \d+\); nothing was changed/,
  );
});

it('a scanner whose PostgreSQL is missing at the start waits for it, without the words for a broken sync', async (t) => {
  const { node, postgres } = await empty(t);
  const scanner = await RunningScanner.start(t, { node, postgres: { ...postgres, port: await freePort() } });
  const line = await scanner.logged('waiting for PostgreSQL');
  assert.match(JSON.stringify(line), /is not reachable: nothing listens there/);
  assert.equal(line.level, 40);
  await scanner.stop();
  assert.doesNotMatch(JSON.stringify(scanner.logs), /indexing stopped/);
});

it('a scanner refuses a wrong password', async (t) => {
  const { node, postgres } = await empty(t);
  const message = await refusal(t, node, { ...postgres, password: 'wrong' });
  assert.equal(message, `PostgreSQL refuses the password of user ${postgres.user}. Check --postgres-password.`);
});

it('a scanner refuses a database that does not exist', async (t) => {
  const { node, postgres } = await empty(t);
  const message = await refusal(t, node, { ...postgres, database: 'nowhere' });
  assert.equal(
    message,
    'there is no database nowhere. Check --network and --postgres-database; the scanner needs the database to exist (createdb nowhere).',
  );
});

it('a running scanner waits for a database that is away for a moment, as while it is replaced', async (t) => {
  const { node, postgres } = await indexed(t);
  const { database } = postgres;
  const scanner = await RunningScanner.start(t, { node, postgres });
  await scanner.logged('the index is open');
  const admin = (sql: string) => query({ ...postgres, database: 'postgres' }, sql);
  await admin(`alter database ${database} with allow_connections false`);
  await admin(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${database}'`);
  await admin(`alter database ${database} rename to ${database}_away`);
  await scanner.logged(`there is no database ${database}`);
  await admin(`alter database ${database}_away rename to ${database}`);
  await admin(`alter database ${database} with allow_connections true`);
  await scanner.logged('PostgreSQL can be used again');
  await scanner.stop();
});

it('a running scanner waits for a privilege that was taken from its user', async (t) => {
  const { node, postgres } = await indexed(t);
  const owner = await testRole(t, postgres);
  await query(postgres, `grant all on schema chain_indexer to ${owner.user}`);
  await query(postgres, `grant all on all tables in schema chain_indexer to ${owner.user}`);
  const scanner = await RunningScanner.start(t, { node, postgres: owner });
  await scanner.logged('the index is open');
  const [next, last] = lightChain(22, 4).slice(-2);
  node.grow([next!]);
  await scanner.reaches(next!.id);
  await query(postgres, `revoke insert on chain_indexer.blocks from ${owner.user}`);
  node.grow([last!]);
  await scanner.logged('may not do this in the database');
  await query(postgres, `grant insert on chain_indexer.blocks to ${owner.user}`);
  await scanner.reaches(last!.id);
  await scanner.stop();
});

it('a scanner refuses a database whose user may not create the index', async (t) => {
  const { node, postgres } = await empty(t);
  const guest = await testRole(t, postgres);
  const message = await refusal(t, node, guest);
  assert.match(
    message,
    /^user role_\w+ may not do this in the database test_\w+: permission denied.* Let that user own/,
  );
});

it('a scanner refuses a database of another encoding, and says how to make one', async (t) => {
  const { node, postgres } = await empty(t);
  const database = `${postgres.database}_latin1`;
  await query(
    postgres,
    `create database ${database} encoding 'LATIN1' locale_provider libc locale 'C' template template0`,
  );
  t.after(() => query({ ...postgres, database: 'postgres' }, `drop database ${database} with (force)`));
  const remedy = 'Create another one: createdb --encoding UTF8 --template template0 NAME, or name it with';
  assert.equal(
    await refusal(t, node, { ...postgres, database }),
    `the database ${database} has the encoding LATIN1, UTF8 is needed. ${remedy} --postgres-database.`,
  );
});

it('a scanner that is stopped while it waits for another one does not log that its connection broke', async (t) => {
  const { node, postgres } = await indexed(t);
  const scanner = await RunningScanner.start(t, { node, postgres });
  await scanner.logged('the index is open');
  const waiting = await RunningScanner.start(t, { node, postgres });
  await waiting.logged('waiting for a moment');
  await waiting.stop();
  assert.doesNotMatch(JSON.stringify(waiting.logs), /waiting for PostgreSQL/);
});

it('a scanner refuses a database that is read-only', async (t) => {
  const { node, postgres } = await empty(t);
  await query(postgres, `alter database ${postgres.database} set default_transaction_read_only = on`);
  assert.match(
    await refusal(t, node, postgres, 1),
    /is read-only: it is a primary, and default_transaction_read_only is on; nothing was changed\. Managed hosts set it/,
  );
});

it('a scanner refuses the index of another network', async (t) => {
  const { node, postgres } = await indexed(t);
  const before = await consistentDump(postgres, SIMULATED_NETWORK);
  const other = networkByName('testnet');
  const stranger = await ScriptedNode.start(t, other);
  const message = await refusal(t, stranger, postgres);
  assert.match(
    message,
    /holds the chain of regtest-pos \(genesis \w{64}\), not of testnet .*nothing was changed\. Is --network right\? For this database it is regtest-pos\. Otherwise name another database \(--postgres-database\)\. To drop it for good, run this SQL in the database test_\w+: drop schema chain_indexer cascade;$/,
  );
  const resyncing = await (await RunningScanner.start(t, { node: stranger, postgres, resync: true })).ended();
  assert.equal(resyncing.message, message);
  assert.deepEqual(await consistentDump(postgres, node.network), before);
  await query(postgres, /drop schema .*;$/.exec(message)![0]);
  const scanner = await RunningScanner.start(t, { node: stranger, postgres });
  await scanner.logged('creating the index');
});

it('a scanner refuses an index of a newer storage version, also with --resync, and says which version made it', async (t) => {
  const { node, postgres } = await indexed(t);
  for (const [madeBy, named] of [
    ['7.8.9', 'version 7.8.9 or newer'],
    [null, 'a newer version'],
  ]) {
    await query(
      postgres,
      `delete from chain_indexer.meta where name = 'program_version';
         update chain_indexer.meta set value = '1000' where name = 'storage_version'`,
    );
    if (madeBy !== null)
      await query(postgres, `insert into chain_indexer.meta (name, value) values ('program_version', $1)`, [madeBy]);
    for (const resync of [false, true]) {
      const error = await (await RunningScanner.start(t, { node, postgres, resync })).ended();
      assert.equal(
        error.message,
        `the index has storage version 1000, this program knows ${STORAGE_VERSION}: it was made by ${named}, ` +
          'start that one; nothing was changed.',
      );
    }
  }
  await query(postgres, `update chain_indexer.meta set value = $1 where name = 'storage_version'`, [STORAGE_VERSION]);
  await consistentDump(postgres, node.network);
});

it('a scanner refuses an index of another storage version', async (t) => {
  const { node, postgres } = await indexed(t);
  await query(postgres, `update chain_indexer.meta set value = '0.9' where name = 'storage_version'`);
  assert.match(
    await refusal(t, node, postgres),
    /storage version 0\.9, this program needs \S+; nothing was changed.*--resync/,
  );
});

it('a scanner refuses a schema that holds something else', async (t) => {
  const { node, postgres } = await empty(t);
  await query(postgres, 'create schema chain_indexer; create table chain_indexer.blocks (n int)');
  assert.match(await refusal(t, node, postgres), /holds tables that are no index \(blocks\); nothing was changed/);
  const resyncing = await (await RunningScanner.start(t, { node, postgres, resync: true })).ended();
  assert.match(resyncing.message, /holds tables that are no index .*: drop schema chain_indexer cascade;$/);
  await query(postgres, 'select n from chain_indexer.blocks');
});

it('a scanner with --resync builds the index of an older version anew, whatever its tables hold, and touches nothing else', async (t) => {
  const { node, postgres } = await indexed(t);
  const before = await consistentDump(postgres, SIMULATED_NETWORK);
  await query(
    postgres,
    `create table public.blocks (mine text); insert into public.blocks values ('kept');
       update chain_indexer.meta set value = '0.9' where name = 'storage_version';
       update chain_indexer.balances set amount = amount + 1`,
  );
  const scanner = await RunningScanner.start(t, { node, postgres, resync: true });
  await scanner.logged('creating the index');
  await scanner.reaches(tip.id);
  assert.deepEqual(await consistentDump(postgres, SIMULATED_NETWORK), before);
  const { rows } = await query<{ mine: string }>(postgres, 'select mine from public.blocks');
  assert.equal(rows[0]?.mine, 'kept');
});

it('a scanner with --resync drops the index once: with every restart it is the same request, until a start without it', async (t) => {
  const { node, postgres } = await indexed(t);
  // A table that was made anew is another one.
  const table = async () =>
    (await query<{ oid: number }>(postgres, `select 'chain_indexer.blocks'::regclass::oid as oid`)).rows[0]!.oid;
  const run = async (resync: boolean, text: string) => {
    const scanner = await RunningScanner.start(t, { node, postgres, resync });
    await scanner.logged(text);
    await scanner.reaches(tip.id);
    await scanner.stop();
  };
  const tables = [await table()];
  const then = async (resync: boolean, text: string) => {
    await run(resync, text);
    tables.push(await table());
  };
  await then(true, 'creating the index');
  await then(true, '--resync was carried out already');
  await then(true, '--resync was carried out already');
  assert.equal(new Set(tables).size, 2);
  // It is the same request for a program that needs other tables, too.
  await query(postgres, `update chain_indexer.meta set value = '0.9' where name = 'storage_version'`);
  const end = async (resync: boolean) => (await RunningScanner.start(t, { node, postgres, resync })).ended();
  assert.match((await end(true)).message, /--resync in the settings was carried out already .*: start once without it/);
  assert.match((await end(false)).message, /storage version 0\.9.*Start the scanner once with --resync/);
  assert.equal(await table(), tables.at(-1));
  await then(true, 'creating the index');
  assert.equal(new Set(tables).size, 3);
  await then(false, 'the index is open');
  await then(true, 'creating the index');
  assert.equal(new Set(tables).size, 4);
});

it('a scanner with --resync drops nothing that somebody else built upon', async (t) => {
  const { node, postgres } = await indexed(t);
  await query(postgres, 'create view public.heights as select height from chain_indexer.blocks');
  const error = await (await RunningScanner.start(t, { node, postgres, resync: true })).ended();
  assert.match(
    error.message,
    /^the index cannot be dropped, .*view public\.heights depends on table blocks.*Nothing was changed/,
  );
  const { rows } = await query<{ count: number }>(postgres, 'select count(*)::int as count from public.heights');
  assert.equal(rows[0]?.count, chain.length + 1);
});
