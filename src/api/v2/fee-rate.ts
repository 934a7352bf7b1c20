/** `/feerate`: the fee rates that get a transaction into the top of the mempool. */

import Type from 'typebox';
import { readFeeRatePoints, readLeastFeeRate } from '../../answers/fee-rate-cache.ts';
import { interpolateFeeRate, type RecommendedFeeRates, recommendedFeeRates } from '../../chain/fee-rate.ts';
import { ATOMS_TEXT_SCHEMA, unsignedInteger } from '../../render/schemas/common.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { lastQueryValue, parseUnsigned } from '../../serving/parse/parameters.ts';
import { addGetRoute } from '../../serving/route/get-route.ts';
import {
  errorResponses,
  okResponseWithoutEtag,
  responsesWithoutEtag,
} from '../../serving/schemas/parameters-and-responses.ts';
import type { ApiContext } from '../api-context.ts';
import { defineEntry } from '../entry/define-entry.ts';
import { integerText } from '../entry/kinds.ts';

const DEFAULT_MEGABYTES = '5';

const RECOMMENDED = defineEntry<RecommendedFeeRates>({
  fastest: integerText(({ fastest }) => fastest),
  half_hour: integerText(({ half_hour }) => half_hour),
  hour: integerText(({ hour }) => hour),
  economy: integerText(({ economy }) => economy),
  minimum: integerText(({ minimum }) => minimum),
});

export function feeRateRoute(routes: RouteGroup, context: ApiContext): void {
  addGetRoute(routes, context, {
    path: '/feerate',
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
    response: { 200: okResponseWithoutEtag(ATOMS_TEXT_SCHEMA, 'Atoms per kilobyte'), ...errorResponses([400]) },
    isAlwaysReady: true,
    parse: ({ query }) =>
      parseUnsigned(lastQueryValue(query, 'in_top_x_mb') ?? DEFAULT_MEGABYTES, 'Invalid in top X MB query parameter'),
    read: async () => ({ points: await readFeeRatePoints(context.feeRates), tip: null }),
    present: ({ points }, megabytes) => `"${interpolateFeeRate(points, megabytes)}"`,
  });

  addGetRoute(routes, context, {
    path: '/feerate/recommended',
    summary: 'Fee rates in atoms per kilobyte, by how soon a transaction should be in a block',
    description:
      "From the node's mempool, at most 30 seconds old: the rate of a transaction among those that fill the next block, the " +
      'blocks of half an hour, of an hour and (`economy`) of a day. `minimum`: the least rate that the node relays.',
    response: responsesWithoutEtag(routes.addComponent('RecommendedFeeRates', RECOMMENDED.schema)),
    isAlwaysReady: true,
    parse: () => null,
    read: async () => {
      const points = await readFeeRatePoints(context.feeRates);
      return { points, least: await readLeastFeeRate(context.feeRates!, points), tip: null };
    },
    present: ({ points, least }) => RECOMMENDED.json(context.network, recommendedFeeRates(points, least)),
  });
}
