/** Connections on which nothing moves, with a clock that the test turns. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { connectionOf } from '../../../src/api/http/connection.ts';
import { Connections } from '../../../src/api/http/connections.ts';

class FakeSocket extends EventEmitter {
  bytesRead = 100;
  bytesWritten = 0;
  isDestroyed = false;
  destroy() {
    this.isDestroyed = true;
    this.emit('close');
  }
}

function openRequest(connections: Connections) {
  const socket = new FakeSocket();
  const request = { socket, complete: true } as unknown as IncomingMessage;
  const response = Object.assign(new EventEmitter(), { req: request, writableLength: 0 });
  connections.onRequest(request, response as unknown as ServerResponse);
  return { socket, response };
}

test('a connection is closed when its request is open and no byte has moved for two minutes', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const connections = new Connections({ unsentBytes: 1_000, waitingRequests: 10 }, () => {});
  t.after(() => connections.close());
  const still = openRequest(connections);
  const moving = openRequest(connections);
  const idle = openRequest(connections);
  connectionOf(idle.socket as unknown as Socket)!.onAnswered(idle.response as unknown as ServerResponse);
  for (let second = 1; second <= 119; second++) {
    moving.socket.bytesWritten += second % 30 === 1 ? 1 : 0;
    t.mock.timers.tick(1_000);
  }
  assert.equal(still.socket.isDestroyed, false);
  for (let second = 120; second <= 151; second++) {
    moving.socket.bytesWritten += second % 30 === 1 ? 1 : 0;
    t.mock.timers.tick(1_000);
  }
  assert.equal(still.socket.isDestroyed, true);
  assert.equal(moving.socket.isDestroyed, false);
  assert.equal(idle.socket.isDestroyed, false);
});
