/** Searches the index, the mempool and the operator's marks. */

import type { CurrentMarks, Mark, Marks } from '../../answers/marks-file.ts';
import type { PendingTransactions } from '../../answers/pending/pending-interface.ts';
import { tokenAddress } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import { badRequest } from '../../serving/errors/api-error.ts';
import { lastQueryValue, type UrlQuery } from '../../serving/parse/parameters.ts';
import { parseSearchQuery, type SearchQuery } from '../../serving/parse/search-query.ts';
import type { Caller } from '../../serving/resources/caller.ts';
import { type FoundMarketRow, type SearchRow, searchIndex, searchMarkets } from '../../store/queries/chain/search.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import type { TipWatch } from '../../store/read/tip-watch.ts';
import {
  presentFoundMark,
  presentFoundMarket,
  presentPendingResult,
  presentSearchProblem,
  presentSearchResult,
  presentUnusedAddress,
  type SEARCH_RESULT_SCHEMA,
} from '../present/search.ts';

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
  /** The marks whose name has the text, and who says so. */
  readonly marked: { readonly source: string | null; readonly marks: readonly Mark[] };
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
  {
    network,
    pending,
    marks: { current: marks },
    tipWatch: { tip: newest },
  }: {
    readonly network: Network;
    readonly pending: PendingTransactions | null;
    readonly marks: CurrentMarks;
    readonly tipWatch: Pick<TipWatch, 'tip'>;
  },
  store: QueryRunner,
  text: string,
  { client }: Caller,
): Promise<SearchFindings> {
  const searched = parseSearchQuery(network, text, newest?.timestamp ?? 0);
  const { tip, rows } = await searchIndex(store, { ...searched.terms, limit: MAX_SEARCH_RESULTS });
  const { hexId, tickers, terms } = searched;
  const marked = { source: marks.source, marks: terms.text === null ? [] : marksNamed(marks, terms.text) };
  if (hexId === null || rows.some(({ id }) => id === hexId)) {
    const isPair = rows.length + marked.marks.length === 0 && tickers !== null;
    const found = isPair ? await searchMarkets(store, tickers, network.coinTicker, MAX_SEARCH_RESULTS) : null;
    if (found !== null) requireSameTip({ tip }, found);
    // The marks may change without a new block, like the mempool.
    const dependsOnMempool = marked.marks.length > 0;
    return { tip, rows, markets: found?.rows ?? [], searched, pendingId: null, marked, dependsOnMempool };
  }
  // No block contains this id: it may be that of a pending transaction.
  const found = await pending?.find(hexId, client);
  return {
    tip,
    rows,
    markets: [],
    searched,
    pendingId: found?.state === 'Pending' ? hexId : null,
    marked,
    dependsOnMempool: true,
  };
}

/** Returns the marks whose name has a text in lower case: those first whose name it is. */
function marksNamed({ byId }: Marks, text: string): Mark[] {
  const isName = ({ name }: Mark) => name?.toLowerCase() === text;
  return [...byId.values()]
    .filter(({ name }) => name?.toLowerCase().includes(text))
    .sort((a, b) => Number(isName(b)) - Number(isName(a)))
    .slice(0, MAX_SEARCH_RESULTS);
}

/** Returns the results in their order, each as JSON. */
export function presentSearchFindings(
  network: Network,
  { rows, markets, marked, searched: { address, problem }, pendingId }: SearchFindings,
  text: string,
): JsonTextOf<typeof SEARCH_RESULT_SCHEMA>[] {
  const markedIds = new Set(marked.marks.map(({ id }) => id));
  const isMarked = ({ type, id }: SearchRow) =>
    (type === 'token' || type === 'nft') && markedIds.has(tokenAddress(network, id));
  const results = [
    ...marked.marks.map((mark) => presentFoundMark(mark, marked.source)),
    ...rows.filter((row) => !isMarked(row)).map((row) => presentSearchResult(network, row)),
  ];
  for (const market of markets) results.push(presentFoundMarket(network, market));
  if (pendingId !== null) results.unshift(presentPendingResult(pendingId));
  const isUsed = rows.some(({ type, id }) => type === 'address' && id === address);
  if (address !== null && !isUsed) results.unshift(presentUnusedAddress(network, address));
  if (problem !== null) results.unshift(presentSearchProblem(network, problem, text));
  return results.slice(0, MAX_SEARCH_RESULTS);
}
