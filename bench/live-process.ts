/** The process of `live.ts` that listens: thousands of streams, of which it notes when each block came on each. */
import { connect, type Socket } from 'node:net';
import type { LiveLoad, LiveMessage } from './live.ts';

/** Connections are opened so many at a time. */
const AT_ONCE = 200;
const NEWEST = /id: (\d+)-[0-9a-f]{64}\n\n$/;

class Listener {
  readonly #arrivals = new Map<number, number[]>();
  readonly #sockets: Socket[] = [];
  #lost = 0;

  async open({ port, streams }: LiveLoad): Promise<void> {
    for (let opened = 0; opened < streams; opened += AT_ONCE) {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, streams - opened) }, () => this.#listen(port)));
    }
  }

  #listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let hasBegun = false;
      let height = 0;
      let rest = '';
      socket.setEncoding('latin1');
      socket.on('connect', () => socket.write('GET /api/v2/stream?types=block HTTP/1.1\r\nhost: bench\r\n\r\n'));
      socket.on('data', (text: string) => {
        if (!hasBegun) {
          if (!text.startsWith('HTTP/1.1 200')) return reject(new Error(text.split('\r\n', 1)[0]));
          hasBegun = true;
          resolve();
        }
        rest += text;
        const found = NEWEST.exec(rest);
        if (found === null) return;
        const newest = Number(found[1]);
        // The first frame says where the stream begins.
        const isBlock = rest.includes('event: block');
        rest = '';
        if (isBlock) for (let each = height === 0 ? newest : height + 1; each <= newest; each++) this.#note(each);
        height = newest;
      });
      socket.on('error', reject);
      socket.on('close', () => {
        this.#lost++;
      });
      this.#sockets.push(socket);
    });
  }

  #note(height: number): void {
    const known = this.#arrivals.get(height);
    const now = performance.timeOrigin + performance.now();
    if (known) known.push(now);
    else this.#arrivals.set(height, [now]);
  }

  result(): LiveMessage {
    return { type: 'result', arrivals: [...this.#arrivals], lost: this.#lost };
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

const listener = new Listener();
process.on('message', (message: LiveLoad | 'end') => {
  if (message === 'end') {
    process.send?.(listener.result(), () => {
      listener.close();
      process.disconnect?.();
    });
    return;
  }
  listener.open(message).then(
    () => process.send?.({ type: 'open' } satisfies LiveMessage),
    (error: Error) => process.send?.({ type: 'failed', reason: error.message } satisfies LiveMessage),
  );
});
process.on('disconnect', () => process.exit());
