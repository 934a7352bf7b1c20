/** Clients that ask for much and take nothing, through real sockets: what they cost is bounded, and others are served. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerOf } from '../../sim/patient-answers.ts';
import { filledIndex, network } from '../../support/filled-servers.ts';
import { Scrape } from '../../support/prometheus.ts';
import { answersIn, exchange } from '../../support/raw-http.ts';
import { openConnection, requestText } from '../../support/slow-clients.ts';
import { takesLessThan, until } from '../../support/until.ts';
import { serveIndex, type TestServer, type TestServerOptions } from '../../support/web-server.ts';

const MIB = 1024 * 1024;
const index = filledIndex({ blocks: 60, transactionsPerBlock: 5, pools: 3, orders: 90 });

const serve = async (t: TestContext, options: Partial<TestServerOptions> = {}) =>
  (await serveIndex(t, network, { index: index(), ...options })).server;

/** What clients have of a shared resource, and how many requests wait for one. */
const used = async (server: TestServer, resource: string) =>
  (await Scrape.of(server.port)).value(`chain_indexer_resource_used{resource="${resource}"}`)!;
const waiting = async (server: TestServer) =>
  (await Scrape.of(server.port)).value('chain_indexer_resource_waiting{resource="requests"}')!;
/** Who asks for one thing at a time gets it at once. */
async function assertOthersAreServed(server: TestServer): Promise<void> {
  for (const path of ['/chain/tip', '/transaction?items=3', '/block/x']) {
    await takesLessThan(1_000, path, async () => {
      const { status } = await answerOf(server, path);
      assert.ok(status === 200 || path === '/block/x', path);
    });
  }
}

it('a request behind one that is not answered is not begun, and the connection is closed after the first response', async (t) => {
  const server = await serve(t);
  const { release } = await index().holdStatistics(t);
  const asked = exchange(server.port, [requestText('/api/v2/statistics/coin').repeat(1_000)], { quietMs: 60_000 });
  await until(async () => (await used(server, 'requests')) === 1, 'the first');
  await assertOthersAreServed(server);
  await release();
  const { text, hasHungUp } = await asked;
  const answers = answersIn(text);
  assert.equal(hasHungUp, true);
  const statuses = answers.map(({ status }) => status);
  assert.deepEqual(statuses, [200]);
  assert.match(answers[0]!.head, /connection: close/i);
});

it('a request with an unsupported Expect header is counted and limited like others, and nothing behind it is begun', async (t) => {
  const text = requestText('/nope', { expect: 'miracles' }).repeat(1_000);
  const statuses = async ({ port }: TestServer) => {
    const answered = await exchange(port, [text], { quietMs: 60_000 });
    assert.equal(answered.hasHungUp, true);
    return answersIn(answered.text).map(({ status }) => status);
  };
  const server = await serve(t);
  assert.deepEqual(await statuses(server), [417]);
  assert.equal((await Scrape.of(server.port)).value('chain_indexer_responses_total{route="none",status="417"}'), 1);
  const limited = await serve(t, { rateLimit: 5 });
  await until(async () => (await statuses(limited))[0] === 429, 'a refusal');
});

it('a request behind an event stream cuts the stream', async (t) => {
  const server = await serve(t);
  const socket = await openConnection(t, server.port);
  socket.write(requestText('/api/v2/stream'));
  await once(socket, 'data');
  socket.resume().write(requestText('/health'));
  await once(socket, 'close');
  await until(async () => (await used(server, 'connections')) <= 2, 'the end of the connection');
});

it('garbage behind a request that is not answered closes the connection after its response', async (t) => {
  const server = await serve(t);
  const { text, hasHungUp } = await exchange(server.port, [`${requestText('/chain/genesis')}no request\r\n\r\n`]);
  assert.equal(hasHungUp, true);
  assert.equal(answersIn(text).length, 1);
  const alone = await exchange(server.port, ['no request\r\n\r\n']);
  const statuses = answersIn(alone.text).map(({ status }) => status);
  assert.deepEqual(statuses, [400]);
});

it('requests one after the other, with bodies and other methods, share a connection', async (t) => {
  const server = await serve(t, { enablePostRoutes: true });
  const socket = await openConnection(t, server.port);
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  const requests = [
    requestText('/health'),
    `POST /api/v2/transaction HTTP/1.1\r\nhost: x\r\ncontent-length: 6\r\n\r\nno hex`,
    'OPTIONS /api/v2/chain/tip HTTP/1.1\r\nhost: x\r\n\r\n',
    requestText('/api/v2/chain/tip'),
  ];
  for (const [i, request] of requests.entries()) {
    socket.write(request);
    await until(() => [...text.matchAll(/HTTP\/1\.1 \d+/g)].length === i + 1, 'the response');
  }
  assert.doesNotMatch(text, /connection: close/i);
});

it('of what thousands of clients pipeline, only the first is parsed: others are not held up', async (t) => {
  const server = await serve(t);
  const burst = requestText('/health').repeat(1_400);
  /** For how long the event loop stood still. */
  const standstillMs = async () => {
    const sockets = await Promise.all(Array.from({ length: 100 }, () => openConnection(t, server.port)));
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    for (const socket of sockets) socket.resume().write(burst);
    await Promise.all(sockets.map((socket) => once(socket, 'close')));
    delay.disable();
    return delay.max / 1e6;
  };
  await until(async () => (await standstillMs()) < 600, 'the event loop goes on');
});

it('a client that goes while its request waits leaves nothing behind', async (t) => {
  const server = await serve(t, { totals: { requests: 2 } });
  const { release } = await index().holdStatistics(t);
  const holding = server.get('/statistics/coin');
  await until(async () => (await used(server, 'requests')) === 1, 'the first');
  const sockets = await Promise.all(Array.from({ length: 20 }, () => openConnection(t, server.port)));
  for (const [i, socket] of sockets.entries())
    socket.write(requestText(`/api/v2/transaction?offset=${i}`).repeat(1 + (i % 2)));
  await until(async () => (await waiting(server)) >= 20, 'those that wait');
  for (const socket of sockets) socket.resetAndDestroy();
  await until(async () => (await waiting(server)) === 0, 'nothing that waits');
  await release();
  assert.equal((await holding).status, 200);
  await assertOthersAreServed(server);
});

it('a client that fills its part leaves a place for another, whose requests do not wait', async (t) => {
  const server = await serve(t, { trustedProxies: 1, totals: { requests: 2 } });
  const { release } = await index().holdStatistics(t);
  const as = (client: string) => ({ 'x-forwarded-for': client });
  const greedy = server.get('/statistics/coin', as('192.0.2.1'));
  await until(async () => (await used(server, 'requests')) === 1, 'the request that fills its part');
  let served = 0;
  const others = Array.from({ length: 500 }, async (_, i) => {
    assert.equal((await server.get(`/pool?offset=${i}`, as('192.0.2.1'))).status, 200);
    served++;
  });
  await until(async () => (await waiting(server)) === others.length, 'its other requests');
  assert.equal((await answerOf(server, '/transaction?items=2', as('192.0.2.2'))).status, 200);
  assert.equal(served, 0);
  await release();
  assert.equal((await greedy).status, 200);
  await Promise.all(others);
});

it('above their limit connections of the client with most of them are closed, and accepted again when others are closed', async (t) => {
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

/** A request with a body of which not all comes. */
const unfinished = (bytes: number, sent: number) =>
  `POST /api/v2/transaction HTTP/1.1\r\nhost: x\r\ncontent-length: ${bytes}\r\n\r\n${'a'.repeat(sent)}`;

it('unfinished request bodies are bounded together: the client with most of them is refused, and others are served', async (t) => {
  const server = await serve(t, { enablePostRoutes: true, totals: { body_bytes: MIB } });
  const texts: string[] = [];
  for (let i = 0; i < 10; i++) {
    const socket = await openConnection(t, server.port);
    socket.setEncoding('latin1').on('data', (chunk) => {
      texts[i] = (texts[i] ?? '') + chunk;
    });
    socket.write(unfinished(2 * MIB, 300_000));
    await sleep(30);
  }
  await until(() => texts.filter((text) => text !== undefined).length === 7, 'the refusals');
  for (const text of texts.filter((each) => each !== undefined)) {
    const [answer] = answersIn(text);
    assert.equal(answer!.status, 429);
    assert.match(answer!.head, /retry-after: 1/);
    assert.match(answer!.head, /connection: close/i);
  }
  assert.ok((await used(server, 'body_bytes')) <= MIB);
  const whole = await server.request('/api/v2/transaction', { method: 'POST', body: 'ab'.repeat(2_000) });
  assert.equal(whole.status, 400);
  assert.match(whole.body.error, /Invalid signed transaction/);
});

it('request bodies no longer count when they were answered or their clients disconnected', async (t) => {
  const server = await serve(t, { enablePostRoutes: true });
  const socket = await openConnection(t, server.port);
  socket.write(unfinished(100_000, 60_000));
  await until(async () => (await used(server, 'body_bytes')) === 60_000, 'the count');
  await server.request('/api/v2/transaction', { method: 'POST', body: 'ab'.repeat(2_000) });
  socket.destroy();
  await until(async () => (await used(server, 'body_bytes')) === 0, 'nothing');
});

/** A request without an end, whose body comes in chunks of these sizes. */
const inChunks = (head: string, sizes: readonly number[]) =>
  `${head} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${sizes
    .map((size) => `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`)
    .join('')}`;
const LAST_CHUNK = '0\r\n\r\n';
const times = (count: number, size: number) => Array<number>(count).fill(size);

it('a connection is closed when a body comes in too many tiny chunks: read, paused, of a stream, or after the response', async (t) => {
  const server = await serve(t);
  const cut = async () => (await Scrape.of(server.port)).value('chain_indexer_connections_fragmented_total');
  for (const sizes of [times(256, 1), times(300, 64), [65_536, ...times(500, 1)]]) {
    const { text } = await exchange(server.port, [inChunks('POST /api/v2/batch', sizes) + LAST_CHUNK], {
      quietMs: 500,
    });
    assert.match(answersIn(text)[0]!.body, /Invalid batch/);
  }
  const tooMany = [
    inChunks('POST /api/v2/batch', times(257, 1)),
    inChunks('POST /api/v2/batch', [65_536, ...times(20_000, 1)]),
    inChunks('GET /api/v2/stream', times(257, 1)),
  ];
  for (const text of tooMany) assert.equal((await exchange(server.port, [text])).hasHungUp, true);
  const answered = ['GET /health', 'GET /api/v2/chain/tip', 'POST /nothing', 'OPTIONS /health'];
  for (const head of answered) {
    const socket = await openConnection(t, server.port);
    const isClosed = once(socket, 'close');
    socket.write(inChunks(head, []));
    await once(socket, 'data');
    socket.resume().write(inChunks('', times(257, 1)).replace(/^.*?\r\n\r\n/s, ''));
    await isClosed;
  }
  await until(async () => (await cut()) === tooMany.length + answered.length, 'the count');
});

it('the body of a request to a route that reads none is dropped as it arrives', async (t) => {
  const server = await serve(t);
  const socket = await openConnection(t, server.port);
  const bytes = 30 * MIB;
  socket.resume().write(requestText('/api/v2/stream', { 'content-length': `${bytes}` }));
  await new Promise<void>((resolve, reject) => {
    socket.write(Buffer.alloc(bytes), (error) => (error ? reject(error) : resolve()));
  });
});
