/** `/search?q=` and `/{anything}`: redirects to the only match, or lists the matches, or explains why there is none. */

import type { AnswersContext } from '../../answers/answers-context.ts';
import {
  MAX_SEARCH_RESULTS,
  readSearchFindings,
  resultsOfFindings,
  type SearchFindings,
  type SearchResult,
} from '../../answers/search.ts';
import { parseSearchText } from '../../answers/search-query.ts';
import { tokenAddress } from '../../chain/address.ts';
import { nftMetadataFromHex } from '../../chain/codec/nft.ts';
import type { Caller } from '../../serving/resources/caller.ts';
import type { FoundTokenRow, SearchRow } from '../../store/queries/chain/search.ts';
import type { QueryRunner } from '../../store/read/query.ts';
import {
  type AnyPage,
  definePage,
  type ExplorerContext,
  NAVIGATION_SECTIONS,
  type PageContent,
  type Redirect,
} from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { badInput, noBlockYet } from '../page-error.ts';
import { DASH_HTML } from '../parts/amount.ts';
import { bytesAsText, chainText, plainChainText } from '../parts/chain-text.ts';
import { idHtml, thingPath } from '../parts/id-links.ts';
import { searchForm } from '../parts/layout.ts';
import { markBeside } from '../parts/operator-mark.ts';
import { badge, namedDetail } from '../parts/properties-and-badges.ts';
import { column, inCard, numberColumn, table } from '../parts/table.ts';
import { blockAndTime, timeHtml, utcText } from '../parts/time.ts';
import { lastPriceColumn, marketPath } from '../parts/trading-pair.ts';
import type { Site } from '../site.ts';
import { thingOfType } from '../things.ts';
import { messageFor, say, textOf, verbatim } from '../words/catalogue.ts';
import { dayAndMonth } from '../words/formats.ts';
import { SEARCH_RESULT_MESSAGES } from '../words/search-result-messages.ts';

const whatIsFound = ({ network }: Site) =>
  html`<p>You can search for:</p><ul><li>a block height, or any address or id: the first 6 characters after the prefix are enough</li><li>a ticker or an NFT name: a part is enough</li><li>a market, such as ABC/${network.coinTicker}: two tickers</li><li>a day, a month or a time (UTC): 2026-01-31, yesterday, Jan 2026, 2026-01-31 12:00</li></ul>`;

interface PageFindings extends SearchFindings {
  /** What is known of tokens and NFTs by their ids in the API. */
  readonly tokensById: ReadonlyMap<string, FoundTokenRow>;
}

interface Searched {
  /** The search text; if empty, only the form is shown. */
  readonly text: string;
}

export function searchPage({ site, answers }: ExplorerContext): AnyPage {
  return definePage<Searched, PageFindings | { readonly tip: null }>({
    path: '/search',
    mayDependOnMempool: true,
    parse: ({ query }) => ({ text: (query.q ?? '').toString().trim() === '' ? '' : visitorText(query) }),
    read: (store, { text }, caller) => (text === '' ? { tip: null } : readFindings(answers, store, text, caller)),
    render: (findings, { text }) => {
      if (findings.tip === null) return formOnly(site);
      return resultContent(site, findings, text);
    },
  });
}

/** Searches for an id, height or other text that is the whole path. */
export function searchByPathPage({ site, answers }: ExplorerContext): AnyPage {
  return definePage<Searched, PageFindings>({
    path: '/:id',
    mayDependOnMempool: true,
    parse: ({ params }) => ({ text: visitorText({ q: params.id! }) }),
    read: (store, { text }, caller) => readFindings(answers, store, text, caller),
    render: (findings, { text }) => resultContent(site, findings, text),
  });
}

async function readFindings(
  answers: AnswersContext,
  store: QueryRunner,
  text: string,
  caller: Caller,
): Promise<PageFindings> {
  const findings = await readSearchFindings(answers, store, text, caller);
  return {
    ...findings,
    tokensById: new Map(findings.tokens.map((row) => [tokenAddress(answers.network, row.id), row])),
  };
}

function visitorText(query: Parameters<typeof parseSearchText>[0]): string {
  try {
    return parseSearchText(query);
  } catch {
    throw badInput('The search text is empty or has more than 1,000 characters.');
  }
}

function formOnly(site: Site): PageContent {
  return {
    title: 'Search',
    isUnlisted: true,
    hasOwnSearch: true,
    api: [],
    body: html`<h1>Search</h1>${searchForm(site, { isLarge: true })}${whatIsFound(site)}`,
  };
}

function resultContent(site: Site, findings: PageFindings, text: string): PageContent | Redirect {
  const results = resultsOfFindings(site.network, findings, text);
  const dates = datesOf(site, findings);
  const target = dates === null ? (targetOf(results, findings, text) ?? pageNamed(findings, text)) : null;
  if (target !== null) return { location: target };
  const [problem] = results.filter(isProblem);
  const things = results.filter((result) => !isProblem(result));
  const page = results.length === 0 ? pageWithoutResults(site, findings.searched) : null;
  if (page !== null) return { location: page };
  const { height } = findings.searched.terms;
  // The sentences of a date have links to its blocks.
  const listed = dates === null || height !== null ? things : things.filter(({ type }) => type !== 'block');
  const hasHeight = height === null || findings.rows.some((row) => row.type === 'block' && row.height === height);
  const heading =
    problem !== undefined
      ? messageFor(problem.label, SEARCH_RESULT_MESSAGES)
      : things.length === 0
        ? 'Nothing found'
        : 'Search results';
  const body = html`<h1>${textOf(heading)}</h1>${searchForm(site, { text, isLarge: true })}${problem !== undefined && html`<p class="lead">${textOf(messageFor(`${problem.detail}.`, SEARCH_RESULT_MESSAGES))}</p>`}${
    dates
  }${!hasHeight && html`<p class="lead">${noBlockYet(height, findings.tip.height)}</p>`}${
    listed.length > 0 && resultTable(site, listed, findings)
  }${findings.tokens.length > MAX_SEARCH_RESULTS && moreTokens(site, text)}${things.length === 0 && html`<p>Searched for: ${chainText(text)}</p>${whatIsFound(site)}`}`;
  const status = things.length > 0 ? undefined : problem !== undefined ? 400 : 404;
  return {
    title: say('{heading}: {shown}', { heading: textOf(heading), shown: plainChainText(text, 40) }),
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
function targetOf(results: readonly SearchResult[], { searched }: SearchFindings, text: string): string | null {
  if (results.some(isProblem)) return null;
  const result = resultOfId(results, searched, text) ?? (results.length === 1 ? results[0] : undefined);
  return result === undefined ? null : pathOfResult(result);
}

/** Returns the result with exactly the id that was searched for. */
function resultOfId(
  results: readonly SearchResult[],
  { hexId }: SearchFindings['searched'],
  text: string,
): SearchResult | undefined {
  const id = text.toLowerCase();
  return results.find((result) => result.id === id || result.id === hexId);
}

/** Finds the page of the thing that has exactly this id or height; `location` is null if there is none. */
export async function findPageOfId(answers: AnswersContext, store: QueryRunner, text: string, caller: Caller) {
  const findings = await readSearchFindings(answers, store, text, caller);
  const { terms, secretHash } = findings.searched;
  const result = resultOfId(resultsOfFindings(answers.network, findings, text), findings.searched, text);
  if (result !== undefined) return { ...findings, location: pathOfResult(result) };
  const block = findings.rows.find(({ type, height }) => type === 'block' && height === terms.height);
  if (block !== undefined) return { ...findings, location: thingPath('block', block.id) };
  return { ...findings, location: secretHash === null ? null : thingPath('htlc', secretHash) };
}

/**
 * Returns the path of what the index cannot be searched for: the hash of an HTLC's secret, a trading pair, the coin, and an id that may
 * be one of a transaction to come.
 */
function pageWithoutResults(
  { network }: Site,
  { secretHash, pair, hexId, terms }: SearchFindings['searched'],
): string | null {
  if (secretHash !== null) return thingPath('htlc', secretHash);
  if (pair !== null) return marketPath(network, ...pair);
  if (hexId !== null) return thingPath('tx', hexId);
  return terms.text === network.coinTicker.toLowerCase() ? '/statistics' : null;
}

/** The pages by what people call them besides their names in the navigation, without the `s` of the plural. */
const PAGES_BY_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '/blocks': ['block'],
    '/block/0': ['genesis', 'genesis block'],
    '/txs': ['transaction', 'tx'],
    '/mempool': ['mempool', 'pending', 'unconfirmed', 'next block', 'projected block'],
    '/fees': ['fee', 'fee rate', 'gas'],
    '/pools': ['pool', 'staking', 'stake', 'stake pool', 'staking pool', 'validator', 'apr', 'apy'],
    '/tokens': ['token'],
    '/nfts': ['nft'],
    '/orders': ['order', 'order book'],
    '/markets': ['market', 'price', 'trade', 'trading', 'dex'],
    '/statistics': ['statistic', 'stat', 'chart', 'supply'],
    '/richlist': ['rich list', 'richlist', 'holder', 'rich'],
    '/statement': [
      'statement',
      'tax',
      'taxe',
      'staking reward',
      'income',
      'koinly',
      'cointracker',
      'bitcoin.tax',
      'csv',
      'export',
    ],
    '/decode': ['decode', 'broadcast', 'send', 'submit', 'raw transaction'],
    '/reorganisations': ['reorganisation', 'reorganization', 'reorg'],
    '/verify-message': [
      'verify message',
      'verify signed message',
      'verify a signed message',
      'verify',
      'verify signature',
      'signed message',
      'signature',
    ],
    '/watch': ['watch', 'watch list', 'watchlist', 'watched', 'portfolio'],
    '/docs': ['api', 'doc', 'documentation', 'api doc'],
  }).flatMap(([path, names]) => names.map((name) => [name, path])),
);

/** Longer hex texts than ids are transactions or blocks. */
const RAW_HEX = /^(?:0x)?((?:[0-9a-f]{2}){33,})$/i;

/** Returns the path of a page that is named, unless that is the ticker of something; and the page that decodes hex. */
function pageNamed({ tokens, marked }: PageFindings, text: string): string | null {
  const hex = RAW_HEX.exec(text.replace(/\s/g, ''))?.[1];
  if (hex !== undefined) return `/decode?hex=${hex}`;
  const name = text.toLowerCase().replaceAll(/\s+/g, ' ');
  const section = NAVIGATION_SECTIONS.find(([, , label]) => textOf(label).toLowerCase() === name);
  const path = section?.[1] ?? PAGES_BY_NAME.get(name) ?? PAGES_BY_NAME.get(name.replace(/s$/, ''));
  const isNameOfMark = marked.marks.some((mark) => mark.name?.toLowerCase() === name);
  return path === undefined || isNameOfMark || tokens.some((row) => row.is_whole) ? null : path;
}

function isProblem({ type }: SearchResult): boolean {
  return type === 'other_network' || type === 'wrong_checksum';
}

function pathOfResult({ type, id }: SearchResult): string | null {
  const thing = thingOfType(type);
  return thing === undefined ? null : thingPath(thing.path, id);
}

function moreTokens(site: Site, text: string): Html {
  return html`<p>There are more tokens and NFTs: <a href="${site.href('/tokens', { q: text })}">all with a matching ticker</a></p>`;
}

/**
 * Says which blocks a text means that is a date or a time; null for other texts. A number is first of all a height: as a year or a
 * Unix time it means something only if there are such blocks.
 */
function datesOf(site: Site, { rows, searched: { terms } }: PageFindings): Html | null {
  const { periods, times, height } = terms;
  const blocks = rows.filter(({ type }) => type === 'block');
  const link = (block: SearchRow) =>
    html`<a href="${site.href(thingPath('block', block.id))}">block ${block.height}</a>`;
  const ofPeriods = periods.map(({ name, from, to }) => {
    const within = blocks.filter(({ timestamp }) => from <= timestamp! && timestamp! < to).sort(byHeight);
    if (within.length === 0) return height === null && html`No block has the date ${name} (UTC).`;
    return html`${name} (UTC): ${link(within[0]!)} to ${link(within.at(-1)!)}`;
  });
  const ofTimes = times.map((time) => {
    const last = blocks
      .filter(({ timestamp }) => timestamp! <= time)
      .sort(byHeight)
      .at(-1);
    if (last === undefined) return height === null && html`At ${utcText(time)} there was no block yet.`;
    return html`At ${utcText(time)} the newest block was ${link(last)}, from ${utcText(last.timestamp!)}.`;
  });
  const said = [...ofPeriods, ...ofTimes].filter((line) => line !== false);
  if (said.length === 0) return null;
  const readings = [
    ...periods.map(({ from, name }) => [from, name] as const),
    ...times.map((time) => [time, utcText(time)] as const),
  ];
  const [first, second] = readings.map(
    ([time, text]) => html`<a href="${site.href('/search', { q: text })}">${dayAndMonth(time)}</a>`,
  );
  const question = second && html`<p class="lead">${first} or ${second}?</p>`;
  return html`${question}${said.length === 1 ? html`<p class="lead">${said}</p>` : html`<ul class="lead">${said.map((line) => html`<li>${line}</li>`)}</ul>`}`;
}

/** Tokens, NFTs and markets have names of their own. */
function labelOf({ type, label }: SearchResult): string {
  const isName = type === 'token' || type === 'nft' || type === 'market';
  return isName ? label : textOf(messageFor(label, SEARCH_RESULT_MESSAGES));
}

/** What no other column says: of an NFT the ticker, of a token nothing. */
function detailHtml({ id, detail }: SearchResult, { rows, tokensById }: PageFindings): Html | null {
  const block = rows.find((row) => row.type === 'block' && row.id === id);
  if (block !== undefined) return timeHtml(block.timestamp!, 'absolute');
  const token = tokensById.get(id);
  if (token === undefined) return chainText(textOf(messageFor(detail, SEARCH_RESULT_MESSAGES)));
  return token.metadata === null ? null : namedDetail('Ticker', bytesAsText(nftMetadataFromHex(token.metadata).ticker));
}

const byHeight = (a: SearchRow, b: SearchRow) => a.height! - b.height!;

const resultLink = (site: Site, result: SearchResult, text: Html): Html =>
  html`<a class="thing" href="${site.href(pathOfResult(result) ?? '/')}">${text}</a>`;

function resultTable(site: Site, results: readonly SearchResult[], findings: PageFindings): Html {
  const { tokensById: tokens } = findings;
  const hasTokens = results.some(({ id }) => tokens.has(id));
  const details = new Map(results.map((result) => [result, detailHtml(result, findings)]));
  return table(results, {
    caption: 'Exact matches first',
    isCaptionShown: true,
    columns: [
      inCard.top(column('Type', ({ type }) => badge(thingOfType(type)?.name ?? verbatim(type)))),
      column(
        'Name',
        (result) =>
          html`${resultLink(site, result, chainText(labelOf(result), { most: 40 }))}${markBeside(site, result.id)}`,
      ),
      column('Id', (result) => resultLink(site, result, idHtml(result.id, { isShort: true }))),
      hasTokens && numberColumn('Holders', ({ id }) => tokens.get(id)?.holders || DASH_HTML),
      hasTokens &&
        column('Issued', ({ id }) => {
          const token = tokens.get(id);
          return token === undefined ? DASH_HTML : blockAndTime(site, token.height, token.issued_at);
        }),
      results.some(({ id }) => tokens.get(id)?.last_base) && lastPriceColumn(site, ({ id }) => tokens.get(id), true),
      [...details.values()].some((each) => each !== null) &&
        inCard.line(column('Details', (result) => details.get(result))),
    ],
    rowHeader: 1,
    empty: 'Nothing was found.',
  });
}
