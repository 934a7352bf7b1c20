/** `/transaction`: transactions of the main chain, their place in it and their outputs. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { type MerkleTree, merklePath } from '../../chain/merkle.ts';
import type { Id } from '../../chain/types.ts';
import { outputOf } from '../../render/block-texts.ts';
import {
  TRANSACTION,
  TRANSACTION_OUTPUT,
  TRANSACTION_PLACE,
  TRANSACTIONS_BELOW,
  type TransactionRow,
} from '../../store/queries/transactions.ts';
import type { SnapshotTip } from '../../store/read/batched-query.ts';
import { MerkleTreeCache } from '../cache/merkle-tree-cache.ts';
import { listPage, listResult, rowLimit } from '../pagination/page.ts';
import { lastValue, parseOutputIndex, parseTransactionId, type Query, rowsToSkip } from '../parse/parameters.ts';
import { transactionReply } from '../pending/transaction.ts';
import { withTokenDecimals } from '../present/late-decimals.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import { badRequest, notFound } from '../route/api-error.ts';
import { type ApiContext, getRoute } from '../route/context.ts';
import { AtomsText, Count, HexId, nullable, strictObject } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { outputSchema } from '../schemas/output.ts';
import { listQuery, listResponses, OUTPUT_PARAMETERS, responses, TRANSACTION_ID_PARAMETER } from '../schemas/route.ts';
import { BASE_TRANSACTION, transactionSchema } from '../schemas/transaction.ts';

/** The stored base transaction with what its block and the tip add to it. */
function presentTransaction(
  profile: ResponseProfile,
  row: TransactionRow,
  tip: SnapshotTip,
  where: 'listed' | 'single',
): string {
  const timestamp = profile.transactionTimestamp.text(row.timestamp);
  const index = profile.transactionIndex[where].text(row.tx_index);
  return `${row.body.slice(0, -1)},"block_id":"${row.block_id}","timestamp":${timestamp},"confirmations":"${tip.height - row.height}"${index}}`;
}

function presentMerklePath(blockId: Id, position: number, tree: MerkleTree): string {
  const path = merklePath(tree, position + 1).map((hash) => `"${hash}"`);
  const root = tree.at(-1)![0];
  return `{"block_id":"${blockId}","merkle_path":[${path.join(',')}],"merkle_root":"${root}","transaction_index":${position}}`;
}

const Confirmations = { ...AtomsText, description: 'Blocks above the one with the transaction' };

function listedTransactionSchema({ transactionIndex, transactionTimestamp }: ResponseProfile) {
  return strictObject({
    ...BASE_TRANSACTION,
    block_id: HexId,
    timestamp: transactionTimestamp.schema,
    confirmations: Confirmations,
    ...transactionIndex.listed.properties,
  });
}

/** The error 404 of a transaction, where it says more than others. */
function unknownTransaction({ saysWhyUnknown }: ResponseProfile): object {
  if (!saysWhyUnknown) return {};
  const schema = strictObject({
    error: Type.String(),
    dropped_at: Type.Optional({
      ...Count,
      description: 'It was pending within the last hour, and left without a block; seconds since the epoch',
    }),
    mempool: Type.Optional(
      Type.Literal('unavailable', { description: 'The node cannot be asked: the transaction may be pending' }),
    ),
  });
  return { 404: { description: 'There is no such transaction', content: { 'application/json': { schema } } } };
}

/** `legacy`: the offset counts from the newest. `absolute`: the global index is below the offset. */
function offsetMode(query: Query): 'legacy' | 'absolute' {
  const mode = lastValue(query, 'offset_mode') ?? 'legacy';
  if (mode !== 'legacy' && mode !== 'absolute') throw badRequest('Invalid offset mode');
  return mode;
}

/** Where the list begins: below a global index, or so many below the newest. */
function parseList(query: Query) {
  const mode = offsetMode(query);
  if (query.offset_mode !== undefined && query.cursor !== undefined) throw badRequest('Bad request');
  const page = listPage(query, 'transaction', ['index']);
  if (page.after) return { page, below: Number(page.after[0]), skipped: 0 };
  if (mode === 'absolute') return { page, below: rowsToSkip(page.offset), skipped: 0 };
  return { page, below: null, skipped: page.skipped };
}

export function transactionRoutes(app: FastifyInstance, context: ApiContext): void {
  const { profile, store } = context;
  const merkleTrees = new MerkleTreeCache(store);
  const tags = ['Transactions'];
  const Transaction = component(app, 'Transaction', transactionSchema(profile));
  const ListedTransaction = component(app, 'ListedTransaction', listedTransactionSchema(profile));

  getRoute(app, context, {
    path: '/transaction',
    schema: {
      tags,
      summary: 'Transactions, newest first',
      description:
        'With `offset_mode=legacy`, `offset` counts from the newest transaction. With `absolute` the page holds the ' +
        'transactions whose `tx_global_index` is below `offset`. `offset_mode` together with `cursor` is an error.',
      querystring: listQuery({
        offset_mode: Type.Optional(
          Type.Enum(['legacy', 'absolute'], { type: 'string', default: 'legacy', description: 'What `offset` counts' }),
        ),
      }),
      response: listResponses(ListedTransaction, [400]),
    },
    parse: ({ query }) => parseList(query),
    answer: ({ page, below, skipped }) =>
      withTokenDecimals(store, async () => {
        const answer = await store.query(TRANSACTIONS_BELOW, below, skipped, rowLimit(page)!);
        return listResult(page, answer, {
          key: (row) => [row.tx_index],
          text: (row) => presentTransaction(profile, row, answer.tip, 'listed'),
        });
      }),
  });

  getRoute(app, context, {
    path: '/transaction/:id',
    schema: {
      tags,
      summary: 'A transaction',
      description:
        'Also one that waits for a block: its `block_id`, `timestamp` and `confirmations` are null. Only where an output ' +
        'that it spends is not known, that is null as well, and `fee` is absent.',
      params: TRANSACTION_ID_PARAMETER,
      response: { ...responses(Transaction, [400, 404]), ...unknownTransaction(profile) },
    },
    isLive: true,
    parse: ({ params }) => parseTransactionId(params.id!),
    answer: (id) =>
      transactionReply(context, id, async () => {
        const reply = await withTokenDecimals(store, async () => {
          const { tip, rows } = await store.query(TRANSACTION, id);
          return { text: rows[0] ? presentTransaction(profile, rows[0], tip, 'single') : '', tip };
        });
        return reply.text === '' ? { reply: null, tip: reply.tip } : { reply };
      }),
  });

  getRoute(app, context, {
    path: '/transaction/:id/merkle-path',
    schema: {
      tags,
      summary: 'The proof that a block holds a transaction',
      description:
        "The tree's leaves are the hash of the block's reward and then the ids of its transactions: the leaf of a " +
        'transaction is `transaction_index` + 1. `merkle_path` goes from the leaf up.',
      params: TRANSACTION_ID_PARAMETER,
      response: responses(
        component(
          app,
          'MerklePath',
          strictObject({
            block_id: HexId,
            transaction_index: Count,
            merkle_root: HexId,
            merkle_path: Type.Array(HexId),
          }),
        ),
        [400, 404],
      ),
    },
    parse: ({ params }) => parseTransactionId(params.id!),
    answer: async (id) => {
      for (;;) {
        const { tip, rows } = await store.query(TRANSACTION_PLACE, id);
        if (!rows[0]) throw notFound('Transaction not found');
        const { block_id, position } = rows[0];
        const tree = await merkleTrees.of(block_id);
        // None where the chain was reorganised between the two questions.
        if (tree !== null) return { text: presentMerklePath(block_id, position, tree), tip };
      }
    },
  });

  getRoute(app, context, {
    path: '/transaction/:id/output/:index',
    schema: {
      tags,
      summary: 'An output of the UTXO set',
      description: profile.servesSpentOutputs
        ? 'Spent outputs are given with the height at which they were spent.'
        : 'An output that is already spent gives the error 404.',
      params: OUTPUT_PARAMETERS,
      response: responses(
        component(app, 'OutputState', outputSchema({ spent_at_block_height: nullable(Count) })),
        [400, 404],
      ),
    },
    // The framework of mintlayer-core reads all of the path before anybody looks at the id.
    parse: ({ params }) => {
      const index = parseOutputIndex(params.index!);
      return { id: parseTransactionId(params.id!), index };
    },
    answer: async ({ id, index }) => {
      const { tip, rows } = await store.query(TRANSACTION_OUTPUT, id, index);
      if (!rows[0]) throw notFound('Transaction output not found');
      const { entry, spent_height } = rows[0];
      if (spent_height !== null && !profile.servesSpentOutputs) {
        throw notFound('Transaction output already spent');
      }
      return { text: `${outputOf(entry).slice(0, -1)},"spent_at_block_height":${spent_height}}`, tip };
    },
  });
}
