/** The search for the primary among several servers, some of which stop answering. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { it, type TestContext } from 'node:test';
import { primaryOf } from '../../../src/store/postgres/hosts.ts';
import { until } from '../../support/until.ts';

/** A message of PostgreSQL's protocol: a letter, its length, its content. */
function message(letter: string, content: Buffer | string = ''): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length + 4);
  return Buffer.concat([Buffer.from(letter), length, bytes]);
}

const READY = message('Z', 'I');
const AUTHENTICATED = message('R', Buffer.alloc(4));
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
/** The number of the process at the server: no pooler is between. */
const KEY = message('K', hex('00000001 00000000'));
/** One row, whose columns are the text `timeline` and the integer `pid`. */
const ROW = [
  message(
    'T',
    hex(
      '0002 74696d656c696e6500 00000000 0000 00000019 ffff ffffffff 0000 70696400 00000000 0000 00000017 0004 ffffffff 0000',
    ),
  ),
  message('D', hex('0002 00000008 3030303030303031 00000001 31')),
  message('C', 'SELECT 1\0'),
];
const PARAMETER = message('S', 'a\0b\0');

/** A server that answers every query alike, and does not close its connections. */
async function startStubbornServer(t: TestContext): Promise<{ readonly port: number; readonly open: Set<Socket> }> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
    socket.once('data', () => {
      socket.write(Buffer.concat([AUTHENTICATED, KEY, READY]));
      socket.on('data', () => socket.write(Buffer.concat([...ROW, READY])));
    });
    // Only who writes notices that the other side has closed.
    const writing = setInterval(() => socket.write(PARAMETER), 50);
    socket.on('close', () => clearInterval(writing));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, open };
}

it('a connection to a server that no longer answers is broken after the search for the primary', async (t) => {
  const servers = [await startStubbornServer(t), await startStubbornServer(t)];
  const [first, second] = servers.map(({ port }) => ({ host: '127.0.0.1', port }));
  const options = { ...first!, others: [second!], user: 'me', database: 'mine', maxConnections: 1 };
  assert.equal((await primaryOf(options, 'test')).port, first!.port);
  await until(() => servers.every(({ open }) => open.size === 0), 'the end of both', { withinMs: 20_000 });
});
