/** `/metrics` of a web server that is several processes. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { aggregateMetrics, type MetricJson, type WorkerMetrics } from '../../../src/api/metrics/aggregate-metrics.ts';
import { networkByName } from '../../../src/chain/networks/known.ts';
import { freePort } from '../../../src/embedded/free-port.ts';
import type { PostgresOptions } from '../../../src/store/postgres/connect.ts';
import { Scrape } from '../../support/prometheus.ts';
import type { LogLine } from '../../support/running-scanner.ts';
import { TestIndex } from '../../support/test-index.ts';
import { eventually, until } from '../../support/until.ts';

/** A metric with one figure, as a worker says it. */
function figure(type: string, name: string, value: number | null, aggregator = 'sum'): MetricJson {
  return [{ name, type, aggregator, help: name, values: [{ value, labels: {} }] }] as unknown as MetricJson;
}

const said = (...figures: MetricJson[]): WorkerMetrics[] =>
  figures.map((each, i) => ({ worker: i + 1, figures: each, isSilent: false }));

async function together(workers: readonly WorkerMetrics[], ended: readonly MetricJson[] = []): Promise<Scrape> {
  return new Scrape((await aggregateMetrics(workers, ended)).text);
}

describe('the figures of all workers', () => {
  it('the metrics of all workers are sums, or aggregated as the metric says', async () => {
    const scrape = await together(
      said(
        [...figure('counter', 'asked', 5), ...figure('gauge', 'height', 7, 'min'), ...figure('gauge', 'age', 1, 'max')],
        [...figure('counter', 'asked', 6), ...figure('gauge', 'height', 9, 'min'), ...figure('gauge', 'age', 3, 'max')],
      ),
    );
    assert.equal(scrape.value('asked'), 11);
    assert.equal(scrape.value('height'), 7);
    assert.equal(scrape.value('age'), 3);
  });

  it('the metrics of all workers give the start of the oldest process', async () => {
    const start = (at: number) => figure('gauge', 'process_start_time_seconds', at, 'omit');
    assert.equal((await together(said(start(200), start(100)))).value('process_start_time_seconds'), 100);
  });

  it('metrics that cannot be summed are given for each worker, also when there is no number', async () => {
    const lag = (seconds: number | null) => figure('gauge', 'nodejs_eventloop_lag_p99_seconds', seconds, 'average');
    const scrape = await together(said(lag(0.5), lag(null)));
    assert.deepEqual(
      [...scrape.samples('nodejs_eventloop_lag_p99_seconds')],
      [
        ['nodejs_eventloop_lag_p99_seconds{worker="1"}', 0.5],
        ['nodejs_eventloop_lag_p99_seconds{worker="2"}', Number.NaN],
      ],
    );
  });

  it('the counters of workers that have ended stay in the sums, their gauges do not', async () => {
    const of = (asked: number) => [...figure('counter', 'asked', asked), ...figure('gauge', 'bytes', 1_000)];
    let { text, ended } = await aggregateMetrics(said(of(1)), [of(10), of(20)]);
    assert.equal(new Scrape(text).value('asked'), 31);
    assert.equal(new Scrape(text).value('bytes'), 1_000);
    ({ text, ended } = await aggregateMetrics(said(of(2)), [ended, of(40)]));
    assert.equal(new Scrape(text).value('asked'), 72);
    assert.equal(new Scrape((await aggregateMetrics([], [ended])).text).value('asked'), 70);
  });

  it('the metrics give the number of workers that do not respond, and count those with their last values', async () => {
    const scrape = await together([
      { worker: 1, figures: figure('counter', 'asked', 5), isSilent: false },
      { worker: 2, figures: figure('counter', 'asked', 6), isSilent: true },
      { worker: 3, figures: undefined, isSilent: true },
    ]);
    assert.equal(scrape.value('asked'), 11);
    assert.equal(scrape.value('chain_indexer_workers{state="answering"}'), 1);
    assert.equal(scrape.value('chain_indexer_workers{state="silent"}'), 2);
  });
});

const program = fileURLToPath(new URL('../../../bin/web-server.ts', import.meta.url));

/** The web server as an operator starts it, with two workers. */
async function twoWorkers(
  t: TestContext,
  postgres: PostgresOptions,
  metricsPort?: number,
  more: readonly string[] = [],
) {
  const port = await freePort();
  const { host, user, password, database } = postgres;
  const child = spawn(process.execPath, [program, '--network', 'regtest', '--workers', '2', ...more], {
    env: {
      ...process.env,
      ML_API_WEB_SRV_BIND_ADDRESS: `127.0.0.1:${port}`,
      ML_API_WEB_SRV_POSTGRES_HOST: host,
      ML_API_WEB_SRV_POSTGRES_PORT: String(postgres.port),
      ML_API_WEB_SRV_POSTGRES_USER: user,
      ML_API_WEB_SRV_POSTGRES_PASSWORD: password,
      ML_API_WEB_SRV_POSTGRES_DATABASE: database,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  t.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const log: LogLine[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => void log.push(JSON.parse(line)));
  const scrape = () => eventually('figures', () => Scrape.of(metricsPort ?? port).catch(() => undefined));
  await until(async () => (await scrape()).value('chain_indexer_workers{state="answering"}') === 2, 'both workers');
  await until(async () => (await scrape()).value('chain_indexer_ready') === 1, 'readiness of both');
  return { port, log, scrape, child, ended };
}

/** By connections of their own, which the workers get in turns. */
async function ask(port: number, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const url = `http://127.0.0.1:${port}/api/v2/block/x`;
    assert.equal((await fetch(url, { headers: { connection: 'close' } })).status, 400);
  }
}

/** As the lines of its log say it. */
function pidOf(log: readonly LogLine[], worker: number): number {
  const line = log.find((each) => each.worker === worker);
  assert.ok(line, `worker ${worker} has logged nothing: ${JSON.stringify(log)}`);
  return line.pid as number;
}

const ANSWERS = 'chain_indexer_answers_total{route="/api/v2/block/:id",status="400"}';
const DURATIONS = 'chain_indexer_answer_duration_seconds_count{route="/api/v2/block/:id",status_class="4xx"}';

describe('a web server with two workers', () => {
  it('a web server with two workers gives the metrics of both, whichever responds, and continues them when one dies', async (t) => {
    const index = await TestIndex.create(t, networkByName('regtest'));
    const { port, log, scrape } = await twoWorkers(t, index.postgres);
    await ask(port, 10);
    // Figures are a second old at most.
    await sleep(1_000);
    for (let i = 0; i < 6; i++) {
      const figures = await scrape();
      assert.equal(figures.value(ANSWERS), 10);
      assert.equal(figures.value(DURATIONS), 10);
      assert.equal(figures.value('chain_indexer_tip_height_blocks'), 0);
      assert.deepEqual(
        [...figures.samples('process_open_fds').keys()],
        ['process_open_fds{worker="1"}', 'process_open_fds{worker="2"}'],
      );
    }
    process.kill(pidOf(log, 2), 'SIGKILL');
    const end = await eventually('the end of one', () => log.find(({ msg }) => msg.includes('a worker process ended')));
    assert.equal(end.worker, 2);
    assert.equal((await scrape()).value(ANSWERS), 10);
    await until(async () => (await scrape()).value('chain_indexer_workers{state="answering"}') === 2, 'another one');
    await ask(port, 4);
    await until(async () => (await scrape()).value(ANSWERS) === 14, 'the sum');
  });

  it('a web server with two workers has a separate address for metrics, and reports there too that it is stopping', async (t) => {
    const index = await TestIndex.create(t, networkByName('regtest'));
    const metricsPort = await freePort();
    const options = ['--metrics-address', `127.0.0.1:${metricsPort}`, '--shutdown-delay', '1'];
    const { port, child, ended } = await twoWorkers(t, index.postgres, metricsPort, options);
    const status = async (at: number, path: string) =>
      (await fetch(`http://127.0.0.1:${at}${path}`, { headers: { connection: 'close' } })).status;
    const asked = [
      [port, '/metrics', 400],
      [port, '/ready', 200],
      [metricsPort, '/ready', 200],
      [metricsPort, '/api/v2/chain/tip', 404],
    ] as const;
    for (const [at, path, expected] of asked) assert.equal(await status(at, path), expected, path);
    child.kill('SIGTERM');
    await until(async () => (await status(metricsPort, '/ready')) === 503, 'the announcement');
    assert.deepEqual([await status(port, '/ready'), await status(port, '/api/v2/chain/tip')], [503, 200]);
    assert.equal(await ended, 0);
  });
});
