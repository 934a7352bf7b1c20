/** `/token` and `/nft`: fungible tokens, NFTs and their owners, the list of all tokens, and the search by ticker. */
import { tokenAddress } from '../../chain/address.ts';
import type { Id } from '../../chain/types.ts';
import { BECH32_SCHEMA, oneOf, schemaRef } from '../../render/schemas/common.ts';
import { badRequest, notFound, requireFound } from '../../serving/errors/api-error.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { boundedOffset, CURSOR_ONLY, OFFSET_OR_CURSOR } from '../../serving/pagination/paging.ts';
import {
  BY_TRANSACTION,
  parseListRange,
  type RangedSelection,
  rangedList,
} from '../../serving/pagination/ranged-list.ts';
import { RANGE_QUERY_SCHEMAS } from '../../serving/parse/chain-points.ts';
import {
  AGE_SORT,
  choiceParameter,
  EXPAND,
  lastQueryValue,
  parseNftId,
  parseTokenIdParameter,
  type UrlQuery,
} from '../../serving/parse/parameters.ts';
import { addGetRoute } from '../../serving/route/get-route.ts';
import { addExportedListRoute, addListRoute } from '../../serving/route/list-route.ts';
import {
  CHANGING_SORT_WARNING,
  NFT_ID_PARAMETER,
  responsesWithEtag,
  TICKER_PARAMETER,
  TOKEN_ID_PARAMETER,
} from '../../serving/schemas/parameters-and-responses.ts';
import type { List } from '../../store/queries/lists/define-list.ts';
import {
  type AnyTokenRow,
  EXPANDED_TICKER_LIST,
  EXPANDED_TOKEN_LIST,
  SORTED_TOKEN_LISTS,
  TOKEN_SORTS,
  TOKEN_STATES,
  type TokenSort,
  type TokenState,
} from '../../store/queries/tokens/expanded-token-lists.ts';
import { NFT_LIST, NFT_OWNER_LIST } from '../../store/queries/tokens/nft-lists.ts';
import { TOKEN_EVENT_LIST, TOKEN_EVENT_NAMES } from '../../store/queries/tokens/token-events.ts';
import {
  getNft,
  getToken,
  TICKER_LIST,
  type TickerSelection,
  TOKEN_ID_LIST,
  type TokenIdRow,
  type TokenSortKey,
} from '../../store/queries/tokens/tokens.ts';
import {
  TOKEN_TRANSACTION_BODY_LIST,
  TOKEN_TRANSACTION_LIST,
  type TokenTransactionEntryRow,
  type TokenTransactionRow,
  type TransactionRow,
  type TransactionSortKey,
} from '../../store/queries/transactions/transactions.ts';
import type { ApiContext } from '../api-context.ts';
import { token } from '../entry/kinds.ts';
import { expandedTransactionWriter } from '../present/listed-transactions.ts';
import {
  EXPANDED_TOKEN_SCHEMA,
  LISTED_NFT,
  NFT_OWNER,
  nftEntry,
  presentExpandedToken,
  TOKEN_TRANSACTION,
  tokenEntry,
} from '../present/token.ts';
import { TOKEN_EVENT } from '../present/token-event.ts';

const TAGS = ['Tokens and NFTs'];

interface Expandable {
  readonly isExpanded?: boolean;
}

interface AllTokens extends Expandable {
  readonly sort: 'by_id' | TokenSort | TokenState;
}

type AnyTokenList = List<AllTokens, object, TokenIdRow | AnyTokenRow>;

const SORT = choiceParameter('sort', ['by_id', ...TOKEN_SORTS], {
  description: 'The sort order',
  message: 'Invalid tokens sort order',
});

const STATE = choiceParameter('state', ['any', ...TOKEN_STATES], {
  description: 'Only the fungible tokens that are frozen, or whose supply is locked: newest first',
  message: 'Invalid state: `frozen` or `locked` is expected',
});

const EVENT = choiceParameter('kind', ['all', ...TOKEN_EVENT_NAMES], {
  description: 'Only events of this kind',
  message: `Invalid kind: one of ${TOKEN_EVENT_NAMES.join(', ')} is expected`,
});

/** Returns the order of the list; a state has its own. Throws the error 400. */
function parseSort(query: UrlQuery): AllTokens['sort'] {
  const [sort, state] = [SORT.parse(query), STATE.parse(query)];
  const isOrdered = sort !== 'by_height' && lastQueryValue(query, 'sort') !== undefined;
  if (state !== 'any' && isOrdered) throw badRequest('Invalid state: it is for `sort=by_height`');
  return state === 'any' ? sort : state;
}

type OfTicker = TickerSelection & Expandable;
type OfToken = Expandable & RangedSelection & { readonly tokenId: Id };
type HistoryRow = TokenTransactionRow | TransactionRow;
type HistoryEntry = TokenTransactionEntryRow | TransactionRow;

export function tokenListRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network } = context;
  const tokens = {
    query: { ...EXPAND.query },
    entry: oneOf([BECH32_SCHEMA, routes.addComponent('ExpandedToken', EXPANDED_TOKEN_SCHEMA)], {
      title: 'ListedToken',
    }),
    paging: OFFSET_OR_CURSOR,
    writer:
      (_: unknown, { isExpanded = false }: Expandable) =>
      (row: TokenIdRow | AnyTokenRow) =>
        isExpanded && 'holders' in row ? presentExpandedToken(network, row) : token.text(row.token_id, network),
  };

  addListRoute(routes, context, {
    ...tokens,
    path: '/token',
    tags: TAGS,
    summary: 'The ids of all tokens',
    description:
      '`by_id`: the fungible ones by id, then the NFTs by id. The other orders have the fungible ones only. `by_holders`: those ' +
      `with most holders first, fewer than two as none. \`by_height\`: newest first. \`by_volume\`: those traded for most coins in the 24 hours up to the tip first. ${CHANGING_SORT_WARNING}`,
    query: { ...SORT.query, ...STATE.query, ...EXPAND.query },
    list: ({ sort, isExpanded = false }: AllTokens) => {
      const byId = isExpanded ? EXPANDED_TOKEN_LIST : TOKEN_ID_LIST;
      // Each order has sort keys of its own.
      return (sort === 'by_id' ? byId : SORTED_TOKEN_LISTS[sort]) as unknown as AnyTokenList;
    },
    parse: ({ query }, paged) => ({ ...paged(query, { sort: parseSort(query) }), isExpanded: EXPAND.parse(query) }),
  });

  addListRoute(routes, context, {
    ...tokens,
    path: '/token/ticker/:ticker',
    tags: TAGS,
    summary: 'The ids of the tokens whose ticker contains a text',
    description: 'In any case. The fungible ones by id, then the NFTs by id.',
    params: TICKER_PARAMETER,
    list: ({ isExpanded = false }: OfTicker): List<OfTicker, TokenSortKey, TokenIdRow | AnyTokenRow> =>
      isExpanded ? EXPANDED_TICKER_LIST : TICKER_LIST,
    parse: ({ params, query }, paged) => ({
      ...paged(query, { fragment: params.ticker!.toLowerCase() }),
      isExpanded: EXPAND.parse(query),
    }),
  });
}

export function tokenRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network, profile } = context;
  const TOKEN = tokenEntry(profile);

  addGetRoute(routes, context, {
    path: '/token/:id',
    tags: TAGS,
    summary: 'A fungible token',
    params: TOKEN_ID_PARAMETER,
    response: responsesWithEtag(routes.addComponent('Token', TOKEN.schema), [400, 404]),
    parse: ({ params }) => parseTokenIdParameter(network, params.id!),
    read: (store, id) => getToken(store, id),
    present: ({ rows: [found] }) => TOKEN.json(network, requireFound(found, 'Token not found')),
  });

  transactionsRoute(routes, context);

  addExportedListRoute(routes, context, {
    path: '/token/:id/events',
    summary: 'The events of a token or NFT, newest first',
    description: 'Its issuance, and every command of its authority.',
    params: TOKEN_ID_PARAMETER,
    entry: routes.addComponent('TokenEvent', TOKEN_EVENT.schema),
    paging: CURSOR_ONLY,
    query: EVENT.query,
    list: TOKEN_EVENT_LIST,
    parse: ({ params, query }, paged) => {
      const event = EVENT.parse(query);
      const tokenId = parseTokenIdParameter(network, params.id!);
      return paged(query, { tokenId, kind: event === 'all' ? undefined : event });
    },
    unknown: 'Token not found',
    format: () => TOKEN_EVENT,
    fileName: (params) =>
      `events-${tokenAddress(network, params.tokenId)}${params.kind === undefined ? '' : `-${params.kind}`}`,
  });
}

function transactionsRoute(routes: RouteGroup, context: ApiContext): void {
  const { network, profile } = context;
  const writeHistory = expandedTransactionWriter<TokenTransactionRow, TokenTransactionEntryRow>(context, (row) =>
    TOKEN_TRANSACTION.json(network, row),
  );

  addListRoute(routes, context, {
    path: '/token/:id/transactions',
    tags: TAGS,
    summary: 'The transactions of a token or NFT, newest first',
    description:
      profile.tokenTransactionsOffset === 'upper bound'
        ? 'The page holds the transactions whose `tx_global_index` is below `offset`; without it the newest.'
        : '`offset` counts from the newest.',
    params: TOKEN_ID_PARAMETER,
    entry: oneOf([routes.addComponent('TokenTransaction', TOKEN_TRANSACTION.schema), schemaRef('ListedTransaction')], {
      title: 'TokenHistoryEntry',
    }),
    errors: profile.unknownTokenHasTransactions ? [] : [404],
    paging: OFFSET_OR_CURSOR,
    query: { ...RANGE_QUERY_SCHEMAS, ...EXPAND.query },
    list: (selection: OfToken): List<OfToken, TransactionSortKey, HistoryRow, HistoryEntry> =>
      rangedList<OfToken, TransactionSortKey, HistoryRow, HistoryEntry>(
        selection.isExpanded ? TOKEN_TRANSACTION_BODY_LIST : TOKEN_TRANSACTION_LIST,
        selection,
        BY_TRANSACTION,
      ),
    parse: ({ params, query }, paged) => {
      const isExpanded = EXPAND.parse(query);
      const tokenId = parseTokenIdParameter(network, params.id!);
      const parsed = paged(query, { tokenId, range: parseListRange(query, true), isExpanded });
      const { page } = parsed;
      if (profile.tokenTransactionsOffset === 'upper bound' && page.offset !== null) {
        return { ...parsed, page: { ...page, after: { txIndex: boundedOffset(page.offset) }, skip: 0 } };
      }
      return parsed;
    },
    check: ([row]) => {
      if (row !== undefined && 'exists' in row && !row.exists && !profile.unknownTokenHasTransactions)
        throw notFound('Token not found');
    },
    writer: async (listed, selection, store) => {
      // An expanded list of an unknown token has no row that says so.
      if (listed.rows.length === 0 && !profile.unknownTokenHasTransactions) {
        const { rows } = await TOKEN_TRANSACTION_LIST.read(store, { ...selection, after: null, limit: 1 });
        if (!rows[0]!.exists) throw notFound('Token not found', listed.tip);
      }
      return writeHistory(listed, selection, store);
    },
  });
}

export function nftRoutes(routes: RouteGroup, context: ApiContext): void {
  const { profile, network } = context;
  const NFT = nftEntry(profile);

  addListRoute(routes, context, {
    path: '/nft',
    summary: 'The NFTs, newest first',
    entry: routes.addComponent('ListedNft', LISTED_NFT.schema),
    paging: CURSOR_ONLY,
    query: AGE_SORT.query,
    list: NFT_LIST,
    parse: ({ query }, paged) => paged(query, { sort: AGE_SORT.parse(query) }),
    writer: () => (row) => LISTED_NFT.json(network, row),
  });

  addListRoute(routes, context, {
    path: '/nft/:id/owners',
    summary: 'The owners of an NFT over time, newest first',
    params: NFT_ID_PARAMETER,
    entry: routes.addComponent('NftOwner', NFT_OWNER.schema),
    paging: CURSOR_ONLY,
    list: NFT_OWNER_LIST,
    parse: ({ params, query }, paged) => paged(query, { tokenId: parseNftId(network, params.id!) }),
    unknown: 'NFT not found',
    writer: () => (row) => NFT_OWNER.json(network, row),
  });

  addGetRoute(routes, context, {
    path: '/nft/:id',
    tags: TAGS,
    summary: 'An NFT: metadata and owner',
    params: NFT_ID_PARAMETER,
    response: responsesWithEtag(routes.addComponent('Nft', NFT.schema), [400, 404]),
    parse: ({ params }) => parseNftId(network, params.id!),
    read: (store, id) => getNft(store, id),
    present: ({ rows: [nft] }) => NFT.json(network, requireFound(nft, 'NFT not found')),
  });
}
