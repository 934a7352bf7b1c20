/** `/metrics` of a web server with workers. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { networkByName } from '../../../src/chain/networks/known-networks.ts';
import { freePort } from '../../../src/embedded/free-port.ts';
import type { SiblingResponse, SiblingWorkers } from '../../../src/processes/sibling-workers.ts';
import { joinMetrics } from '../../../src/serving/metrics/metrics.ts';
import { builtBefore } from '../../support/file-scope.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { Scrape } from '../../support/prometheus.ts';
import type { LogLine } from '../../support/running-scanner.ts';
import { runWebServer } from '../../support/running-web-server.ts';
import { eventually, until } from '../../support/until.ts';

/** A worker's registry, and what it tells the others. */
function worker(number: number, others: () => Promise<SiblingResponse[]> = async () => []) {
  const registry = new Registry();
  const registers = [registry];
  new Counter({ name: 'asked_total', help: 'asked', labelNames: ['status'], registers }).inc({ status: '200' }, number);
  new Gauge({ name: 'lag', help: 'lag', aggregator: 'average', registers }).set(number === 2 ? Number.NaN : number);
  new Gauge({ name: 'started', help: 'started', aggregator: 'omit', registers }).set(100 * number);
  new Histogram({ name: 'took', help: 'took', buckets: [1], registers }).observe(number);
  let say = async (_content: string) => '';
  const siblings: SiblingWorkers = {
    worker: number,
    ask: others,
    onQuestion: (_topic, respond) => {
      say = respond;
    },
  };
  const text = joinMetrics(registry, siblings);
  return { said: () => say(''), scrape: async () => new Scrape(await text()) };
}

it('the metrics of all workers are those of each, by its number, and none is added up or left out', async () => {
  const second = worker(2);
  const responses = async () => [
    { worker: 2, content: await second.said() },
    { worker: 3, content: undefined },
  ];
  const scrape = await worker(1, responses).scrape();
  assert.deepEqual(Object.fromEntries(scrape.samples('')), {
    'asked_total{status="200",worker="1"}': 1,
    'asked_total{status="200",worker="2"}': 2,
    'lag{worker="1"}': 1,
    'lag{worker="2"}': Number.NaN,
    'started{worker="1"}': 100,
    'started{worker="2"}': 200,
    'took_bucket{le="1",worker="1"}': 1,
    'took_bucket{le="1",worker="2"}': 0,
    'took_bucket{le="+Inf",worker="1"}': 1,
    'took_bucket{le="+Inf",worker="2"}': 1,
    'took_sum{worker="1"}': 1,
    'took_sum{worker="2"}': 2,
    'took_count{worker="1"}': 1,
    'took_count{worker="2"}': 1,
    'chain_indexer_worker_up{worker="1"}': 1,
    'chain_indexer_worker_up{worker="2"}': 1,
    'chain_indexer_worker_up{worker="3"}': 0,
  });
  assert.equal([...scrape.text.matchAll(/^# TYPE asked_total /gm)].length, 1);
});

/** The web server as an operator starts it, with two workers, a separate address for metrics, and no node. */
const started = builtBefore(async (scope) => {
  const index = await TestIndex.create(scope, networkByName('regtest'));
  const [metricsPort, node] = [await freePort(), `127.0.0.1:${await freePort()}`];
  const args = ['--metrics-address', `127.0.0.1:${metricsPort}`, '--shutdown-delay', '3'];
  const setup = { network: 'regtest', node, postgres: index.postgres, workers: 2, args };
  return { metricsPort, ...(await runWebServer(scope, setup)) };
});

const scrape = () => eventually('figures', () => Scrape.of(started().metricsPort).catch(() => undefined));

/** Figures of both workers: one that is too busy to be asked is left out of a text. */
const scrapeOfBoth = () =>
  eventually('figures of both workers', async () => {
    const figures = await scrape();
    return [...figures.samples('chain_indexer_worker_up').values()].join() === '1,1' ? figures : undefined;
  });

/** By connections of their own, which the workers get in turns. */
async function ask(port: number, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const url = `http://127.0.0.1:${port}/api/v2/block/x`;
    assert.equal((await fetch(url, { headers: { connection: 'close' } })).status, 400);
  }
}

/** As the lines of its log say it. */
function pidOf(log: readonly LogLine[], number: number): number {
  const line = log.find((each) => each.worker === number);
  assert.ok(line, `worker ${number} has logged nothing: ${JSON.stringify(log)}`);
  return line.pid as number;
}

const ANSWERS = 'chain_indexer_responses_total{route="/api/v2/block/:id",status="400"';
const sumOf = (samples: Map<string, number>) => [...samples.values()].reduce((sum, value) => sum + value, 0);

it('a web server with two workers gives the metrics of both, whichever responds, and says when one hangs or has ended', async () => {
  const { port, log } = started();
  await scrapeOfBoth();
  await ask(port, 10);
  // Figures are a second old at most.
  await sleep(1_000);
  for (let i = 0; i < 6; i++) {
    const figures = await scrapeOfBoth();
    const answers = figures.samples(ANSWERS);
    assert.deepEqual([...answers.keys()].sort(), [`${ANSWERS},worker="1"}`, `${ANSWERS},worker="2"}`]);
    assert.equal(sumOf(answers), 10);
    assert.equal(figures.value('chain_indexer_tip_height_blocks{worker="2"}'), 0);
    assert.equal(figures.samples('process_start_time_seconds').size, 2);
  }
  const pid = pidOf(log, 2);
  process.kill(pid, 'SIGSTOP');
  const isUp = async () => (await scrape()).value('chain_indexer_worker_up{worker="2"}');
  await until(async () => (await isUp()) === 0, 'one hangs');
  process.kill(pid, 'SIGKILL');
  const end = await eventually('the end of one', () => log.find(({ msg }) => msg.includes('a worker process ended')));
  assert.equal(end.worker, 2);
  await scrapeOfBoth();
});
