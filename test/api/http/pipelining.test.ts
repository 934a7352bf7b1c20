/** Many connections that pipeline at once, through real sockets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { CountedResponse } from '../../../src/api/http/connection.ts';
import { Connections } from '../../../src/api/http/connections.ts';
import { until } from '../../support/until.ts';

const CONNECTIONS = 100;
const PIPELINED = 16;

test('of what many connections pipeline at once, only a part begins in one turn of the event loop; all is answered in order', async (t) => {
  let begunThisTurn = 0;
  let mostBegun = 0;
  const connections = new Connections({ unsentBytes: 1e6, waitingRequests: 1e4 }, (request, response) => {
    if (begunThisTurn++ === 0) {
      setImmediate(() => {
        mostBegun = Math.max(mostBegun, begunThisTurn);
        begunThisTurn = 0;
      });
    }
    setTimeout(() => response.end(`${request.url} `), 20);
  });
  const server = createServer({ ServerResponse: CountedResponse }, connections.onRequest);
  t.after(() => {
    connections.close();
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets = Array.from({ length: CONNECTIONS }, () => connect(port, '127.0.0.1'));
  // They are accepted one by one.
  let accepted = 0;
  server.on('connection', () => accepted++);
  await until(() => accepted === CONNECTIONS, 'the connections');
  const texts = sockets.map((socket) => answersOf(socket));
  const requests = Array.from({ length: PIPELINED }, (_, i) => `GET /${i} HTTP/1.1\r\nhost: a\r\n\r\n`);
  for (const socket of sockets) socket.write(requests.join(''));

  const expected = Array.from({ length: PIPELINED }, (_, i) => `/${i}`);
  for (const answers of await Promise.all(texts)) assert.deepEqual(answers, expected);
  assert.ok(mostBegun >= CONNECTIONS, `${mostBegun} requests in a turn: they did not come at once`);
  assert.ok(mostBegun <= CONNECTIONS + 128, `${mostBegun} requests in a turn`);
});

/** The bodies of the answers that a client gets, when it has all. */
async function answersOf(socket: Socket): Promise<string[]> {
  let text = '';
  for await (const chunk of socket.setEncoding('latin1')) {
    text += chunk;
    const bodies = [...text.matchAll(/\r\n\r\n(?:\w+\r\n)?(\/\d+) /g)].map(([, body]) => body!);
    if (bodies.length === PIPELINED) return bodies;
  }
  throw new Error(`the connection ended after: ${text}`);
}
