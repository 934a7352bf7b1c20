/** `/mempool`, `/mempool/transaction`, and `/search/transactions`: a transaction by its id, or those of an address. */

import Type from 'typebox';
import { findTransaction } from '../../answers/pending/find-transaction.ts';
import { currentPendingSet, PENDING_SORTERS } from '../../answers/pending/pending-transactions-interface.ts';
import { COUNT_SCHEMA, unsignedInteger } from '../../render/schemas/common.ts';
import { parseTransactionJson } from '../../render/stored-json.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { requireReady } from '../../serving/route/readiness.ts';
import { listTransactionsUpTo } from '../../store/queries/transactions/transactions-up-to-height.ts';
import { longQueries } from '../../store/read/query.ts';
import type { ApiContext } from '../api-context.ts';
import { parseMeshAccount } from './account-identifier.ts';
import { blockIdentifier, readNamedBlock, readTransactionDrafts } from './block-routes.ts';
import { MeshError } from './errors.ts';
import { addMeshRoute } from './mesh-route.ts';
import { draftTransactions, presentTransactions } from './operations.ts';
import * as schemas from './schemas.ts';

const MAX_RESULTS = 25;
/** Conditions that no query here serves. */
const UNSUPPORTED = ['coin_identifier', 'currency', 'type', 'status', 'success'];

export function meshTransactionRoutes(routes: RouteGroup, context: ApiContext): void {
  addMeshRoute(routes, context, {
    path: '/mempool',
    summary: 'The ids of the pending transactions',
    fields: {},
    response: schemas.MEMPOOL_RESPONSE,
    respond: async () => {
      requireReady(context);
      const pool = await currentPendingSet(context);
      return { transaction_identifiers: PENDING_SORTERS.insertion(pool).map(({ id }) => ({ hash: id })) };
    },
  });

  addMeshRoute(routes, context, {
    path: '/mempool/transaction',
    summary: 'A pending transaction, as the next block would have it',
    fields: { transaction_identifier: schemas.TRANSACTION_ID },
    response: schemas.TRANSACTION_RESPONSE,
    read: async (snapshot, { transaction_identifier: { hash } }, caller) => {
      const found = await findTransaction(context, snapshot.store, hash, caller);
      if (found.state !== 'pending') throw new MeshError('unknown transaction', `It is ${found.state}, not pending`);
      const tip = await readNamedBlock(snapshot, { hash: found.tip.id });
      const transaction = parseTransactionJson(found.text);
      const drafts = await draftTransactions(snapshot, { ...tip, height: tip.height + 1 }, [[0, transaction]]);
      const [presented] = await presentTransactions(snapshot, drafts);
      return { transaction: presented! };
    },
  });

  addMeshRoute(routes, context, {
    path: '/search/transactions',
    summary: 'A transaction by its id, or those of an address, the newest first',
    fields: {
      transaction_identifier: Type.Optional(schemas.TRANSACTION_ID),
      account_identifier: Type.Optional(schemas.ACCOUNT),
      address: Type.Optional(Type.String()),
      max_block: schemas.PARTIAL_BLOCK.properties.index,
      offset: Type.Optional(COUNT_SCHEMA),
      limit: Type.Optional(unsignedInteger({ minimum: 1 })),
    },
    response: schemas.SEARCH_RESPONSE,
    units: 4,
    read: async (snapshot, body) => {
      const { transaction_identifier: one, address, offset = 0 } = body;
      const { account_identifier: of = address === undefined ? undefined : { address } } = body;
      if ((one === undefined) === (of === undefined) || UNSUPPORTED.some((name) => name in body)) {
        throw new MeshError('unsupported', 'A transaction_identifier or an address is expected, no other condition');
      }
      const { height } = await readNamedBlock(snapshot, {});
      const maxHeight = Math.min(body.max_block ?? height, height);
      const limit = Math.min(body.limit ?? MAX_RESULTS, MAX_RESULTS);
      let ids = one === undefined || offset > 0 ? [] : [one.hash];
      let total: number | null = null;
      if (of !== undefined) {
        const account = parseMeshAccount(context.network, of);
        if (account.kind !== 'address') throw new MeshError('unsupported', 'Only addresses have lists of transactions');
        const page = [account.id, maxHeight, offset, limit] as const;
        const rows = await snapshot.read((store) => listTransactionsUpTo(longQueries(store), ...page));
        ids = rows.flatMap(({ tx_id }) => tx_id ?? []);
        total = rows[0]!.total;
      }
      const found = (await readTransactionDrafts(snapshot, ids)).filter(({ block }) => block.height <= maxHeight);
      const presented = await presentTransactions(snapshot, found);
      const transactions = presented.map((transaction, i) => {
        return { block_identifier: blockIdentifier(found[i]!.block), transaction };
      });
      const total_count = total ?? found.length;
      const end = offset + found.length;
      return { transactions, total_count, ...(end < total_count && { next_offset: end }) };
    },
  });
}
