/** `/block` and `/chain/at`: main-chain blocks by id, as a list, and by time. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Id } from '../../chain/types.ts';
import { HexId, schemaRef } from '../../render/schemas/common.ts';
import { BLOCK_LIST, getBlockAtTime } from '../../store/queries/block-lists.ts';
import {
  type BlockRow,
  getBlock,
  getBlockHeader,
  getBlockReward,
  getBlockTransactionIds,
} from '../../store/queries/blocks.ts';
import type { SnapshotRows, UnbatchedQueryRunner } from '../../store/read/batched-query.ts';
import { requireFound } from '../errors/api-error.ts';
import { CURSOR_ONLY } from '../pagination/paging.ts';
import type { UnpagedBounds } from '../pagination/unpaged-lists.ts';
import { parseBlockId, parseRequiredSeconds } from '../parse/parameters.ts';
import {
  BLOCK_POINT_SCHEMA,
  BLOCK_SCHEMA,
  LISTED_BLOCK_SCHEMA,
  presentBlock,
  presentBlockPoint,
  presentListedBlock,
} from '../present/block.ts';
import { addLateDecimals, readLateDecimals } from '../present/late-decimals.ts';
import type { ApiContext } from '../route/context.ts';
import { addGetRoute, addListRoute } from '../route/get-route.ts';
import {
  BLOCK_ID_PARAMETER,
  EXTENSION_TAG,
  registerComponent,
  responseSchemas,
  unsignedInteger,
} from '../schemas/parameters-and-responses.ts';

/** A block with more transactions is read in its own statement. */
const BLOCK_BOUNDS: UnpagedBounds<SnapshotRows<BlockRow>, null> = {
  shortLimit: 100,
  longLimit: null,
  lengthOf: ({ rows: [block] }) => block?.tx_count ?? 0,
};

/**
 * Reads a block with all its transactions, together with others or alone by their number. No row for an id that is not
 * on the main chain.
 */
function readWholeBlock(
  { unpagedLists }: Pick<ApiContext, 'unpagedLists'>,
  store: UnbatchedQueryRunner,
  blockId: Id,
): Promise<SnapshotRows<BlockRow>> {
  return unpagedLists.read(store, `block ${blockId}`, BLOCK_BOUNDS, getBlock, { blockId });
}

function textsOf({ reward, transactions }: BlockRow): string[] {
  return [reward, transactions ?? ''];
}

export function blockRoutes(app: FastifyInstance, context: ApiContext): void {
  const parse = ({ params }: { params: Readonly<Record<string, string>> }) => parseBlockId(params.id!);
  const common = { tags: ['Blocks'], params: BLOCK_ID_PARAMETER };

  addGetRoute(app, context, {
    path: '/block/:id',
    schema: {
      ...common,
      summary: 'A block',
      response: responseSchemas(registerComponent(app, 'Block', BLOCK_SCHEMA), [400, 404]),
    },
    parse,
    read: async (store, id) => {
      const { tip, rows } = await readWholeBlock(context, store, id);
      const [block] = rows;
      return { tip, block, lateDecimals: block ? await readLateDecimals(store, tip, textsOf(block)) : null };
    },
    present: ({ block, lateDecimals }) =>
      addLateDecimals(presentBlock(requireFound(block, 'Block not found')), lateDecimals),
  });

  addGetRoute(app, context, {
    path: '/block/:id/header',
    schema: { ...common, summary: "A block's header", response: responseSchemas(schemaRef('BlockHeader'), [400, 404]) },
    parse,
    read: getBlockHeader,
    present: ({ rows: [block] }) => requireFound(block, 'Block not found').header,
  });

  addGetRoute(app, context, {
    path: '/block/:id/reward',
    schema: {
      ...common,
      summary: "A block's reward",
      response: responseSchemas(Type.Array(schemaRef('Output')), [400, 404]),
    },
    parse,
    read: getBlockReward,
    present: ({ rows: [block] }) => requireFound(block, 'Block not found').reward,
  });

  addGetRoute(app, context, {
    path: '/block/:id/transaction-ids',
    schema: {
      ...common,
      summary: "The ids of a block's transactions in block order",
      response: responseSchemas(Type.Array(HexId), [400, 404]),
    },
    parse,
    read: getBlockTransactionIds,
    present: ({ rows: [block] }) => `[${requireFound(block, 'Block not found').ids}]`,
  });
}

export function blockListRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network } = context;

  addListRoute(app, context, {
    path: '/block',
    schema: {
      tags: [EXTENSION_TAG],
      summary: 'The blocks of the main chain, newest first',
      description: 'The genesis is not among them.',
    },
    entry: registerComponent(app, 'ListedBlock', LISTED_BLOCK_SCHEMA),
    paging: CURSOR_ONLY,
    list: BLOCK_LIST,
    parse: ({ query }, paged) => paged(query, {}),
    writer: () => (row) => presentListedBlock(network, row),
  });

  addGetRoute(app, context, {
    path: '/chain/at',
    schema: {
      tags: [EXTENSION_TAG],
      summary: 'The last block of a time',
      description:
        'The highest main-chain block with a `timestamp` of at most `time`; timestamps may go up and down a little.',
      querystring: Type.Object({ time: unsignedInteger({ description: 'Seconds since the epoch' }) }),
      response: responseSchemas(registerComponent(app, 'BlockPoint', BLOCK_POINT_SCHEMA), [400, 404]),
    },
    parse: ({ query }) => parseRequiredSeconds(query, 'time'),
    read: (store, time) => getBlockAtTime(store, time),
    present: ({ rows: [block] }) => presentBlockPoint(requireFound(block, 'No block found at supplied time')),
  });
}
