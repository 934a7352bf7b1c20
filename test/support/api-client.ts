/** The client package against a test's web server; every answer is checked against the OpenAPI document. */
import { Client, type Described, type Operations } from '../../packages/client/src/index.ts';
import type { TestServer } from './web-server.ts';

/** `Api`: the contract of the server. */
export function clientOf<Api extends Operations = Described>(server: TestServer): Client<Api> {
  return new Client<Api>(server.url, {
    fetch: async (url, init) => {
      const { status, headers, text } = await server.request(String(url).slice(server.url.length), init);
      return new Response(text, { status, headers });
    },
  });
}
