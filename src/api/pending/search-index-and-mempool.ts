/** Searches the index and the mempool. */
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import type { Caller } from '../../resources/caller.ts';
import { type FoundMarketRow, type SearchRow, searchIndex, searchMarkets } from '../../store/queries/chain/search.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import { badRequest } from '../errors/api-error.ts';
import { lastQueryValue, type UrlQuery } from '../parse/parameters.ts';
import { parseSearchQuery, type SearchQuery } from '../parse/search-query.ts';
import {
  presentFoundMarket,
  presentPendingResult,
  presentSearchProblem,
  presentSearchResult,
  presentUnusedAddress,
  type SEARCH_RESULT_SCHEMA,
} from '../present/search.ts';
import type { PendingTransactions } from './pending-interface.ts';

export const MAX_SEARCH_RESULTS = 20;
export const MAX_SEARCH_TEXT_LENGTH = 1_000;

/** The results of a search. */
export interface SearchFindings {
  readonly tip: SnapshotTip;
  readonly rows: readonly SearchRow[];
  /** The markets of two tickers, if nothing else was found. */
  readonly markets: readonly FoundMarketRow[];
  readonly searched: SearchQuery;
  /** The searched id if it is a pending transaction's. */
  readonly pendingId: Id | null;
  readonly dependsOnMempool: boolean;
}

/** Returns the text to search for, trimmed. Throws the error 400. */
export function parseSearchText(query: UrlQuery): string {
  const text = lastQueryValue(query, 'q') ?? '';
  if (text.trim() === '') throw badRequest('Invalid search: nothing is searched for');
  if ([...text].length > MAX_SEARCH_TEXT_LENGTH) throw badRequest('Invalid search: the text is too long');
  return text.trim();
}

export async function readSearchFindings(
  { network, pending }: { readonly network: Network; readonly pending: PendingTransactions | null },
  store: QueryRunner,
  text: string,
  { client }: Caller,
): Promise<SearchFindings> {
  const searched = parseSearchQuery(network, text);
  const { tip, rows } = await searchIndex(store, { ...searched.terms, limit: MAX_SEARCH_RESULTS });
  const { hexId, tickers } = searched;
  if (hexId === null || rows.some(({ id }) => id === hexId)) {
    const isPair = rows.length === 0 && tickers !== null;
    const found = isPair ? await searchMarkets(store, tickers, network.coinTicker, MAX_SEARCH_RESULTS) : null;
    if (found !== null) requireSameTip({ tip }, found);
    return { tip, rows, markets: found?.rows ?? [], searched, pendingId: null, dependsOnMempool: false };
  }
  // No block contains this id: it may be that of a pending transaction.
  const found = await pending?.find(hexId, client);
  return {
    tip,
    rows,
    markets: [],
    searched,
    pendingId: found?.state === 'Pending' ? hexId : null,
    dependsOnMempool: true,
  };
}

/** Returns the results in their order, each as JSON. */
export function presentSearchFindings(
  network: Network,
  { rows, markets, searched: { address, problem }, pendingId }: SearchFindings,
  text: string,
): JsonTextOf<typeof SEARCH_RESULT_SCHEMA>[] {
  const results = rows.map((row) => presentSearchResult(network, row));
  for (const market of markets) results.push(presentFoundMarket(network, market));
  if (pendingId !== null) results.unshift(presentPendingResult(pendingId));
  const isUsed = rows.some(({ type, id }) => type === 'address' && id === address);
  if (address !== null && !isUsed) results.unshift(presentUnusedAddress(network, address));
  if (problem !== null) results.unshift(presentSearchProblem(network, problem, text));
  return results.slice(0, MAX_SEARCH_RESULTS);
}
