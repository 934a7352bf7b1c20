/**
 * A prepared response: bytes and headers, made once and sent any number of times, also compressed if that saves enough.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Holding } from '../../resources/holdings.ts';
import { ClientGone, ResourceRefusal } from '../../resources/shared-resources.ts';
import { connectionOf, noteUnsent } from './connection.ts';
import { etagMatches, NotModified } from './etag.ts';
import { acceptsHtml, COMMON_HEADERS, NO_STORE, REVALIDATE, requestHeader, VARY, VARY_COMPRESSED } from './headers.ts';

const JSON_TYPE = 'application/json';
/** The memory of a response besides its body. */
const FIXED_SIZE = 1_024;

/**
 * Texts up to this size are sent together with their headers in one piece. Node copies such a piece once more, and
 * allocates memory for that from 16 kB on, so larger texts are faster as bytes.
 */
const ONE_PIECE_BYTES = 8_192;

interface Encoded {
  /** The headers: name, value, name, value, … */
  readonly headers: readonly string[];
  /** The bytes. A short body is a text with one letter per byte, which is sent together with the head. */
  readonly body: Buffer | string;
}

interface PreparedResponseOptions {
  readonly status?: number;
  /** The content type, JSON by default; null for a response without a body. */
  readonly contentType?: string | null;
  readonly etag?: string | undefined;
  /**
   * `cache-control`. By default a response with an ETag is revalidated before each use, and one without is not stored.
   */
  readonly cacheControl?: string;
  /** The header `vary`, besides what all responses have. */
  readonly vary?: string;
  /** More headers: name, value, name, value, … */
  readonly headers?: readonly string[];
  /** Is the response only for requests that accept HTML? Other requests get another one from the same URL. */
  readonly isPage?: boolean;
}

export class PreparedResponse {
  readonly status: number;
  readonly etag: string | undefined;
  readonly #isPage: boolean;
  /** Called with the bytes by which `size` grows when the response is first compressed. */
  onGrow: ((bytes: number) => void) | null = null;
  #size: number;
  readonly #vary: string | undefined;
  readonly #plain: Encoded;
  readonly #isCompressible: boolean;
  #notModified: NotModified | null = null;
  #encoded: { br?: Encoded | Promise<Encoded>; gzip?: Encoded | Promise<Encoded> } | null = null;

  /** `content`: a text, or bytes to be sent unchanged. */
  constructor(content: string | Buffer, options: PreparedResponseOptions = {}) {
    const { status = 200, contentType = JSON_TYPE, etag, headers = [] } = options;
    const { cacheControl = etag === undefined ? NO_STORE : REVALIDATE } = options;
    const bytes = Buffer.byteLength(content);
    this.status = status;
    this.etag = etag;
    this.#isPage = options.isPage ?? false;
    this.#size = bytes + FIXED_SIZE;
    this.#isCompressible = bytes >= COMPRESS_FROM_BYTES;
    const commonVary = this.#isCompressible ? VARY_COMPRESSED : VARY;
    const vary = options.vary === undefined ? commonVary : `${options.vary}, ${commonVary}`;
    this.#vary = options.vary;
    const all = [
      ...['content-length', String(bytes)],
      ...(contentType === null ? [] : ['content-type', contentType]),
      ...COMMON_HEADERS,
      ...['cache-control', cacheControl],
      ...(etag === undefined ? [] : ['etag', etag]),
      ...['vary', vary],
      ...headers,
    ];
    this.#plain = { headers: all, body: bodyOf(content, bytes) };
  }

  /** The approximate memory of the response, including its compressed forms. */
  get size(): number {
    return this.#size;
  }

  /** Does the response fit this request? */
  isFor(request: IncomingMessage): boolean {
    return !this.#isPage || acceptsHtml(request);
  }

  /** Sends the response, or 304 if the client has it already. */
  send(request: IncomingMessage, response: ServerResponse): void {
    if (this.etag !== undefined && etagMatches(request, this.etag)) {
      this.#notModified ??= new NotModified(this.etag, this.#vary);
      this.#notModified.send(request, response);
      return;
    }
    const encoding = this.#isCompressible ? acceptedEncoding(requestHeader(request, 'accept-encoding')) : null;
    if (encoding === null) this.#write(response, this.#plain);
    else this.#sendEncoded(response, encoding);
  }

  #sendEncoded(response: ServerResponse, encoding: Encoding): void {
    this.#encoded ??= {};
    this.#encoded[encoding] ??= this.#encode(encoding, response);
    const encoded = this.#encoded[encoding];
    if (encoded instanceof Promise) {
      encoded.then(
        (ready) => this.#write(response, ready),
        () => this.#write(response, this.#plain),
      );
    } else this.#write(response, encoded);
  }

  /** Compresses the response, or returns the plain form if that fails; the next request tries again. */
  async #encode(encoding: Encoding, response: ServerResponse): Promise<Encoded> {
    const { headers, body } = this.#plain;
    const plain = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
    const bytes = await compress(encoding, plain, response);
    if (bytes === null) {
      delete this.#encoded?.[encoding];
      return this.#plain;
    }
    // The first of the plain headers is the length.
    const changed = ['content-length', String(bytes.length), 'content-encoding', encoding];
    const encoded = { headers: [...changed, ...headers.slice(2)], body: bytes };
    this.#encoded = { ...this.#encoded, [encoding]: encoded };
    const more = bytes.length + FIXED_SIZE;
    this.#size += more;
    this.onGrow?.(more);
    return encoded;
  }

  #write(response: ServerResponse, encoded: Encoded): void {
    const { body } = encoded;
    if (typeof body === 'string' || body.length <= ONE_PIECE_BYTES) this.#writeNow(response, encoded);
    else largeWrites.add(Math.min(body.length, MAX_BYTES_PER_TURN), () => this.#writeNow(response, encoded));
  }

  #writeNow(response: ServerResponse, { headers, body }: Encoded): void {
    if (response.destroyed || response.headersSent) return;
    response.writeHead(this.status, headers as string[]);
    if (typeof body === 'string' || body.length <= MAX_BYTES_PER_TURN || response.req.method === 'HEAD') {
      response.end(body, 'latin1');
      noteUnsent(response, body);
    } else {
      connectionOf(response.req.socket)?.onUnsent(response, body);
      writeSlices(response, body, 0);
    }
  }
}

/** Writes a large body from `begin` on; each slice after the client's socket has taken the one before. */
function writeSlices(response: ServerResponse, body: Buffer, begin: number): void {
  const end = begin + MAX_BYTES_PER_TURN;
  if (end >= body.length) {
    response.end(body.subarray(begin));
    return;
  }
  response.write(body.subarray(begin, end), () => {
    if (!response.destroyed) largeWrites.add(MAX_BYTES_PER_TURN, () => writeSlices(response, body, end));
  });
}

/** Returns the body as it is kept. A non-ASCII text is encoded once, instead of for each client. */
function bodyOf(content: string | Buffer, bytes: number): Buffer | string {
  if (typeof content !== 'string') return content;
  const isAscii = bytes === content.length;
  if (bytes > ONE_PIECE_BYTES) {
    // `Buffer.from` cuts bodies of up to 32 kB out of pieces of 64 kB: a cached body would keep its whole piece in
    // memory.
    const body = Buffer.allocUnsafeSlow(bytes);
    body.write(content, isAscii ? 'latin1' : 'utf8');
    return body;
  }
  return isAscii ? content : Buffer.from(content).toString('latin1');
}

const MAX_BYTES_PER_TURN = 256 * 1024;

/**
 * Writes large responses 256 kB at a time, with a turn of the event loop in between. Otherwise everybody would wait for
 * the copying of all responses that are ready.
 */
export class PacedWrites {
  readonly #maxBytes: number;
  readonly #waiting: { readonly bytes: number; readonly write: () => void }[] = [];
  #bytes = 0;
  #isScheduled = false;

  constructor(maxBytes = MAX_BYTES_PER_TURN) {
    this.#maxBytes = maxBytes;
  }

  /** Calls `write`, now or in one of the next turns. */
  add(bytes: number, write: () => void): void {
    if (this.#bytes >= this.#maxBytes) this.#waiting.push({ bytes, write });
    else {
      this.#bytes += bytes;
      write();
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#nextTurn);
  }

  readonly #nextTurn = (): void => {
    this.#bytes = 0;
    const turn = this.#waiting.findIndex(({ bytes }) => {
      this.#bytes += bytes;
      return this.#bytes >= this.#maxBytes;
    });
    const due = this.#waiting.splice(0, turn === -1 ? this.#waiting.length : turn + 1);
    this.#isScheduled = due.length > 0;
    if (this.#isScheduled) setImmediate(this.#nextTurn);
    for (const { write } of due) write();
  };
}

const largeWrites = new PacedWrites();

type Encoding = 'br' | 'gzip';

/** Bodies are compressed from this size on: below, headers and a packet's frame weigh more. */
const COMPRESS_FROM_BYTES = 4_096;
/** The largest body that is compressed. A megabyte takes about 25 ms of a thread. */
const MAX_COMPRESSED_BYTES = 4 * 1024 * 1024;

const compressors: Readonly<Record<Encoding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body) => promisify(gzip)(body, { level: 4 }),
};

/**
 * Compresses the body of a response. Returns null if it is to be sent plain: it is too large, the server is too busy,
 * or the client has gone. While it waits, the body counts as unsent.
 */
async function compress(encoding: Encoding, body: Buffer, response: ServerResponse): Promise<Buffer | null> {
  const connection = connectionOf(response.req.socket);
  if (body.length > MAX_COMPRESSED_BYTES || connection === undefined) return null;
  const { unsent_bytes, compressions } = connection.resources;
  const waiting: Holding = {
    client: connection.caller.client,
    amount: 0,
    shared: body,
    takeBack: () => connection.cut(),
  };
  unsent_bytes.add(waiting);
  try {
    return await compressions.run(connection.caller, 1, () => compressors[encoding](body));
  } catch (error) {
    if (error instanceof ResourceRefusal || error instanceof ClientGone) return null;
    throw error;
  } finally {
    unsent_bytes.remove(waiting);
  }
}

/** Returns the best encoding that the header `accept-encoding` names; null if there is none. */
function acceptedEncoding(accepted: string | undefined): Encoding | null {
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
