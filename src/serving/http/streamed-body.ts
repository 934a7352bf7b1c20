/**
 * A body of unknown length, written piece by piece as fast as the client takes it. If it is not ended, the connection is
 * broken without the last chunk, so that the client notices.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ChainPosition } from '../../store/read/query.ts';
import { type Caller, ClientGone } from '../resources/caller.ts';
import type { Holding, Holdings } from '../resources/reclaimable-holdings.ts';
import { PATIENCE_MS, SLOWEST_BYTES_PER_MS } from './connection.ts';
import { CACHE_CONTROL_NO_STORE, CHAIN_TIP_HEADER, COMMON_HEADERS, chainPositionText, VARY } from './headers.ts';

interface StreamedBodyOptions {
  readonly contentType: string;
  readonly fileName: string;
  /** Of the snapshot that the body shows. */
  readonly tip: ChainPosition;
  readonly caller: Caller;
  /** Counts what is being written. */
  readonly unsent: Holdings;
  /** The waits together may last this long, and 1 ms longer for every 16 bytes written; {@link PATIENCE_MS} by default. */
  readonly patienceMs?: number | undefined;
}

export class StreamedBody {
  readonly #response: ServerResponse;
  readonly #options: StreamedBodyOptions;
  #bytes = 0;
  #waitedMs = 0;

  /** Sends the head. */
  constructor({ method }: IncomingMessage, response: ServerResponse, options: StreamedBodyOptions) {
    this.#response = response;
    this.#options = options;
    response.writeHead(200, [
      ...['content-type', options.contentType],
      ...['content-disposition', `attachment; filename="${options.fileName}"`],
      ...COMMON_HEADERS,
      ...['cache-control', CACHE_CONTROL_NO_STORE],
      ...['vary', `accept, ${VARY}`],
      ...[CHAIN_TIP_HEADER, chainPositionText(options.tip)],
    ]);
    if (method === 'HEAD') response.end();
  }

  /** Writes a piece. Throws {@link ClientGone} if the client has gone, or was too slow: then its connection is closed. */
  async write(text: string): Promise<void> {
    const { caller, unsent, patienceMs = PATIENCE_MS } = this.#options;
    const response = this.#response;
    if (caller.isGone || response.destroyed) throw new ClientGone();
    const bytes = Buffer.from(text);
    const holding: Holding = { client: caller.client, amount: bytes.length, takeBack: () => this.break() };
    unsent.add(holding);
    const began = performance.now();
    const leftMs = Math.min(patienceMs, patienceMs + this.#bytes / SLOWEST_BYTES_PER_MS - this.#waitedMs);
    try {
      await new Promise<void>((resolve, reject) => {
        const fail = (): void => reject(new ClientGone());
        const timer = setTimeout(() => this.break(), leftMs);
        caller.onGone(fail);
        response.once('close', fail);
        response.write(bytes, (error) => {
          clearTimeout(timer);
          caller.offGone(fail);
          response.off('close', fail);
          if (error) fail();
          else resolve();
        });
      });
    } finally {
      unsent.remove(holding);
    }
    this.#bytes += bytes.length;
    this.#waitedMs += performance.now() - began;
  }

  /** Ends the body: it is complete. */
  end(): void {
    this.#response.end();
  }

  /** Breaks the connection: the body is not complete. */
  break(): void {
    this.#response.destroy();
  }
}
