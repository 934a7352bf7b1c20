/** `/transaction/{id}/outspends`: what spends the outputs of a transaction. */
import type { FastifyInstance } from 'fastify';
import type { Id } from '../../chain/types.ts';
import { listOutspends, type OutspendRow } from '../../store/queries/outspends.ts';
import type { SnapshotRows } from '../../store/read/batched-query.ts';
import { notFound } from '../errors/api-error.ts';
import { type LimitedQuery, SHORT_LIST, type UnpagedBounds } from '../pagination/unpaged-lists.ts';
import { parseTransactionId } from '../parse/parameters.ts';
import { OUTSPENDS_SCHEMA, presentOutspends } from '../present/outspend.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import { EXTENSION_TAG, responses, TRANSACTION_ID_PARAMETER } from '../schemas/route.ts';

const BOUNDS: UnpagedBounds<SnapshotRows<OutspendRow>, null> = {
  shortLimit: SHORT_LIST,
  longLimit: null,
  lengthOf: ({ rows }) => rows.length,
};

const readOutspends: LimitedQuery<{ readonly txId: Id }, null, SnapshotRows<OutspendRow>> = listOutspends;

export function outspendRoutes(app: FastifyInstance, context: ApiContext): void {
  const { unpagedLists } = context;

  getRoute(app, context, {
    path: '/transaction/:id/outspends',
    schema: {
      tags: [EXTENSION_TAG],
      summary: 'What spends the outputs of a transaction',
      description:
        'An array with one element for each output. Of transactions of the main chain; pending ones are not looked at.',
      params: TRANSACTION_ID_PARAMETER,
      response: responses(OUTSPENDS_SCHEMA, [400, 404]),
    },
    parse: ({ params }) => parseTransactionId(params.id!),
    read: (store, txId) => unpagedLists.read(store, `outspends ${txId}`, BOUNDS, readOutspends, { txId }),
    present: ({ rows }) => {
      if (rows.length === 0) throw notFound('Transaction not found');
      return presentOutspends(rows);
    },
  });
}
