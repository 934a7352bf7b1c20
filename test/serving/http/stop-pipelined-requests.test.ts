/** Requests behind one that is not answered, of every kind, through real sockets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { METHODS, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { it } from 'node:test';
import { connectionOf, stopPipeline } from '../../../src/serving/http/connection.ts';
import { PreparedResponse } from '../../../src/serving/http/prepared-response.ts';
import { startRespondingServer } from '../../support/http-layer-server.ts';
import { startHttpServer } from '../../support/http-server.ts';
import { openConnection, requestText } from '../../support/slow-clients.ts';
import { until } from '../../support/until.ts';

const listeners = (server: Server) => server.listenerCount('upgrade') + server.listenerCount('connect');

it('the pipeline stops at a request of any method, and no listener stays', async (t) => {
  let stops = 0;
  const { server, port } = await startHttpServer(t, () => {});
  server.on('connection', (socket: Socket) => {
    let requests = 0;
    const onStopped = (): void => {
      stops++;
      socket.destroy();
    };
    stopPipeline(socket, () => requests++ > 0, onStopped);
  });
  for (const method of METHODS) {
    const target = method === 'CONNECT' ? 'a:1' : '/';
    for (const header of ['', 'connection: upgrade\r\nupgrade: websocket\r\n', 'transfer-encoding: chunked\r\n']) {
      const before = stops;
      const socket = await openConnection(t, port);
      socket.resume().write(`${requestText('/')}${method} ${target} HTTP/1.1\r\n${header}\r\n`);
      await once(socket, 'close');
      assert.deepEqual([stops - before, listeners(server)], [1, 0], `${method} ${header}`);
    }
  }
});

it('a request behind one whose connection was cut is not begun, and leaves nothing behind', async (t) => {
  const begun: string[] = [];
  const { port, resources } = await startRespondingServer(t, ({ socket, url }) => {
    begun.push(url!);
    connectionOf(socket)!.cut();
    return new PreparedResponse('{}');
  });
  const socket = await openConnection(t, port);
  socket.resume().write(requestText('/a') + requestText('/b'));
  await until(() => socket.destroyed && resources.connections.used === 0, 'the end of the connection');
  assert.deepEqual(begun, ['/a']);
});
