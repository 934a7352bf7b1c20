/** `/feerate`: what to pay for a transaction. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { AtomsText } from '../../render/schemas/common.ts';
import { interpolateFeeRate, readFeeRatePoints } from '../cache/fee-rate-cache.ts';
import { lastValue, parseUnsigned } from '../parse/parameters.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import { errorResponses, okResponse, unsignedInteger } from '../schemas/route.ts';

const DEFAULT_MEGABYTES = '5';

export function feeRateRoutes(app: FastifyInstance, context: ApiContext): void {
  getRoute(app, context, {
    path: '/feerate',
    schema: {
      tags: ['Fees and submission'],
      summary: 'The estimated fee rate in atoms per kilobyte',
      description: "From the node's mempool, at most 30 seconds old.",
      querystring: Type.Object({
        in_top_x_mb: Type.Optional(
          unsignedInteger({
            default: 5,
            description: 'What the best-paying transactions that fill so many megabytes pay',
          }),
        ),
      }),
      response: { 200: okResponse(AtomsText, 'Atoms per kilobyte'), ...errorResponses([400]) },
    },
    isAlwaysReady: true,
    parse: ({ query }) =>
      parseUnsigned(lastValue(query, 'in_top_x_mb') ?? DEFAULT_MEGABYTES, 'Invalid in top X MB query parameter'),
    read: async () => ({ points: await readFeeRatePoints(context), tip: null }),
    present: ({ points }, megabytes) => `"${interpolateFeeRate(points, megabytes)}"`,
  });
}
