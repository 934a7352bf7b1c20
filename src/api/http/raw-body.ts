/** Request bodies as bytes: mintlayer-core ignores their content type, so any type is accepted. */
import type { FastifyInstance, FastifyRequest } from 'fastify';

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
