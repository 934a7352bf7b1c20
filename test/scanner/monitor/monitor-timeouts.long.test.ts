/** The HTTP server for those who watch the scanner: how long it waits for clients. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { serveMonitorForTests } from '../../support/monitor-server.ts';
import { until } from '../../support/until.ts';

const served = serveMonitorForTests();
const HOST = 'host: x\r\n\r\n';

/** A connection that was made and says nothing more, or these bytes. */
function idle(t: { after(end: () => void): void }, bytes = ''): Socket & { hasEnded: boolean } {
  const socket = Object.assign(connect(served.port, '127.0.0.1'), { hasEnded: false });
  socket.on('error', () => {});
  // Else the end is not noticed.
  socket.resume();
  socket.on('close', () => {
    socket.hasEnded = true;
  });
  if (bytes !== '') socket.write(bytes);
  t.after(() => socket.destroy());
  return socket;
}

describe('the monitoring server', { concurrency: true }, () => {
  it('the monitoring server gives a request five seconds to come', { timeout: 20_000 }, async (t) => {
    const sockets = [idle(t), idle(t, 'GET /health HTTP/1.1\r\nx: '), idle(t, 'GET /hea')];
    const since = performance.now();
    await until(() => sockets.every(({ hasEnded }) => hasEnded), 'the end of the silent connections');
    assert.ok(performance.now() - since < 10_000);
  });

  it('the monitoring server breaks off a client that does not take its answer', { timeout: 40_000 }, async (t) => {
    const socket = idle(t, `GET /large HTTP/1.1\r\n${HOST}`);
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
