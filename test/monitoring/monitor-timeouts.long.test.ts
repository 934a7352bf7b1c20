/** The HTTP server for monitoring: how long it waits for clients. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { idleConnection, serveMonitorForTests } from '../support/monitor-server.ts';
import { until } from '../support/until.ts';

const served = serveMonitorForTests();
const HOST = 'host: x\r\n\r\n';

describe('the monitoring server', { concurrency: true }, () => {
  it('the monitoring server gives a request five seconds to come', async (t) => {
    const sockets = [
      idleConnection(t, served.port),
      idleConnection(t, served.port, 'GET /health HTTP/1.1\r\nx: '),
      idleConnection(t, served.port, 'GET /hea'),
    ];
    await until(() => sockets.every(({ hasEnded }) => hasEnded), 'the end of the silent connections', {
      withinMs: 30_000,
    });
  });

  it('the monitoring server breaks off a client that does not take its answer', async (t) => {
    const socket = idleConnection(t, served.port, `GET /large HTTP/1.1\r\n${HOST}`);
    socket.pause();
    let received = 0;
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    socket.pause();
    await new Promise((resolve) => setTimeout(resolve, 12_000));
    socket.resume();
    await until(() => socket.hasEnded, 'the end of the connection');
    assert.ok(received < 16 * 1024 * 1024, `${received} bytes came`);
  });
});
