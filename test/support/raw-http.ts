/** HTTP as it goes over the wire: requests that no well-behaved client would send, and what comes back. */
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface RawRequest {
  readonly method: string;
  /** The path in the request line. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Requests over a few connections that are kept alive. */
export class RawClient {
  readonly port: number;
  readonly #agent: Agent;

  constructor(port: number, options: { readonly connections?: number } = {}) {
    this.port = port;
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.connections ?? 4 });
  }

  send({ method, path, headers = {}, body }: RawRequest): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: this.port, agent: this.#agent, method, path, headers };
      const request = httpRequest(options, (response) => {
        const chunks: Buffer[] = [];
        // It never ends; that it has begun is the answer.
        if (response.headers['content-type'] === 'text/event-stream' && method === 'GET') {
          resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.alloc(0) });
          request.destroy();
          return;
        }
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Closes the connections that no request is using. */
  closeIdle(): void {
    for (const sockets of Object.values(this.#agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }
}

export interface Exchange {
  /** Everything that came back, one character a byte. */
  readonly text: string;
  readonly hasHungUp: boolean;
}

/** Writes the pieces one after the other; ends when the server hangs up, or has said nothing more for `quietMs`. */
export function exchange(
  port: number,
  pieces: readonly (string | Uint8Array)[],
  options: { readonly pauseMs?: number; readonly quietMs?: number } = {},
): Promise<Exchange> {
  const { pauseMs = 0, quietMs = 5_000 } = options;
  return new Promise((resolve) => {
    let text = '';
    let hasHungUp = true;
    const socket = connect(port, '127.0.0.1');
    const timer = setTimeout(() => {
      hasHungUp = false;
      socket.destroy();
    }, quietMs);
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      text += chunk;
      timer.refresh();
    });
    // A server that refuses hangs up while more is on its way to it.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve({ text, hasHungUp });
    });
    socket.on('connect', async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        socket.write(piece);
        timer.refresh();
        if (pauseMs > 0) await new Promise((next) => setTimeout(next, pauseMs));
      }
    });
  });
}

export interface WireAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/**
 * The answers in what came back over a connection, each with the bytes that its headers announce. Throws an Error when
 * it is none, or the last one is cut off.
 */
export function answersIn(text: string): WireAnswer[] {
  const answers: WireAnswer[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    const head = end < 0 ? rest : rest.slice(0, end);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    if (end < 0 || Number.isNaN(status)) throw new Error(`not an answer: ${rest.slice(0, 300)}`);
    const hasBody = status >= 200 && status !== 304;
    const length = hasBody ? Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0) : 0;
    const body = rest.slice(end + 4, end + 4 + length);
    if (body.length < length) throw new Error(`an answer was cut off: ${rest.slice(0, 300)}`);
    answers.push({ status, head, body });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}
