/** `/htlc`: contracts by the hash of their secret. */
import type { FastifyInstance } from 'fastify';
import { SECRET_HASH_HTLC_LIST } from '../../store/queries/addresses/htlcs.ts';
import { CURSOR_ONLY } from '../pagination/paging.ts';
import { parseSecretHash } from '../parse/parameters.ts';
import { HTLC_SCHEMA, presentHtlc } from '../present/htlc-and-unlock.ts';
import { readLabelsOfEntries } from '../present/token-label.ts';
import type { ApiContext } from '../route/context.ts';
import { addListRoute } from '../route/list-route.ts';
import { EXTENSION_TAG, registerComponent, SECRET_HASH_PARAMETER } from '../schemas/parameters-and-responses.ts';

export function htlcRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network } = context;

  addListRoute(app, context, {
    path: '/htlc/:hash',
    schema: {
      tags: [EXTENSION_TAG],
      summary: 'The HTLCs with the hash of a secret, newest first',
      description: 'Open, claimed with the secret, or refunded: by this, both sides of an atomic swap are watched.',
      params: SECRET_HASH_PARAMETER,
    },
    entry: registerComponent(app, 'Htlc', HTLC_SCHEMA),
    paging: CURSOR_ONLY,
    list: SECRET_HASH_HTLC_LIST,
    parse: ({ params, query }, paged) => paged(query, { secretHash: parseSecretHash(params.hash!) }),
    writer: async ({ tip, rows }, { secretHash }, store) => {
      const labels = await readLabelsOfEntries(network, store, tip, rows);
      return (row) => presentHtlc(network, labels, secretHash, row);
    },
  });
}
