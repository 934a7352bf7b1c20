import { networkByName } from '../../src/chain/networks/known-networks.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import type { Scope } from './file-scope.ts';
import { startHttpServer } from './http-server.ts';

/** The methods that the web server calls by itself. */
const MIRROR_METHODS = new Set(['mempool_transactions', 'mempool_get_transaction', 'chainstate_info']);

export type PendingLookupResult =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

/** A node that responds to calls as the test says, and records them. It does not know calls about its mempool. */
export class AnsweringNode {
  readonly calls: { readonly method: string; readonly params: unknown[] }[] = [];
  answer: PendingLookupResult = { result: null };
  address = '';

  static async start(t: Scope, { genesisId }: Network = networkByName('regtest')): Promise<AnsweringNode> {
    const node = new AnsweringNode();
    const { port } = await startHttpServer(t, async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      // The mirror of its mempool wants a WebSocket.
      if (request.method === 'GET') return response.writeHead(404).end();
      const { id, method, params } = JSON.parse(body);
      const isGenesis = method === 'chainstate_block_id_at_height' && params[0] === 0;
      const isOfMirror = MIRROR_METHODS.has(method);
      if (!isOfMirror && !isGenesis) node.calls.push({ method, params });
      const answer = isGenesis
        ? { result: genesisId }
        : isOfMirror
          ? { error: { code: -32601, message: 'Method not found' } }
          : node.answer;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
    node.address = `127.0.0.1:${port}`;
    return node;
  }
}
