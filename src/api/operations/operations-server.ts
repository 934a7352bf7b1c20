/** `/metrics`, `/health` and `/ready` on an address of their own, which clients of the API need not reach. */
import { createServer, type Server } from 'node:http';
import { PreparedResponse } from '../http/prepared-response.ts';

/** The answers of the operations' endpoints, by path. */
export type OperationsEndpoints = Readonly<Record<string, () => PreparedResponse | Promise<PreparedResponse>>>;

const REQUEST_MS = 10_000;
const MOST_CONNECTIONS = 100;

/** A server that gives these answers to GET and HEAD, and the error 404 to everything else. It does not listen yet. */
export function createOperationsServer(answers: OperationsEndpoints): Server {
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, requireHostHeader: false },
    async (request, response) => {
      const path = request.url!.split('?', 1)[0]!;
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const answer = isRead && Object.hasOwn(answers, path) ? answers[path] : undefined;
      const finished = answer === undefined ? NOT_FOUND : await answer();
      finished.send(request, response);
    },
  );
  server.maxConnections = MOST_CONNECTIONS;
  Object.assign(server, { dropMaxConnection: true });
  server.setTimeout(REQUEST_MS);
  return server;
}

const NOT_FOUND = new PreparedResponse('{"error":"Not found"}', { status: 404 });
