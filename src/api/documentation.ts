/** The OpenAPI document, and the page to read it and try requests on. Nothing of it comes from another host. */
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import fastifySwaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { Network } from '../chain/networks/network.ts';
import type { ApiContext } from './context.ts';
import type { Contract } from './contract/contract.ts';
import { CORS_HEADERS, Finished, VARY } from './finished.ts';

const DOCUMENT_PATH = '/api/v2/openapi.json';

/** How the document is made from the schemas that the routes declare. */
export function openApiOptions(contract: Contract, network: Network): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Mintlayer chain indexer',
        version: '2.0.0',
        license: { name: 'MIT', identifier: 'MIT' },
        description:
          `Blocks, transactions, addresses, pools, tokens and orders of the network ${network.name}, in the ` +
          `\`${contract.name}\` contract. Reads need no credentials. Errors are \`{"error": text}\`.\n\n` +
          'Lists take `offset` and `items`, or go on by `cursor`: a page that is not the last one names the cursor of ' +
          'the next in the header `x-next-cursor`, and its URL in `Link`. Answers of the chain carry an `ETag`; a ' +
          'request with `If-None-Match` gets 304 while the tip is the same.',
      },
      servers: [{ url: '/' }],
      tags: [
        { name: 'Service' },
        { name: 'Chain' },
        { name: 'Blocks' },
        { name: 'Transactions' },
        { name: 'Addresses' },
        { name: 'Pools and delegations' },
        { name: 'Tokens and NFTs' },
        { name: 'Orders' },
        { name: 'Statistics' },
        { name: 'Fees and submission' },
      ],
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `Schema${i}`) },
  };
}

/** `/docs` and the document itself. */
export function documentationPage(context: ApiContext) {
  return async (app: FastifyInstance): Promise<void> => {
    app.addHook('onSend', async (_request, reply) => {
      for (let i = 0; i < CORS_HEADERS.length; i += 2) reply.header(CORS_HEADERS[i]!, CORS_HEADERS[i + 1]!);
      reply.header('vary', VARY);
    });
    await app.register(fastifySwaggerUi, {
      routePrefix: '/docs',
      uiConfig: {
        url: DOCUMENT_PATH,
        deepLinking: true,
        docExpansion: 'list',
        validatorUrl: null,
        tryItOutEnabled: true,
      },
      theme: { title: 'Mintlayer chain indexer' },
      staticCSP: true,
    });

    let document: Finished | undefined;
    app.get(DOCUMENT_PATH, { schema: { hide: true } }, (request, reply) => {
      reply.hijack();
      document ??= new Finished(JSON.stringify(app.swagger()));
      context.metrics.count(DOCUMENT_PATH, document.status);
      document.send(request.raw, reply.raw);
    });
  };
}
