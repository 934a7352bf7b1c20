/** A large body is read in pieces, one or two in a turn of the event loop, whatever has arrived, and is whole in the end. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Connections } from '../../../src/serving/http/connection.ts';
import { readRequestBody } from '../../../src/serving/http/request-body.ts';
import { createResources, resourceTotals } from '../../../src/serving/resources/create-resources.ts';

const BYTES = 2_000_000;
const PIECE_BYTES = 65_536;
/** A client in a process of its own sends while this one does not read. */
const CLIENT = `fetch(process.argv[1], { method: 'POST', body: 'a'.repeat(${BYTES}) })
  .then((response) => response.text()).then((text) => process.stdout.write(text))`;

test('a turn reads one or two pieces of a large body', async (t) => {
  const resources = createResources(resourceTotals(1024 ** 3, { connections: 10, streams: 1 }));
  const { body_bytes: bodies } = resources;
  const connections = new Connections({
    resources,
    trustedProxies: 0,
    accessLog: null,
    serve: (request, response) =>
      void readRequestBody(request, response, BYTES, bodies).then((body) => response.end(`${body.length}`)),
  });
  const server = createServer(connections.onRequest).on('connection', connections.onConnection);
  t.after(() => server.close());
  const sizes: number[] = [];
  const resize = bodies.resize.bind(bodies);
  let isPaused = false;
  t.mock.method(bodies, 'resize', (...[body, amount]: Parameters<typeof resize>) => {
    if (!isPaused) sizes.push(0);
    sizes[sizes.length - 1]! += amount - body.amount;
    resize(body, amount);
    if (isPaused) return;
    isPaused = true;
    // Meanwhile more arrives.
    for (const until = performance.now() + 10; performance.now() < until; );
    setImmediate(() => {
      isPaused = false;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = spawn(process.execPath, ['--eval', CLIENT, `http://127.0.0.1:${port}/`]);
  const [text] = await once(client.stdout, 'data');
  assert.equal(String(text), `${BYTES}`);
  assert.ok(Math.max(...sizes) <= 2 * PIECE_BYTES, `${Math.max(...sizes)} bytes in one turn`);
  assert.equal(bodies.used, 0);
});
