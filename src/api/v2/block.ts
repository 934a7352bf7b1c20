/** `/block`: main-chain blocks by id. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { BLOCK, BLOCK_HEADER, BLOCK_REWARD, BLOCK_TRANSACTION_IDS, type BlockRow } from '../../store/queries/blocks.ts';
import { parseBlockId } from '../parse/parameters.ts';
import { withTokenDecimals } from '../present/late-decimals.ts';
import { notFound } from '../route/api-error.ts';
import { type ApiContext, getRoute } from '../route/context.ts';
import { Count, HexId, schemaRef, strictObject } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { BLOCK_ID_PARAMETER, responses } from '../schemas/route.ts';

/** Blocks with up to so many transactions are read together with those of others; larger ones on their own. */
const SHORT_BLOCK = 100;

/** The only row of an answer, or the error 404. */
function theBlock<Row>(rows: readonly Row[]): Row {
  if (!rows[0]) throw notFound('Block not found');
  return rows[0];
}

export function blockRoutes(app: FastifyInstance, context: ApiContext): void {
  const { unpagedLists, store } = context;
  const parse = ({ params }: { params: Readonly<Record<string, string>> }) => parseBlockId(params.id!);
  const common = { tags: ['Blocks'], params: BLOCK_ID_PARAMETER };

  getRoute(app, context, {
    path: '/block/:id',
    schema: {
      ...common,
      summary: 'A block',
      response: responses(
        component(
          app,
          'Block',
          strictObject({
            height: Count,
            header: schemaRef('BlockHeader'),
            body: strictObject({
              reward: Type.Array(schemaRef('Output')),
              transactions: Type.Array(schemaRef('BaseTransaction')),
            }),
          }),
        ),
        [400, 404],
      ),
    },
    parse,
    answer: (id) =>
      withTokenDecimals(store, async () => {
        const { tip, rows } = await unpagedLists.readWhole(
          {
            name: `block ${id}`,
            most: { short: SHORT_BLOCK, whole: null },
            lengthOf: ([row]: readonly BlockRow[]) => row?.tx_count ?? 0,
          },
          (ask, most) => ask(BLOCK, id, most),
        );
        const { height, header, reward, transactions } = theBlock(rows);
        const body = `{"reward":${reward},"transactions":[${transactions}]}`;
        return { text: `{"body":${body},"header":${header},"height":${height}}`, tip };
      }),
  });

  getRoute(app, context, {
    path: '/block/:id/header',
    schema: { ...common, summary: "A block's header", response: responses(schemaRef('BlockHeader'), [400, 404]) },
    parse,
    answer: async (id) => {
      const { tip, rows } = await store.query(BLOCK_HEADER, id);
      return { text: theBlock(rows).header, tip };
    },
  });

  getRoute(app, context, {
    path: '/block/:id/reward',
    schema: {
      ...common,
      summary: "A block's reward",
      response: responses(Type.Array(schemaRef('Output')), [400, 404]),
    },
    parse,
    answer: async (id) => {
      const { tip, rows } = await store.query(BLOCK_REWARD, id);
      return { text: theBlock(rows).reward, tip };
    },
  });

  getRoute(app, context, {
    path: '/block/:id/transaction-ids',
    schema: {
      ...common,
      summary: "The ids of a block's transactions in block order",
      response: responses(Type.Array(HexId), [400, 404]),
    },
    parse,
    answer: async (id) => {
      const { tip, rows } = await store.query(BLOCK_TRANSACTION_IDS, id);
      return { text: `[${theBlock(rows).ids}]`, tip };
    },
  });
}
