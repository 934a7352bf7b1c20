/** `/delegation`: one delegation. */
import type { FastifyInstance } from 'fastify';
import { getDelegation } from '../../store/queries/delegations.ts';
import { notFound } from '../errors/api-error.ts';
import { parseDelegationId } from '../parse/parameters.ts';
import { DELEGATION_SCHEMA, presentDelegation } from '../present/delegation.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import { component } from '../schemas/components.ts';
import { DELEGATION_ID_PARAMETER, responses } from '../schemas/route.ts';

export function delegationRoutes(app: FastifyInstance, context: ApiContext): void {
  const { profile, network } = context;

  getRoute(app, context, {
    path: '/delegation/:id',
    schema: {
      tags: ['Pools and delegations'],
      summary: 'A delegation',
      params: DELEGATION_ID_PARAMETER,
      response: responses(component(app, 'Delegation', DELEGATION_SCHEMA), [400, 404]),
    },
    parse: ({ params }) => parseDelegationId(network, params.id!, profile.malformedDelegationId),
    read: (store, id) => getDelegation(store, id),
    present: ({ rows: [delegation] }) => {
      if (!delegation) throw notFound('Delegation not found');
      return presentDelegation(network, delegation);
    },
  });
}
