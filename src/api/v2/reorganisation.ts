/** `/chain/reorganisations`: the reorganisations that this index followed. */
import type { FastifyInstance } from 'fastify';
import { REORGANISATION_LIST, readReorganisation } from '../../store/queries/reorganisations.ts';
import { CURSOR_ONLY } from '../pagination/paging.ts';
import { presentReorganisation, REORGANISATION_SCHEMA } from '../present/reorganisation.ts';
import type { ApiContext } from '../route/context.ts';
import { listRoute } from '../route/list-route.ts';
import { component } from '../schemas/components.ts';
import { EXTENSION_TAG } from '../schemas/route.ts';

export function reorganisationRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network } = context;

  listRoute(app, context, {
    path: '/chain/reorganisations',
    schema: {
      tags: [EXTENSION_TAG],
      summary: 'The reorganisations that this index followed, newest first',
      description: 'A log of what this index has seen: one that was built later, or stood still, knows fewer.',
    },
    entry: component(app, 'Reorganisation', REORGANISATION_SCHEMA),
    paging: CURSOR_ONLY,
    list: REORGANISATION_LIST,
    parse: ({ query }, paged) => paged(query, {}),
    writer: () => (row) => presentReorganisation(network, readReorganisation(row)),
  });
}
