/**
 * The bodies of requests, limited over all connections. Above the limit, the one that has been arriving longest is
 * refused, so that clients that send a body at once are served while others hold theirs back.
 */

import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../route/api-error.ts';

interface Body {
  bytes: number;
  isWhole: boolean;
  readonly refuse: () => void;
}

const TOO_MANY = 'Too many request bodies are being read. Try again soon.';

export class RequestBodies {
  readonly #mostBytes: number;
  /** In the order in which they began. */
  readonly #bodies = new Set<Body>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts the bodies of all routes of an application that take one, those added later as well. */
  countIn(app: FastifyInstance, refuse: (error: ApiError, request: FastifyRequest, reply: FastifyReply) => void): void {
    app.addHook('onRoute', (route) => {
      if (![route.method].flat().some((method) => method === 'POST' || method === 'PUT')) return;
      const others = [route.preParsing ?? []].flat();
      const count = (request: FastifyRequest, reply: FastifyReply, payload: Readable, done: () => void): void => {
        this.#count(payload, reply, (error) => refuse(error, request, reply));
        done();
      };
      route.preParsing = [count as never, ...others];
    });
  }

  #count(payload: Readable, reply: FastifyReply, refuse: (error: ApiError) => void): void {
    const body: Body = {
      bytes: 0,
      isWhole: false,
      refuse: () => {
        this.#remove(body);
        reply.raw.setHeader('connection', 'close');
        refuse(new ApiError(503, TOO_MANY, 1));
      },
    };
    this.#bodies.add(body);
    payload.on('data', (chunk: Buffer) => this.#grow(body, chunk.length));
    payload.on('end', () => {
      body.isWhole = true;
    });
    // Its memory is free when the response is on its way, or the client has disconnected.
    reply.raw.once('close', () => this.#remove(body));
    payload.once('close', () => {
      if (!body.isWhole) this.#remove(body);
    });
  }

  #grow(body: Body, bytes: number): void {
    if (!this.#bodies.has(body)) return;
    body.bytes += bytes;
    this.#bytes += bytes;
    while (this.#bytes > this.#mostBytes) {
      // What is whole is being worked on: it cannot be taken back.
      const oldest = [...this.#bodies].find(({ isWhole, bytes: taken }) => !isWhole && taken > 0);
      if (oldest === undefined) return;
      oldest.refuse();
    }
  }

  #remove(body: Body): void {
    if (!this.#bodies.delete(body)) return;
    this.#bytes -= body.bytes;
  }
}
