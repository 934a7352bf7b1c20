/**
 * A primary, two replicas, a scanner, three web servers, and HAProxy and nginx with the files of deploy before them, with the
 * programs of a distribution. Clients read through both proxies while servers are lost.
 */
import assert from 'node:assert/strict';
import { chmod } from 'node:fs/promises';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { familyCpuSeconds } from '../../bench/process-usage.ts';
import { noReplication, optionsFor, type PostgresServer, startReplicated } from '../../bench/replicated-postgres.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { installedProxies, type ProxyName, startProxy, withAddresses } from '../package/proxies.ts';
import { AddressedConnection, anyAddress } from '../support/addressed-connection.ts';
import { Scrape } from '../support/prometheus.ts';
import { RunningScanner } from '../support/running-scanner.ts';
import { type RunningWebServer, runWebServer } from '../support/running-web-server.ts';
import { ScriptedNode } from '../support/scripted-node.ts';
import { lightChain, SIMULATED_NETWORK } from '../support/simulated-chain.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const network = SIMULATED_NETWORK;
const skip =
  noReplication || (installedProxies.length < 2 && 'haproxy or nginx is not installed (apt-get install haproxy nginx)');

/** For how long the clients walk in all: TEST_REPLICAS_SECONDS=600 makes it ten minutes. */
const WALK_SECONDS = Number(process.env.TEST_REPLICAS_SECONDS ?? 15);
/** They walk in each of five situations. */
const WALK_MS = (WALK_SECONDS * 1_000) / 5;
const BLOCK_INTERVAL_MS = 400;
const FIRST_BLOCKS = 300;
/** Longer than a promotion takes. */
const MAX_LAG_SECONDS = 3;

/** So many statements are cancelled. */
const CANCELLED = 5;
const PATIENCE = { withinMs: 30_000 };
/** So many for each rate: with few addresses chance decides who gets how many. */
const READS = 8_000;
const READERS = 16;
/** An address's requests all go to one web server: only many addresses spread. */
const READS_PER_ADDRESS = 2;
/** The most by which a web server may differ from an equal share of the reads. */
const MAX_DIFFERENCE = 0.1;

/** What the readers of each proxy ask for: so the metrics of a web server tell the proxies apart. */
const LISTS = {
  haproxy: { route: '/api/v2/transaction', page: 'offset' },
  nginx: { route: '/api/v2/block', page: 'to' },
} as const satisfies Readonly<Record<ProxyName, object>>;
const MAX_ITEMS = 60;
/** The readers end then: something is wrong. */
const MAX_FAILURES = 1_000;

interface Failure {
  readonly sentAt: number;
  readonly what: string;
}

/** Clients that read pages of a list through a proxy, hardly any twice, each from ever new addresses. */
class Readers {
  answered = 0;
  readonly failures: Failure[] = [];
  #isStopped = false;
  #next = 0;
  static #made = 0;
  /** Nothing is answered from a cache that others filled. */
  readonly #number = Readers.#made++;
  readonly #reading: Promise<void>[];

  constructor(proxy: ProxyName, port: number, readers = READERS, pauseMs = 0) {
    const { route, page } = LISTS[proxy];
    const path = () => {
      const place = this.#next++;
      const items = 1 + (Math.floor(place / FIRST_BLOCKS) % MAX_ITEMS);
      return `${route}?${page}=${place % FIRST_BLOCKS}&items=${items}&reader=${this.#number}`;
    };
    this.#reading = Array.from({ length: readers }, () => this.#read(port, path, pauseMs));
  }

  async #read(port: number, path: () => string, pauseMs: number): Promise<void> {
    while (!this.#isStopped) {
      const connection = new AddressedConnection(port, anyAddress());
      for (let i = 0; i < READS_PER_ADDRESS && !this.#isStopped; i++) {
        const sentAt = performance.now();
        const answer = await connection.get(path()).catch((error: Error) => error);
        if (!(answer instanceof Error) && answer.status === 200) this.answered++;
        else this.failures.push({ sentAt, what: answer instanceof Error ? answer.message : `status ${answer.status}` });
        if (answer instanceof Error) break;
        if (this.failures.length > MAX_FAILURES) return;
        if (pauseMs > 0) await sleep(pauseMs);
      }
      connection.cut();
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#reading);
  }
}

/**
 * A client whose connections are cut at random, also in the middle of a response, and whose next one comes from another
 * address: so it goes to a web server at random. It names the tip that it has seen, and notes older answers.
 */
class WalkingClient {
  readonly older: string[] = [];
  readonly statuses = new Map<number, number>();
  readonly failures: Failure[] = [];
  cuts = 0;
  #tip: { readonly height: number; readonly text: string } | null = null;
  #isStopped = false;
  readonly #walking: Promise<void>;

  constructor(port: number) {
    this.#walking = this.#walk(port);
  }

  async #walk(port: number): Promise<void> {
    while (!this.#isStopped) {
      const connection = new AddressedConnection(port, anyAddress());
      const requests = 1 + Math.floor(Math.random() * 6);
      for (let i = 0; i < requests && !this.#isStopped; i++) {
        await this.#ask(connection);
        await sleep(Math.random() * 10);
      }
      if (Math.random() < 0.5) {
        connection.get('/api/v2/chain/tip').catch(() => {});
        await sleep(Math.random() * 3);
      }
      connection.cut();
      this.cuts++;
    }
  }

  async #ask(connection: AddressedConnection): Promise<void> {
    const sentAt = performance.now();
    const headers: Record<string, string> = this.#tip === null ? {} : { 'x-min-tip': this.#tip.text };
    const answer = await connection.get('/api/v2/chain/tip', headers).catch((error: Error) => error);
    if (answer instanceof Error) {
      this.failures.push({ sentAt, what: answer.message });
      return;
    }
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    if (answer.status !== 200) return;
    const text = String(answer.headers['x-chain-tip']);
    const height = Number(text.split('-')[0]);
    // The simulated node of this test never reorganises.
    if (height < (this.#tip?.height ?? 0)) this.older.push(`${this.#tip!.text} then ${text}`);
    if (JSON.parse(answer.text).block_height !== height) this.older.push(`${text} with ${answer.text}`);
    this.#tip = { height, text };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#walking;
  }
}

it('behind HAProxy and nginx replicas serve the reads, and servers are lost without a failed request', {
  skip,
  timeout: 300_000 + 2 * WALK_SECONDS * 1_000,
}, async (t) => {
  const home = await temporaryDirectory(t);
  await chmod(home, 0o755);
  const blocks = lightChain(FIRST_BLOCKS + 100 + Math.ceil((WALK_SECONDS * 1_000) / BLOCK_INTERVAL_MS), 'replicas');
  const node = await ScriptedNode.start(t, network);
  node.grow(blocks.slice(0, FIRST_BLOCKS));
  const { primary, replicas } = await startReplicated(t, 2);
  const [one, two] = replicas as [PostgresServer, PostgresServer];
  // What the primary does by itself after a sync is not for the reads.
  await primary.query('alter system set autovacuum = off');
  await primary.query('select pg_reload_conf()');
  // The primary is not the first: the scanner finds it.
  const scanner = await RunningScanner.start(t, { node, postgres: optionsFor(one, primary, two) });
  await scanner.logged('this PostgreSQL can be written to');
  await scanner.reaches(blocks[FIRST_BLOCKS - 1]!.id);

  const hosts = [optionsFor(one, two, primary), optionsFor(two, one, primary), optionsFor(two, one, primary)];
  const startServer = (i: number, port?: number) =>
    runWebServer(t, {
      network: network.name,
      node: node.address,
      postgres: hosts[i]!,
      workers: 1,
      args: ['--max-lag', `${MAX_LAG_SECONDS}`, '--trust-proxy', '1'],
      ...(port === undefined ? {} : { port }),
    });
  const servers: RunningWebServer[] = [];
  for (const i of hosts.keys()) servers.push(await startServer(i));
  const ports = servers.map(({ port }) => port);

  /** Starts a proxy, and gives its port for clients with any address. */
  const proxyTo = async (scope: TestContext, proxy: ProxyName, behind: readonly number[]) => {
    const port = await freePort();
    await startProxy(scope, proxy, { home, ports: behind, change: (text) => withAddresses(text, port) });
    return port;
  };
  const proxies = { haproxy: await proxyTo(t, 'haproxy', ports), nginx: await proxyTo(t, 'nginx', ports) };
  const readBy = async (proxy: ProxyName, { port }: RunningWebServer) => {
    const scrape = await Scrape.fresh(port);
    const samples = [...scrape.samples(`chain_indexer_responses_total{route="${LISTS[proxy].route}"`).values()];
    return samples.reduce((all, each) => all + each, 0);
  };

  for (const count of [1, 2, 3]) {
    await t.test(
      `of ${count} web servers each gets its share of the reads, and the primary has nothing to do with them`,
      async (t) => {
        for (const proxy of installedProxies) {
          const port = await proxyTo(t, proxy, ports.slice(0, count));
          const used = servers.slice(0, count);
          const read = await Promise.all(used.map((server) => readBy(proxy, server)));
          const processes = {
            ...Object.fromEntries(used.map(({ pid }, i) => [`web-${i + 1}`, pid])),
            'replica-1': one.pid,
            'replica-2': two.pid,
            primary: primary.pid,
          };
          const cpu = () => Object.values(processes).map(familyCpuSeconds);
          const before = cpu();
          const begun = performance.now();
          const readers = new Readers(proxy, port);
          await until(() => readers.answered >= READS || readers.failures.length > 0, `${READS} reads`);
          await readers.stop();
          const seconds = (performance.now() - begun) / 1_000;
          const after = cpu();
          const shares = (await Promise.all(used.map((server) => readBy(proxy, server)))).map(
            (now, i) => now - read[i]!,
          );
          const microseconds = after.map((now, i) => ((now - before[i]!) * 1e6) / readers.answered);
          const costs = Object.keys(processes).map((name, i) => `${name} ${microseconds[i]!.toFixed(0)}`);
          t.diagnostic(
            `${proxy}, web servers: ${count}; ${Math.round(readers.answered / seconds)} reads a second, ` +
              `${readers.failures.length} failed; by web server ${shares.join(', ')}; ` +
              `µs of processor time for each of all reads: ${costs.join(', ')}`,
          );
          assert.deepEqual(readers.failures, []);
          const fair = shares.reduce((all, each) => all + each, 0) / count;
          for (const share of shares)
            assert.ok(Math.abs(share / fair - 1) < MAX_DIFFERENCE, `${proxy}: ${shares.join(', ')}`);
          // Some ticks of the kernel's clock.
          assert.ok(microseconds.at(-1)! < 10, `the primary takes ${microseconds.at(-1)} µs for each read`);
        }
      },
    );
  }

  let height = FIRST_BLOCKS;
  const growing = new AbortController();
  const grows = (async () => {
    while (!growing.signal.aborted && height < blocks.length - 5) {
      node.grow(blocks.slice(height, ++height));
      await sleep(BLOCK_INTERVAL_MS, undefined, { signal: growing.signal }).catch(() => {});
    }
  })();
  t.after(() => growing.abort());
  const clients = installedProxies.flatMap((proxy) => [0, 1].map(() => new WalkingClient(proxies[proxy])));
  const readers = installedProxies.map((proxy) => new Readers(proxy, proxies[proxy], 4, 20));
  t.after(() => Promise.all([...clients, ...readers].map((each) => each.stop())));
  const all = [...clients, ...readers];
  const allFailures = () => all.flatMap(({ failures }) => failures);

  const readyOf = async ({ port }: RunningWebServer) => {
    const response = await fetch(`http://127.0.0.1:${port}/ready`);
    return { status: response.status, said: ((await response.json()) as { status: string }).status };
  };
  const connections = `select from pg_stat_activity where application_name = 'chain-indexer web server'`;

  await t.test('no web server has a connection to the primary', async () => {
    await sleep(WALK_MS);
    assert.equal((await primary.query(connections)).length, 0);
    assert.ok((await one.query(connections)).length > 0);
    assert.ok((await two.query(connections)).length > 0);
    assert.deepEqual(allFailures(), []);
  });

  await t.test('a replica that falls behind leaves the balance, and comes back', async (t) => {
    await one.query('select pg_wal_replay_pause()');
    await until(async () => (await readyOf(servers[0]!)).status === 503, 'the first web server is not ready');
    assert.match((await readyOf(servers[0]!)).said, /replica, and \d+ s behind its primary/);
    assert.equal((await readyOf(servers[1]!)).status, 200);
    // HAProxy asks twice a second, and believes the second 503.
    await sleep(1_500);
    const before = await readBy('haproxy', servers[0]!);
    await sleep(WALK_MS);
    assert.equal(await readBy('haproxy', servers[0]!), before, 'reads by the web server that is behind');
    await one.query('select pg_wal_replay_resume()');
    await until(async () => (await readyOf(servers[0]!)).status === 200, 'the first web server is ready');
    await until(async () => (await readBy('haproxy', servers[0]!)) > before, 'it is read from again', PATIENCE);
    assert.deepEqual(allFailures(), []);
    t.diagnostic(`${refused(clients)} requests that named a newer tip got 503`);
  });

  await t.test('statements that a replica cancels for its recovery are asked again', async (t) => {
    await one.query('alter system set max_standby_streaming_delay = 0');
    await one.query('select pg_reload_conf()');
    const cancelled = async () => {
      const [row] = await one.query<{ n: string }>('select sum(confl_lock) as n from pg_stat_database_conflicts');
      return Number(row?.n);
    };
    // The replica must take each lock as well, at once.
    const locks = `do $$ begin
        for i in 1 .. 50 loop
          lock chain_indexer.transactions in access exclusive mode;
          commit;
          perform pg_sleep(0.002);
        end loop;
      end $$`;
    const busy = new Readers('haproxy', proxies.haproxy);
    const isEnough = async () => {
      await primary.query(locks);
      return (await cancelled()) >= CANCELLED;
    };
    await until(isEnough, `${CANCELLED} statements are cancelled`, PATIENCE).finally(() => busy.stop());
    t.diagnostic(`${await cancelled()} statements were cancelled, ${busy.answered} reads were answered`);
    assert.deepEqual([...busy.failures, ...allFailures()], []);
  });

  /** Fails if a request failed that was sent after the loss; those before it were on the lost server's connections. */
  const onlyLost = (t: TestContext, lostAt: number, known: number) => {
    const failures = allFailures().slice(known);
    assert.deepEqual(
      failures.filter(({ sentAt }) => sentAt > lostAt),
      [],
    );
    t.diagnostic(`${failures.length} requests failed, all on the connections of what was killed`);
    assert.ok(failures.length <= all.length * 4, `${failures.length} failed`);
  };

  await t.test('a killed web server costs no request but those on its connections', async (t) => {
    const known = allFailures().length;
    const lostAt = performance.now();
    await servers[2]!.stop('SIGKILL');
    await sleep(WALK_MS);
    servers[2] = await startServer(2, ports[2]!);
    await until(async () => (await readBy('haproxy', servers[2]!)) > 0, 'it is read from again', PATIENCE);
    onlyLost(t, lostAt, known);
  });

  await t.test('a killed replica costs no request: its web server reads from the next one', async (t) => {
    const known = allFailures().length;
    const lostAt = performance.now();
    await one.kill();
    const moved = /Another database server is read from now on/;
    await until(() => servers[0]!.log.some(({ msg }) => moved.test(msg)), 'another server is used');
    await sleep(WALK_MS);
    onlyLost(t, lostAt, known);
    assert.equal((await readyOf(servers[0]!)).status, 200);
  });

  await t.test('after a promotion the scanner writes to the new primary, and the web servers go on', async (t) => {
    const known = allFailures().length;
    const lostAt = performance.now();
    await primary.kill();
    await two.promote();
    const begun = performance.now();
    await until(
      () => scanner.logs.some(({ msg, port }) => /can be written to/.test(msg) && port === two.port),
      'the scanner has found the new primary',
    );
    t.diagnostic(`the scanner found the new primary ${Math.round(performance.now() - begun)} ms after the promotion`);
    await sleep(WALK_MS);
    growing.abort();
    await grows;
    node.grow(blocks.slice(height));
    const isThere = async (port: number) =>
      ((await (await fetch(`http://127.0.0.1:${port}/api/v2/chain/tip`)).json()) as { block_height: number })
        .block_height === blocks.length;
    for (const port of ports) await until(() => isThere(port), `${port} serves the last block`);
    onlyLost(t, lostAt, known);
  });

  await Promise.all(all.map((each) => each.stop()));
  assert.deepEqual(
    clients.flatMap(({ older }) => older),
    [],
  );
  const statuses = new Set(clients.flatMap((client) => [...client.statuses.keys()]));
  assert.deepEqual(
    [...statuses].filter((status) => status !== 200 && status !== 503),
    [],
  );
  const sum = (count: (client: WalkingClient) => number) => clients.reduce((all, client) => all + count(client), 0);
  t.diagnostic(
    `${sum(({ statuses }) => statuses.get(200) ?? 0)} responses to ${clients.length} clients whose connections were cut ` +
      `${sum(({ cuts }) => cuts)} times, ${refused(clients)} got 503, none an older tip; ` +
      `${readers.reduce((all, { answered }) => all + answered, 0)} other reads, ${allFailures().length} failed`,
  );
});

function refused(clients: readonly WalkingClient[]): number {
  return clients.reduce((all, { statuses }) => all + (statuses.get(503) ?? 0), 0);
}
