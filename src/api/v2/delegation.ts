/** `/delegation`: one delegation. */
import type { FastifyInstance } from 'fastify';
import { destinationAddress, poolAddress } from '../../chain/address.ts';
import { amountJson } from '../../render/text.ts';
import { DELEGATION } from '../../store/queries/delegations.ts';
import { parseDelegationId } from '../parse/parameters.ts';
import { notFound } from '../route/api-error.ts';
import { type ApiContext, getRoute } from '../route/context.ts';
import { Bech32, Count, schemaRef, strictObject } from '../schemas/common.ts';
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
    answer: async (id) => {
      const { tip, rows } = await store.query(DELEGATION, id);
      const row = rows[0];
      if (!row) throw notFound('Delegation not found');
      const text = `{"spend_destination":"${destinationAddress(network, row.spend_destination)}","balance":${amountJson(row.balance, network.coinDecimals)},"creation_block_height":${row.creation_height},"next_nonce":${row.next_nonce},"pool_id":"${poolAddress(network, row.pool_id)}"}`;
      return { text, tip };
    },
  });
}
