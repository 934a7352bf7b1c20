/** `/block`: main-chain blocks by id and as a list. */

import Type from 'typebox';
import { readDecimalsOfLaterIssuedTokens } from '../../answers/decimals-of-later-issued-tokens.ts';
import type { Id } from '../../chain/types.ts';
import { HEX_ID_SCHEMA, schemaRef } from '../../render/schemas/common.ts';
import { ApiError, notFound, requireFound } from '../../serving/errors/api-error.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { CURSOR_ONLY } from '../../serving/pagination/paging.ts';
import { BY_HEIGHT, parseListRange, type RangedSelection, rangedList } from '../../serving/pagination/ranged-list.ts';
import type { WholeListBounds } from '../../serving/pagination/whole-list-reader.ts';
import { RANGE_QUERY_SCHEMAS } from '../../serving/parse/chain-points.ts';
import { EXPAND_TRANSACTIONS, parseBlockId } from '../../serving/parse/parameters.ts';
import { addGetRoute } from '../../serving/route/get-route.ts';
import { addListRoute } from '../../serving/route/list-route.ts';
import { BLOCK_ID_PARAMETER, responsesWithEtag } from '../../serving/schemas/parameters-and-responses.ts';
import { BLOCK_LIST } from '../../store/queries/blocks/block-lists.ts';
import {
  type BlockRow,
  getBlock,
  getBlockHeader,
  getBlockReward,
  getBlockTransactionIds,
  listBlockActors,
} from '../../store/queries/blocks/blocks.ts';
import { getBlockRemoval } from '../../store/queries/blocks/removed-blocks.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotRows, SnapshotTip } from '../../store/read/query.ts';
import type { ApiContext } from '../api-context.ts';
import { blockEntry, LISTED_BLOCK, presentListedBlock, shownBlock } from '../present/block.ts';
import { REMOVED_BLOCK_RESPONSE, removedBlockFields } from '../present/chain.ts';

/** A block with more transactions is read in its own statement. */
const BLOCK_BOUNDS: WholeListBounds<SnapshotRows<BlockRow>, null> = {
  shortLimit: 100,
  longLimit: null,
  lengthOf: ({ rows: [block] }) => block?.tx_count ?? 0,
};

/**
 * Reads a block with all its transactions. No row for an id that is not
 * on the main chain.
 */
function readWholeBlock(
  { wholeLists }: Pick<ApiContext, 'wholeLists'>,
  store: QueryRunner,
  blockId: Id,
): Promise<SnapshotRows<BlockRow>> {
  return wholeLists.read(store, `block ${blockId}`, BLOCK_BOUNDS, getBlock, { blockId });
}

function textsOf({ reward, transactions }: BlockRow): string[] {
  return [reward, transactions ?? ''];
}

/** Throws the error 404, with what is remembered of a block that a reorganisation removed. */
async function refuseRemoved({ profile }: ApiContext, store: QueryRunner, id: Id, tip: SnapshotTip): Promise<never> {
  const { removal } = profile.saysWhyUnknown ? await getBlockRemoval(store, id) : { removal: null };
  if (removal === null) throw notFound('Block not found', tip);
  throw new ApiError(404, 'Block not found', { details: removedBlockFields(removal), tip });
}

export function blockRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network, profile } = context;
  const BLOCK = blockEntry(profile);
  const parse = ({ params }: { params: Readonly<Record<string, string>> }) => parseBlockId(params.id!);
  const common = { tags: ['Blocks'], params: BLOCK_ID_PARAMETER };

  addGetRoute(routes, context, {
    path: '/block/:id',
    ...common,
    summary: 'A block',
    querystring: Type.Object(EXPAND_TRANSACTIONS.query),
    response: {
      ...responsesWithEtag(routes.addComponent('Block', BLOCK.schema), [400, 404]),
      ...(profile.saysWhyUnknown && REMOVED_BLOCK_RESPONSE),
    },
    parse: ({ params, query }) => ({ id: parse({ params }), isExpanded: EXPAND_TRANSACTIONS.parse(query) }),
    read: async (store, { id, isExpanded }) => {
      const { tip, rows } = await readWholeBlock(context, store, id);
      const block = rows[0] ?? (await refuseRemoved(context, store, id, tip));
      const lateDecimals = await readDecimalsOfLaterIssuedTokens(store, tip, textsOf(block));
      const actors = isExpanded ? await listBlockActors(store, id) : null;
      if (actors !== null) requireSameTip({ tip }, actors);
      return { tip, block, lateDecimals, actors: actors?.rows ?? null };
    },
    present: ({ block, lateDecimals, actors }) => BLOCK.json(network, shownBlock(network, block, lateDecimals, actors)),
  });

  addGetRoute(routes, context, {
    path: '/block/:id/header',
    ...common,
    summary: "A block's header",
    response: responsesWithEtag(schemaRef('BlockHeader'), [400, 404]),
    parse,
    read: getBlockHeader,
    present: ({ rows: [block] }) => requireFound(block, 'Block not found').header,
  });

  addGetRoute(routes, context, {
    path: '/block/:id/reward',
    ...common,
    summary: "A block's reward",
    response: responsesWithEtag(Type.Array(schemaRef('Output')), [400, 404]),
    parse,
    read: getBlockReward,
    present: ({ rows: [block] }) => requireFound(block, 'Block not found').reward,
  });

  addGetRoute(routes, context, {
    path: '/block/:id/transaction-ids',
    ...common,
    summary: "The ids of a block's transactions in block order",
    response: responsesWithEtag(Type.Array(HEX_ID_SCHEMA), [400, 404]),
    parse,
    read: getBlockTransactionIds,
    present: ({ rows: [block] }) => `[${requireFound(block, 'Block not found').ids}]`,
  });

  addListRoute(routes, context, {
    path: '/block',
    summary: 'The blocks of the main chain, newest first',
    description: 'The genesis is not among them.',
    entry: routes.addComponent('ListedBlock', LISTED_BLOCK.schema),
    paging: CURSOR_ONLY,
    query: RANGE_QUERY_SCHEMAS,
    list: (selection: RangedSelection) => rangedList(BLOCK_LIST, selection, BY_HEIGHT),
    parse: ({ query }, paged) => paged(query, { range: parseListRange(query) }),
    writer: () => (row) => presentListedBlock(network, row),
  });
}
