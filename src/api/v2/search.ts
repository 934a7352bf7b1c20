/** `/search`: the possible meanings of a text. */

import Type from 'typebox';
import { MAX_SEARCH_RESULTS, readSearchFindings, resultsOfFindings } from '../../answers/search.ts';
import { MAX_SEARCH_TEXT_LENGTH, parseSearchText } from '../../answers/search-query.ts';
import { nullable, strictObject } from '../../render/schemas/common.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { addGetRoute } from '../../serving/route/get-route.ts';
import { responsesWithEtag } from '../../serving/schemas/parameters-and-responses.ts';
import type { ApiContext } from '../api-context.ts';
import { SEARCH_RESULT } from '../present/search.ts';

export function searchRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network } = context;

  addGetRoute(routes, context, {
    path: '/search',
    summary: 'Search',
    description:
      'Heights; ids of blocks, transactions, pools, delegations, tokens, NFTs and orders, and addresses, as bech32m or ' +
      `hex text, whole or their beginning (6 characters at least); tickers and the names of NFTs or parts of them, in any ` +
      'case; names of marks (`/marks`); a time of UTC (`2026-01-31 12:00`, or Unix seconds or milliseconds), which means the ' +
      'last block until then; a day, month or year (`2026-01-31`, `31 Jan 2026`, `31.1.2026`, `2026-01`, `2026`), which means ' +
      'its first and its last block, also if day and month may be either way round (`10/11/2026`), as do `yesterday`, `12 days ago` and `last week` before the newest block; two tickers (`ABC/ML`, ' +
      '`ABC ML`), which mean their markets. ' +
      `At most ${MAX_SEARCH_RESULTS} results: whole matches before parts, and of tokens and NFTs those with most holders first.`,
    querystring: Type.Object({
      q: Type.String({
        maxLength: MAX_SEARCH_TEXT_LENGTH,
        pattern: '\\S',
        description: 'What to search for, in any case',
      }),
    }),
    response: responsesWithEtag(
      strictObject({
        items: Type.Array(routes.addComponent('SearchResult', SEARCH_RESULT.schema), {
          maxItems: MAX_SEARCH_RESULTS,
        }),
        next_cursor: { ...nullable(Type.String()), description: 'Always null: there are no more pages' },
      }),
      [400],
    ),
    mayDependOnMempool: true,
    parse: ({ query }) => ({ text: parseSearchText(query) }),
    read: (store, { text }, caller) => readSearchFindings(context, store, text, caller),
    present: (findings, { text }) =>
      `{"items":[${resultsOfFindings(network, findings, text)
        .map((result) => SEARCH_RESULT.json(network, result))
        .join(',')}],"next_cursor":null}`,
  });
}
