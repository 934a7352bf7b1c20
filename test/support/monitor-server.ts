/** The HTTP server for monitoring, with routes for tests. */
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before } from 'node:test';
import { jsonResponse, type MonitorRoutes, serveMonitor } from '../../src/monitoring/monitor-server.ts';

const ROUTES: MonitorRoutes = {
  '/health': () => jsonResponse(200, { status: 'alive' }),
  '/large': () => ({ status: 200, contentType: 'text/plain', body: 'x'.repeat(16 * 1024 * 1024) }),
  '/broken': () => Promise.reject(new Error('no such thing')),
};

/** Serves before the first test of the file and until its last one has ended; the port is known from then on. */
export function serveMonitorForTests(): { readonly port: number } {
  const served = { port: 0 };
  let close = (): void => {};
  before(async () => {
    const server = await serveMonitor({ host: '127.0.0.1', port: 0 }, ROUTES);
    served.port = (server.address() as AddressInfo).port;
    close = () => {
      server.close();
      server.closeAllConnections();
    };
  });
  after(() => close());
  return served;
}

/** A connection that was made and says nothing more, or these bytes. */
export function idleConnection(
  t: { after(end: () => void): void },
  port: number,
  bytes = '',
): Socket & { hasEnded: boolean } {
  const socket = Object.assign(connect(port, '127.0.0.1'), { hasEnded: false });
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
