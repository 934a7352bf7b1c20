/** `/delegation`: one delegation. */
import type { FastifyInstance } from 'fastify';
import { destinationAddress, poolAddress } from '../../chain/address.ts';
import { amount } from '../../render/text.ts';
import { DELEGATION } from '../../store/queries/delegations.ts';
import { type ApiContext, serve } from '../route/context.ts';
import { notFound } from '../route/api-error.ts';
import { delegationId } from '../parse/parameters.ts';
import { Bech32, Count, named, object } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { answers, DELEGATION_ID_PARAMETER } from '../schemas/route.ts';

export function delegationRoutes(app: FastifyInstance, context: ApiContext): void {
  const { contract, network, reader } = context;

  serve(app, context, {
    path: '/delegation/:id',
    schema: {
      tags: ['Pools and delegations'],
      summary: 'A delegation',
      params: DELEGATION_ID_PARAMETER,
      response: answers(
        component(
          app,
          'Delegation',
          object({
            spend_destination: { ...Bech32, description: 'Whose key authorises withdrawals' },
            balance: named('Amount'),
            creation_block_height: Count,
            next_nonce: Count,
            pool_id: Bech32,
          }),
        ),
        [400, 404],
      ),
    },
    parse: ({ params }) => delegationId(network, params.id!, contract.malformedDelegationId),
    answer: async (id) => {
      const { tip, rows } = await reader.ask(DELEGATION, id);
      const row = rows[0];
      if (!row) throw notFound('Delegation not found');
      const text = `{"spend_destination":"${destinationAddress(network, row.spend_destination)}","balance":${amount(row.balance, network.coinDecimals)},"creation_block_height":${row.creation_height},"next_nonce":${row.next_nonce},"pool_id":"${poolAddress(network, row.pool_id)}"}`;
      return { text, tip };
    },
  });
}
