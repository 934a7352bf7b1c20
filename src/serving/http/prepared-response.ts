/**
 * A prepared response: bytes and headers, made once and sent any number of times, also compressed if that saves enough.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { ChainPosition } from '../../store/read/query.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { ClientGone } from '../resources/caller.ts';
import type { Holding } from '../resources/reclaimable-holdings.ts';
import { ResourceRefusal } from '../resources/shared-resources.ts';
import { type Connection, connectionOf, countUnsentBytes } from './connection.ts';
import {
  CACHE_CONTROL_NO_STORE,
  CACHE_CONTROL_REVALIDATE,
  CHAIN_TIP_HEADER,
  COMMON_HEADERS,
  chainPositionText,
  etagMatches,
  requestHeader,
  VARY,
  VARY_COMPRESSED,
} from './headers.ts';
import { MAX_BYTES_PER_TURN } from './paced-writes.ts';

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
  readonly cacheControl?: string | undefined;
  /** The header `vary`, besides what all responses have. */
  readonly vary?: string;
  /** More headers: name, value, name, value, … */
  readonly headers?: readonly string[];
  /** Is it sent as long as the server runs? Such a response is compressed as small as it can be. */
  readonly isStatic?: boolean;
  /** Is the response for this request? If not, the request gets another one from the same URL. By default it is for all. */
  readonly isFor?: (request: IncomingMessage) => boolean;
}

export class PreparedResponse {
  readonly status: number;
  readonly etag: string | undefined;
  readonly #isFor: ((request: IncomingMessage) => boolean) | undefined;
  /** Called with the bytes by which `size` grows when the response is first compressed. */
  onGrow: ((bytes: number) => void) | null = null;
  #isCurrent: (() => boolean) | undefined;
  #size: number;
  readonly #vary: string | undefined;
  #tip: string | undefined;
  readonly #plain: Encoded & { readonly headers: string[] };
  readonly #isCompressible: boolean;
  readonly #isStatic: boolean;
  #notModified: NotModified | null = null;
  #encoded: { br?: Encoded | Promise<Encoded>; gzip?: Encoded | Promise<Encoded> } | null = null;

  /** `content`: a text, or bytes to be sent unchanged. */
  constructor(content: string | Buffer, options: PreparedResponseOptions = {}) {
    const { status = 200, contentType = JSON_TYPE, etag, headers = [], isStatic = false } = options;
    const { cacheControl = etag === undefined ? CACHE_CONTROL_NO_STORE : CACHE_CONTROL_REVALIDATE } = options;
    const bytes = Buffer.byteLength(content);
    this.status = status;
    this.etag = etag;
    this.#isFor = options.isFor;
    this.#isStatic = isStatic;
    this.#size = bytes + FIXED_SIZE;
    this.#isCompressible = bytes >= (isStatic ? COMPRESS_STATIC_FROM_BYTES : COMPRESS_FROM_BYTES);
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

  /** Names the tip of the snapshot that the response shows. To be called before it is sent. Returns the response. */
  withTip(tip: ChainPosition): this {
    this.#tip = chainPositionText(tip);
    this.#plain.headers.push(CHAIN_TIP_HEADER, this.#tip);
    return this;
  }

  /** The approximate memory of the response, including its compressed forms. */
  get size(): number {
    return this.#size;
  }

  /** Makes the response one that cannot be sent again once `isCurrent` returns false. Returns the response. */
  validWhile(isCurrent: (() => boolean) | undefined): this {
    this.#isCurrent = isCurrent;
    return this;
  }

  /** May the response be sent again while its tip is served? */
  get isCurrent(): boolean {
    return this.#isCurrent === undefined || this.#isCurrent();
  }

  /** May the response be sent again for this request? */
  isFor(request: IncomingMessage): boolean {
    return this.isCurrent && (this.#isFor === undefined || this.#isFor(request));
  }

  /** Sends the response, or 304 if the client has it already. */
  send(request: IncomingMessage, response: ServerResponse): void {
    if (this.etag !== undefined && etagMatches(request, this.etag)) {
      this.#notModified ??= new NotModified(this.etag, this.#tip, this.#vary);
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
    const bytes = await compress(encoding, plain, response, this.#isStatic);
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

  #write(response: ServerResponse, { headers, body }: Encoded): void {
    if (response.destroyed || response.headersSent) return;
    const isSmall = typeof body === 'string' || body.length <= ONE_PIECE_BYTES || response.req.method === 'HEAD';
    const connection = isSmall ? undefined : connectionOf(response.req.socket);
    if (typeof body === 'string' || connection === undefined) {
      response.writeHead(this.status, headers as string[]);
      response.end(body, 'latin1');
      countUnsentBytes(response, body);
      return;
    }
    connection.largeWrites.add(connection, () => {
      if (response.destroyed) return 0;
      response.writeHead(this.status, headers as string[]);
      return writeSlice(connection, response, body, 0);
    });
    // It is also unsent while it, or its next slice, waits for its turn.
    if (!response.writableEnded || response.writableLength > 0) connection.onUnsent(response, body);
  }
}

/** The response 304. */
export class NotModified {
  readonly status = 304;
  readonly #headers: readonly string[];

  /** `tip`: of the response that the client has, as `x-chain-tip`. `vary`: the header of it, besides what all have. */
  constructor(etag: string, tip?: string, vary?: string) {
    const varies = vary === undefined ? VARY_COMPRESSED : `${vary}, ${VARY_COMPRESSED}`;
    const headers = [...COMMON_HEADERS, 'cache-control', CACHE_CONTROL_REVALIDATE, 'vary', varies, 'etag', etag];
    this.#headers = tip === undefined ? headers : [...headers, CHAIN_TIP_HEADER, tip];
  }

  send(_request: IncomingMessage, response: ServerResponse): void {
    if (response.destroyed || response.headersSent) return;
    response.writeHead(304, this.#headers as string[]);
    response.end();
  }
}

/** Sends a response that nobody had to wait for, and counts it under this name. */
export function sendCounted(
  metrics: Metrics,
  name: string,
  request: IncomingMessage,
  reply: ServerResponse,
  response: PreparedResponse,
): void {
  metrics.end(name, response.status, metrics.begin());
  response.send(request, reply);
}

/** Writes a slice of a large body; the next one in a later turn, when the client's socket has taken this one. */
function writeSlice(connection: Connection, response: ServerResponse, body: Buffer, begin: number): number {
  const slice = body.subarray(begin, begin + MAX_BYTES_PER_TURN);
  const end = begin + slice.length;
  if (end === body.length) response.end(slice);
  else {
    response.write(slice, () => {
      connection.largeWrites.add(connection, () =>
        response.destroyed ? 0 : writeSlice(connection, response, body, end),
      );
    });
  }
  return slice.length;
}

function bodyOf(content: string | Buffer, bytes: number): Buffer | string {
  if (typeof content !== 'string') return content;
  if (bytes > ONE_PIECE_BYTES) return bytesOf([content], bytes);
  return bytes === content.length ? content : Buffer.from(content).toString('latin1');
}

/** The content of a response whose text is made of these pieces. Joined before it is bytes, a large one would exist three times. */
export function joinBodyTexts(texts: readonly string[]): string | Buffer {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return bytes > ONE_PIECE_BYTES ? bytesOf(texts, bytes) : texts.join('');
}

/** Non-ASCII bodies are stored as UTF-8 bytes, so they are encoded once, not for each client. */
function bytesOf(texts: readonly string[], bytes: number): Buffer {
  // `Buffer.from` takes bodies of up to 32 kB from pieces of 64 kB: in the cache, each would hold all of its piece.
  const body = Buffer.allocUnsafeSlow(bytes);
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  const encoding = characters === bytes ? 'latin1' : 'utf8';
  let end = 0;
  for (const text of texts) end += body.write(text, end, encoding);
  return body;
}

type Encoding = 'br' | 'gzip';

/** Bodies are compressed from this size on: below, headers and a packet's frame weigh more. */
const COMPRESS_FROM_BYTES = 4_096;
/** The same for static responses, whose compression costs nothing but the first time. */
const COMPRESS_STATIC_FROM_BYTES = 512;
/** The largest body that is compressed. A megabyte takes about 25 ms of a thread. */
const MAX_COMPRESSED_BYTES = 4 * 1024 * 1024;

/** The effort of brotli (0 to 11) and of gzip (0 to 9). The highest takes some 20 times as long and saves a fifth. */
const QUICK = 4;
const SMALLEST: Readonly<Record<Encoding, number>> = {
  br: constants.BROTLI_MAX_QUALITY,
  gzip: constants.Z_BEST_COMPRESSION,
};

const compressors: Readonly<Record<Encoding, (body: Buffer, effort: number) => Promise<Buffer>>> = {
  br: (body, effort) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: effort, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body, level) => promisify(gzip)(body, { level }),
};

/**
 * Compresses the body of a response. Returns null if it is to be sent plain: it is too large, the server is too busy,
 * or the client has gone. While it waits, the body counts as unsent.
 */
async function compress(
  encoding: Encoding,
  body: Buffer,
  response: ServerResponse,
  isStatic: boolean,
): Promise<Buffer | null> {
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
    return await compressions.run(connection.caller, 1, () =>
      compressors[encoding](body, isStatic ? SMALLEST[encoding] : QUICK),
    );
  } catch (error) {
    if (error instanceof ResourceRefusal || error instanceof ClientGone) return null;
    throw error;
  } finally {
    unsent_bytes.remove(waiting);
  }
}

/**
 * Returns the best encoding that the header `accept-encoding` names; null if there is none. `*` stands for gzip, unless the
 * header excludes that.
 */
function acceptedEncoding(accepted: string | undefined): Encoding | null {
  if (accepted === undefined) return null;
  let gzip: boolean | null = null;
  let others = false;
  for (const item of accepted.split(',')) {
    const [name, ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const isAccepted = !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    if (name === 'br' && isAccepted) return 'br';
    if (name === 'gzip') gzip = isAccepted;
    if (name === '*') others = isAccepted;
  }
  return (gzip ?? others) ? 'gzip' : null;
}
