/** `/delegation`: delegations by id. */
import type { FastifyInstance } from 'fastify';
import { getDelegation } from '../../store/queries/delegations.ts';
import { requireFound } from '../errors/api-error.ts';
import { parseDelegationIdParameter } from '../parse/parameters.ts';
import { DELEGATION_SCHEMA, presentDelegation } from '../present/pool.ts';
import type { ApiContext } from '../route/context.ts';
import { addGetRoute } from '../route/get-route.ts';
import { DELEGATION_ID_PARAMETER, registerComponent, responsesWithEtag } from '../schemas/parameters-and-responses.ts';

export function delegationRoutes(app: FastifyInstance, context: ApiContext): void {
  const { profile, network } = context;

  addGetRoute(app, context, {
    path: '/delegation/:id',
    schema: {
      tags: ['Pools and delegations'],
      summary: 'A delegation',
      params: DELEGATION_ID_PARAMETER,
      response: responsesWithEtag(registerComponent(app, 'Delegation', DELEGATION_SCHEMA), [400, 404]),
    },
    parse: ({ params }) => parseDelegationIdParameter(network, params.id!, profile.malformedDelegationId),
    read: (store, id) => getDelegation(store, id),
    present: ({ rows: [delegation] }) => presentDelegation(network, requireFound(delegation, 'Delegation not found')),
  });
}
