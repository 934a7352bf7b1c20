/** A client of the event stream that behaves like most: it drops frames without data, with their ids. */
import { type ClientRequest, get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Scope } from './file-scope.ts';
import { eventually } from './until.ts';

export interface StreamEvent {
  readonly name: string;
  /** Parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: data are what the test says they are
  readonly data: any;
  readonly id: string | undefined;
}

export interface ListenOptions {
  readonly port: number;
  /** `types=…`, and whatever else. */
  readonly query?: string;
  readonly lastEventId?: string | undefined;
  readonly headers?: Record<string, string>;
  /** The local address of the client, if it differs from the default. */
  readonly localAddress?: string;
}

/** A connection that a worker had not taken when it was killed is answered by nobody. */
const MAX_SILENCE_MS = 20_000;

export class EventStream {
  readonly events: StreamEvent[] = [];
  readonly comments: string[] = [];
  /** Everything that came, as text. */
  text = '';
  /** The id of the last event that had one. */
  lastEventId: string | undefined;
  /** The last id, also of frames without an event, from which a browser resumes. */
  position: string | undefined;
  status = 0;
  headers: IncomingHttpHeaders = {};
  isEnded = false;
  /** Did the server end the stream regularly, without breaking it off? */
  isComplete = false;
  readonly #request: ClientRequest;
  #response: IncomingMessage | undefined;
  #parsed = 0;

  private constructor(options: ListenOptions, onHeaders: (error?: Error) => void) {
    const { port, query, lastEventId, headers = {}, localAddress } = options;
    this.lastEventId = lastEventId;
    this.position = lastEventId;
    this.#request = get(
      {
        host: '127.0.0.1',
        port,
        path: `/api/v2/stream${query ? `?${query}` : ''}`,
        agent: false,
        ...(localAddress === undefined ? {} : { localAddress }),
        headers: { ...headers, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
      },
      (response) => {
        this.#response = response;
        this.status = response.statusCode!;
        this.headers = response.headers;
        response.setEncoding('utf8');
        response.on('data', (text: string) => this.#onText(text));
        response.on('error', () => {});
        response.on('end', () => {
          this.isComplete = true;
        });
        response.on('close', () => {
          this.isEnded = true;
        });
        onHeaders();
      },
    );
    this.#request.setTimeout(MAX_SILENCE_MS, () => {
      if (this.#response === undefined) this.#request.destroy(new Error(`no answer in ${MAX_SILENCE_MS} ms`));
    });
    this.#request.on('error', (error) => {
      this.isEnded = true;
      onHeaders(error);
    });
  }

  /** `open`, until the test has ended. */
  static async during(t: Scope, options: ListenOptions): Promise<EventStream> {
    const stream = await EventStream.open(options);
    t.after(() => stream.close());
    return stream;
  }

  /** Resolves when the answer has begun. Rejects when there is none. */
  static async open(options: ListenOptions): Promise<EventStream> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stream = new EventStream(options, (error) => (error ? reject(error) : resolve()));
    await promise;
    return stream;
  }

  /** The data of the events of a name. */
  of(name: string): StreamEvent['data'][] {
    return this.events.filter((event) => event.name === name).map(({ data }) => data);
  }

  /** Waits for an event that is like this. */
  async sees(what: string, isIt: (event: StreamEvent) => boolean): Promise<StreamEvent> {
    return eventually(what, () => this.events.find(isIt), { explain: () => this.text.slice(-2_000) });
  }

  /** Reads no more; or again. */
  pause(): void {
    this.#response!.pause();
  }

  resume(): void {
    this.#response!.resume();
  }

  /** Breaks the connection. */
  close(): void {
    this.#request.destroy();
  }

  #onText(text: string): void {
    this.text += text;
    for (let end = this.text.indexOf('\n\n', this.#parsed); end >= 0; end = this.text.indexOf('\n\n', this.#parsed)) {
      this.#onFrame(this.text.slice(this.#parsed, end));
      this.#parsed = end + 2;
    }
  }

  #onFrame(frame: string): void {
    const fields = new Map<string, string>();
    for (const line of frame.split('\n')) {
      const [name, ...rest] = line.split(': ');
      if (name === '') this.comments.push(rest.join(': '));
      else fields.set(name!, rest.join(': '));
    }
    const id = fields.get('id');
    this.position = id ?? this.position;
    const data = fields.get('data');
    if (data === undefined) return;
    this.lastEventId = id ?? this.lastEventId;
    this.events.push({ name: fields.get('event')!, data: JSON.parse(data), id });
  }
}
