/** `/search?q=` and `/{anything}`: redirects to the only match, or lists the matches, or explains why there is none. */

import { badRequest } from '../../api/errors/api-error.ts';
import {
  MAX_SEARCH_RESULTS,
  parseSearchText,
  presentSearchFindings,
  readSearchFindings,
  type SearchFindings,
} from '../../api/pending/search-index-and-mempool.ts';
import type { ApiContext } from '../../api/route/context.ts';
import { tokenAddress } from '../../chain/address.ts';
import type { Caller } from '../../resources/caller.ts';
import { type FoundTokenRow, searchTokens } from '../../store/queries/chain/search.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner } from '../../store/read/query.ts';
import { type AnyPage, definePage, type ExplorerContext, type PageContent, type Redirect } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { DASH_HTML } from '../parts/amount.ts';
import { chainText, plainChainText } from '../parts/chain-text.ts';
import { entityPath, idHtml } from '../parts/id-links.ts';
import { searchForm } from '../parts/layout.ts';
import { badge } from '../parts/properties-and-badges.ts';
import { column, inCard, numberColumn, table } from '../parts/table.ts';
import { blockAndTime } from '../parts/time.ts';
import { marketPath } from '../parts/trading-pair.ts';
import { type ParsedSearchResult, parseSearchResultsJson } from '../read/stored-json.ts';
import type { Site } from '../site-urls.ts';
import { say, verbatim, type Words } from '../words/catalogue.ts';
import { noBlockYet } from './block.ts';

const whatIsFound = () =>
  html`<p>Search by block height; by address or id of a block, transaction, pool, delegation, token, NFT or order (the first 6 characters are enough); by ticker or NFT name (a part is enough); by two tickers, such as ABC/ML, for their market; by day, such as 2026-01-31 or 31 Jan 2026, for its first and last block; or by time, such as 2026-01-31 12:00, for the last block up to then.</p>`;

/** The most matches of a text among which those with most holders are looked for. */
const MAX_COMPARED_TOKENS = 200;

/** What is known of tokens and NFTs by their ids in the API. */
type FoundTokens = ReadonlyMap<string, FoundTokenRow>;

interface PageFindings extends SearchFindings {
  readonly tokens: FoundTokens;
}

interface Searched {
  /** The search text; if empty, only the form is shown. */
  readonly text: string;
}

export function searchPage({ site, api }: ExplorerContext): AnyPage {
  return definePage<Searched, PageFindings | { readonly tip: null }>({
    path: '/search',
    mayDependOnMempool: true,
    parse: ({ query }) => ({ text: (query.q ?? '').toString().trim() === '' ? '' : visitorText(query) }),
    read: (store, { text }, caller) => (text === '' ? { tip: null } : readFindings(api, store, text, caller)),
    render: (findings, { text }) => {
      if (findings.tip === null) return formOnly(site);
      return resultContent(site, findings, text);
    },
  });
}

/** Searches for an id, height or other text that is the whole path. */
export function searchByPathPage({ site, api }: ExplorerContext): AnyPage {
  return definePage<Searched, PageFindings>({
    path: '/:id',
    mayDependOnMempool: true,
    parse: ({ params }) => ({ text: visitorText({ q: params.id! }) }),
    read: (store, { text }, caller) => readFindings(api, store, text, caller),
    render: (findings, { text }) => resultContent(site, findings, text),
  });
}

/**
 * Reads the results of the API. Tokens and NFTs that a text names come after the others as there, but those with most holders
 * first, found among more matches: many tokens may have the same ticker.
 */
async function readFindings(api: ApiContext, store: QueryRunner, text: string, caller: Caller): Promise<PageFindings> {
  const findings = await readSearchFindings(api, store, text, caller);
  const words = findings.searched.terms.text;
  if (words === null) return { ...findings, tokens: new Map() };
  const found = await searchTokens(store, words, MAX_COMPARED_TOKENS);
  const ids = new Set(found.rows.map(({ id }) => id));
  const others = findings.rows.filter(({ type, id }) => !((type === 'token' || type === 'nft') && ids.has(id)));
  return {
    ...findings,
    tip: requireSameTip(findings, found),
    rows: [...others, ...found.rows],
    tokens: new Map(found.rows.map((row) => [tokenAddress(api.network, row.id), row])),
  };
}

function visitorText(query: Parameters<typeof parseSearchText>[0]): string {
  try {
    return parseSearchText(query);
  } catch {
    throw badRequest('The search text is empty or has more than 1,000 characters');
  }
}

function formOnly(site: Site): PageContent {
  return {
    title: 'Search',
    description: say('Search the chain of Mintlayer {network}.', { network: site.network.name }),
    isUnlisted: true,
    hasOwnSearch: true,
    api: [],
    body: html`<h1>Search</h1>${searchForm(site, { isLarge: true })}${whatIsFound()}`,
  };
}

function resultContent(site: Site, findings: PageFindings, text: string): PageContent | Redirect {
  const results = parseSearchResultsJson(presentSearchFindings(site.network, findings, text));
  const target = targetOf(results, findings, text) ?? pageNamed(findings, text);
  if (target !== null) return { location: target };
  const [problem] = results.filter(isProblem);
  const things = results.filter((result) => !isProblem(result));
  const page = results.length === 0 ? pageWithoutResults(site, findings.searched) : null;
  if (page !== null) return { location: page };
  const { height, day } = findings.searched.terms;
  const shown = plainChainText(text, 40);
  const heading = problem !== undefined ? problem.label : things.length === 0 ? 'Nothing found' : 'Search results';
  const body = html`<h1>${heading}</h1>${problem !== undefined && html`<p class="lead">${problem.detail}.</p>`}${
    day !== null && dayRange(site, things, day)
  }${
    things.length === 0 && height !== null && html`<p class="lead">${noBlockYet(height, findings.tip.height)}.</p>`
  }<div>Searched for: ${chainText(text)}</div>${
    things.length > 0 && resultTable(site, things, findings.tokens)
  }${findings.tokens.size > MAX_SEARCH_RESULTS && moreTokens(site, text)}${searchForm(site, { text, isLarge: true })}${things.length === 0 && whatIsFound()}`;
  const status = things.length > 0 ? undefined : problem !== undefined ? 400 : 404;
  return {
    title: say('{heading}: {shown}', { heading, shown }),
    description: say('Search results for {shown} on Mintlayer {network}.', { shown, network: site.network.name }),
    isUnlisted: true,
    hasOwnSearch: true,
    api: [`/search?q=${encodeURIComponent(text)}`],
    body,
    ...(status === undefined ? {} : { status }),
  };
}

/**
 * Returns where a search redirects to: its only result, or the thing with exactly this id; null if it has several
 * results.
 */
function targetOf(results: readonly ParsedSearchResult[], { searched }: SearchFindings, text: string): string | null {
  if (results.some(isProblem)) return null;
  const result = resultOfId(results, searched, text) ?? (results.length === 1 ? results[0] : undefined);
  return result === undefined ? null : pathOfResult(result);
}

/** Returns the result with exactly the id that was searched for. */
function resultOfId(
  results: readonly ParsedSearchResult[],
  { hexId }: SearchFindings['searched'],
  text: string,
): ParsedSearchResult | undefined {
  const id = text.toLowerCase();
  return results.find((result) => result.id === id || result.id === hexId);
}

/** Finds the page of the thing that has exactly this id or height; `location` is null if there is none. */
export async function findPageOfId(api: ApiContext, store: QueryRunner, text: string, caller: Caller) {
  const findings = await readSearchFindings(api, store, text, caller);
  const { terms, secretHash } = findings.searched;
  const results = parseSearchResultsJson(presentSearchFindings(api.network, findings, text));
  const result =
    resultOfId(results, findings.searched, text) ??
    (terms.height === null ? undefined : results.find(({ type }) => type === 'block'));
  const ofHash = secretHash === null ? null : entityPath('htlc', secretHash);
  return { ...findings, location: result === undefined ? ofHash : pathOfResult(result) };
}

/** Returns the path of what the index cannot be searched for: the hash of an HTLC's secret, a trading pair, and the coin. */
function pageWithoutResults({ network }: Site, { secretHash, pair, terms }: SearchFindings['searched']): string | null {
  if (secretHash !== null) return entityPath('htlc', secretHash);
  if (pair !== null) return marketPath(network, ...pair);
  return terms.text === network.coinTicker.toLowerCase() ? '/statistics' : null;
}

/** The pages by what people call them, without the `s` of the plural. */
const PAGES_BY_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries({
    block: '/blocks',
    transaction: '/txs',
    tx: '/txs',
    mempool: '/mempool',
    pending: '/mempool',
    fee: '/fees',
    pool: '/pools',
    staking: '/pools',
    token: '/tokens',
    nft: '/nfts',
    order: '/orders',
    market: '/markets',
    statistic: '/statistics',
    stat: '/statistics',
    'rich list': '/richlist',
    richlist: '/richlist',
    statement: '/statement',
    decode: '/decode',
    reorganisation: '/reorganisations',
    reorg: '/reorganisations',
  }),
);

/** Longer hex texts than ids are transactions or blocks. */
const RAW_HEX = /^(?:0x)?((?:[0-9a-f]{2}){33,})$/i;

/** Returns the path of a page that is named, unless that is the ticker of something; and the page that decodes hex. */
function pageNamed({ rows }: PageFindings, text: string): string | null {
  const hex = RAW_HEX.exec(text.replace(/\s/g, ''))?.[1];
  if (hex !== undefined) return `/decode?hex=${hex}`;
  const path = PAGES_BY_NAME.get(text.toLowerCase().replace(/s$/, ''));
  return path === undefined || rows.some((row) => row.is_whole) ? null : path;
}

function isProblem({ type }: ParsedSearchResult): boolean {
  return type === 'other_network' || type === 'wrong_checksum';
}

const KINDS: Readonly<Record<string, readonly [kind: Parameters<typeof entityPath>[0], name: Words]>> = {
  block: ['block', 'Block'],
  transaction: ['tx', 'Transaction'],
  address: ['address', 'Address'],
  pool: ['pool', 'Pool'],
  delegation: ['delegation', 'Delegation'],
  token: ['token', 'Token'],
  nft: ['nft', 'NFT'],
  order: ['order', 'Order'],
  market: ['market', 'Market'],
};

function pathOfResult({ type, id }: ParsedSearchResult): string | null {
  const kind = KINDS[type];
  return kind === undefined ? null : entityPath(kind[0], id);
}

/** In the details of a token, which have their own column on the page. */
const ISSUE = /, issued in block \d+$/;

function moreTokens(site: Site, text: string): Html {
  return html`<p>There are more tokens and NFTs: <a href="${site.href('/tokens', { q: text })}">all with a matching ticker</a></p>`;
}

/** Says which blocks a day has. The results are its first and its last one. */
function dayRange(site: Site, results: readonly ParsedSearchResult[], day: number): Html {
  const date = new Date(day * 1_000).toISOString().slice(0, 10);
  const blocks = results.filter(({ type }) => type === 'block');
  if (blocks.length === 0) return html`<p class="lead">There is no block of ${date} (UTC).</p>`;
  const links = [blocks[0]!, blocks.at(-1)!].map(
    ({ id, label }) => html`<a href="${site.href(entityPath('block', id))}">${label.toLowerCase()}</a>`,
  );
  return html`<p class="lead">${date} (UTC) begins with ${links[0]} and ends with ${links[1]}.</p>`;
}

function resultTable(site: Site, results: readonly ParsedSearchResult[], tokens: FoundTokens): Html {
  const hasTokens = results.some(({ id }) => tokens.has(id));
  return table(results, {
    caption: hasTokens ? 'Exact matches first; tokens with most holders first' : 'Exact matches first',
    isCaptionShown: true,
    columns: [
      inCard.top(column('Type', ({ type }) => badge(KINDS[type]?.[1] ?? verbatim(type)))),
      column('Name', ({ label }) => chainText(label, { most: 40 })),
      column('Id', (result) => {
        const url = site.href(pathOfResult(result) ?? '/');
        return html`<a class="thing" href="${url}">${idHtml(result.id, { isShort: true })}</a>`;
      }),
      hasTokens && numberColumn('Holders', ({ id }) => tokens.get(id)?.holders ?? DASH_HTML),
      hasTokens &&
        column('Issued', ({ id }) => {
          const token = tokens.get(id);
          return token === undefined ? DASH_HTML : blockAndTime(site, token.height, token.issued_at);
        }),
      inCard.line(
        column('Details', ({ id, detail }) => chainText(tokens.has(id) ? detail.replace(ISSUE, '') : detail), 'wide'),
      ),
    ],
    rowHeader: 1,
    empty: 'Nothing was found.',
  });
}
