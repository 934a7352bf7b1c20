/** `/chain/reorganisations`: the reorganisations that this index followed. */
import type { FastifyInstance } from 'fastify';
import { listReorganisations, readReorganisation } from '../../store/queries/reorganisations.ts';
import { listResult } from '../pagination/list-result.ts';
import { parseCursorPage, rowRange } from '../pagination/page.ts';
import { presentReorganisation, REORGANISATION_SCHEMA } from '../present/reorganisation.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import { component } from '../schemas/components.ts';
import { cursorQuery, EXTENSION_TAG, envelopeResponses } from '../schemas/route.ts';

export function reorganisationRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network } = context;

  getRoute(app, context, {
    path: '/chain/reorganisations',
    schema: {
      tags: [EXTENSION_TAG],
      summary: 'The reorganisations that this index followed, newest first',
      description: 'A log of what this index has seen: one that was built later, or stood still, knows fewer.',
      querystring: cursorQuery(),
      response: envelopeResponses(component(app, 'Reorganisation', REORGANISATION_SCHEMA), [400]),
    },
    parse: ({ query }) => ({ page: parseCursorPage(query, 'reorganisations', { reorganisationId: 'index' }) }),
    read: (store, { page }) => listReorganisations(store, rowRange(page)),
    present: ({ rows }, { page }) =>
      listResult(page, rows, {
        sortKey: (row) => ({ reorganisationId: row.reorganisation_id }),
        json: (row) => presentReorganisation(network, readReorganisation(row)),
      }),
  });
}
