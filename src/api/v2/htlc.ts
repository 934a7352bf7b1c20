/** `/htlc`: contracts by the hash of their secret. */

import { readTokenLabelsOfOutputs } from '../../answers/token-label.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { CURSOR_ONLY } from '../../serving/pagination/paging.ts';
import { parseSecretHash } from '../../serving/parse/parameters.ts';
import { addListRoute } from '../../serving/route/list-route.ts';
import { SECRET_HASH_PARAMETER } from '../../serving/schemas/parameters-and-responses.ts';
import { SECRET_HASH_HTLC_LIST } from '../../store/queries/addresses/htlcs.ts';
import type { ApiContext } from '../api-context.ts';
import { HTLC } from '../present/htlc-and-unlock.ts';

export function htlcRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network } = context;

  addListRoute(routes, context, {
    path: '/htlc/:hash',
    summary: 'The HTLCs with the hash of a secret, newest first',
    description: 'Open, claimed with the secret, or refunded: by this, both sides of an atomic swap are watched.',
    params: SECRET_HASH_PARAMETER,
    entry: routes.addComponent('Htlc', HTLC.schema),
    paging: CURSOR_ONLY,
    list: SECRET_HASH_HTLC_LIST,
    parse: ({ params, query }, paged) => paged(query, { secretHash: parseSecretHash(params.hash!) }),
    writer: async ({ tip, rows }, { secretHash }, store) => {
      const labels = await readTokenLabelsOfOutputs(network, store, tip, rows);
      return (row) => HTLC.json(network, { row, labels, secretHash });
    },
  });
}
