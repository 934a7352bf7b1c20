/**
 * An answer as it goes to the client: the bytes and their headers, prepared once and sent any number of times, also
 * compressed where that is worth it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Outbox } from './outbox.ts';

export const VARY = 'origin, access-control-request-method, access-control-request-headers';

/** On every response. The list form is what `writeHead` takes without copying it. */
export const CORS_HEADERS: readonly string[] = [
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  'x-next-cursor, link, etag, retry-after, x-mempool-ordering',
];

type Encoding = 'br' | 'gzip';

/** Bodies from this size on are compressed for clients that can read it. */
const COMPRESS_FROM_BYTES = 4_096;
/** Texts up to this size go to the socket together with their headers in one piece. */
const ONE_PIECE_BYTES = 16_384;
/** A client that takes nothing of a larger one for so long is gone. */
const SILENCE_MS = 120_000;
/** One that has not taken all of it by then takes it too slowly. */
const LONGEST_SENDING_MS = 15 * 60_000;
/** Larger answers on their way: with more than this no further answers are made. */
const MOST_UNSENT_BYTES = 256 * 1024 * 1024;

/** Of the whole process, as its memory is. */
export const outbox = new Outbox(MOST_UNSENT_BYTES);

const compress: Readonly<Record<Encoding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body) => promisify(gzip)(body, { level: 4 }),
};

interface Encoded {
  readonly headers: string[];
  /** Bytes, or a text with the encoding in which it goes to the socket. */
  readonly body: Buffer | string;
  readonly encoding?: 'latin1' | 'utf8';
}

export interface FinishedOptions {
  readonly status?: number;
  /** JSON by default; null for no body at all. */
  readonly contentType?: string | null;
  readonly etag?: string | undefined;
  /** More headers: name, value, name, value, … */
  readonly headers?: readonly string[];
}

export class Finished {
  readonly status: number;
  readonly etag: string | undefined;
  /** What the answer takes in memory, about. */
  readonly size: number;
  readonly #plain: Encoded;
  readonly #isCompressible: boolean;
  readonly #fixedHeaders: readonly string[];
  readonly #encoded: { br?: Encoded | Promise<Encoded>; gzip?: Encoded | Promise<Encoded> } = {};

  constructor(text: string, options: FinishedOptions = {}) {
    const { status = 200, contentType = 'application/json', etag, headers = [] } = options;
    const bytes = Buffer.byteLength(text);
    this.status = status;
    this.etag = etag;
    this.size = bytes + 512;
    this.#isCompressible = bytes >= COMPRESS_FROM_BYTES;
    this.#fixedHeaders = [
      ...(contentType === null ? [] : ['content-type', contentType]),
      ...CORS_HEADERS,
      'vary',
      this.#isCompressible ? `${VARY}, accept-encoding` : VARY,
      ...(etag === undefined ? [] : ['etag', etag]),
      ...headers,
    ];
    // Of ASCII alone, as nearly all answers are, both give the same bytes; latin1 without looking for other letters.
    const encoding = bytes === text.length ? 'latin1' : 'utf8';
    this.#plain = {
      headers: ['content-length', String(bytes), ...this.#fixedHeaders],
      body: bytes <= ONE_PIECE_BYTES ? text : Buffer.from(text, encoding),
      encoding,
    };
  }

  /** Sends the answer, or 304 when the client has it already. */
  send(request: IncomingMessage, response: ServerResponse): void {
    if (this.etag !== undefined && matches(request, this.etag)) {
      sendNotModified(response, this.etag);
      return;
    }
    const encoding = this.#isCompressible ? acceptedEncoding(request) : null;
    if (encoding === null) write(response, this.status, this.#plain);
    else this.#sendEncoded(response, encoding);
  }

  #sendEncoded(response: ServerResponse, encoding: Encoding): void {
    this.#encoded[encoding] ??= this.#encode(encoding);
    const encoded = this.#encoded[encoding];
    if (encoded instanceof Promise) {
      encoded.then(
        (ready) => write(response, this.status, ready),
        () => write(response, this.status, this.#plain),
      );
    } else write(response, this.status, encoded);
  }

  async #encode(encoding: Encoding): Promise<Encoded> {
    const { body } = this.#plain;
    const bytes = await compress[encoding](typeof body === 'string' ? Buffer.from(body) : body);
    const headers = ['content-length', String(bytes.length), 'content-encoding', encoding, ...this.#fixedHeaders];
    const encoded = { headers, body: bytes };
    this.#encoded[encoding] = encoded;
    return encoded;
  }
}

/** The answer to a client that has the current one: no body, no database. */
export function sendNotModified(response: ServerResponse, etag: string): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(304, [...CORS_HEADERS, 'vary', `${VARY}, accept-encoding`, 'etag', etag]);
  response.end();
}

/** The answer to any OPTIONS request. */
export function sendOptions(response: ServerResponse): void {
  response.writeHead(200, [
    'content-length',
    '0',
    ...CORS_HEADERS,
    'access-control-allow-methods',
    'GET,POST',
    'access-control-allow-headers',
    '*',
    'vary',
    VARY,
  ]);
  response.end();
}

function write(response: ServerResponse, status: number, { headers, body, encoding = 'utf8' }: Encoded): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, headers);
  if (typeof body !== 'string') {
    outbox.add(body, response);
    response.setTimeout(SILENCE_MS, () => response.destroy());
    const tooLate = setTimeout(() => response.destroy(), LONGEST_SENDING_MS).unref();
    response.once('close', () => clearTimeout(tooLate));
  }
  response.end(body, encoding);
}

/** Does the client name ETags of answers that it has? */
export function isConditional(request: IncomingMessage): boolean {
  return header(request, 'if-none-match') !== undefined;
}

/** Does the client name this ETag as one that it has? */
export function matches(request: IncomingMessage, etag: string): boolean {
  const names = header(request, 'if-none-match');
  if (names === undefined) return false;
  return names.split(',').some((name) => name.trim().replace(/^W\//, '') === etag.slice(2));
}

function acceptedEncoding(request: IncomingMessage): Encoding | null {
  const accepted = header(request, 'accept-encoding');
  if (accepted === undefined) return null;
  let best: Encoding | null = null;
  for (const item of accepted.split(',')) {
    const [name, ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    if (parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) continue;
    if (name === 'br') return 'br';
    if (name === 'gzip' || name === '*') best = 'gzip';
  }
  return best;
}

/** A request header; reading one of them from the raw list is cheaper than having all of them parsed. */
function header(request: IncomingMessage, name: string): string | undefined {
  const raw = request.rawHeaders;
  for (let i = 0; i < raw.length; i += 2) {
    const candidate = raw[i]!;
    if (candidate.length === name.length && candidate.toLowerCase() === name) return raw[i + 1];
  }
  return undefined;
}
