/** The processes of `npm run bench -- attacks`: attackers, and the clients that behave. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Attack, AttackOrder } from '../../bench/attack-definition.ts';
import { nextMessage } from '../../bench/next-message.ts';
import { Clients } from '../../bench/well-behaved-clients.ts';
import { startHttpServer } from '../support/http-server.ts';
import { until } from '../support/until.ts';

const FROM = '127.9.9.9';

async function serve(t: TestContext, listener: RequestListener) {
  const sockets = new Set<Socket>();
  const { server, port } = await startHttpServer(t, listener);
  let connections = 0;
  server.on('connection', (socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // An attacker may go in the middle.
    socket.on('error', () => {});
  });
  return { port, sockets, connections: () => connections };
}

const CALM: Omit<AttackOrder, 'port'> = {
  ...{ localAddress: FROM, seed: 1, connections: 2, requests: [{ path: '/{n}' }], headers: { accept: 'x' } },
  ...{ pipeline: 1, sends: 'at once', reads: 'all', again: { everyMs: 1_000_000 }, leaves: null, returnsAfterMs: 1 },
};

async function attack(t: TestContext, port: number, order: Partial<Attack>) {
  const attacker = fork(new URL('../../bench/attack-process.ts', import.meta.url));
  t.after(() => attacker.kill());
  await nextMessage(attacker, 'the attacker');
  attacker.send({ ...CALM, port, ...order } satisfies AttackOrder);
  return async () => {
    attacker.send('end');
    assert.equal(await nextMessage(attacker, 'the attacker'), 'ended');
  };
}

test('an attacker comes from its address, sends again after the responses, and leaves nothing behind', async (t) => {
  const seen = new Set<string>();
  const { port, sockets, connections } = await serve(t, ({ socket, url, headers }, response) => {
    seen.add(`${socket.remoteAddress} ${headers.accept} ${url}`);
    response.end('HTTP');
  });
  const end = await attack(t, port, { pipeline: 3, again: { afterResponsesMs: 0 } });
  await until(() => seen.size >= 30, 'requests');
  assert.equal(connections(), 2);
  for (const each of seen) assert.match(each, /^127\.9\.9\.9 x \/\d+$/);
  await end();
  await until(() => sockets.size === 0, 'the connections are closed');
});

test('an attacker whose connections are closed after a response opens them again', async (t) => {
  let requests = 0;
  const { port, connections } = await serve(t, (_, response) => {
    requests++;
    response.writeHead(429, { connection: 'close' }).end();
  });
  const end = await attack(t, port, { pipeline: 4, again: { afterResponsesMs: 0 } });
  await until(() => connections() >= 20, 'connections');
  assert.ok(requests >= 18, `${requests} requests`);
  await end();
  // Connections are accepted in their order: after one of our own, none is left that the attacker opened before its end.
  assert.equal((await fetch(`http://127.0.0.1:${port}`)).status, 429);
  const before = connections();
  await new Promise((later) => setTimeout(later, 50));
  assert.equal(connections(), before);
});

test('an attacker leaves its connections in time, whether there is a response or not', async (t) => {
  const { port, sockets, connections } = await serve(t, () => {});
  const end = await attack(t, port, { leaves: { earliestMs: 5, latestMs: 20 } });
  await until(() => connections() >= 20, 'connections');
  // When this process stood still, many have come and gone that it sees only now.
  await until(() => sockets.size <= 4, 'only the newest are open', { explain: () => `${sockets.size} open` });
  await end();
});

test('an attacker may keep the last byte of a body, or send a byte a second', async (t) => {
  for (const [sends, expected] of [
    ['all but the last byte', 'abcabc'],
    ['a byte a second', undefined],
  ] as const) {
    let received: string | undefined;
    const { port, sockets } = await serve(t, (request) => {
      received = '';
      request.on('data', (chunk) => {
        received += chunk;
      });
    });
    const requests = [{ path: '/', body: { text: 'abc', repeated: 'abc', end: '!' } }];
    const end = await attack(t, port, { sends, requests });
    await until(() => sockets.size === 2, 'connections');
    if (expected !== undefined) await until(() => received === expected, sends);
    await new Promise((later) => setTimeout(later, 100));
    assert.equal(received, expected, sends);
    await end();
  }
});

test('clients ask one thing after the other, and tell what came, what broke and what is missing', async (t) => {
  const statuses: Readonly<Record<string, number>> = { '/good': 200, '/bad': 503 };
  const { port, connections } = await serve(t, ({ url, method, headers }, response) => {
    if (url === '/broken') response.destroy();
    else if (url !== '/never')
      response.writeHead(method === 'POST' ? Number(headers['x-status']) : statuses[url!]!).end('12');
  });
  const plan = { port, localAddress: FROM, pauseMs: 1 };
  const post = { path: '/', headers: { 'x-status': '201' }, body: { text: '{}' } };
  const clients = await Clients.start({
    patient: { ...plan, requests: [{ path: '/good' }, { path: '/bad' }, { path: '/broken' }, post] },
    waiting: { ...plan, requests: [{ path: '/never' }] },
  });
  t.after(() => clients.close());
  const seen: (number | null)[] = [];
  await until(async () => {
    seen.push(...(await clients.take()).patient.map(({ status }) => status));
    return seen.filter((status) => status === 201).length >= 3;
  }, 'responses');
  const known = seen.filter((status) => status !== null);
  assert.deepEqual(known.slice(0, 8), [200, 503, 0, 201, 200, 503, 0, 201]);
  const [first] = (await clients.take()).waiting;
  const [again] = (await clients.take()).waiting;
  assert.equal(first!.status, null);
  assert.equal(again!.at, first!.at, 'it is told again');
  assert.ok(again!.ms > first!.ms);
  assert.ok(connections() < seen.length, 'connections are kept');
});
