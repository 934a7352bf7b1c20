/** `/delegation`: one delegation. */
import type { FastifyInstance } from 'fastify';
import { destinationAddress, poolAddress } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import { amountJson } from '../../render/text.ts';
import { type DelegationRow, getDelegation } from '../../store/queries/delegations.ts';
import { parseDelegationId } from '../parse/parameters.ts';
import { notFound } from '../route/api-error.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import { Bech32, Count, schemaRef, strictObject } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { DELEGATION_ID_PARAMETER, responses } from '../schemas/route.ts';

function presentDelegation(network: Network, row: DelegationRow): string {
  return `{"spend_destination":"${destinationAddress(network, row.spend_destination)}","balance":${amountJson(row.balance, network.coinDecimals)},"creation_block_height":${row.creation_height},"next_nonce":${row.next_nonce},"pool_id":"${poolAddress(network, row.pool_id)}"}`;
}

export function delegationRoutes(app: FastifyInstance, context: ApiContext): void {
  const { profile, network } = context;

  getRoute(app, context, {
    path: '/delegation/:id',
    schema: {
      tags: ['Pools and delegations'],
      summary: 'A delegation',
      params: DELEGATION_ID_PARAMETER,
      response: responses(
        component(
          app,
          'Delegation',
          strictObject({
            spend_destination: { ...Bech32, description: 'Whose key authorises withdrawals' },
            balance: schemaRef('Amount'),
            creation_block_height: Count,
            next_nonce: Count,
            pool_id: Bech32,
          }),
        ),
        [400, 404],
      ),
    },
    parse: ({ params }) => parseDelegationId(network, params.id!, profile.malformedDelegationId),
    read: (store, id) => getDelegation(store, id),
    present: ({ rows: [delegation] }) => {
      if (!delegation) throw notFound('Delegation not found');
      return presentDelegation(network, delegation);
    },
  });
}
