/**
 * Counts the bytes of request bodies in the accounts of their clients, from their arrival until the response is sent.
 * If there are too many, the largest body of the client with the most bytes is refused.
 */
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Holding, Holdings } from '../resources/holdings.ts';
import { ResourceRefusal } from '../resources/shared-resources.ts';
import { connectionOf, isBodyRead } from './connection.ts';

/**
 * From this size on, a turn of the event loop reads one or two pieces of a body, of 64 kB each. Otherwise it reads up to
 * 2 MB of each connection before anything else runs.
 */
const READ_AT_ONCE_BYTES = 64 * 1024;

/** Sends the response for an error instead of that of the route. */
type Refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/** Counts the bodies of all routes that are added to the application after this call. */
export function countRequestBodies(app: FastifyInstance, bodies: Holdings, refuse: Refuse): void {
  app.addHook('onRoute', (route) => {
    if (![route.method].flat().some(isBodyRead)) return;
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
      // After the body is complete, or the response has begun, only the connection can be cut.
      if (isWhole || reply.raw.headersSent) return connection.cut();
      reply.raw.setHeader('connection', 'close');
      refuse(new ResourceRefusal('body_bytes', true), request, reply);
    },
  };
  bodies.add(body);
  payload.on('data', (chunk: Buffer) => {
    bodies.resize(body, body.amount + chunk.length);
    if (body.amount < READ_AT_ONCE_BYTES) return;
    payload.pause();
    setImmediate(() => payload.resume());
  });
  payload.on('end', () => {
    isWhole = true;
  });
  // The memory of a body is free when the response is sent, or the client has disconnected.
  reply.raw.once('close', () => bodies.remove(body));
  payload.once('close', () => {
    if (!isWhole) bodies.remove(body);
  });
}

/** Makes the routes of an application read bodies as bytes, for any content type. */
export function readBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/** A hook for routes with a body: the content type is ignored, also when malformed. */
export function ignoreContentType(request: FastifyRequest): void {
  request.headers['content-type'] = 'application/octet-stream';
}

/** Returns the body that {@link readBodiesAsBytes} has read; empty if the request has none. */
export function rawBody(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}
