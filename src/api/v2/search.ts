/** `/search`: what a text may mean. */

import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import type { Caller } from '../../resources/caller.ts';
import { type SearchRow, search } from '../../store/queries/search.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/batched-query.ts';
import { lastValue, type Query } from '../parse/parameters.ts';
import { parseSearchQuery, type SearchQuery } from '../parse/search-query.ts';
import {
  presentPendingResult,
  presentSearchProblem,
  presentSearchResult,
  presentUnusedAddress,
  SEARCH_RESULT_SCHEMA,
} from '../present/search.ts';
import { badRequest } from '../route/api-error.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import type { RouteReadResult } from '../route/responder.ts';
import { strictObject } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { EXTENSION_TAG, responses } from '../schemas/route.ts';
import type { JsonTextOf } from '../schemas/schema-types.ts';

const MOST_RESULTS = 20;
const LONGEST_QUERY = 1_000;

/** What a search has found. */
export interface SearchFindings extends RouteReadResult {
  readonly tip: SnapshotTip;
  readonly rows: readonly SearchRow[];
  readonly searched: SearchQuery;
  /** The searched id where it is that of a pending transaction. */
  readonly pendingId: Id | null;
}

/** The text to search for, without the spaces around it. Throws the error 400. */
export function parseSearchText(query: Query): string {
  const text = lastValue(query, 'q') ?? '';
  if (text.trim() === '') throw badRequest('Invalid search: nothing is searched for');
  if ([...text].length > LONGEST_QUERY) throw badRequest('Invalid search: the text is too long');
  return text.trim();
}

export async function readSearch(
  { network, pending }: Pick<ApiContext, 'network' | 'pending'>,
  store: QueryRunner,
  text: string,
  { client }: Caller,
): Promise<SearchFindings> {
  const searched = parseSearchQuery(network, text);
  const { tip, rows } = await search(store, { ...searched.terms, limit: MOST_RESULTS });
  const isIndexed = rows.some(({ id }) => id === searched.hexId);
  const pendingId: Id | null = (await isPending(pending, searched, rows, client)) ? searched.hexId : null;
  return { tip, rows, searched, pendingId, dependsOnMempool: searched.hexId !== null && !isIndexed };
}

/** The results in their order, each as JSON. */
export function presentFindings(
  network: Network,
  { rows, searched: { address, problem }, pendingId }: SearchFindings,
  text: string,
): JsonTextOf<typeof SEARCH_RESULT_SCHEMA>[] {
  const results = rows.map((row) => presentSearchResult(network, row));
  if (pendingId !== null) results.unshift(presentPendingResult(pendingId));
  const isUsed = rows.some(({ type, id }) => type === 'address' && id === address);
  if (address !== null && !isUsed) results.unshift(presentUnusedAddress(network, address));
  if (problem !== null) results.unshift(presentSearchProblem(network, problem, text));
  return results.slice(0, MOST_RESULTS);
}

/** Whether an id that no block has is that of a pending transaction. */
async function isPending(
  pending: ApiContext['pending'],
  { hexId }: SearchQuery,
  rows: readonly SearchRow[],
  client: string,
): Promise<boolean> {
  if (hexId === null || pending === null || rows.some(({ id }) => id === hexId)) return false;
  return (await pending.find(hexId, client))?.state === 'Pending';
}

export function searchRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network } = context;

  getRoute(app, context, {
    path: '/search',
    schema: {
      tags: [EXTENSION_TAG],
      summary: 'What a text may mean',
      description:
        'Heights; ids of blocks, transactions, pools, delegations, tokens, NFTs and orders, and addresses, as bech32m or ' +
        `hex text, whole or their beginning (6 characters at least); tickers and the names of NFTs or parts of them, in any ` +
        'case; a date of UTC (`2026-01-31` or `2026-01-31 12:00`), which means the last block of that moment. ' +
        `At most ${MOST_RESULTS} results: whole matches before parts, in an order that stays the same.`,
      querystring: Type.Object({
        q: Type.String({
          maxLength: LONGEST_QUERY,
          pattern: '\\S',
          description: 'What to search for, in any case',
        }),
      }),
      response: responses(
        strictObject({
          items: Type.Array(component(app, 'SearchResult', SEARCH_RESULT_SCHEMA), { maxItems: MOST_RESULTS }),
          next_cursor: Type.Null(),
        }),
        [400],
      ),
    },
    mayDependOnMempool: true,
    parse: ({ query }) => ({ text: parseSearchText(query) }),
    read: (store, { text }, caller) => readSearch(context, store, text, caller),
    present: (findings, { text }) =>
      `{"items":[${presentFindings(network, findings, text).join(',')}],"next_cursor":null}`,
  });
}
