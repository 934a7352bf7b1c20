/** `/delegation`: delegations by id. */

import { requireFound } from '../../serving/errors/api-error.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { CURSOR_ONLY } from '../../serving/pagination/paging.ts';
import { parseDelegationIdParameter } from '../../serving/parse/parameters.ts';
import { addGetRoute } from '../../serving/route/get-route.ts';
import { addListRoute } from '../../serving/route/list-route.ts';
import { DELEGATION_ID_PARAMETER, responsesWithEtag } from '../../serving/schemas/parameters-and-responses.ts';
import { DELEGATION_MOVE_LIST, getDelegation } from '../../store/queries/pools/delegations.ts';
import type { ApiContext } from '../api-context.ts';
import { DELEGATION } from '../present/pool.ts';
import { DELEGATION_TRANSACTION } from '../present/staking-days.ts';

export function delegationRoutes(routes: RouteGroup, context: ApiContext): void {
  const { profile, network } = context;

  addGetRoute(routes, context, {
    path: '/delegation/:id',
    tags: ['Pools and delegations'],
    summary: 'A delegation',
    params: DELEGATION_ID_PARAMETER,
    response: responsesWithEtag(routes.addComponent('Delegation', DELEGATION.schema), [400, 404]),
    parse: ({ params }) => parseDelegationIdParameter(network, params.id!, profile.malformedDelegationId),
    read: (store, id) => getDelegation(store, id),
    present: ({ rows: [delegation] }) => DELEGATION.json(network, requireFound(delegation, 'Delegation not found')),
  });

  addListRoute(routes, context, {
    path: '/delegation/:id/transactions',
    summary: 'Deposits to a delegation and withdrawals from it, newest first',
    params: DELEGATION_ID_PARAMETER,
    entry: routes.addComponent('DelegationTransaction', DELEGATION_TRANSACTION.schema),
    paging: CURSOR_ONLY,
    list: DELEGATION_MOVE_LIST,
    parse: ({ params, query }, paged) =>
      paged(query, { id: parseDelegationIdParameter(network, params.id!, profile.malformedDelegationId) }),
    unknown: 'Delegation not found',
    writer: () => (row) => DELEGATION_TRANSACTION.json(network, row),
  });
}
