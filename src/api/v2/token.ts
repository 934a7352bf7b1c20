/** `/token`: fungible tokens, the list of all tokens, and the search by ticker. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { destinationAddress, tokenAddress } from '../../chain/address.ts';
import { amountJson } from '../../render/text.ts';
import { TICKER_ANCHORS, TOKEN_ANCHORS, TOKEN_TRANSACTION_ANCHORS } from '../../store/queries/offset-anchors.ts';
import { TOKEN, TOKEN_IDS, TOKEN_IDS_BY_TICKER, type TokenIdRow, type TokenRow } from '../../store/queries/tokens.ts';
import { TOKEN_TRANSACTIONS_BELOW } from '../../store/queries/transactions.ts';
import { type ListOf, listPage, listResult, rowLimit } from '../pagination/page.ts';
import { parseTokenId, rowsToSkip } from '../parse/parameters.ts';
import { notFound } from '../route/api-error.ts';
import { type ApiContext, getRoute } from '../route/context.ts';
import { Bech32, Count, HexId, nullable, schemaRef, strictObject } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { listQuery, listResponses, responses, TICKER_PARAMETER, TOKEN_ID_PARAMETER } from '../schemas/route.ts';

export function tokenRoutes(app: FastifyInstance, context: ApiContext): void {
  const { profile, offsetAnchors, network, store } = context;
  const tags = ['Tokens and NFTs'];

  function presentToken(token: TokenRow): string {
    return `{"authority":"${destinationAddress(network, token.authority)}","is_locked":${token.is_locked},"circulating_supply":${amountJson(token.circulating_supply, token.decimals)},"token_ticker":${profile.tokenTicker.text(token.ticker)},"metadata_uri":${profile.tokenMetadataUri.text(token.metadata_uri)},"number_of_decimals":${token.decimals},"frozen":${token.is_frozen},"is_token_freezable":${profile.isTokenFreezable.text(token)},"is_token_unfreezable":${token.is_frozen ? token.is_unfreezable : null},"next_nonce":${token.next_nonce}${profile.tokenTotalSupply.text(token)}}`;
  }

  const TOKEN_ID_LIST: ListOf<TokenIdRow> = {
    key: (row) => [Number(row.is_nft), row.token_id],
    text: (row) => `"${tokenAddress(network, row.token_id)}"`,
  };

  getRoute(app, context, {
    path: '/token',
    schema: {
      tags,
      summary: 'The ids of all tokens',
      description: 'The fungible ones by id, then the NFTs by id.',
      querystring: listQuery(),
      response: listResponses(Bech32, [400]),
    },
    parse: ({ query }) => listPage(query, 'token', ['flag', 'id']),
    answer: (asked) =>
      offsetAnchors.read(TOKEN_ANCHORS, [], asked, async (page) => {
        const [isNft, after] = page.after ?? ['0', ''];
        const answer = await store.query(TOKEN_IDS, isNft === '1', after!, page.skipped, rowLimit(page)!);
        return listResult(page, answer, TOKEN_ID_LIST);
      }),
  });

  getRoute(app, context, {
    path: '/token/:id',
    schema: {
      tags,
      summary: 'A fungible token',
      params: TOKEN_ID_PARAMETER,
      response: responses(
        component(
          app,
          'Token',
          strictObject({
            authority: Bech32,
            is_locked: Type.Boolean({ description: 'Is the supply locked?' }),
            circulating_supply: schemaRef('Amount'),
            token_ticker: profile.tokenTicker.schema,
            metadata_uri: profile.tokenMetadataUri.schema,
            number_of_decimals: Count,
            frozen: Type.Boolean(),
            is_token_freezable: profile.isTokenFreezable.schema,
            is_token_unfreezable: { ...nullable(Type.Boolean()), description: 'null unless frozen' },
            next_nonce: Count,
            ...profile.tokenTotalSupply.properties,
          }),
        ),
        [400, 404],
      ),
    },
    parse: ({ params }) => parseTokenId(network, params.id!),
    answer: async (id) => {
      const { tip, rows } = await store.query(TOKEN, id);
      if (!rows[0]) throw notFound('Token not found', tip);
      return { text: presentToken(rows[0]), tip };
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
        component(app, 'TokenTransaction', strictObject({ tx_global_index: Count, tx_id: HexId })),
        profile.unknownTokenHasTransactions ? [400] : [400, 404],
      ),
    },
    parse: ({ params, query }) => {
      const id = parseTokenId(network, params.id!);
      const page = listPage(query, `token-transactions ${id}`, ['index']);
      if (profile.tokenTransactionsOffset === 'upper bound' && page.hasOffset) {
        return { id, page: { ...page, after: [`${rowsToSkip(page.offset)}`], skipped: 0 } };
      }
      return { id, page };
    },
    answer: ({ id, page: asked }) =>
      offsetAnchors.read(TOKEN_TRANSACTION_ANCHORS, [id], asked, async (page) => {
        const below = Number(page.after?.[0] ?? Number.MAX_SAFE_INTEGER);
        const { tip, rows } = await store.query(TOKEN_TRANSACTIONS_BELOW, id, below, page.skipped, rowLimit(page)!);
        if (!rows[0]!.exists && !profile.unknownTokenHasTransactions) throw notFound('Token not found', tip);
        const found = rows.filter((row) => row.tx_id !== null);
        return listResult(
          page,
          { tip, rows: found },
          {
            key: (row) => [row.tx_index!],
            text: (row) => `{"tx_global_index":${row.tx_index},"tx_id":"${row.tx_id}"}`,
          },
        );
      }),
  });

  getRoute(app, context, {
    path: '/token/ticker/:ticker',
    schema: {
      tags,
      summary: 'The ids of the tokens whose ticker contains a text',
      description: 'In any case. The fungible ones by id, then the NFTs by id.',
      params: TICKER_PARAMETER,
      querystring: listQuery(),
      response: listResponses(Bech32, [400]),
    },
    parse: ({ params, query }) => {
      const fragment = params.ticker!.toLowerCase();
      return { fragment, page: listPage(query, `ticker ${fragment}`, ['flag', 'id']) };
    },
    answer: ({ fragment, page: asked }) => {
      // PostgreSQL knows no text with a zero character, and neither does any ticker.
      const isPossible = !fragment.includes('\0');
      const known = isPossible ? fragment : '';
      return offsetAnchors.read(TICKER_ANCHORS, [known], asked, async (page) => {
        const [isNft, after] = page.after ?? ['0', ''];
        const items = isPossible ? rowLimit(page)! : 0;
        const answer = await store.query(TOKEN_IDS_BY_TICKER, known, isNft === '1', after!, page.skipped, items);
        return listResult(page, answer, TOKEN_ID_LIST);
      });
    },
  });
}
