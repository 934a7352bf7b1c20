/** Clients that ask for much and take nothing, through real sockets: what they cost is bounded, and others are served. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { networkByName } from '../../../src/chain/networks/known.ts';
import { fileScope } from '../../support/file-scope.ts';
import { fillTables } from '../../support/filled-tables.ts';
import { Scrape } from '../../support/prometheus.ts';
import { answersIn, exchange } from '../../support/raw-http.ts';
import { askWithoutReading, openConnection, requestText } from '../../support/slow-clients.ts';
import { TestIndex } from '../../support/test-index.ts';
import { until } from '../../support/until.ts';
import { startTestWebServer, type TestServer, type TestServerOptions } from '../../support/web-server.ts';

const MIB = 1024 * 1024;
const scope = fileScope();
const network = networkByName('regtest');
let index: TestIndex;

before(async () => {
  index = await TestIndex.create(scope, network);
  const sizes = { blocks: 60, transactionsPerBlock: 5, pools: 3, delegations: 1, tokens: 1, nfts: 1, orders: 90 };
  await fillTables(index.session.writer, { ...sizes, holders: 1 });
});

async function serve(t: TestContext, options: Partial<TestServerOptions> = {}): Promise<TestServer> {
  const server = await startTestWebServer(t, { network, postgres: index.postgres, ...options });
  await until(() => server.isReady(), 'readiness');
  return server;
}

const figure = async (server: TestServer, name: string) =>
  (await Scrape.of(server.port)).value(`chain_indexer_${name}`)!;

/** Who asks for one thing at a time gets it at once. */
async function assertOthersAreServed(server: TestServer): Promise<void> {
  for (const path of ['/chain/tip', '/transaction?items=3', '/block/x']) {
    const since = performance.now();
    const { status } = await server.get(path);
    assert.ok(status === 200 || path === '/block/x', path);
    assert.ok(performance.now() - since < 1_000, path);
  }
}

/** Holds all reads of the statistics until `release` is called. */
async function holdStatistics(t: TestContext): Promise<() => Promise<unknown>> {
  const { writer } = index.session;
  await writer.query(`
    alter table statistics rename to slow_statistics;
    create view statistics as
      select s.* from slow_statistics s cross join lateral (select pg_advisory_xact_lock_shared(1) offset 0) wait;
    select pg_advisory_lock(1)`);
  t.after(() =>
    writer.query(`
      select pg_advisory_unlock_all();
      drop view statistics;
      alter table slow_statistics rename to statistics`),
  );
  return () => writer.query('select pg_advisory_unlock(1)');
}

describe('files of the documentation page that nobody takes', { skip: process.platform !== 'linux' }, () => {
  it('files of the documentation page are not opened once for each request', async (t) => {
    const server = await serve(t);
    const openFiles = () => readdirSync('/proc/self/fd').length;
    const [before, memory] = [openFiles(), process.memoryUsage().rss];
    for (let i = 0; i < 5; i++) await askWithoutReading(t, server.port, '/docs/static/swagger-ui-bundle.js', 1_400);
    await until(async () => (await figure(server, 'requests_waiting')) > 100, 'the requests');
    // Both ends of the five connections are in this process, and those of whoever looks.
    assert.ok(openFiles() < before + 40, `${before} open files before, ${openFiles()} now`);
    assert.ok(process.memoryUsage().rss < memory + 200 * MIB);
    await assertOthersAreServed(server);
  });
});

describe('small answers that are not taken', () => {
  const path = '/api/v2/order?items=15';

  it('unread responses are counted to the last byte, at most 16 requests of a connection being answered at a time', async (t) => {
    const server = await serve(t);
    const { length } = (await server.get('/order?items=15')).text;
    assert.ok(length > 4_000 && length < 8_000, `${length} bytes`);
    const sockets = await Promise.all(Array.from({ length: 10 }, () => askWithoutReading(t, server.port, path, 1_300)));
    await until(async () => (await figure(server, 'unsent_bytes')) > 10 * length, 'the count');
    await sleep(1_100);
    const bytes = await figure(server, 'unsent_bytes');
    assert.ok(bytes <= 10 * (65_536 + 17 * (length + 1_024)), `${bytes} bytes`);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await figure(server, 'unsent_bytes')) === 0, 'an empty outbox');
    assert.equal(await figure(server, 'requests_waiting'), 0);
  });

  it('a client that reads after a while gets all responses, in order', async (t) => {
    const server = await serve(t);
    const socket = await askWithoutReading(t, server.port, path, 1_100);
    socket.write(requestText('/health', { connection: 'close' }));
    await until(async () => (await figure(server, 'unsent_bytes')) > 0, 'the count');
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
    });
    socket.resume();
    await once(socket, 'close');
    const answers = answersIn(text);
    assert.equal(answers.length, 1_101);
    assert.ok(answers.slice(0, 1_100).every(({ status, body }) => status === 200 && body === answers[0]!.body));
    assert.equal(answers[1_100]!.body, '{"status":"alive"}');
    assert.equal(await figure(server, 'connections_cut_total'), 0);
  });

  it('large responses that are pipelined are written one after the other, are counted before, and arrive whole', async (t) => {
    const server = await serve(t);
    const large = '/api/v2/transaction?items=100';
    const { text: expected } = await server.get('/transaction?items=100');
    assert.ok(expected.length > 32_768, `${expected.length} bytes`);
    const socket = await askWithoutReading(t, server.port, large, 200);
    await until(async () => (await figure(server, 'unsent_bytes')) > 0, 'what is not taken');
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
    });
    socket.write(requestText('/health', { connection: 'close' }));
    socket.resume();
    await once(socket, 'close');
    const answers = answersIn(text);
    assert.equal(answers.length, 201);
    for (const { body } of answers.slice(0, 200)) assert.equal(body.length, Buffer.byteLength(expected));
    await until(async () => (await figure(server, 'unsent_bytes')) === 0, 'nothing that is not taken');
  });

  it('a client that reads nothing for some seconds is disconnected when too many responses wait', async (t) => {
    const server = await serve(t, { budget: { unsentBytes: MIB / 4 } });
    await Promise.all(Array.from({ length: 20 }, () => askWithoutReading(t, server.port, path, 1_300)));
    await until(async () => (await figure(server, 'unsent_bytes')) > MIB / 8, 'so many');
    await until(async () => (await figure(server, 'connections_cut_total')) >= 10, 'the end of some', {
      withinMs: 10_000,
    });
    await assertOthersAreServed(server);
  });
});

describe('requests that come all at once', () => {
  it('requests that are pipelined over one connection are begun 16 at a time, and all answered in order', async (t) => {
    const server = await serve(t);
    const release = await holdStatistics(t);
    const socket = await openConnection(t, server.port);
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
    });
    // A parameter that nobody knows makes no other question of it; the offset does.
    for (let i = 0; i < 2_000; i++) socket.write(requestText(i % 2 === 0 ? '/api/v2/statistics/coin' : '/health'));
    socket.write(requestText('/', { connection: 'close' }));
    await until(async () => (await figure(server, 'requests_waiting')) > 30, 'those that wait');
    assert.ok((await figure(server, 'requests_in_flight')) <= 16);
    await assertOthersAreServed(server);
    await release();
    await once(socket, 'close');
    const answers = answersIn(text);
    assert.equal(answers.length, 2_001);
    for (const [i, { status, body }] of answers.entries()) {
      assert.equal(status, 200, body);
      if (i < 2_000) assert.equal(body === '{"status":"alive"}', i % 2 === 1);
    }
  });

  it('thousands of requests sent at once by many clients do not hold up the others', async (t) => {
    const server = await serve(t);
    const sockets = await Promise.all(Array.from({ length: 100 }, () => openConnection(t, server.port)));
    const burst = requestText('/health').repeat(1_400);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    t.after(() => delay.disable());
    for (const socket of sockets) socket.pause().write(burst);
    await until(async () => (await figure(server, 'requests_waiting')) > 100, 'those that wait');
    delay.disable();
    // Parsing all 140,000 took more than a second in one turn of the event loop.
    assert.ok(delay.max < 600e6, `the event loop stood still for ${Math.round(delay.max / 1e6)} ms`);
  });

  it('what follows on a connection whose parser was stopped is read as before: bodies, other methods, bad requests', async (t) => {
    const server = await serve(t, { enablePostRoutes: true });
    const body = 'no hex';
    const post = `POST /api/v2/transaction HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const many = requestText('/health').repeat(200);
    const { text, hasHungUp } = await exchange(server.port, [
      many,
      post,
      many,
      'HEAD /health HTTP/1.1\r\nhost: x\r\n\r\n',
      many,
      'not a request\r\n\r\n',
    ]);
    assert.ok(hasHungUp);
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    assert.equal(statuses.length, 603);
    assert.deepEqual([statuses[200], statuses[401], statuses.at(-1)], [400, 200, 400]);
    assert.equal(statuses.filter((status) => status === 200).length, 601);
  });

  it('a client that ends its side, or goes, while the parser is stopped leaves nothing behind', async (t) => {
    const server = await serve(t);
    const release = await holdStatistics(t);
    const [ending, leaving] = await Promise.all([openConnection(t, server.port), openConnection(t, server.port)]);
    let text = '';
    ending.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
    });
    const many = requestText('/api/v2/statistics/coin').repeat(50);
    ending.end(many);
    leaving.write(many);
    await until(async () => (await figure(server, 'requests_waiting')) >= 4, 'those that wait');
    leaving.resetAndDestroy();
    await until(async () => (await figure(server, 'requests_waiting')) <= 2, 'the end of one');
    await release();
    await once(ending, 'close');
    assert.equal(answersIn(text).length, 50);
    await until(async () => (await figure(server, 'requests_waiting')) === 0, 'nothing that waits');
    await assertOthersAreServed(server);
  });

  it('concurrent requests above a limit are refused, and can be tried again', async (t) => {
    const server = await serve(t, { budget: { requests: 40 } });
    const release = await holdStatistics(t);
    const asked = Array.from({ length: 100 }, () => server.get('/statistics/coin'));
    await until(async () => (await figure(server, 'requests_in_flight')) >= 40, 'so many');
    await server.get('/chain/tip');
    await sleep(200);
    await release();
    const answers = await Promise.all(asked);
    const refused = answers.filter(({ status }) => status === 503);
    assert.equal(refused.length, 60);
    for (const { headers, body } of refused) {
      assert.match(headers.get('retry-after')!, /^[1-9]$/);
      assert.match(body.error, /Too many requests are being answered/);
    }
    assert.equal(answers.filter(({ status }) => status === 200).length, 40);
  });

  it('a connection with too many waiting requests is closed, and no other', async (t) => {
    const server = await serve(t, { budget: { waitingRequests: 20 } });
    const release = await holdStatistics(t);
    const modest = exchange(server.port, [
      requestText('/api/v2/statistics/coin').repeat(30),
      requestText('/', { connection: 'close' }),
    ]);
    await until(async () => (await figure(server, 'requests_waiting')) > 0, 'those that wait');
    const greedy = await exchange(server.port, [requestText('/api/v2/statistics/coin').repeat(1_400)]);
    assert.deepEqual(greedy, { text: '', hasHungUp: true });
    await release();
    assert.equal(answersIn((await modest).text).length, 31);
  });
});

describe('connections', () => {
  it('connections above the limit are closed at once, and accepted again when others are closed', async (t) => {
    const server = await serve(t, { maxConnections: 20 });
    // Those over which the test has asked so far stay open.
    const sockets = await Promise.all(Array.from({ length: 30 }, () => openConnection(t, server.port)));
    let closed = 0;
    for (const socket of sockets) socket.resume().once('close', () => closed++);
    await until(() => closed >= 10, 'the end of those too many');
    assert.ok(closed < 20, `${closed} closed`);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await server.isReady().catch(() => false)) === true, 'room');
  });
});

/** A request with a body of which not all comes. */
const unfinished = (bytes: number, sent: number) =>
  `POST /api/v2/transaction HTTP/1.1\r\nhost: x\r\ncontent-length: ${bytes}\r\n\r\n${'a'.repeat(sent)}`;

describe('bodies of requests', () => {
  it('unfinished request bodies are bounded together: the oldest is refused, and a complete one is served', async (t) => {
    const server = await serve(t, { enablePostRoutes: true, budget: { bodyBytes: MIB } });
    const texts: string[] = [];
    for (let i = 0; i < 10; i++) {
      const socket = await openConnection(t, server.port);
      socket.setEncoding('latin1').on('data', (chunk) => {
        texts[i] = (texts[i] ?? '') + chunk;
      });
      socket.write(unfinished(2 * MIB, 300_000));
      await sleep(30);
    }
    await until(() => Object.keys(texts).length === 7, 'the refusals');
    for (let i = 0; i < 7; i++) {
      const [answer] = answersIn(texts[i]!);
      assert.equal(answer!.status, 503);
      assert.match(answer!.head, /retry-after: 1/);
      assert.match(answer!.head, /connection: close/i);
    }
    assert.ok((await figure(server, 'body_bytes')) <= MIB);
    const whole = await server.request('/api/v2/transaction', { method: 'POST', body: 'ab'.repeat(2_000) });
    assert.equal(whole.status, 400);
    assert.match(whole.body.error, /Invalid signed transaction/);
  });

  it('request bodies no longer count when they were answered or their clients disconnected', async (t) => {
    const server = await serve(t, { enablePostRoutes: true });
    const socket = await openConnection(t, server.port);
    socket.write(unfinished(100_000, 60_000));
    await until(async () => (await figure(server, 'body_bytes')) === 60_000, 'the count');
    await server.request('/api/v2/transaction', { method: 'POST', body: 'ab'.repeat(2_000) });
    socket.destroy();
    await until(async () => (await figure(server, 'body_bytes')) === 0, 'nothing');
  });
});
