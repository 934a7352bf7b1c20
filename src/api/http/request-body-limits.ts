/**
 * Counts the bytes of request bodies in the accounts of their clients, while they arrive and until they are answered. When there
 * are too many, the largest body of the client with most of them is refused.
 */
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Holding, Holdings } from '../../resources/holdings.ts';
import { ResourceRefusal } from '../../resources/shared-resources.ts';
import { connectionOf } from './connection.ts';

/** Sends the response for an error in place of that of the route. */
type Refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/** Counts the bodies of all routes that are added to an application from now on. */
export function countRequestBodies(app: FastifyInstance, bodies: Holdings, refuse: Refuse): void {
  app.addHook('onRoute', (route) => {
    if (![route.method].flat().some((method) => method === 'POST' || method === 'PUT')) return;
    const others = [route.preParsing ?? []].flat();
    const count = (request: FastifyRequest, reply: FastifyReply, payload: Readable, done: () => void): void => {
      countBody(bodies, payload, request, reply, refuse);
      done();
    };
    route.preParsing = [count as never, ...others];
  });
}

function countBody(
  bodies: Holdings,
  payload: Readable,
  request: FastifyRequest,
  reply: FastifyReply,
  refuse: Refuse,
): void {
  const connection = connectionOf(request.raw.socket);
  if (connection === undefined) return;
  let isWhole = false;
  const body: Holding = {
    client: connection.caller.client,
    amount: 0,
    takeBack: () => {
      // What is being answered cannot be refused any more.
      if (isWhole || reply.raw.headersSent) return connection.cut();
      reply.raw.setHeader('connection', 'close');
      refuse(new ResourceRefusal('body_bytes', true), request, reply);
    },
  };
  bodies.add(body);
  payload.on('data', (chunk: Buffer) => bodies.resize(body, body.amount + chunk.length));
  payload.on('end', () => {
    isWhole = true;
  });
  // Its memory is free when the response is sent, or the client has disconnected.
  reply.raw.once('close', () => bodies.remove(body));
  payload.once('close', () => {
    if (!isWhole) bodies.remove(body);
  });
}

/** Lets the routes of an application read bodies as bytes, whatever their content type says. */
export function readBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/** A hook for routes with a body: a content type that cannot even be parsed says as little as any other. */
export function ignoreContentType(request: FastifyRequest): void {
  request.headers['content-type'] = 'application/octet-stream';
}

/** The bytes of a body that {@link readBodiesAsBytes} has read; none when the request has no body. */
export function rawBody(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}
