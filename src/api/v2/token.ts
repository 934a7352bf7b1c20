/** `/token`: fungible tokens, the list of all tokens, and the search by ticker. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { destinationAddress, tokenAddress } from '../../chain/address.ts';
import { amount } from '../../render/text.ts';
import { TICKER_MILESTONES, TOKEN_MILESTONES, TOKEN_TRANSACTION_MILESTONES } from '../../store/queries/offset-anchors.ts';
import { TOKEN, TOKEN_IDS, TOKEN_IDS_BY_TICKER, type TokenIdRow, type TokenRow } from '../../store/queries/tokens.ts';
import { TOKEN_TRANSACTIONS_BELOW } from '../../store/queries/transactions.ts';
import { type ApiContext, serve } from '../route/context.ts';
import { notFound } from '../route/api-error.ts';
import { type ListOf, listPage, listReply, rowsToRead } from '../pagination/page.ts';
import { rowsToSkip, tokenId } from '../parse/parameters.ts';
import { Bech32, Count, HexId, named, nullable, object } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { answers, listAnswers, listQuery, TICKER_PARAMETER, TOKEN_ID_PARAMETER } from '../schemas/route.ts';

export function tokenRoutes(app: FastifyInstance, context: ApiContext): void {
  const { contract, milestones, network, reader } = context;
  const tags = ['Tokens and NFTs'];

  function presentToken(token: TokenRow): string {
    return `{"authority":"${destinationAddress(network, token.authority)}","is_locked":${token.is_locked},"circulating_supply":${amount(token.circulating_supply, token.decimals)},"token_ticker":${contract.tokenTicker.text(token.ticker)},"metadata_uri":${contract.tokenMetadataUri.text(token.metadata_uri)},"number_of_decimals":${token.decimals},"frozen":${token.is_frozen},"is_token_freezable":${contract.isTokenFreezable.text(token)},"is_token_unfreezable":${token.is_frozen ? token.is_unfreezable : null},"next_nonce":${token.next_nonce}${contract.tokenTotalSupply.text(token)}}`;
  }

  const TOKEN_ID_LIST: ListOf<TokenIdRow> = {
    key: (row) => [Number(row.is_nft), row.token_id],
    text: (row) => `"${tokenAddress(network, row.token_id)}"`,
  };

  serve(app, context, {
    path: '/token',
    schema: {
      tags,
      summary: 'The ids of all tokens',
      description: 'The fungible ones by id, then the NFTs by id.',
      querystring: listQuery(),
      response: listAnswers(Bech32, [400]),
    },
    parse: ({ query }) => listPage(query, 'token', ['flag', 'id']),
    answer: (asked) =>
      milestones.read(TOKEN_MILESTONES, [], asked, async (page) => {
        const [isNft, after] = page.after ?? ['0', ''];
        const answer = await reader.ask(TOKEN_IDS, isNft === '1', after!, page.skipped, rowsToRead(page)!);
        return listReply(page, answer, TOKEN_ID_LIST);
      }),
  });

  serve(app, context, {
    path: '/token/:id',
    schema: {
      tags,
      summary: 'A fungible token',
      params: TOKEN_ID_PARAMETER,
      response: answers(
        component(
          app,
          'Token',
          object({
            authority: Bech32,
            is_locked: Type.Boolean({ description: 'Is the supply locked?' }),
            circulating_supply: named('Amount'),
            token_ticker: contract.tokenTicker.schema,
            metadata_uri: contract.tokenMetadataUri.schema,
            number_of_decimals: Count,
            frozen: Type.Boolean(),
            is_token_freezable: contract.isTokenFreezable.schema,
            is_token_unfreezable: { ...nullable(Type.Boolean()), description: 'null unless frozen' },
            next_nonce: Count,
            ...contract.tokenTotalSupply.properties,
          }),
        ),
        [400, 404],
      ),
    },
    parse: ({ params }) => tokenId(network, params.id!),
    answer: async (id) => {
      const { tip, rows } = await reader.ask(TOKEN, id);
      if (!rows[0]) throw notFound('Token not found', tip);
      return { text: presentToken(rows[0]), tip };
    },
  });

  serve(app, context, {
    path: '/token/:id/transactions',
    schema: {
      tags,
      summary: 'The transactions of a token or NFT, newest first',
      description:
        contract.tokenTransactionsOffset === 'upper bound'
          ? 'The page holds the transactions whose `tx_global_index` is below `offset`; without it the newest.'
          : '`offset` counts from the newest.',
      params: TOKEN_ID_PARAMETER,
      querystring: listQuery(),
      response: listAnswers(
        component(app, 'TokenTransaction', object({ tx_global_index: Count, tx_id: HexId })),
        contract.unknownTokenHasTransactions ? [400] : [400, 404],
      ),
    },
    parse: ({ params, query }) => {
      const id = tokenId(network, params.id!);
      const page = listPage(query, `token-transactions ${id}`, ['index']);
      if (contract.tokenTransactionsOffset === 'upper bound' && page.hasOffset) {
        return { id, page: { ...page, after: [`${rowsToSkip(page.offset)}`], skipped: 0 } };
      }
      return { id, page };
    },
    answer: ({ id, page: asked }) =>
      milestones.read(TOKEN_TRANSACTION_MILESTONES, [id], asked, async (page) => {
        const below = Number(page.after?.[0] ?? Number.MAX_SAFE_INTEGER);
        const { tip, rows } = await reader.ask(TOKEN_TRANSACTIONS_BELOW, id, below, page.skipped, rowsToRead(page)!);
        if (!rows[0]!.exists && !contract.unknownTokenHasTransactions) throw notFound('Token not found', tip);
        const found = rows.filter((row) => row.tx_id !== null);
        return listReply(
          page,
          { tip, rows: found },
          {
            key: (row) => [row.tx_index!],
            text: (row) => `{"tx_global_index":${row.tx_index},"tx_id":"${row.tx_id}"}`,
          },
        );
      }),
  });

  serve(app, context, {
    path: '/token/ticker/:ticker',
    schema: {
      tags,
      summary: 'The ids of the tokens whose ticker contains a text',
      description: 'In any case. The fungible ones by id, then the NFTs by id.',
      params: TICKER_PARAMETER,
      querystring: listQuery(),
      response: listAnswers(Bech32, [400]),
    },
    parse: ({ params, query }) => {
      const fragment = params.ticker!.toLowerCase();
      return { fragment, page: listPage(query, `ticker ${fragment}`, ['flag', 'id']) };
    },
    answer: ({ fragment, page: asked }) => {
      // PostgreSQL knows no text with a zero character, and neither does any ticker.
      const isPossible = !fragment.includes('\0');
      const known = isPossible ? fragment : '';
      return milestones.read(TICKER_MILESTONES, [known], asked, async (page) => {
        const [isNft, after] = page.after ?? ['0', ''];
        const items = isPossible ? rowsToRead(page)! : 0;
        const answer = await reader.ask(TOKEN_IDS_BY_TICKER, known, isNft === '1', after!, page.skipped, items);
        return listReply(page, answer, TOKEN_ID_LIST);
      });
    },
  });
}
