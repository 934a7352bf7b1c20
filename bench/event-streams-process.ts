/** The process of `event-streams.ts` that listens: thousands of streams, of which it notes when each event came on each. */
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import type { EventStreamLoad, HeardEvents } from './event-streams.ts';
import { answerMessages } from './helper-process.ts';

/** Connections are opened so many at a time. */
const AT_ONCE = 200;
const BLOCK = 'event: block\n';
const SEEN = 'event: tx_seen\n';
const ACTIVITY = 'event: activity\n';
const NAMES = [BLOCK, SEEN, ACTIVITY] as const;
const TX_ID = '"tx_id":"';
const BLOCK_ID = '"block_id":"';
const ID_DIGITS = 64;

/** The rules by which `src/explorer/public/live.js` reads a page again. */
const GATHER_MS = 20;
const SPREAD_MS = 400;
const SPACING_MS = 700;

const ADDRESS = '/address/';
const MEMPOOL_PAGES: readonly string[] = ['/', '/mempool'];

/** An open page: it is read again after the events that concern it, on a connection of its own. */
class OpenPage {
  static readonly reads: number[] = [];
  static failed = 0;
  readonly #port: number;
  readonly #path: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #timer: NodeJS.Timeout | undefined;
  #earliest = 0;

  constructor(port: number, path: string) {
    this.#port = port;
    this.#path = path;
  }

  /** The subjects of its stream. */
  get subjects(): string {
    return this.#path.startsWith(ADDRESS) ? `&address=${this.#path.slice(ADDRESS.length)}` : '';
  }

  onEvent(name: typeof BLOCK | typeof SEEN | typeof ACTIVITY): void {
    if (name !== SEEN || MEMPOOL_PAGES.includes(this.#path)) this.#changed();
  }

  #changed(): void {
    if (this.#timer !== undefined) return;
    const wait = Math.max(GATHER_MS + Math.random() * SPREAD_MS, this.#earliest - performance.now());
    this.#timer = setTimeout(() => this.#read(), wait);
  }

  #read(): void {
    this.#timer = undefined;
    const began = performance.now();
    this.#earliest = began + SPACING_MS;
    const options = {
      host: '127.0.0.1',
      port: this.#port,
      path: this.#path,
      agent: this.#agent,
      headers: { accept: 'text/html', 'accept-encoding': 'br, gzip' },
    };
    get(options, (response) => {
      if (response.statusCode !== 200) OpenPage.failed++;
      response.resume();
      response.once('end', () => OpenPage.reads.push(performance.now() - began));
    }).once('error', () => OpenPage.failed++);
  }
}

class Listener {
  /** The arrival times by the id of the block or transaction. */
  readonly #arrivals = new Map<string, number[]>();
  #lost = 0;

  async open({ port, streams, pages = [], readers = streams, withoutStreams }: EventStreamLoad): Promise<void> {
    if (withoutStreams !== undefined) {
      const opened = Array.from({ length: streams }, (_, i) => new OpenPage(port, pages[i % pages.length]!));
      const atPace = (everyMs: number, name: typeof BLOCK | typeof SEEN) =>
        setInterval(() => {
          for (const page of opened) page.onEvent(name);
        }, everyMs);
      atPace(withoutStreams.blockMs, BLOCK);
      atPace(withoutStreams.transactionMs, SEEN);
      return;
    }
    for (let opened = 0; opened < streams; opened += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, streams - opened) }, (_, i) => {
        const path = pages[(opened + i) % pages.length];
        return this.#listen(port, path === undefined ? null : new OpenPage(port, path), opened + i < readers);
      });
      await Promise.all(some);
    }
  }

  #listen(port: number, page: OpenPage | null, isRead: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let hasBegun = false;
      let rest = '';
      const fail = ({ message }: Error) => reject(new Error(`the streams could not be opened: ${message}`));
      socket.setEncoding('latin1');
      socket.on('connect', () =>
        socket.write(`GET /api/v2/stream?types=block,tx_seen${page?.subjects ?? ''} HTTP/1.1\r\nhost: bench\r\n\r\n`),
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
          const name = NAMES.find((each) => rest.startsWith(each, begin));
          if (name !== undefined) {
            if (name !== ACTIVITY) this.#note(idOf(rest, name, begin));
            if (isRead) page?.onEvent(name);
          }
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
    return { arrivals: this.#arrivals, lost: this.#lost, reads: OpenPage.reads, failed: OpenPage.failed };
  }
}

/** Returns the id of the block or transaction in the frame from `begin` on. */
function idOf(text: string, name: typeof BLOCK | typeof SEEN, begin: number): string {
  const id = name === BLOCK ? BLOCK_ID : TX_ID;
  const at = text.indexOf(id, begin) + id.length;
  return text.slice(at, at + ID_DIGITS);
}

const listener = new Listener();
answerMessages((message: EventStreamLoad | 'end') => (message === 'end' ? listener.heard() : listener.open(message)));
