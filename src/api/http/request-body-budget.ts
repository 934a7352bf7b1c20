/**
 * Limits the memory of request bodies over all connections. Above the limit, the body that has been arriving longest is
 * refused: clients that send theirs at once are served while others hold theirs back.
 */

import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from '../route/api-error.ts';
import { unavailable } from '../route/unavailable.ts';

interface Body {
  bytes: number;
  isWhole: boolean;
  readonly refuse: () => void;
}

export class RequestBodyBudget {
  readonly #mostBytes: number;
  /** In the order of their beginnings. */
  readonly #bodies = new Set<Body>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Applies the limit to all routes with a body that are added to an application from now on. */
  limitIn(app: FastifyInstance, refuse: (error: ApiError, request: FastifyRequest, reply: FastifyReply) => void): void {
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
        refuse(unavailable('too many bodies'));
      },
    };
    this.#bodies.add(body);
    payload.on('data', (chunk: Buffer) => this.#grow(body, chunk.length));
    payload.on('end', () => {
      body.isWhole = true;
    });
    // Its memory is free when the response is sent, or the client has disconnected.
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
      // A complete body is being processed: it cannot be refused any more.
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
