/** `/delegation`: one delegation. */
import type { FastifyInstance } from 'fastify';
import { DELEGATION } from '../../store/queries/delegations.ts';
import { parseDelegationId } from '../parse/parameters.ts';
import { DELEGATION_SCHEMA, presentDelegation } from '../present/delegation.ts';
import { notFound } from '../route/api-error.ts';
import { type ApiContext, getRoute } from '../route/context.ts';
import { component } from '../schemas/components.ts';
import { DELEGATION_ID_PARAMETER, responses } from '../schemas/route.ts';

export function delegationRoutes(app: FastifyInstance, context: ApiContext): void {
  const { profile, network, store } = context;

  getRoute(app, context, {
    path: '/delegation/:id',
    schema: {
      tags: ['Pools and delegations'],
      summary: 'A delegation',
      params: DELEGATION_ID_PARAMETER,
      response: responses(component(app, 'Delegation', DELEGATION_SCHEMA), [400, 404]),
    },
    parse: ({ params }) => parseDelegationId(network, params.id!, profile.malformedDelegationId),
    answer: async (id) => {
      const { tip, rows } = await store.query(DELEGATION, id);
      if (!rows[0]) throw notFound('Delegation not found');
      return { text: presentDelegation(network, rows[0]), tip };
    },
  });
}
