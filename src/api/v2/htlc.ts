/** `/htlc`: hashed time-lock contracts by the hash of their secret. */
import type { FastifyInstance } from 'fastify';
import { listHtlcsOfSecretHash } from '../../store/queries/htlcs.ts';
import { listResult } from '../pagination/list-result.ts';
import { parseCursorPage, rowRange } from '../pagination/page.ts';
import { parseSecretHash } from '../parse/parameters.ts';
import { HTLC_SCHEMA, presentHtlc } from '../present/htlc.ts';
import { readLabelsOfEntries } from '../present/token-label.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import { component } from '../schemas/components.ts';
import { cursorQuery, EXTENSION_TAG, envelopeResponses, SECRET_HASH_PARAMETER } from '../schemas/route.ts';

export function htlcRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network } = context;

  getRoute(app, context, {
    path: '/htlc/:hash',
    schema: {
      tags: [EXTENSION_TAG],
      summary: 'The HTLCs with the hash of a secret, newest first',
      description: 'Open, claimed with the secret, or refunded: by this, both sides of an atomic swap are watched.',
      params: SECRET_HASH_PARAMETER,
      querystring: cursorQuery(),
      response: envelopeResponses(component(app, 'Htlc', HTLC_SCHEMA), [400]),
    },
    parse: ({ params, query }) => {
      const secretHash = parseSecretHash(params.hash!);
      const fields = { height: 'height', position: 'height', outputIndex: 'height' } as const;
      return { secretHash, page: parseCursorPage(query, `htlc ${secretHash}`, fields) };
    },
    read: async (store, { secretHash, page }) => {
      const { tip, rows } = await listHtlcsOfSecretHash(store, { secretHash, ...rowRange(page) });
      return { tip, rows, labels: await readLabelsOfEntries(network, store, tip, rows) };
    },
    present: ({ rows, labels }, { secretHash, page }) =>
      listResult(page, rows, {
        sortKey: (row) => ({ height: row.height, position: row.position, outputIndex: row.output_index }),
        json: (row) => presentHtlc(network, labels, secretHash, row),
      }),
  });
}
