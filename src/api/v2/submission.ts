/** `POST /transaction` submits a transaction to the node, if the operator allows it. */

import Type from 'typebox';
import { MAX_SUBMISSION_BYTES, transactionSubmitterOf } from '../../answers/pending/submit-transaction.ts';
import { ApiError } from '../../serving/errors/api-error.ts';
import { PreparedResponse } from '../../serving/http/prepared-response.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { addPostRoute } from '../../serving/route/post-route.ts';
import { errorResponses, okResponseWithoutEtag } from '../../serving/schemas/parameters-and-responses.ts';
import type { ApiContext } from '../api-context.ts';
import { SUBMITTED } from '../present/transaction.ts';

const SignedTransactionText = Type.String({
  pattern: '^([0-9a-fA-F]{2})+$',
  format: 'signed-transaction',
  description: 'The encoded signed transaction as hex text',
});

export function submissionRoute(routes: RouteGroup, context: ApiContext): void {
  const { enablePostRoutes, network } = context;
  const submit = transactionSubmitterOf(context);

  addPostRoute(routes, context, {
    path: '/transaction',
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
          200: okResponseWithoutEtag(SUBMITTED.schema, 'The node has taken the transaction; its id'),
          ...errorResponses([400, 413], {
            400: 'The body is no encoded signed transaction',
            500: "The node refused the transaction: `RPC error:` and the node's words",
          }),
        }
      : errorResponses([403]),
    bodyLimit: MAX_SUBMISSION_BYTES,
    refuse: () => {
      if (!enablePostRoutes) throw new ApiError(403, 'Forbidden endpoint');
    },
    respond: async (body, caller) => new PreparedResponse(SUBMITTED.json(network, await submit(body, caller))),
  });
}
