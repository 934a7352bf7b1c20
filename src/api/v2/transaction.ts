/** `/transaction`: confirmed transactions, their position in the chain, their outputs, and the spenders of these. */

import Type from 'typebox';
import { addLateTokenDecimals, withDefaultDecimals } from '../../answers/decimals-of-later-issued-tokens.ts';
import { namePendingActors } from '../../answers/name-command-actors.ts';
import { type FoundTransaction, findTransaction } from '../../answers/pending/find-transaction.ts';
import { isSpendable } from '../../chain/input-and-output-kinds.ts';
import { pendingSpenderOf } from '../../mempool/pending-address-changes.ts';
import { renderOutput } from '../../render/output.ts';
import { outputJsonOfEntry } from '../../render/output-entry.ts';
import { COUNT_SCHEMA, strictObject } from '../../render/schemas/common.ts';
import { summarizeTransactionText, type TransactionSummary } from '../../render/transaction-summary.ts';
import { MerkleTreeCache } from '../../serving/cache/merkle-tree-cache.ts';
import { ApiError, badRequest, notFound } from '../../serving/errors/api-error.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { boundedOffset, OFFSET_OR_CURSOR } from '../../serving/pagination/paging.ts';
import {
  BY_TRANSACTION,
  parseListRange,
  type RangedSelection,
  rangedList,
} from '../../serving/pagination/ranged-list.ts';
import { ANY_LENGTH } from '../../serving/pagination/whole-list-reader.ts';
import { RANGE_QUERY_SCHEMAS } from '../../serving/parse/chain-points.ts';
import {
  choiceParameter,
  EXPAND_TRANSACTIONS,
  parseOutputIndex,
  parseTransactionId,
  WITH_MEMPOOL,
} from '../../serving/parse/parameters.ts';
import { addGetRoute } from '../../serving/route/get-route.ts';
import { addListRoute } from '../../serving/route/list-route.ts';
import {
  jsonContent,
  OUTPUT_PARAMETERS,
  responsesWithEtag,
  TRANSACTION_ID_PARAMETER,
} from '../../serving/schemas/parameters-and-responses.ts';
import { listOutspends } from '../../store/queries/transactions/outspends.ts';
import {
  getTransactionOutput,
  getTransactionPosition,
  LISTED_KINDS,
  TRANSACTION_LIST,
  type TransactionKindSelection,
} from '../../store/queries/transactions/transactions.ts';
import { SnapshotChanged } from '../../store/read/one-snapshot.ts';
import type { QueryRunner } from '../../store/read/query.ts';
import type { ApiContext } from '../api-context.ts';
import { readWithPending } from '../pending/outputs-with-pending.ts';
import { listedTransactionWriter } from '../present/listed-transactions.ts';
import { MEMPOOL_FIELDS } from '../present/mempool.ts';
import {
  listedTransactionSchema,
  MERKLE_PATH,
  OUTPUT_WITH_STATE_SCHEMA,
  OUTSPENDS_SCHEMA,
  presentOutputWithState,
  presentOutspends,
  presentTransaction,
  transactionSchema,
} from '../present/transaction.ts';
import { withSummary } from '../present/transaction-summary.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';

/** The schema of the error 404 of a transaction, for profiles with more fields in it. */
function unknownTransaction({ saysWhyUnknown }: ResponseProfile): object {
  if (!saysWhyUnknown) return {};
  const schema = strictObject({
    error: Type.String(),
    dropped_at: Type.Optional({
      ...COUNT_SCHEMA,
      description: 'It was pending within the last hour, and left without a block; seconds since the epoch',
    }),
    mempool: Type.Optional(
      Type.Literal('unavailable', { description: 'The node cannot be asked: the transaction may be pending' }),
    ),
  });
  return { 404: { description: 'There is no such transaction', ...jsonContent(schema) } };
}

/** `legacy`: the offset counts from the newest. `absolute`: entries have a global index below the offset. */
const OFFSET_MODE = choiceParameter('offset_mode', ['legacy', 'absolute'], {
  description: 'What `offset` counts',
  message: 'Invalid offset mode',
});

const KIND = choiceParameter('kind', ['all', ...LISTED_KINDS], {
  description: 'Only transactions of this kind; each is of one, the first of these that applies',
  message: `Invalid kind: one of ${LISTED_KINDS.join(', ')} is expected`,
});

export function transactionRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network, profile } = context;
  const tags = ['Transactions'];
  const Transaction = routes.addComponent('Transaction', transactionSchema(profile));

  addListRoute(routes, context, {
    path: '/transaction',
    tags,
    summary: 'Transactions, newest first',
    description:
      'With `offset_mode=legacy`, `offset` counts from the newest transaction. With `absolute` the page holds the ' +
      'transactions whose `tx_global_index` is below `offset`. `offset_mode` together with `cursor` is an error.',
    query: { ...OFFSET_MODE.query, ...RANGE_QUERY_SCHEMAS, ...KIND.query, ...EXPAND_TRANSACTIONS.query },
    entry: routes.addComponent('ListedTransaction', listedTransactionSchema(profile)),
    paging: OFFSET_OR_CURSOR,
    list: (selection: RangedSelection & TransactionKindSelection) =>
      rangedList(TRANSACTION_LIST, selection, BY_TRANSACTION),
    parse: ({ query }, paged) => {
      const isExpanded = EXPAND_TRANSACTIONS.parse(query);
      const mode = OFFSET_MODE.parse(query);
      if (query.offset_mode !== undefined && query.cursor !== undefined) throw badRequest('Bad request');
      const choice = KIND.parse(query);
      const kind = choice === 'all' ? undefined : choice;
      if (kind !== undefined && query.cursor === undefined)
        throw badRequest('Invalid kind: it is for pages by `cursor`');
      const { page, range } = paged(query, { range: parseListRange(query, true), kind });
      if (page.after !== null || mode === 'legacy') return { page, range, kind, isExpanded };
      const after = { txIndex: boundedOffset(page.offset ?? 0n) };
      return { range, kind, isExpanded, page: { ...page, after, skip: 0 } };
    },
    writer: (listed, { isExpanded }, store) => listedTransactionWriter(context, store, listed, isExpanded),
  });

  addGetRoute(routes, context, {
    path: '/transaction/:id',
    tags,
    summary: 'A transaction',
    description:
      'Also a pending one: its `block_id`, `timestamp` and `confirmations` are null. Only where an output ' +
      'that it spends is not known, that is null as well, and `fee` is absent.',
    params: TRANSACTION_ID_PARAMETER,
    querystring: Type.Object({ ...EXPAND_TRANSACTIONS.query }),
    response: { ...responsesWithEtag(Transaction, [400, 404]), ...unknownTransaction(profile) },
    mayDependOnMempool: true,
    parse: ({ params, query }) => ({
      isExpanded: EXPAND_TRANSACTIONS.parse(query),
      id: parseTransactionId(params.id!),
    }),
    read: async (store, { id, isExpanded }, caller) => {
      const found = await findTransaction(context, store, id, caller);
      return { ...found, summary: isExpanded ? await readSummaryOf(context, store, found) : undefined };
    },
    present: (found) => {
      const { summary } = found;
      const expanded = (text: string) => (summary === undefined ? text : withSummary(network, text, summary));
      switch (found.state) {
        case 'confirmed': {
          const { row, tip, lateDecimals } = found;
          return expanded(addLateTokenDecimals(presentTransaction(context, row, tip, 'single'), lateDecimals));
        }
        case 'pending':
          return expanded(found.text);
        case 'unknown':
          throw new ApiError(404, 'Transaction not found', { details: profile.saysWhyUnknown ? found.details : {} });
      }
    },
  });
}

export function merklePathRoute(routes: RouteGroup, context: ApiContext): void {
  const { network, store } = context;
  const merkleTrees = new MerkleTreeCache(store);

  addGetRoute(routes, context, {
    path: '/transaction/:id/merkle-path',
    tags: ['Transactions'],
    summary: 'The proof that a block holds a transaction',
    description:
      "The tree's leaves are the hash of the block's reward and then the ids of its transactions: the leaf of a " +
      'transaction is `transaction_index` + 1. `merkle_path` goes from the leaf up.',
    params: TRANSACTION_ID_PARAMETER,
    response: responsesWithEtag(routes.addComponent('MerklePath', MERKLE_PATH.schema), [400, 404]),
    parse: ({ params }) => parseTransactionId(params.id!),
    read: async (store, id) => {
      const { tip, rows } = await getTransactionPosition(store, id);
      const [transaction] = rows;
      if (!transaction) throw notFound('Transaction not found', tip);
      const tree = await merkleTrees.of(transaction.block_id);
      // The chain was reorganised between the two queries.
      if (tree === null) throw new SnapshotChanged();
      return { tip, transaction, tree };
    },
    present: ({ transaction: { block_id, position }, tree }) => MERKLE_PATH.json(network, { block_id, position, tree }),
  });
}

export function transactionOutputRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network, profile } = context;

  addGetRoute(routes, context, {
    path: '/transaction/:id/output/:index',
    tags: ['Transactions'],
    summary: 'An output of the UTXO set',
    description: profile.servesSpentOutputs
      ? 'Spent outputs are given with the height at which they were spent.'
      : 'An output that is already spent gives the error 404.',
    params: OUTPUT_PARAMETERS,
    querystring: Type.Object(WITH_MEMPOOL.query),
    response: responsesWithEtag(routes.addComponent('OutputState', OUTPUT_WITH_STATE_SCHEMA), [400, 404]),
    mayDependOnMempool: true,
    // mintlayer-core's framework parses the whole path before its handler looks at the id.
    parse: ({ params, query }) => {
      const outputIndex = parseOutputIndex(params.index!);
      return { txId: parseTransactionId(params.id!), outputIndex, withMempool: WITH_MEMPOOL.parse(query) };
    },
    read: async (store, { txId, outputIndex, withMempool }) => {
      const readIndex = async () => {
        const { tip, rows } = await getTransactionOutput(store, txId, outputIndex);
        const [row] = rows;
        if (row === undefined) return { tip, output: null, spentHeight: null };
        return { tip, output: outputJsonOfEntry(row.entry), spentHeight: row.spent_height };
      };
      if (!withMempool) return { ...(await readIndex()), mempool: '' };
      return readWithPending(context, readIndex, (indexed, pool, render) => {
        const outpoint = { sourceType: 'Transaction', sourceId: txId, index: outputIndex } as const;
        const pending = indexed.output === null && pool.isListed(txId) ? pool.output(outpoint) : undefined;
        const isAdded = pending !== undefined && isSpendable(pending);
        const output = isAdded ? withDefaultDecimals(renderOutput(render, pending)) : indexed.output;
        return {
          ...indexed,
          output,
          mempool: MEMPOOL_FIELDS.text({ isPending: isAdded, spentBy: pendingSpenderOf(pool, outpoint) }, network),
          dependsOnMempool: true,
        };
      });
    },
    present: ({ output, spentHeight, mempool }) => {
      if (output === null) throw notFound('Transaction output not found');
      if (spentHeight !== null && !profile.servesSpentOutputs) throw notFound('Transaction output already spent');
      return presentOutputWithState(output, spentHeight, mempool);
    },
  });

  addGetRoute(routes, context, {
    path: '/transaction/:id/outspends',
    summary: 'The spenders of the outputs of a transaction',
    description:
      'An array with one element for each output. Of transactions of the main chain; pending ones are not looked at.',
    params: TRANSACTION_ID_PARAMETER,
    response: responsesWithEtag(OUTSPENDS_SCHEMA, [400, 404]),
    parse: ({ params }) => parseTransactionId(params.id!),
    read: (store, txId) => context.wholeLists.read(store, `outspends ${txId}`, ANY_LENGTH, listOutspends, { txId }),
    present: ({ rows }) => {
      if (rows.length === 0) throw notFound('Transaction not found');
      return presentOutspends(network, rows);
    },
  });
}

/** Summarizes a transaction that was found; null for one that is too long. Throws SnapshotChanged. */
async function readSummaryOf(
  { network, pending }: Pick<ApiContext, 'network' | 'pending'>,
  store: QueryRunner,
  found: FoundTransaction,
): Promise<TransactionSummary | null> {
  const { tip } = found;
  switch (found.state) {
    case 'confirmed': {
      const { row, lateDecimals } = found;
      const text = addLateTokenDecimals(row.body, lateDecimals);
      return summarizeTransactionText(network, text, row.height, row.actors);
    }
    case 'pending': {
      const summary = summarizeTransactionText(network, found.text, tip.height + 1);
      if (summary !== null) await namePendingActors(network, store, pending!.pool, [{ ...summary, ...found }]);
      return summary;
    }
    case 'unknown':
      return null;
  }
}
