/** Pages for browsers beside the API. Whoever starts the server gives them: nothing of the API depends on them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from './context.ts';

export interface Pages {
  /**
   * Answers a request that is for a page; false for any other, which is then the API's. The URL is normalized, and the
   * response is none of the API's that is cached.
   */
  take(request: IncomingMessage, response: ServerResponse): boolean;
}

/** Makes them at the start. Routes with a request body are added to the application. */
export type CreatePages = (app: FastifyInstance, context: ApiContext) => Pages;
