/** `/feerate`: the fee rate that gets a transaction into the top of the mempool. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { interpolateFeeRate } from '../../chain/fee-rate.ts';
import { ATOMS_TEXT_SCHEMA } from '../../render/schemas/common.ts';
import { readFeeRatePoints } from '../cache/fee-rate-cache.ts';
import { lastQueryValue, parseUnsigned } from '../parse/parameters.ts';
import type { ApiContext } from '../route/context.ts';
import { addGetRoute } from '../route/get-route.ts';
import { errorResponses, okResponse, unsignedInteger } from '../schemas/parameters-and-responses.ts';

const DEFAULT_MEGABYTES = '5';

export function feeRateRoute(app: FastifyInstance, context: ApiContext): void {
  addGetRoute(app, context, {
    path: '/feerate',
    schema: {
      tags: ['Fees and submission'],
      summary: 'The estimated fee rate in atoms per kilobyte',
      description: "From the node's mempool, at most 30 seconds old.",
      querystring: Type.Object({
        in_top_x_mb: Type.Optional(
          unsignedInteger({
            default: 5,
            description: 'The size of the top of the mempool in megabytes that the fee rate is for',
          }),
        ),
      }),
      response: { 200: okResponse(ATOMS_TEXT_SCHEMA, 'Atoms per kilobyte'), ...errorResponses([400]) },
    },
    isAlwaysReady: true,
    parse: ({ query }) =>
      parseUnsigned(lastQueryValue(query, 'in_top_x_mb') ?? DEFAULT_MEGABYTES, 'Invalid in top X MB query parameter'),
    read: async () => ({ points: await readFeeRatePoints(context.feeRates), tip: null }),
    present: ({ points }, megabytes) => `"${interpolateFeeRate(points, megabytes)}"`,
  });
}
