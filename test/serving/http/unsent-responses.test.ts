/** Responses that clients do not take, through real sockets: larger than what the system keeps for a connection. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { it, type TestContext } from 'node:test';
import { PreparedResponse } from '../../../src/serving/http/prepared-response.ts';
import type { ResourceTotals, WebServerResources } from '../../../src/serving/resources/create-resources.ts';
import { startRespondingServer } from '../../support/http-layer-server.ts';
import { askWithoutReading, openConnection, requestText } from '../../support/slow-clients.ts';
import { until } from '../../support/until.ts';

const MIB = 1024 * 1024;
const LARGE = 24 * MIB;
const MEDIUM = 20_000;

interface World {
  readonly port: number;
  readonly resources: WebServerResources;
  readonly begun: string[];
}

/** A server that answers `/shared` with a body of its own for all, and everything else with one for each request. */
async function serve(
  t: TestContext,
  totals: Partial<ResourceTotals> = {},
  { trustedProxies = 0 } = {},
): Promise<World> {
  const begun: string[] = [];
  const shared = new PreparedResponse(Buffer.alloc(LARGE));
  const respond = ({ url }: IncomingMessage): PreparedResponse => {
    begun.push(url!);
    if (url === '/medium') return new PreparedResponse(Buffer.alloc(MEDIUM));
    return url === '/shared' ? shared : new PreparedResponse(Buffer.alloc(LARGE, url));
  };
  return { ...(await startRespondingServer(t, respond, { totals, trustedProxies })), begun };
}

it('a body that several clients have not taken counts once, and no longer when they are gone', async (t) => {
  const { port, resources } = await serve(t);
  const sockets = await Promise.all([1, 2, 3].map(() => askWithoutReading(t, port, '/shared')));
  await until(() => resources.unsent_bytes.countOf('127.0.0.1') === 3, 'three responses');
  assert.ok(resources.unsent_bytes.used > LARGE && resources.unsent_bytes.used < LARGE + MIB);
  for (const socket of sockets) socket.destroy();
  await until(() => resources.unsent_bytes.used === 0, 'nothing');
  assert.equal(resources.connections.used, 0);
});

it('when they are too many, connections of the client with most of them are closed', async (t) => {
  const { port, resources } = await serve(t, { unsent_bytes: 3 * LARGE + MIB });
  const sockets = await Promise.all(['/a', '/b', '/c', '/d', '/e'].map((path) => askWithoutReading(t, port, path)));
  let closed = 0;
  for (const socket of sockets) socket.once('close', () => closed++);
  await until(() => resources.refusals.get('unsent_bytes')?.get('taken_back') === 2, 'room');
  for (const socket of sockets) socket.resume();
  await until(() => closed === 2, 'the end of two');
  assert.ok(resources.unsent_bytes.used <= 3 * LARGE + MIB);
});

it('a client with many large responses does not delay the response of another', async (t) => {
  const { port, begun } = await serve(t, {}, { trustedProxies: 1 });
  let taken = 0;
  for (let i = 0; i < 80; i++) {
    const socket = await openConnection(t, port);
    socket.on('data', ({ length }) => {
      taken += length;
    });
    socket.write(requestText('/shared', { 'x-forwarded-for': '10.0.0.1' }));
  }
  await until(() => begun.length === 80, 'the large ones');
  const other = await openConnection(t, port);
  const takenBefore = taken;
  other.write(requestText('/medium', { 'x-forwarded-for': '10.0.0.2' }));
  let bytes = 0;
  for await (const chunk of other) {
    bytes += (chunk as Buffer).length;
    if (bytes > MEDIUM) break;
  }
  // In turn with all 80 it were 20 MB.
  assert.ok(taken - takenBefore < 8 * MIB, `${taken - takenBefore} bytes meanwhile`);
});

it('a large response to a slow reader with more requests behind it arrives whole, and none of them is begun', async (t) => {
  const { port, begun } = await serve(t);
  const socket = await askWithoutReading(t, port, '/slow');
  await until(() => begun.length === 1, 'the first');
  socket.write(requestText('/behind').repeat(3_000));
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
    socket.pause();
    setTimeout(() => socket.resume(), 1);
  });
  socket.resume();
  await once(socket, 'end');
  assert.ok(bytes > LARGE && bytes < LARGE + 1_000, `${bytes} bytes`);
  assert.deepEqual(begun, ['/slow']);
});

it('a client that sends without end behind its request is cut', async (t) => {
  const { port, resources } = await serve(t);
  const socket = await askWithoutReading(t, port, '/slow');
  const garbage = requestText('/behind').repeat(2_000);
  const sending = setInterval(() => socket.write(garbage), 1);
  t.after(() => clearInterval(sending));
  await until(() => resources.connections.used === 1, 'the connection');
  await until(() => resources.connections.used === 0, 'its end');
});
