/** Searches the index, the mempool and the operator's marks. */

import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  pairName,
  poolAddress,
  tokenAddress,
} from '../chain/address.ts';
import { nftMetadataFromHex } from '../chain/codec/nft.ts';
import type { Network } from '../chain/networks/network.ts';
import { utf8OfHex } from '../chain/scale/hex.ts';
import type { Id } from '../chain/types.ts';
import type { Caller } from '../serving/resources/caller.ts';
import { getBlockRemoval } from '../store/queries/blocks/removed-blocks.ts';
import {
  type FoundMarketRow,
  type FoundTokenRow,
  MAX_COMPARED_TOKENS,
  type SearchRow,
  searchIndex,
  searchMarkets,
  searchTokens,
} from '../store/queries/chain/search.ts';
import { requireSameTip } from '../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../store/read/query.ts';
import type { TipWatch } from '../store/read/tip-watch.ts';
import type { CurrentMarks, Mark, Marks } from './marks-file.ts';
import type { PendingTransactions } from './pending/pending-transactions-interface.ts';
import { parseSearchQuery, type SearchProblem, type SearchQuery } from './search-query.ts';

export const MAX_SEARCH_RESULTS = 20;

export const SEARCH_RESULT_TYPES = [
  'block',
  'transaction',
  'address',
  'pool',
  'delegation',
  'token',
  'nft',
  'order',
  'market',
  'other_network',
  'wrong_checksum',
] as const;

/** What is found: the id is as in paths, the name a ticker, the name of an NFT or a mark, or a height. */
export interface SearchResult {
  readonly type: (typeof SEARCH_RESULT_TYPES)[number];
  readonly id: string;
  readonly label: string;
  readonly detail: string;
}

const result = (type: SearchResult['type'], id: string, label: string, detail: string): SearchResult => ({
  type,
  id,
  label,
  detail,
});

/** What a search found. */
export interface SearchFindings {
  readonly tip: SnapshotTip;
  /** The tokens and NFTs that the text names come last. */
  readonly rows: readonly SearchRow[];
  /** The tokens and NFTs that the text names: whole names before parts, those with most holders first among them. */
  readonly tokens: readonly FoundTokenRow[];
  /** The markets of two tickers, if nothing else was found. */
  readonly markets: readonly FoundMarketRow[];
  readonly searched: SearchQuery;
  /** The searched id if it is a pending transaction's. */
  readonly pendingId: Id | null;
  /** The removed block whose id is searched. */
  readonly removed: { readonly id: Id; readonly height: number } | null;
  /** The marks whose name has the text, and who says so. */
  readonly marked: { readonly source: string | null; readonly marks: readonly Mark[] };
  readonly dependsOnMempool: boolean;
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
  const { tip, rows, tokens } = await readRows(store, searched.terms);
  const { hexId, tickers, terms } = searched;
  const marked = { source: marks.source, marks: terms.text === null ? [] : marksNamed(marks, terms.text) };
  const known = { tip, rows, tokens, markets: [], searched, pendingId: null, removed: null, marked };
  if (hexId === null || rows.some(({ id }) => id === hexId)) {
    const isPair = rows.length + marked.marks.length === 0 && tickers !== null;
    const found = isPair ? await searchMarkets(store, tickers, network.coinTicker, MAX_SEARCH_RESULTS) : null;
    if (found !== null) requireSameTip({ tip }, found);
    // The marks may change without a new block, like the mempool.
    return { ...known, markets: found?.rows ?? [], dependsOnMempool: marked.marks.length > 0 };
  }
  // No block contains this id: it may be that of a pending transaction.
  const found = await pending?.find(hexId, client);
  if (found?.state === 'Pending') return { ...known, pendingId: hexId, dependsOnMempool: true };
  const removed = await getBlockRemoval(store, hexId);
  requireSameTip({ tip }, removed);
  const { removal } = removed;
  return { ...known, removed: removal && { id: hexId, height: removal.height }, dependsOnMempool: true };
}

async function readRows(
  store: QueryRunner,
  terms: SearchQuery['terms'],
): Promise<Pick<SearchFindings, 'tip' | 'rows' | 'tokens'>> {
  const { tip, rows } = await searchIndex(store, { ...terms, limit: MAX_SEARCH_RESULTS });
  if (terms.text === null) return { tip, rows, tokens: [] };
  const found = await searchTokens(store, terms.text, MAX_COMPARED_TOKENS);
  requireSameTip({ tip }, found);
  const ids = new Set(found.rows.map(({ id }) => id));
  const others = rows.filter(({ type, id }) => !((type === 'token' || type === 'nft') && ids.has(id)));
  return { tip, rows: [...others, ...found.rows], tokens: found.rows };
}

/** Returns the marks whose name contains the text (in lower case); exact names first. */
function marksNamed({ byId }: Marks, text: string): Mark[] {
  const isName = ({ name }: Mark) => name?.toLowerCase() === text;
  return [...byId.values()]
    .filter(({ name }) => name?.toLowerCase().includes(text))
    .sort((a, b) => Number(isName(b)) - Number(isName(a)))
    .slice(0, MAX_SEARCH_RESULTS);
}

/** Returns the results in their order. */
export function resultsOfFindings(
  network: Network,
  { rows, markets, marked, searched: { address, problem }, pendingId, removed }: SearchFindings,
  text: string,
): SearchResult[] {
  const markedIds = new Set(marked.marks.map(({ id }) => id));
  const isMarked = ({ type, id }: SearchRow) =>
    (type === 'token' || type === 'nft') && markedIds.has(tokenAddress(network, id));
  const results = [
    ...marked.marks.map((mark) => resultOfMark(mark, marked.source)),
    ...rows.filter((row) => !isMarked(row)).map((row) => resultOfRow(network, row)),
  ];
  for (const market of markets) results.push(resultOfMarket(network, market));
  if (removed !== null) {
    results.unshift(result('block', removed.id, `Block ${removed.height}`, 'Removed by a reorganisation'));
  }
  if (pendingId !== null) results.unshift(result('transaction', pendingId, 'Transaction', 'Pending'));
  const isUsed = rows.some(({ type, id }) => type === 'address' && id === address);
  if (address !== null && !isUsed)
    results.unshift(result('address', destinationAddress(network, address), 'Address', 'Without transactions'));
  if (problem !== null) results.unshift(resultOfProblem(network, problem, text));
  return results.slice(0, MAX_SEARCH_RESULTS);
}

function resultOfRow(network: Network, row: SearchRow): SearchResult {
  const { type, id, height } = row;
  switch (type) {
    case 'block':
      return result(type, id, `Block ${height}`, isoTime(row.timestamp));
    case 'transaction':
      return result(type, id, 'Transaction', `In block ${height}`);
    case 'pool':
      return result(type, poolAddress(network, id), 'Stake pool', `Created in block ${height}`);
    case 'delegation':
      return result(type, delegationAddress(network, id), 'Delegation', `Created in block ${height}`);
    case 'order':
      return result(type, orderAddress(network, id), 'Order', `Created in block ${height}`);
    case 'token':
      return result(type, tokenAddress(network, id), utf8OfHex(row.ticker!), `Token, issued in block ${height}`);
    case 'nft': {
      const { name, ticker } = nftMetadataFromHex(row.metadata!);
      const detail = `NFT ${utf8OfHex(ticker)}, issued in block ${height}`;
      return result(type, tokenAddress(network, id), utf8OfHex(name), detail);
    }
    case 'address':
      return result(type, destinationAddress(network, id), 'Address', 'With transactions');
  }
}

function resultOfMarket(
  network: Network,
  { base, quote, base_ticker, quote_ticker, trades, open_orders }: FoundMarketRow,
): SearchResult {
  const [first, second] = [base_ticker, quote_ticker].map((hex) =>
    hex === null ? network.coinTicker : utf8OfHex(hex),
  );
  const detail = `${trades} trades, ${open_orders} open orders`;
  return result('market', pairName(network, base, quote), `${first}/${second}`, detail);
}

function resultOfMark({ kind, id, name, status }: Mark, source: string | null): SearchResult {
  return result(kind, id, name ?? '', `${status === null ? 'Named' : `Marked ${status}`} by ${source}`);
}

/** `text`: the search text. */
function resultOfProblem(network: Network, problem: SearchProblem, text: string): SearchResult {
  const { type } = problem;
  if (type === 'wrong_checksum')
    return result(type, text, 'Mistyped', 'This looks like an id or address, but its checksum is wrong');
  const { name } = problem;
  return result(type, text, `Of ${name}`, `This id or address belongs to ${name}; this site shows ${network.name}`);
}

function isoTime(seconds: number | null): string {
  return new Date((seconds ?? 0) * 1_000).toISOString().replace('.000', '');
}
