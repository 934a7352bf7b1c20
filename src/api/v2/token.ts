/** `/token`: fungible tokens, the list of all tokens, and the search by ticker. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import {
  type ExpandedTokenRow,
  listExpandedTokens,
  listExpandedTokensByTicker,
} from '../../store/queries/token-lists.ts';
import {
  getToken,
  listTokenIds,
  listTokenIdsByTicker,
  TICKER_LIST,
  TOKEN_ID_LIST,
  type TokenIdKey,
  type TokenIdRow,
} from '../../store/queries/tokens.ts';
import { listTokenTransactions, TOKEN_TRANSACTION_LIST } from '../../store/queries/transactions.ts';
import type { SnapshotRows } from '../../store/read/batched-query.ts';
import { listResult, type RowPresenter } from '../pagination/list-result.ts';
import { offsetNumber, parseArrayOrEnvelopePage, rowRange } from '../pagination/page.ts';
import { parseExpand, parseTokenId } from '../parse/parameters.ts';
import {
  EXPANDED_TOKEN_SCHEMA,
  presentExpandedToken,
  presentToken,
  presentTokenId,
  presentTokenTransaction,
  TOKEN_TRANSACTION_SCHEMA,
  tokenSchema,
} from '../present/token.ts';
import { notFound } from '../route/api-error.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import { Bech32 } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { EXPAND, listQuery, listResponses, responses, TICKER_PARAMETER, TOKEN_ID_PARAMETER } from '../schemas/route.ts';

const TOKEN_ID_FIELDS = { isNft: 'flag', tokenId: 'id' } as const;

/** PostgreSQL refuses a zero character in a text, and no ticker has one. */
function isPossibleTicker(fragment: string): boolean {
  return !fragment.includes('\0');
}

export function tokenRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network, profile } = context;
  const tags = ['Tokens and NFTs'];

  const Listed = Type.Union([Bech32, component(app, 'ExpandedToken', EXPANDED_TOKEN_SCHEMA)]);
  const tokens: RowPresenter<TokenIdRow | ExpandedTokenRow, TokenIdKey> = {
    sortKey: (row) => ({ isNft: row.is_nft, tokenId: row.token_id }),
    json: (row) => ('holders' in row ? presentExpandedToken(network, row) : presentTokenId(network, row.token_id)),
  };

  getRoute(app, context, {
    path: '/token',
    schema: {
      tags,
      summary: 'The ids of all tokens',
      description: 'The fungible ones by id, then the NFTs by id.',
      querystring: listQuery({ expand: EXPAND }),
      response: listResponses(Listed, [400]),
    },
    parse: ({ query }) => ({
      page: parseArrayOrEnvelopePage(query, 'token', TOKEN_ID_FIELDS),
      isExpanded: parseExpand(query),
    }),
    anchors: () => TOKEN_ID_LIST.anchors,
    read: (store, { page, isExpanded }): Promise<SnapshotRows<TokenIdRow | ExpandedTokenRow>> =>
      (isExpanded ? listExpandedTokens : listTokenIds)(store, rowRange(page)),
    present: ({ rows }, { page }) => listResult(page, rows, tokens),
  });

  getRoute(app, context, {
    path: '/token/:id',
    schema: {
      tags,
      summary: 'A fungible token',
      params: TOKEN_ID_PARAMETER,
      response: responses(component(app, 'Token', tokenSchema(profile)), [400, 404]),
    },
    parse: ({ params }) => parseTokenId(network, params.id!),
    read: (store, id) => getToken(store, id),
    present: ({ rows: [token] }) => {
      if (!token) throw notFound('Token not found');
      return presentToken(network, profile, token);
    },
  });

  getRoute(app, context, {
    path: '/token/:id/transactions',
    schema: {
      tags,
      summary: 'The transactions of a token or NFT, newest first',
      description:
        profile.tokenTransactionsOffset === 'upper bound'
          ? 'The page holds the transactions whose `tx_global_index` is below `offset`; without it the newest.'
          : '`offset` counts from the newest.',
      params: TOKEN_ID_PARAMETER,
      querystring: listQuery(),
      response: listResponses(
        component(app, 'TokenTransaction', TOKEN_TRANSACTION_SCHEMA),
        profile.unknownTokenHasTransactions ? [400] : [400, 404],
      ),
    },
    parse: ({ params, query }) => {
      const tokenId = parseTokenId(network, params.id!);
      const page = parseArrayOrEnvelopePage(query, `token-transactions ${tokenId}`, { txIndex: 'index' });
      if (profile.tokenTransactionsOffset === 'upper bound' && page.offset !== null) {
        return { tokenId, page: { ...page, after: { txIndex: offsetNumber(page.offset) }, skip: 0 } };
      }
      return { tokenId, page };
    },
    anchors: () => TOKEN_TRANSACTION_LIST.anchors,
    read: (store, { tokenId, page }) => listTokenTransactions(store, { tokenId, ...rowRange(page) }),
    present: ({ rows }, { page }) => {
      if (!rows[0]!.exists && !profile.unknownTokenHasTransactions) throw notFound('Token not found');
      return listResult(
        page,
        rows.filter((row) => row.tx_id !== null),
        {
          sortKey: (row) => ({ txIndex: row.tx_index! }),
          json: (row) => presentTokenTransaction(row.tx_index!, row.tx_id!),
        },
      );
    },
  });

  getRoute(app, context, {
    path: '/token/ticker/:ticker',
    schema: {
      tags,
      summary: 'The ids of the tokens whose ticker contains a text',
      description: 'In any case. The fungible ones by id, then the NFTs by id.',
      params: TICKER_PARAMETER,
      querystring: listQuery({ expand: EXPAND }),
      response: listResponses(Listed, [400]),
    },
    parse: ({ params, query }) => {
      const fragment = params.ticker!.toLowerCase();
      const page = parseArrayOrEnvelopePage(query, `ticker ${fragment}`, TOKEN_ID_FIELDS);
      return { fragment, page, isExpanded: parseExpand(query) };
    },
    anchors: ({ fragment }) => (isPossibleTicker(fragment) ? TICKER_LIST.anchors : null),
    read: (store, { fragment, page, isExpanded }): Promise<SnapshotRows<TokenIdRow | ExpandedTokenRow>> => {
      const list = isExpanded ? listExpandedTokensByTicker : listTokenIdsByTicker;
      return isPossibleTicker(fragment)
        ? list(store, { fragment, ...rowRange(page) })
        : list(store, { fragment: '', after: null, limit: 0 });
    },
    present: ({ rows }, { page }) => listResult(page, rows, tokens),
  });
}
