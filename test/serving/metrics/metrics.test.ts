/** What `/metrics` tells an operator of a web server that is one process. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { destinationAddress } from '../../../src/chain/address.ts';
import { networkByName } from '../../../src/chain/networks/known-networks.ts';
import type { SiblingWorkers } from '../../../src/processes/sibling-workers.ts';
import { METRIC_HELP } from '../../../src/serving/metrics/metrics.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { Scrape } from '../../support/prometheus.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { eventually, until } from '../../support/until.ts';
import { serveIndex } from '../../support/web-server.ts';

const network = networkByName('regtest');
const DURATION = 'chain_indexer_response_duration_seconds';

it('the metrics tell the tip, its time and that it can be asked about', async (t) => {
  const index = await TestIndex.create(t, network);
  const server = await index.serve(t);
  await until(() => server.isReady(), 'readiness');
  await index.query('update chain_tip set height = 7, timestamp = 1700000000, revision = revision + 1');
  await until(async () => (await server.json('/chain/tip')).block_height === 7, 'the tip');
  const scrape = await Scrape.fresh(server.port);
  assert.equal(scrape.value('chain_indexer_tip_height_blocks'), 7);
  assert.equal(scrape.value('chain_indexer_tip_timestamp_seconds'), 1_700_000_000);
  assert.equal(scrape.value('chain_indexer_ready'), 1);
  assert.match(
    scrape.text,
    /^chain_indexer_build_info\{version="[\d.]+",commit="\w[\w-]*",storage_version="\d+"\} 1$/m,
  );
  const unconfirmedSeconds = async () => (await Scrape.of(server.port)).value('chain_indexer_tip_unconfirmed_seconds');
  await until(async () => (await unconfirmedSeconds())! < 2, 'that the database confirms the tip');
  await index.query('update chain_tip set is_ready = false, revision = revision + 1');
  await until(async () => (await Scrape.of(server.port)).value('chain_indexer_ready') === 0, 'the loss of readiness');
});

it('the metrics tell for how long the database has not confirmed the tip', async (t) => {
  const index = await TestIndex.create(t, network);
  const proxy = await TcpProxy.start(t, index.postgres);
  const postgres = { ...index.postgres, ...proxy.address };
  const { server } = await serveIndex(t, network, { index, postgres });
  proxy.freeze();
  await until(async () => !(await server.isReady()), 'the loss');
  await until(async () => {
    const scrape = await Scrape.of(server.port);
    assert.equal(scrape.value('chain_indexer_ready'), 0);
    return scrape.value('chain_indexer_tip_unconfirmed_seconds')! > 0.5;
  }, 'half a second without a word');
  // Before the database is dropped: PostgreSQL first waits for the connections that have not sent their password, for a minute.
  await proxy.close();
});

it('the metrics count each answer once, in the buckets of its route and the class of its status', async (t) => {
  const { server } = await serveIndex(t, network);
  for (const id of ['x', 'y', 'z']) await server.get(`/block/${id}`);
  // The figures are a second old at most.
  await sleep(1_000);
  const scrape = await Scrape.of(server.port);
  const labels = 'route="/api/v2/block/:id",status_class="4xx"';
  assert.equal(scrape.value(`${DURATION}_count{${labels}}`), 3);
  const buckets = [...scrape.samples(`${DURATION}_bucket{${labels}`)];
  assert.equal(buckets.at(-1)![0], `${DURATION}_bucket{${labels},le="+Inf"}`);
  assert.equal(buckets.at(-1)![1], 3);
  for (const [i, [, count]] of buckets.entries()) assert.ok(i === 0 || count >= buckets[i - 1]![1]);
  assert.equal(scrape.value('chain_indexer_responses_total{route="/api/v2/block/:id",status="400"}'), 3);
});

it('the metrics show a request that waits for the database as in flight, and afterwards how long it took', async (t) => {
  const { index, server } = await serveIndex(t, network);
  const { release } = await index.holdStatistics();
  assert.equal((await Scrape.of(server.port)).value('chain_indexer_requests_in_flight'), 0);
  const began = performance.now();
  const answer = server.get('/statistics/coin');
  await until(
    async () => (await Scrape.of(server.port)).value('chain_indexer_requests_in_flight') === 1,
    'the request in flight',
  );
  await new Promise((later) => setTimeout(later, 120));
  await release();
  assert.equal((await answer).status, 200);
  const seconds = (performance.now() - began) / 1_000;
  const scrape = await eventually('figures of after that', async () => {
    const newest = await Scrape.of(server.port);
    return newest.value('chain_indexer_requests_in_flight') === 0 ? newest : undefined;
  });
  const labels = 'route="/api/v2/statistics/coin",status_class="2xx"';
  const sum = scrape.value(`${DURATION}_sum{${labels}}`)!;
  assert.ok(sum >= 0.12 && sum <= seconds, `${sum} of ${seconds} s`);
  assert.equal(scrape.value(`${DURATION}_bucket{${labels},le="0.1"}`), 0);
  assert.equal(scrape.value(`${DURATION}_bucket{${labels},le="+Inf"}`), 1);
});

it('an export is in flight once, and no longer when its rows are sent, whatever its method', async (t) => {
  const { server } = await serveIndex(t, network);
  const addresses = [destinationAddress(network, '00')];
  const post = (format: string) =>
    server.request('/api/v2/history', { method: 'POST', body: JSON.stringify({ addresses, format }) });
  const answers = [await server.get(`/address/${addresses[0]}/history?format=csv`), await post('csv'), await post('x')];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 400],
  );
  const scrape = await Scrape.of(server.port);
  assert.equal(scrape.value('chain_indexer_requests_in_flight'), 0);
  assert.equal(scrape.value('chain_indexer_responses_total{route="POST /api/v2/history",status="200"}'), 1);
});

it('the text of the metrics is made at most once a second, however many request it', async (t) => {
  const index = await TestIndex.create(t, network);
  let made = 0;
  const ask = async () => {
    made++;
    return [];
  };
  const siblings: SiblingWorkers = { worker: 1, onQuestion() {}, ask };
  const server = await index.serve(t, { siblings });
  const since = performance.now();
  const texts = await Promise.all(Array.from({ length: 50 }, async () => (await server.request('/metrics')).text));
  const before = made;
  assert.equal(new Set(texts).size, before);
  assert.ok(before <= 1 + (performance.now() - since) / 1_000, `${before} texts`);
  await sleep(1_000);
  await server.request('/metrics');
  assert.equal(made, before + 1);
});

it('each metric has a help text, and each help text a metric', async (t) => {
  const index = await TestIndex.create(t, network);
  const server = await index.serve(t);
  const { text } = await Scrape.of(server.port);
  const types = [...text.matchAll(/^# TYPE (chain_indexer_\S+) (\S+)$/gm)];
  assert.ok(types.length > 8);
  for (const [, name = '', type] of types) {
    assert.match(text, new RegExp(`^# HELP ${name} [A-Z0-9].{20,}$`, 'm'));
    assert.equal(name.endsWith('_total'), type === 'counter', name);
  }
  const missing = Object.keys(METRIC_HELP).filter(
    (name) => !types.some(([, each]) => each === `chain_indexer_${name}`),
  );
  // This server has no node.
  assert.deepEqual(
    missing.filter((name) => !/^(node|mempool|submissions)_/.test(name)),
    [],
  );
});
