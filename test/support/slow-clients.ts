/** Clients as no well-behaved one is: they ask for a lot over a connection, and take nothing. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Scope } from './file-scope.ts';

/** Connects; the connection is broken off when the test is over. */
export async function openConnection(t: Pick<Scope, 'after'>, port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** The text of a request. */
export function requestText(path: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** Asks without reading the response. */
export async function askWithoutReading(t: Pick<Scope, 'after'>, port: number, path: string): Promise<Socket> {
  const socket = await openConnection(t, port);
  socket.pause();
  socket.write(requestText(path));
  return socket;
}
