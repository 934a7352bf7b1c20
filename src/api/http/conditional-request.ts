/** `304 Not Modified`, for clients that name an ETag in `if-none-match`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendNotModified } from './prepared-response.ts';

/** The response for a client that has the current one: it is known without reading the store. */
export class NotModified {
  readonly status = 304;
  readonly etag: string;

  constructor(etag: string) {
    this.etag = etag;
  }

  send(_request: IncomingMessage, response: ServerResponse): void {
    sendNotModified(response, this.etag);
  }
}
