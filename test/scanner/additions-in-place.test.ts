/** Indexes, columns and tables that a release adds to an index of the release before, while blocks arrive and clients read. */
import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { it, type TestContext } from 'node:test';
import pg from 'pg';
import { startWebServer } from '../../src/api/start-web-server.ts';
import { thisBuild } from '../../src/config/this-build.ts';
import { ADVISORY_LOCKS, type PostgresOptions } from '../../src/store/postgres/connect.ts';
import { IN_PLACE_MIGRATIONS, type InPlaceMigration } from '../../src/store/schema/in-place-migrations.ts';
import { stoppedScanner } from '../support/following-scanner.ts';
import { testDatabase } from '../support/postgres.ts';
import { consistentDump, query, RunningScanner, type ScannerSetup } from '../support/running-scanner.ts';
import { ScriptedNode } from '../support/scripted-node.ts';
import { lightSimulation, SIMULATED_NETWORK } from '../support/simulated-chain.ts';
import { eventually, until } from '../support/until.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';

const BLOCKS = 500;
const simulation = lightSimulation(55);
const chain = simulation.mine(BLOCKS);
/** A branch of two blocks that the node may change to, instead of the last block. */
const branch = simulation.reorganise(1, 2);
const tip = chain.at(-1)!;
const newTip = branch.at(-1)!;
const indexOf = stoppedScanner(chain);

/** Lists blocks; `/chain/tip` and `/pool` do not need it. */
const NEEDED_BY = ['blocks_below'];
const LISTING = '/block';
const INDEX: InPlaceMigration = {
  name: 'index blocks_by_size',
  indexes: ['create index if not exists blocks_by_size on blocks (size, height)'],
  neededBy: NEEDED_BY,
};
/** A row is filled once: a second time would be seen. */
const COLUMN: InPlaceMigration = {
  name: 'column outputs.fills',
  adds: 'alter table outputs add column fills integer',
  fill: {
    table: 'outputs',
    key: { height: 'integer', position: 'integer', output_index: 'integer' },
    statement: `update outputs o set fills = coalesce(o.fills, 0) + 1 from batch b
                 where (o.height, o.position, o.output_index) = (b.height, b.position, b.output_index)`,
  },
  indexes: ['create index if not exists outputs_fills on outputs (fills, height)'],
  neededBy: NEEDED_BY,
};
const TABLE: InPlaceMigration = {
  name: 'table block_sizes',
  adds: 'create table block_sizes (height integer primary key, size integer not null)',
  fill: {
    table: 'blocks',
    key: { height: 'integer' },
    statement: 'insert into block_sizes select height, size from batch on conflict do nothing',
  },
  neededBy: NEEDED_BY,
};

it('each query that a migration names exists', async () => {
  const names = new Set<string>();
  for await (const file of glob('src/store/queries/**/*.ts'))
    for (const [, name] of (await readFile(file, 'utf8')).matchAll(/\bname: '(\w+)'/g)) names.add(name!);
  assert.ok(names.size > 50);
  for (const { neededBy } of [...IN_PLACE_MIGRATIONS, INDEX])
    for (const name of neededBy) assert.ok(names.has(name), name);
});

interface World {
  readonly node: ScriptedNode;
  readonly postgres: PostgresOptions;
}

/** A node, and the whole index that a scanner without migrations made of its blocks. */
async function indexed(t: TestContext): Promise<World> {
  const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
  node.grow(chain);
  const postgres = await indexOf(t);
  await query(postgres, `update chain_indexer.meta set value = '0' where name = 'steps'`);
  return { node, postgres };
}

const start = (
  t: TestContext,
  world: World,
  migrations: readonly InPlaceMigration[],
  setup: Partial<ScannerSetup> = {},
) => RunningScanner.start(t, { ...world, migrations, ...setup });

const serve = (t: TestContext, { postgres }: World, migrations: readonly InPlaceMigration[]): Promise<TestServer> =>
  startTestWebServer(t, { network: SIMULATED_NETWORK, postgres, migrations });

/** An open connection that ends with the test. */
async function connection(t: TestContext, { host, port, user, password, database }: PostgresOptions) {
  const client = new pg.Client({ host, port, user, password, database, options: '-c search_path=chain_indexer' });
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  return client;
}

/** An index that is built concurrently waits for such a transaction. */
async function holdBuilds(t: TestContext, world: World): Promise<() => Promise<unknown>> {
  const client = await connection(t, world.postgres);
  await client.query('begin isolation level repeatable read; select count(*) from blocks');
  return () => client.query('rollback');
}

async function metaOf({ postgres }: World): Promise<Record<string, string>> {
  const { rows } = await query<{ name: string; value: string }>(postgres, 'select name, value from chain_indexer.meta');
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

const isComplete = async (world: World, migrations: number): Promise<boolean> => {
  const meta = await metaOf(world);
  return meta.steps === `${migrations}` && !Object.keys(meta).some((name) => name.startsWith('step_'));
};

/** Have the sessions ended that add something? */
const areGone = async ({ postgres }: World): Promise<boolean> =>
  (
    await query(postgres, `select from pg_stat_activity where datname = $1 and application_name ~ 'in place'`, [
      postgres.database,
    ])
  ).rowCount === 0;

/** The state of an index; null if there is none. */
async function stateOf({ postgres }: World, name: string) {
  const { rows } = await query<{ oid: number; valid: boolean }>(
    postgres,
    'select indexrelid::int as oid, indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [`chain_indexer.${name}`],
  );
  return rows[0] ?? null;
}

it('an added index is built while blocks arrive; what needs it gets 503 with its progress, and nothing else does', async (t) => {
  const world = await indexed(t);
  const server = await serve(t, world, [INDEX]);
  const before = await server.get(LISTING);
  assert.deepEqual(
    [before.status, before.body.error],
    [
      503,
      'What this needs is not complete yet: index blocks_by_size is added by the scanner of this release (0 %). Try again later.',
    ],
  );
  const release = await holdBuilds(t, world);
  const scanner = await start(t, world, [INDEX], { isMonitored: true });
  await until(async () => (await stateOf(world, 'blocks_by_size')) !== null, 'the build has begun');
  const during = await eventually('the progress', async () => {
    const answer = await server.get(LISTING);
    return /is being built/.test(answer.text) ? answer : undefined;
  });
  assert.equal(during.status, 503);
  assert.equal(during.headers.get('retry-after'), '5');
  assert.match(
    during.body.error,
    /^What this needs is not complete yet: index blocks_by_size is being built \(\d+ %\)\. Try again later\.$/,
  );
  // The same for an export, and for a server that was started meanwhile.
  assert.equal((await server.get(`${LISTING}?format=csv&cursor=`)).status, 503);
  assert.equal((await (await serve(t, world, [INDEX])).get(LISTING)).status, 503);
  const [adding] = (await server.request('/status')).body.adding;
  assert.equal(adding.text, 'index blocks_by_size is being built');
  const status = (await (await fetch(`http://127.0.0.1:${scanner.port}/status`)).json()) as Record<string, unknown>;
  assert.deepEqual([status.mode, (status.adding as (typeof adding)[])[0].text], ['following', adding.text]);
  // Blocks arrive, a reorganisation too, and readers see them.
  world.node.grow(branch);
  await scanner.reaches(newTip.id);
  await until(async () => (await server.get('/chain/tip')).body.block_id === newTip.id, 'the new tip');
  for (const path of ['/pool', '/statistics/coin', `/block/${tip.prev}`, '/transaction'])
    assert.equal((await server.get(path)).status, 200, path);
  assert.equal((await server.request('/ready')).status, 200);
  assert.equal((await stateOf(world, 'blocks_by_size'))?.valid, false);
  await release();
  await until(async () => (await server.get(LISTING)).status === 200, 'the list');
  assert.equal((await stateOf(world, 'blocks_by_size'))?.valid, true);
  assert.deepEqual((await server.request('/status')).body.adding, []);
  assert.ok(await isComplete(world, 1));
  await consistentDump(world.postgres, SIMULATED_NETWORK);
});

it('an index whose build was interrupted is dropped, and built anew by the next scanner', async (t) => {
  const world = await indexed(t);
  const release = await holdBuilds(t, world);
  const first = await start(t, world, [INDEX]);
  await until(async () => (await stateOf(world, 'blocks_by_size')) !== null, 'the build has begun');
  await first.stop();
  await until(() => areGone(world), 'PostgreSQL has ended the build');
  await release();
  const left = await stateOf(world, 'blocks_by_size');
  assert.equal(left?.valid, false);
  const second = await start(t, world, [INDEX]);
  await second.logged('an index was built in place');
  const built = await stateOf(world, 'blocks_by_size');
  assert.equal(built?.valid, true);
  assert.notEqual(built?.oid, left?.oid);
  await until(() => isComplete(world, 1), 'the migration is complete');
});

it('an index that somebody has dropped is built anew in place', async (t) => {
  const world = await indexed(t);
  await query(world.postgres, 'drop index chain_indexer.pools_by_apy');
  const scanner = await start(t, world, []);
  await scanner.logged('an index was built in place');
  await until(async () => (await stateOf(world, 'pools_by_apy'))?.valid === true, 'the index');
});

it('an added column is filled in batches from stored rows, each row once, though the scanner is stopped in between', async (t) => {
  const world = await indexed(t);
  const server = await serve(t, world, [COLUMN]);
  // The fill stops before a row that somebody holds.
  const holder = await connection(t, world.postgres);
  await holder.query(`select pg_advisory_lock(${ADVISORY_LOCKS.builder})`);
  const first = await start(t, world, [COLUMN]);
  await until(async () => (await metaOf(world)).steps === '1', 'the column');
  await holder.query(
    `begin; select from outputs where (height, position, output_index) =
       (select height, position, output_index from outputs order by 1, 2, 3 offset 700 limit 1) for update`,
  );
  await holder.query(`select pg_advisory_unlock(${ADVISORY_LOCKS.builder})`);
  const progress = await eventually('a batch', async () => {
    const { after, text, rows } = JSON.parse((await metaOf(world)).step_1 ?? '{}');
    return after === undefined ? undefined : { text, rows };
  });
  assert.deepEqual(progress, { text: 'column outputs.fills is being filled', rows: 500 });
  // The server learns of it when it looks at the tip.
  const isTold = async () =>
    /column outputs\.fills is being filled \(\d+ %\)/.test((await server.get(LISTING)).body.error);
  await until(isTold, 'the server says what is being filled');
  world.node.grow(branch);
  await first.reaches(newTip.id);
  await first.stop();
  await holder.query('rollback');
  const second = await start(t, world, [COLUMN]);
  await second.logged('column outputs.fills is complete');
  const { rows } = await query<{ fills: number | null; count: number; newest: number }>(
    world.postgres,
    'select fills, count(*)::int as count, max(height) as newest from chain_indexer.outputs group by fills order by fills',
  );
  assert.equal(rows[0]?.fills, 1);
  assert.ok(rows[0].count > 1_000);
  // The ledger of a real migration writes the column itself.
  assert.ok(rows.slice(1).every(({ fills }) => fills === null));
  assert.equal((await stateOf(world, 'outputs_fills'))?.valid, true);
  await until(async () => (await server.get(LISTING)).status === 200, 'the list');
  assert.ok(await isComplete(world, 1));
});

it('an added table is filled from stored rows, and does not get rows of blocks that were left meanwhile', async (t) => {
  const world = await indexed(t);
  // The last block is being removed while the fill comes to it.
  const holder = await connection(t, world.postgres);
  await holder.query('begin; select from blocks where height = 0 for update');
  const scanner = await start(t, world, [INDEX, TABLE]);
  await until(async () => (await stateOf(world, 'blocks_by_size'))?.valid === true, 'the first migration');
  world.node.grow(branch);
  await scanner.reaches(newTip.id);
  await holder.query('rollback');
  await scanner.logged('table block_sizes is complete');
  const { rows } = await query<{ differences: number }>(
    world.postgres,
    `select count(*)::int as differences from chain_indexer.block_sizes s
       full join chain_indexer.blocks b using (height) where s.size is distinct from b.size`,
  );
  assert.equal(rows[0]?.differences, 0);
  assert.ok(await isComplete(world, 2));
});

it('a new index has what the migrations add from the start, and records them and the version that made it', async (t) => {
  const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
  node.grow(chain);
  for (const bulkDistance of [50, 1_000]) {
    const world = { node, postgres: await testDatabase(t) };
    const server = await serve(t, world, [INDEX, COLUMN, TABLE]);
    const scanner = await start(t, world, [INDEX, COLUMN, TABLE], { bulkDistance });
    await scanner.reaches(tip.id);
    await until(async () => (await server.get(LISTING)).status === 200, 'the list');
    assert.equal((await stateOf(world, 'outputs_fills'))?.valid, true);
    await query(
      world.postgres,
      'select fills, block_sizes from chain_indexer.outputs, chain_indexer.block_sizes limit 1',
    );
    const { steps: migrations, program_version: madeBy } = await metaOf(world);
    assert.deepEqual([migrations, madeBy], ['3', thisBuild().version]);
    assert.ok(await isComplete(world, 3));
    await scanner.stop();
  }
});

it('a scanner refuses an index with a migration that it does not know, also with --resync; web servers of its release go on', async (t) => {
  const world = await indexed(t);
  const older = await serve(t, world, []);
  const newer = await serve(t, world, [INDEX, TABLE]);
  const scanner = await start(t, world, [INDEX]);
  await until(() => isComplete(world, 1), 'the migration is complete');
  await scanner.stop();
  await query(world.postgres, `update chain_indexer.meta set value = '7.8.9' where name = 'program_version'`);
  const before = await metaOf(world);
  for (const resync of [false, true]) {
    const error = await (await start(t, world, [], { resync })).ended();
    assert.equal(
      error.message,
      'the index has 1 steps in place, this program knows 0: it was made by version 7.8.9 or newer, start that one; nothing was changed.',
    );
    assert.equal(error.exitCode, 2);
  }
  assert.deepEqual(await metaOf(world), before);
  // One migration behind, and one ahead: those that ran, and those that start.
  for (const server of [older, await serve(t, world, [])])
    for (const path of [LISTING, '/pool', '/transaction']) assert.equal((await server.get(path)).status, 200, path);
  for (const server of [newer, await serve(t, world, [INDEX, TABLE])]) {
    assert.equal((await server.get('/pool')).status, 200);
    assert.match((await server.get(LISTING)).body.error, /table block_sizes is added by the scanner of this release/);
  }
});

it('a migration is not begun while a table is locked by others, and takes nothing from the index until it can', async (t) => {
  const world = await indexed(t);
  const reader = await connection(t, world.postgres);
  await reader.query('begin; select from outputs limit 1');
  const scanner = await start(t, world, [COLUMN]);
  await scanner.logged('a table is locked by somebody else');
  assert.equal((await metaOf(world)).step_1, undefined);
  await reader.query('rollback');
  await scanner.logged('column outputs.fills is complete');
});

it('a web server starts on an index of this release in which no migration was ever begun', async (t) => {
  const world = await indexed(t);
  await query(world.postgres, `delete from chain_indexer.meta where name in ('steps', 'program_version')`);
  const server = await startWebServer({
    network: SIMULATED_NETWORK,
    postgres: world.postgres,
    contract: 'described',
    bindAddress: { host: '127.0.0.1', port: 0 },
    node: null,
    enablePostRoutes: false,
    logger: { info() {}, warn() {}, error() {} },
  });
  t.after(() => server.stop());
  const url = `http://127.0.0.1:${server.address.port}/api/v2/pool`;
  await until(async () => (await fetch(url)).status === 200, 'a list');
});
