/** What those see who watch a scanner: /metrics, /health and /ready, over real sockets. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { thisBuild } from '../../../src/config/this-build.ts';
import { STORAGE_VERSION } from '../../../src/store/schema/database-identity.ts';
import { fileScope } from '../../support/file-scope.ts';
import { Scrape } from '../../support/prometheus.ts';
import { lightChain, SIMULATED_NETWORK } from '../../support/simulated-chain.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { eventually, until } from '../../support/until.ts';
import { BLOCKS, chain, tip, watched } from './watched-scanner.ts';

const transactionsOf = (blocks: readonly { readonly transactionIds: readonly unknown[] }[]): number =>
  blocks.reduce((sum, { transactionIds }) => sum + transactionIds.length, 0);

describe('a monitored scanner at its tip', () => {
  const scope = fileScope();
  let world: Awaited<ReturnType<typeof watched>>;
  before(async () => {
    world = await watched(scope);
    await world.scanner.reaches(tip.id);
    await world.becomesReady();
  });

  it('a monitored scanner says at its tip that it is ready, and how far it is', async () => {
    const { code, said } = await world.scanner.says('/ready');
    const { block_age_seconds: age, ...rest } = said;
    assert.deepEqual(
      { code, ...rest },
      { code: 200, status: 'ready', phase: 'following', block_height: BLOCKS, block_id: tip.id, node_height: BLOCKS },
    );
    const expectedAge = Date.now() / 1_000 - tip.timestamp;
    assert.ok(age! <= expectedAge && age! > expectedAge - 60, `${age} of ${expectedAge}`);
    assert.deepEqual(await world.scanner.says('/health'), { code: 200, said: { status: 'alive', phase: 'following' } });
    const metric = await world.scanner.metrics();
    assert.equal(metric('height_blocks'), BLOCKS);
    assert.equal(metric('node_height_blocks'), BLOCKS);
    assert.equal(metric('lag_blocks'), 0);
    assert.equal(metric('tip_timestamp_seconds'), tip.timestamp);
    assert.equal(metric('ready'), 1);
    assert.equal(metric('phase{phase="following"}'), 1);
    assert.equal(metric('phase{phase="bulk_sync"}'), 0);
    assert.equal(metric('consecutive_failures'), 0);
    assert.ok(metric('node_response_age_seconds')! < 60);
    assert.ok(metric('main_thread_heartbeat_age_seconds')! < 10);
  });

  it('a monitored scanner tells its build, its mode, its index and its node', async () => {
    const response = await fetch(`http://127.0.0.1:${world.scanner.port}/status`);
    const { index, node, ...rest } = (await response.json()) as { index: object; node: object };
    assert.deepEqual(rest, {
      program: 'scanner',
      ...thisBuild(),
      storage_version: STORAGE_VERSION,
      adding: [],
      network: SIMULATED_NETWORK.name,
      mode: 'following',
      ready: true,
      last_error: null,
    });
    assert.deepEqual(
      { ...index, age_seconds: 0 },
      {
        ...{ height: BLOCKS, id: tip.id, timestamp: tip.timestamp, age_seconds: 0, lag_blocks: 0 },
      },
    );
    assert.deepEqual(
      { ...node, answer_age_seconds: 0 },
      {
        ...{ address: world.node.address, height: BLOCKS, answer_age_seconds: 0 },
      },
    );
  });

  it('a monitored scanner gives the figures of the process as well, and help to each of its own', async () => {
    const { text } = await Scrape.of(world.scanner.port);
    for (const name of ['process_resident_memory_bytes', 'process_cpu_seconds_total', 'nodejs_eventloop_lag_seconds'])
      assert.match(text, new RegExp(`^${name}(\\{.*\\})? [\\d.]+$`, 'm'));
    assert.match(
      text,
      /^chain_indexer_scanner_build_info\{version="[\d.]+",commit="\w[\w-]*",storage_version="\d+"\} 1$/m,
    );
    // Prometheus' own checks refuse a gauge of this name.
    assert.doesNotMatch(text, /^# TYPE \w+_total gauge$/m);
    const { user, system } = process.cpuUsage();
    const cpu = Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)![1]);
    assert.ok(cpu > 0 && cpu <= (user + system) / 1e6, 'of the whole process');
    const own = [...text.matchAll(/^# TYPE (chain_indexer_scanner_\S+) (gauge|counter)$/gm)].map(([, name]) => name!);
    assert.ok(own.length >= 15);
    for (const name of own) assert.match(text, new RegExp(`^# HELP ${name} .{20,}$`, 'm'));
  });

  it('a monitored scanner is not ready with a node that goes back behind it', async () => {
    world.node.setTip(chain[BLOCKS - 21]!.id);
    const said = await world.refuses(/^waiting for the node: it is at height 100, behind the index at 120$/);
    assert.equal(said.block_height, BLOCKS);
    world.node.setTip(tip.id);
    await world.becomesReady();
  });

  it('a monitored scanner is not ready without the node, says so, and is ready again when it comes back', async () => {
    await world.node.stop();
    const said = await world.refuses(/^waiting for the node; failed .*\(node\): /);
    assert.equal(said.phase, 'waiting_for_node');
    assert.equal(said.block_height, BLOCKS);
    assert.equal((await world.scanner.says('/health')).code, 200);
    await until(async () => {
      const metric = await world.scanner.metrics();
      return metric('errors_total{kind="node"}')! > 0 && metric('ready') === 0 && metric('consecutive_failures')! > 0;
    }, 'the errors of the node');
    await world.node.start();
    await world.becomesReady();
    await until(async () => (await world.scanner.metrics())('consecutive_failures') === 0, 'the end of the failures');
  });
});

describe('a monitored scanner', { concurrency: 3 }, () => {
  it('a monitored scanner counts the blocks and transactions of a bulk sync, and those that it follows', async (t) => {
    const near = BLOCKS - 10;
    const { node, scanner, becomesReady } = await watched(t, { height: near });
    await scanner.reaches(chain[near - 1]!.id);
    await becomesReady();
    let metric = await scanner.metrics();
    assert.equal(metric('blocks_total'), near);
    assert.equal(metric('transactions_total'), transactionsOf(chain.slice(0, near)));
    assert.ok(transactionsOf(chain.slice(near)) > 0);
    node.grow(chain.slice(near));
    await scanner.reaches(tip.id);
    metric = await eventually('the new height', async () => {
      const metric = await scanner.metrics();
      return metric('height_blocks') === BLOCKS ? metric : undefined;
    });
    assert.equal(metric('blocks_total'), BLOCKS);
    assert.equal(metric('transactions_total'), transactionsOf(chain));
  });

  it('a monitored scanner counts reorganisations and how deep they were', async (t) => {
    const { node, scanner, becomesReady } = await watched(t, { height: 40 });
    await scanner.reaches(chain[39]!.id);
    await becomesReady();
    const branch = lightChain(60, 77);
    node.grow(branch.slice(0, 42));
    await scanner.reaches(branch[41]!.id);
    node.grow(branch.slice(42, 45));
    await scanner.reaches(branch[44]!.id);
    const metric = await eventually('the height of the branch', async () => {
      const metric = await scanner.metrics();
      return metric('height_blocks') === 45 ? metric : undefined;
    });
    const shared = chain.findIndex(({ id }, i) => branch[i]?.id !== id);
    assert.ok(shared >= 0 && shared < 40);
    assert.equal(metric('reorganisations_total'), 1);
    assert.equal(metric('reorganised_blocks_total'), 40 - shared);
    assert.equal(metric('deepest_reorganisation_blocks'), 40 - shared);
    assert.equal(metric('blocks_total'), 40 + (42 - shared) + 3);
    await becomesReady();
  });

  it('a monitored scanner waits for a database that is away, and tells its errors from those of the node', async (t) => {
    let proxy!: TcpProxy;
    const { scanner, becomesReady, refuses } = await watched(t, {
      async prepare(_node, postgres) {
        proxy = await TcpProxy.start(t, postgres);
        return { ...postgres, ...proxy.address };
      },
    });
    await becomesReady();
    await proxy.close();
    const said = await refuses(/^waiting for the database; failed .*\(database\): /);
    assert.equal(said.phase, 'waiting_for_database');
    const metric = await eventually('the error', async () => {
      const metric = await scanner.metrics();
      return metric('errors_total{kind="database"}')! > 0 ? metric : undefined;
    });
    assert.equal(metric('errors_total{kind="node"}'), 0);
    assert.equal(metric('phase{phase="waiting_for_database"}'), 1);
    await proxy.reopen();
    await becomesReady();
  });

  it('a monitored scanner is not ready while it syncs in bulk, and says what it waits for there', async (t) => {
    let isHolding = true;
    const { scanner, becomesReady, refuses } = await watched(t, {
      async prepare(node) {
        node.faults = ({ method }) =>
          isHolding && method === 'chainstate_get_mainchain_blocks' ? { type: 'drop' } : undefined;
        return undefined;
      },
    });
    const said = await refuses(/^syncing in bulk; failed .*\(node\): the node does not give its blocks/);
    assert.equal(said.phase, 'bulk_sync');
    assert.equal(said.node_height, BLOCKS);
    const metric = await scanner.metrics();
    assert.equal(metric('node_height_blocks'), BLOCKS);
    assert.ok(metric('errors_total{kind="node"}')! > 0);
    isHolding = false;
    await becomesReady();
  });
});
