/** The process of `event-streams.ts` that listens: thousands of streams, of which it notes when each event came on each. */
import { connect, type Socket } from 'node:net';
import type { EventStreamLoad, EventStreamMessage } from './event-streams.ts';

/** Connections are opened so many at a time. */
const AT_ONCE = 200;
const BLOCK = 'event: block\n';
const SEEN = 'event: tx_seen\n';
const TX_ID = '"tx_id":"';
const ID_DIGITS = 64;

class Listener {
  /** The arrival times by the id of the block or transaction. */
  readonly #arrivals = new Map<string, number[]>();
  readonly #sockets: Socket[] = [];
  #lost = 0;

  async open({ port, streams }: EventStreamLoad): Promise<void> {
    for (let opened = 0; opened < streams; opened += AT_ONCE) {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, streams - opened) }, () => this.#listen(port)));
    }
  }

  #listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let hasBegun = false;
      let rest = '';
      socket.setEncoding('latin1');
      socket.on('connect', () =>
        socket.write('GET /api/v2/stream?types=block,tx_seen HTTP/1.1\r\nhost: bench\r\n\r\n'),
      );
      socket.on('data', (text: string) => {
        if (!hasBegun) {
          if (!text.startsWith('HTTP/1.1 200')) return reject(new Error(text.split('\r\n', 1)[0]));
          hasBegun = true;
          resolve();
        }
        rest += text;
        let begin = 0;
        for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n', begin)) {
          const id = idOf(rest, begin, end);
          if (id !== undefined) this.#note(id);
          begin = end + 2;
        }
        rest = rest.slice(begin);
      });
      socket.on('error', reject);
      socket.on('close', () => {
        this.#lost++;
      });
      this.#sockets.push(socket);
    });
  }

  #note(id: string): void {
    const known = this.#arrivals.get(id);
    const now = performance.timeOrigin + performance.now();
    if (known) known.push(now);
    else this.#arrivals.set(id, [now]);
  }

  result(): EventStreamMessage {
    return { type: 'result', arrivals: [...this.#arrivals], lost: this.#lost };
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Returns the id of the block or transaction in the frame from `begin` to `end`; undefined if it is no event. */
function idOf(text: string, begin: number, end: number): string | undefined {
  // The `id:` comes last, and ends with the block's.
  if (text.startsWith(BLOCK, begin)) return text.slice(end - ID_DIGITS, end);
  if (!text.startsWith(SEEN, begin)) return undefined;
  const at = text.indexOf(TX_ID, begin) + TX_ID.length;
  return text.slice(at, at + ID_DIGITS);
}

const listener = new Listener();
process.on('message', (message: EventStreamLoad | 'end') => {
  if (message === 'end') {
    process.send?.(listener.result(), () => {
      listener.close();
      process.disconnect?.();
    });
    return;
  }
  listener.open(message).then(
    () => process.send?.({ type: 'open' } satisfies EventStreamMessage),
    (error: Error) => process.send?.({ type: 'failed', reason: error.message } satisfies EventStreamMessage),
  );
});
process.on('disconnect', () => process.exit());
