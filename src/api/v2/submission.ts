/** `POST /transaction` submits a transaction to the node, if the operator allows it. `/feerate` returns a fee rate. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { AtomsText } from '../../render/schemas/common.ts';
import { interpolateFeeRate, readFeeRatePoints } from '../cache/fee-rate-cache.ts';
import { ApiError } from '../errors/api-error.ts';
import { PreparedResponse } from '../http/prepared-response.ts';
import { lastValue, parseUnsigned } from '../parse/parameters.ts';
import { MAX_SUBMISSION_BYTES, submitterOf } from '../pending/submission.ts';
import { presentSubmitted, SUBMITTED_SCHEMA } from '../present/transaction.ts';
import type { ApiContext } from '../route/context.ts';
import { addGetRoute } from '../route/get-route.ts';
import { addPostRoute } from '../route/post-route.ts';
import { errorResponses, okResponse, unsignedInteger } from '../schemas/route.ts';

const SignedTransactionText = Type.String({
  pattern: '^([0-9a-fA-F]{2})+$',
  format: 'signed-transaction',
  description: 'The encoded signed transaction as hex text',
});

export function submissionRoute(app: FastifyInstance, context: ApiContext): void {
  const { enablePostRoutes } = context;
  const submit = submitterOf(context);

  addPostRoute(app, context, {
    path: '/transaction',
    schema: {
      tags: ['Fees and submission'],
      summary: 'Submits a signed transaction to the node',
      description: enablePostRoutes
        ? 'The body is the encoded signed transaction as hex text, or JSON with that text as `transaction`.'
        : 'Not enabled on this server.',
      body: {
        content: {
          'text/plain': { schema: SignedTransactionText },
          'application/json': { schema: Type.Object({ transaction: SignedTransactionText }) },
        },
      },
      response: enablePostRoutes
        ? {
            200: okResponse(SUBMITTED_SCHEMA, 'The node has taken the transaction; its id'),
            ...errorResponses([400, 413], {
              400: 'The body is no encoded signed transaction',
              500: "The node refused the transaction: `RPC error:` and the node's words",
            }),
          }
        : errorResponses([403]),
    },
    bodyLimit: MAX_SUBMISSION_BYTES,
    refuse: () => {
      if (!enablePostRoutes) throw new ApiError(403, 'Forbidden endpoint');
    },
    respond: async (body, caller) => new PreparedResponse(presentSubmitted(await submit(body, caller))),
  });
}

const DEFAULT_MEGABYTES = '5';

export function feeRateRoutes(app: FastifyInstance, context: ApiContext): void {
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
      response: { 200: okResponse(AtomsText, 'Atoms per kilobyte'), ...errorResponses([400]) },
    },
    isAlwaysReady: true,
    parse: ({ query }) =>
      parseUnsigned(lastValue(query, 'in_top_x_mb') ?? DEFAULT_MEGABYTES, 'Invalid in top X MB query parameter'),
    read: async () => ({ points: await readFeeRatePoints(context), tip: null }),
    present: ({ points }, megabytes) => `"${interpolateFeeRate(points, megabytes)}"`,
  });
}
