/** An HTTP server with the connections and shared resources of the web server, and responses of the test. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Connections, UnsentTrackingResponse } from '../../src/serving/http/connection.ts';
import type { PreparedResponse } from '../../src/serving/http/prepared-response.ts';
import {
  createResources,
  type ResourceTotals,
  resourceTotals,
  type WebServerResources,
} from '../../src/serving/resources/create-resources.ts';
import type { Scope } from './file-scope.ts';

const MEMORY_BYTES = 1024 ** 3;

export async function startRespondingServer(
  t: Pick<Scope, 'after'>,
  respond: (request: IncomingMessage) => PreparedResponse,
  { totals = {}, trustedProxies = 0 }: { totals?: Partial<ResourceTotals>; trustedProxies?: number } = {},
): Promise<{ readonly port: number; readonly resources: WebServerResources }> {
  const defaults = resourceTotals(MEMORY_BYTES, { connections: 100, streams: 1 });
  const resources = createResources({ ...defaults, ...totals });
  const connections = new Connections({
    resources,
    trustedProxies,
    accessLog: null,
    serve: (request, response) => respond(request).send(request, response),
  });
  const server = createServer({ ServerResponse: UnsentTrackingResponse }, connections.onRequest);
  server.on('connection', connections.onConnection);
  t.after(() => {
    connections.cutAll();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { port: (server.address() as AddressInfo).port, resources };
}
