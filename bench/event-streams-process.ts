/** The process of `event-streams.ts` that listens: thousands of streams, of which it notes when each event came on each. */
import { connect } from 'node:net';
import type { EventStreamLoad, HeardEvents } from './event-streams.ts';
import { answerMessages } from './helper-process.ts';

/** Connections are opened so many at a time. */
const AT_ONCE = 200;
const BLOCK = 'event: block\n';
const SEEN = 'event: tx_seen\n';
const TX_ID = '"tx_id":"';
const ID_DIGITS = 64;

class Listener {
  /** The arrival times by the id of the block or transaction. */
  readonly #arrivals = new Map<string, number[]>();
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
      const fail = ({ message }: Error) => reject(new Error(`the streams could not be opened: ${message}`));
      socket.setEncoding('latin1');
      socket.on('connect', () =>
        socket.write('GET /api/v2/stream?types=block,tx_seen HTTP/1.1\r\nhost: bench\r\n\r\n'),
      );
      socket.on('data', (text: string) => {
        if (!hasBegun) {
          if (!text.startsWith('HTTP/1.1 200')) return fail(new Error(text.split('\r\n', 1)[0]));
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
      socket.on('error', fail);
      socket.on('close', () => {
        this.#lost++;
      });
    });
  }

  #note(id: string): void {
    const known = this.#arrivals.get(id);
    const now = performance.timeOrigin + performance.now();
    if (known) known.push(now);
    else this.#arrivals.set(id, [now]);
  }

  heard(): HeardEvents {
    return { arrivals: this.#arrivals, lost: this.#lost };
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
answerMessages((message: EventStreamLoad | 'end') => (message === 'end' ? listener.heard() : listener.open(message)));
