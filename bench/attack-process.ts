/** The process of `attacks.ts`: clients that mean harm. It says nothing until it is told to end. */
import { connect, type Socket } from 'node:net';

/** What an attack does; each connection is opened anew when the server closes it. */
export interface Attack {
  readonly port: number;
  readonly connections: number;
  /** Requests that go out at once, each with a path of these in turn, `{n}` in it being a number that grows. */
  readonly paths: readonly string[];
  readonly pipeline: number;
  /**
   * `never`: answers are not read. `all`: they are, and the next requests go out when all of them are there. `slowly
   * sends`: the requests go out a byte a second.
   */
  readonly reads: 'never' | 'all' | 'slowly sends';
  /** Instead of requests: the head of one with a body of so many bytes, of which the last does not come. */
  readonly bodyBytes?: number;
  /** What the requests accept; anything unless given. */
  readonly accept?: string;
}

const SLOW_STEP_MS = 1_000;
const AGAIN_AFTER_MS = 5_000;

let attack: Attack;
let n = 0;
let isOver = false;
const sockets = new Set<Socket>();

function requests(): string {
  const { paths, pipeline, bodyBytes, accept = '*/*' } = attack;
  if (bodyBytes !== undefined) {
    const head = `POST /api/v2/transaction HTTP/1.1\r\nhost: a\r\ncontent-length: ${bodyBytes}\r\n\r\n`;
    return head + 'a'.repeat(bodyBytes - 1);
  }
  let text = '';
  for (let i = 0; i < pipeline; i++, n++) {
    text += `GET ${paths[n % paths.length]!.replaceAll('{n}', String(n))} HTTP/1.1\r\nhost: a\r\naccept: ${accept}\r\n\r\n`;
  }
  return text;
}

function open(): void {
  if (isOver) return;
  // Many source addresses: one has ports for some 28,000 connections only.
  const localAddress = `127.0.0.${2 + (sockets.size % 200)}`;
  const socket = connect({ port: attack.port, host: '127.0.0.1', localAddress });
  sockets.add(socket);
  socket.on('error', () => {});
  socket.on('close', () => {
    sockets.delete(socket);
    setTimeout(open, AGAIN_AFTER_MS);
  });
  socket.on('connect', () => act(socket));
}

function act(socket: Socket): void {
  const { reads, pipeline } = attack;
  if (reads === 'never') {
    socket.pause();
    socket.write(requests(), 'latin1');
  } else if (reads === 'all') {
    let answers = 0;
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      answers += String(chunk).split('HTTP/1.1 ').length - 1;
      if (answers < pipeline) return;
      answers = 0;
      socket.write(requests(), 'latin1');
    });
    socket.write(requests(), 'latin1');
  } else {
    const text = requests();
    let at = 0;
    const sending = setInterval(() => void socket.write(text[at++ % text.length]!), SLOW_STEP_MS);
    socket.on('close', () => clearInterval(sending));
  }
}

process.on('message', (message: Attack | 'end') => {
  if (message === 'end') {
    isOver = true;
    for (const socket of sockets) socket.destroy();
    process.send?.('ended');
    return;
  }
  attack = message;
  for (let i = 0; i < attack.connections; i++) open();
  process.send?.('begun');
});
process.on('disconnect', () => process.exit());
