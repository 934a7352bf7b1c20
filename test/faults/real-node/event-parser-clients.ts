/** Clients of the event stream with parsers that others wrote: npm's `eventsource` and `eventsource-parser`. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { SeededRandom } from '../../../bench/seeded-random.ts';
import type { Id } from '../../../src/chain/types.ts';
import { Rebuilt } from '../../sim/stream-clients.ts';
import type { Scope } from '../../support/file-scope.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';

/** What is used of npm's `eventsource`. */
interface EventSourceLike {
  readonly readyState: number;
  addEventListener(
    name: string,
    listener: (event: { readonly data: string; readonly lastEventId: string }) => void,
  ): void;
  close(): void;
}

interface ParserPackages {
  readonly EventSource: new (url: string) => EventSourceLike;
  readonly createParser: (callbacks: {
    onEvent(event: { readonly event?: string; readonly id?: string; readonly data: string }): void;
    onError(error: Error): void;
  }) => { feed(text: string): void };
}

/** `directory`: where `npm install eventsource eventsource-parser` was run. */
export async function loadParsers(directory: string): Promise<ParserPackages> {
  const { resolve } = createRequire(join(directory, 'package.json'));
  const load = (name: string) => import(pathToFileURL(resolve(name)).href);
  const [{ EventSource }, { createParser }] = await Promise.all([load('eventsource'), load('eventsource-parser')]);
  return { EventSource, createParser };
}

const NAMES = ['block', 'reorg', 'activity', 'tx_seen', 'tx_dropped', 'lag'];
const CLOSED = 2;

/** What a client has made of the events. */
class Reader {
  readonly name: string;
  readonly rebuilt: Rebuilt;
  readonly events: Record<string, number> = {};
  readonly problems = new Set<string>();
  lastEventId: string;
  cuts = 0;

  constructor(name: string, genesis: Id) {
    this.name = name;
    this.rebuilt = new Rebuilt(genesis);
    this.lastEventId = `0-${genesis}`;
  }

  take(name: string, text: string, id: string | undefined): void {
    this.events[name] = (this.events[name] ?? 0) + 1;
    try {
      if (name !== 'lag') this.rebuilt.take({ name, data: JSON.parse(text), id });
    } catch (error) {
      this.problems.add(`${this.name}: ${(error as Error).message}, at ${name} ${text.slice(0, 300)}`);
    }
    if (id !== undefined && id !== '') this.lastEventId = id;
  }
}

export interface StreamClient {
  readonly reader: Reader;
  end(): Promise<void>;
}

interface ClientOptions {
  readonly parsers: ParserPackages;
  readonly port: number;
  readonly query: string;
  readonly genesis: Id;
}

/** `eventsource`, which comes back by itself; behind a proxy that cuts it off at random, also within an event. */
export async function startEventSource(
  t: Scope,
  { parsers, port, query, genesis }: ClientOptions,
  random: SeededRandom | null,
): Promise<StreamClient> {
  const reader = new Reader(`EventSource ${query}${random === null ? ', never cut off' : ''}`, genesis);
  const proxy = await TcpProxy.start(t, { host: '127.0.0.1', port });
  let source: EventSourceLike;
  let isOver = false;
  const open = () => {
    const resume = `last_event_id=${reader.lastEventId}`;
    source = new parsers.EventSource(`http://127.0.0.1:${proxy.address.port}/api/v2/stream?${query}&${resume}`);
    source.addEventListener('open', () => reader.rebuilt.isCutOff());
    for (const name of NAMES) {
      source.addEventListener(name, ({ data, lastEventId }) => reader.take(name, data, lastEventId));
    }
    source.addEventListener('error', async () => {
      if (isOver || source.readyState !== CLOSED) return;
      // It gives up after a response other than 200.
      await sleep(300);
      open();
    });
  };
  open();
  const cutting = (async () => {
    while (!isOver && random !== null) {
      if (random.isTrue(0.5)) {
        await sleep(random.whole(0, 4_000));
        proxy.cut();
      } else {
        proxy.bytesPerCut = random.whole(200, 4_000);
        await sleep(random.whole(3_000, 6_000));
        proxy.bytesPerCut = Number.POSITIVE_INFINITY;
      }
      reader.cuts++;
    }
  })();
  const end = async () => {
    isOver = true;
    source.close();
    await cutting;
  };
  return { reader, end };
}

/** `eventsource-parser` on `fetch`, which is cut off within a second and comes back at once with `Last-Event-ID`. */
export function startFetching({ parsers, port, query, genesis }: ClientOptions, random: SeededRandom): StreamClient {
  const reader = new Reader(`fetch ${query}`, genesis);
  let isOver = false;
  let current = new AbortController();
  const visit = async () => {
    current = new AbortController();
    const { signal } = current;
    const timer = setTimeout(() => current.abort(), random.whole(0, 900));
    try {
      const headers = { accept: 'text/event-stream', 'last-event-id': reader.lastEventId };
      const response = await fetch(`http://127.0.0.1:${port}/api/v2/stream?${query}`, { headers, signal });
      if (response.status !== 200) {
        await response.body?.cancel();
        return void (await sleep(100));
      }
      reader.rebuilt.isCutOff();
      const parser = parsers.createParser({
        onEvent: ({ event = 'message', data, id }) => reader.take(event, data, id),
        onError: (error) => reader.problems.add(`${reader.name}: ${error.message}`),
      });
      for await (const text of response.body!.pipeThrough(new TextDecoderStream())) parser.feed(text);
    } catch (error) {
      if (!signal.aborted) await sleep(100);
      if (!signal.aborted && !(error instanceof TypeError)) reader.problems.add(`${reader.name}: ${error}`);
    } finally {
      clearTimeout(timer);
      reader.cuts++;
    }
  };
  const visits = (async () => {
    while (!isOver) await visit();
  })();
  const end = async () => {
    isOver = true;
    current.abort();
    await visits;
  };
  return { reader, end };
}
