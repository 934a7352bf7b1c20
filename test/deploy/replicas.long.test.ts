/** A primary, two replicas, a scanner and web servers on the replicas, with the programs of a distribution's PostgreSQL. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { optionsFor, noReplication as skip, startReplicated } from '../support/replicated-postgres.ts';
import { RunningScanner } from '../support/running-scanner.ts';
import { ScriptedNode } from '../support/scripted-node.ts';
import { lightChain, SIMULATED_NETWORK } from '../support/simulated-chain.ts';
import { until } from '../support/until.ts';
import { Notebook, startTestWebServer, type TestServer } from '../support/web-server.ts';

const network = SIMULATED_NETWORK;
/** The time for which clients walk in two of the situations: TEST_REPLICAS_SECONDS=300 makes it ten minutes. */
const WALK_MS = Number(process.env.TEST_REPLICAS_SECONDS ?? 4) * 1_000;

const BLOCK_INTERVAL_MS = Math.max(400, WALK_MS / 15);

/** A client whose requests go to a server at random. It names the tip that it has seen, and notes older answers. */
class WalkingClient {
  readonly older: string[] = [];
  readonly statuses = new Map<number, number>();
  failed = 0;
  answered = 0;
  #tip: { readonly height: number; readonly text: string } | null = null;
  #isStopped = false;
  readonly #servers: () => readonly TestServer[];
  readonly #walking: Promise<void>;

  constructor(servers: () => readonly TestServer[]) {
    this.#servers = servers;
    this.#walking = this.#walk();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#walking;
  }

  async #walk(): Promise<void> {
    while (!this.#isStopped) {
      const servers = this.#servers();
      const server = servers[Math.floor(Math.random() * servers.length)]!;
      await this.#ask(server);
      await sleep(5);
    }
  }

  async #ask(server: TestServer): Promise<void> {
    const headers: Record<string, string> = this.#tip === null ? {} : { 'x-min-tip': this.#tip.text };
    const answer = await fetch(`${server.url}/api/v2/chain/tip`, { headers }).catch(() => null);
    const body = await answer?.text().catch(() => null);
    if (answer == null || body == null) {
      this.failed++;
      return;
    }
    this.answered++;
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    const text = answer.headers.get('x-chain-tip');
    if (text === null) return;
    const height = Number(text.split('-')[0]);
    assert.deepEqual(JSON.parse(body).block_height, height);
    // The simulated node of this test never reorganises.
    if (height < (this.#tip?.height ?? 0)) this.older.push(`${this.#tip!.text} then ${text}`);
    this.#tip = { height, text };
  }
}

it('replicas serve the reads, and replace each other and the primary', {
  skip,
  timeout: 300_000 + 4 * WALK_MS,
}, async (t) => {
  const blocks = lightChain(60, 'replicas');
  const node = await ScriptedNode.start(t, network);
  node.grow(blocks.slice(0, 10));
  const { primary, replicas } = await startReplicated(t, 2);
  const [one, two] = replicas as [(typeof replicas)[0], (typeof replicas)[0]];
  // The primary is not the first: the scanner finds it.
  const scanner = await RunningScanner.start(t, { node, postgres: optionsFor(one, primary, two) });
  await scanner.logged('this PostgreSQL can be written to');
  const notes = [new Notebook(), new Notebook(), new Notebook()];
  const orders = [optionsFor(one, two, primary), optionsFor(two, one, primary), optionsFor(two, one, primary)];
  const servers = await Promise.all(
    orders.map((postgres, i) =>
      startTestWebServer(t, { network, postgres, logger: notes[i]!, maxLagSeconds: 2, pages: undefined }),
    ),
  );
  const heightOf = async (server: TestServer) => (await server.get('/chain/tip')).body?.block_height;
  const allAt = async (height: number) => {
    for (const server of servers) await until(async () => (await heightOf(server)) === height, `height ${height}`);
  };
  await allAt(10);

  let height = 10;
  const growing = new AbortController();
  const grows = (async () => {
    while (!growing.signal.aborted && height < blocks.length - 5) {
      node.grow(blocks.slice(height, ++height));
      await sleep(BLOCK_INTERVAL_MS, undefined, { signal: growing.signal }).catch(() => {});
    }
  })();
  const clients = Array.from({ length: 4 }, () => new WalkingClient(() => servers));

  await t.test('no web server has a connection to the primary', async () => {
    await sleep(WALK_MS);
    const readers = `select from pg_stat_activity where application_name = 'chain-indexer web server'`;
    assert.equal((await primary.query(readers)).length, 0);
    assert.ok((await one.query(readers)).length > 0);
    assert.ok((await two.query(readers)).length > 0);
  });

  await t.test('a replica that falls behind leaves the balance, and comes back', async () => {
    await one.query('select pg_wal_replay_pause()');
    const ready = (server: TestServer) => server.request('/ready');
    await until(async () => (await ready(servers[0]!)).status === 503, 'the first web server is not ready');
    assert.match((await ready(servers[0]!)).body.status, /replica, and \d+ s behind its primary/);
    assert.equal((await ready(servers[1]!)).status, 200);
    // Its reads go on, and a request that names a newer tip is refused or waits.
    assert.equal((await servers[0]!.get('/chain/tip')).status, 200);
    await one.query('select pg_wal_replay_resume()');
    await until(async () => (await ready(servers[0]!)).status === 200, 'the first web server is ready');
  });

  await t.test('a killed replica costs no request: its web server reads from the next one', async () => {
    const failures = clients.map(({ failed }) => failed);
    await one.kill();
    await until(() => notes[0]!.of(/Another database server is read from now on/).length > 0, 'another server is used');
    await sleep(WALK_MS);
    assert.deepEqual(
      clients.map(({ failed }) => failed),
      failures,
    );
    const [{ statuses }] = clients as [WalkingClient];
    assert.deepEqual(
      [...statuses.keys()].filter((status) => status !== 200 && status !== 503),
      [],
    );
    assert.equal((await servers[0]!.get('/chain/tip')).status, 200);
  });

  await t.test('after a promotion the scanner writes to the new primary, and the web servers go on', async () => {
    await primary.kill();
    await two.promote();
    const begun = performance.now();
    await until(
      () => scanner.logs.filter(({ msg, port }) => /can be written to/.test(msg) && port === two.port).length > 0,
      'the scanner has found the new primary',
    );
    t.diagnostic(`the scanner found the new primary ${Math.round(performance.now() - begun)} ms after the promotion`);
    growing.abort();
    await grows;
    node.grow(blocks.slice(height));
    await allAt(blocks.length);
  });

  await Promise.all(clients.map((client) => client.stop()));
  assert.deepEqual(
    clients.flatMap(({ older }) => older),
    [],
  );
  const sum = (count: (client: WalkingClient) => number) => clients.reduce((all, client) => all + count(client), 0);
  assert.equal(
    sum(({ failed }) => failed),
    0,
  );
  const refused = sum(({ statuses }) => statuses.get(503) ?? 0);
  t.diagnostic(
    `${sum(({ answered }) => answered)} responses to 4 clients, ${refused} of them 503, none of an older tip`,
  );
});
