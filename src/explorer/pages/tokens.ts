/** `/tokens`: the fungible tokens, and the search for tokens and NFTs by their ticker or name. */

import { MAX_SEARCH_RESULTS } from '../../answers/search.ts';
import { tokenAddress } from '../../chain/address.ts';
import { nftMetadataFromHex } from '../../chain/codec/nft.ts';
import { tickerIsUnique } from '../../render/unique-ticker.ts';
import { lastQueryValue } from '../../serving/parse/parameters.ts';
import { MAX_COMPARED_TOKENS, type SearchRow, searchTokens } from '../../store/queries/chain/search.ts';
import {
  type AnyTokenRow,
  EXPANDED_TICKER_LIST,
  NAMESAKE_LIST,
  SORTED_TOKEN_LISTS,
  TOKEN_SORTS,
  TOKEN_STATES,
  type TokenSort,
  type TokenState,
} from '../../store/queries/tokens/expanded-token-lists.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { SnapshotTip } from '../../store/read/query.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { badInput } from '../page-error.ts';
import { coinColumn, countHtml, DASH_HTML } from '../parts/amount.ts';
import { bytesAsText, plainChainText } from '../parts/chain-text.ts';
import { parseChoice } from '../parts/filter-form.ts';
import { destinationLink, heightLink, nftLink, thingPath, tokenLink } from '../parts/id-links.ts';
import { markBeside } from '../parts/operator-mark.ts';
import { listChoices, pagingLinks, parseListPage, parseSort, readListPage, type ShownPage } from '../parts/paging.ts';
import { column, inCard, numberColumn, type TableOrder, table } from '../parts/table.ts';
import { blockTime } from '../parts/time.ts';
import { nftName, nftNameLink, supplyColumn, tokenStateHtml } from '../parts/token.ts';
import { dayChangeHtml, lastPriceColumn, thinLegend } from '../parts/trading-pair.ts';
import type { Site } from '../site.ts';
import { oldestFirst, say, textOf, type Words } from '../words/catalogue.ts';

/** The longest text to search for: no ticker or name is longer. */
const MAX_TEXT_LENGTH = 200;

const DEFAULT_SORT: TokenSort = 'by_holders';

interface TokensData extends ShownPage<AnyTokenRow> {
  readonly tip: SnapshotTip;
  /** The NFTs whose name contains the text, on the first page of a search. */
  readonly named: readonly SearchRow[];
}

export function tokensPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/tokens',
    parse: ({ query }) => {
      const text = (lastQueryValue(query, 'ticker') ?? lastQueryValue(query, 'q') ?? '').trim();
      if (text.length > MAX_TEXT_LENGTH)
        throw badInput(say('A ticker or name has at most {count} characters.', { count: MAX_TEXT_LENGTH }));
      if (text.includes('\0')) throw badInput('A ticker or name that can be searched for has no zero character.');
      const fragment = text.toLowerCase();
      const sort = parseSort(
        query,
        TOKEN_SORTS,
        DEFAULT_SORT,
        say('Tokens are sorted {sorts}.', { sorts: TOKEN_SORTS.join(', ') }),
      );
      const state = parseChoice(query, 'state', TOKEN_STATES);
      const listed = state ?? sort;
      const chosen = { text, fragment, sort, state, listed };
      if (query.ticker !== undefined)
        return { ...chosen, kind: 'ticker' as const, page: parseListPage(query, NAMESAKE_LIST, { ticker: fragment }) };
      return fragment === ''
        ? { ...chosen, kind: 'all' as const, page: parseListPage(query, SORTED_TOKEN_LISTS[listed], {}) }
        : { ...chosen, kind: 'search' as const, page: parseListPage(query, EXPANDED_TICKER_LIST, { fragment }) };
    },
    read: async (store, { fragment, listed, ...selected }): Promise<TokensData> => {
      if (selected.kind === 'ticker')
        return { ...(await readListPage(store, NAMESAKE_LIST, selected.page, { ticker: fragment })), named: [] };
      if (selected.kind === 'all') {
        const shown = await readListPage(store, SORTED_TOKEN_LISTS[listed], selected.page, {});
        return { ...shown, named: [] };
      }
      const { page } = selected;
      const [byTicker, found] = await Promise.all([
        readListPage(store, EXPANDED_TICKER_LIST, page, { fragment }),
        searchTokens(store, fragment, MAX_COMPARED_TOKENS),
      ]);
      const withTicker = new Set(byTicker.rows.map(({ token_id }) => token_id));
      const isNamed = ({ type, id, metadata }: SearchRow) =>
        type === 'nft' && !withTicker.has(id) && metadata !== null && hasInName(metadata, fragment);
      const named = page.after === null ? found.rows.slice(0, MAX_SEARCH_RESULTS).filter(isNamed) : [];
      return { ...byTicker, tip: requireSameTip(byTicker, found), named };
    },
    render: ({ named, ...shown }, { text, kind, sort, state, listed }) => {
      const isSearch = kind === 'search';
      const title =
        kind === 'ticker'
          ? say('Tokens with the ticker {ticker}', { ticker: plainChainText(text, 24) })
          : isSearch
            ? 'Search results'
            : 'Tokens';
      const { entries: tokens, isFirst } = shown;
      const sortQuery = (to: TokenSort) => ({ sort: to === DEFAULT_SORT ? undefined : to });
      const query =
        kind === 'all' ? { ...sortQuery(sort), state: state ?? undefined } : { [isSearch ? 'q' : 'ticker']: text };
      const order = {
        sort: state === null ? sort : 'by_height',
        direction: 'descending',
        link: (to: TokenSort) => site.href('/tokens', sortQuery(to)),
      } as const;
      const pages = pagingLinks(site, '/tokens', shown, { query });
      const list = isSearch
        ? html`${(tokens.length > 0 || named.length === 0) && html`<h2>Matching tickers</h2>${foundTable(site, tokens)}${pages}`}${named.length > 0 && html`<h2>Matching names</h2>${namedTable(site, named)}`}`
        : kind === 'ticker'
          ? html`${tokenTable(site, tokens, oldestFirst(title))}${pages}`
          : html`${listLinks(site, listed)}${tokenTable(site, tokens, CAPTIONS[listed], order)}${pages}<p><a href="${site.href('/nfts')}">All NFTs</a></p>`;
      return {
        title,
        section: 'tokens',
        canonical: '/tokens',
        isUnlisted: kind !== 'all' || !isFirst || listed !== DEFAULT_SORT,
        api:
          kind !== 'all'
            ? [`/token/ticker/${encodeURIComponent(text)}?expand=true`, `/search?q=${encodeURIComponent(text)}`]
            : [state === null ? `/token?sort=${sort}&expand=true` : `/token?state=${state}&expand=true`],
        body: html`<h1>${textOf(title)}</h1>${tokenSearchForm(site, text)}${list}`,
      };
    },
  });
}

/** Renders the search form for tokens and NFTs. */
export function tokenSearchForm(site: Site, text: string): Html {
  return html`<form class="filter" method="get" action="${site.href('/tokens')}"><label>Ticker or name <input type="search" name="q" value="${text}" maxlength="${MAX_TEXT_LENGTH}" autocomplete="off" spellcheck="false" placeholder="whole or part"></label><button type="submit">Search</button>${text !== '' && html` <a href="${site.href('/tokens')}">All tokens</a>`}</form>`;
}

/** Links to the lists that no column leads to, and back. */
function listLinks(site: Site, listed: TokenSort | TokenState): Html {
  const link = (list: TokenSort | TokenState, query: Readonly<Record<string, string>>, text: Words) => ({
    text,
    url: site.href('/tokens', query),
    isShown: list === listed,
  });
  return listChoices('Lists of tokens', [
    link(DEFAULT_SORT, {}, 'All tokens'),
    link('frozen', { state: 'frozen' }, 'Frozen tokens'),
    link('locked', { state: 'locked' }, 'Supply locked'),
  ]);
}

function hasInName(metadata: string, fragment: string): boolean {
  return Buffer.from(nftMetadataFromHex(metadata).name, 'hex').toString('utf8').toLowerCase().includes(fragment);
}

const CAPTIONS: Readonly<Record<TokenSort | TokenState, Words>> = {
  by_holders: 'Fungible tokens, most holders first',
  by_height: 'Fungible tokens, newest first',
  by_volume: 'Fungible tokens, highest 24-hour volume first',
  frozen: 'Frozen tokens, newest first',
  locked: 'Tokens whose supply is locked, newest first',
};

function tokenTable(site: Site, tokens: readonly AnyTokenRow[], caption: Words, order?: TableOrder<TokenSort>): Html {
  const legend = thinLegend(site, tokens);
  const rows = table<AnyTokenRow, TokenSort>(tokens, {
    caption,
    order,
    columns: [
      column('Token', (row) => {
        const address = tokenAddress(site.network, row.token_id);
        const name = html`<a href="${site.href(thingPath('token', address))}">${bytesAsText(row.ticker!, { most: 24 })}</a>`;
        const beside = tickerIsUnique(site.network, row)
          ? markBeside(site, address)
          : html` ${tokenLink(site, row.token_id)}`;
        return html`${name}${beside}`;
      }),
      inCard.top(lastPriceColumn(site, (row) => row, false)),
      inCard.plain(numberColumn('Change, 24 h', (row) => dayChangeHtml(site, row, row.is_frozen!))),
      coinColumn(site, 'Volume, 24 h', (row) => (row.last_base === null ? null : row.day_volume!), 'by_volume'),
      numberColumn('Holders', ({ holders }) => countHtml(holders), 'by_holders'),
      inCard.plain(column('State', tokenStateHtml)),
      inCard.off(supplyColumn),
      inCard.off(
        numberColumn(
          'Issued',
          ({ creation_height, creation_timestamp }) => blockTime(site, creation_height, creation_timestamp),
          'by_height',
        ),
      ),
    ],
    empty: 'There are no fungible tokens on this page.',
  });
  return html`${rows}${legend && html`<p class="muted legend">${legend}</p>`}`;
}

/** Renders the results by ticker, fungible tokens first. */
function foundTable(site: Site, tokens: readonly AnyTokenRow[]): Html {
  const found = tokens.map((token) => ({
    ...token,
    nft: token.metadata === null ? null : nftMetadataFromHex(token.metadata),
    holder: token.is_nft ? token.owner : token.authority,
  }));
  return table(found, {
    caption: 'Tokens and NFTs whose ticker contains the text',
    columns: [
      column('Ticker', ({ nft, ticker }) => bytesAsText(nft?.ticker ?? ticker!, { most: 24 })),
      inCard.top(column('Type', ({ is_nft }) => textOf(is_nft ? 'NFT' : 'Token'))),
      column('Name', ({ nft }) => (nft === null ? DASH_HTML : nftName(nft))),
      column('Id', ({ is_nft, token_id }) => (is_nft ? nftLink : tokenLink)(site, token_id)),
      supplyColumn,
      numberColumn('Holders', ({ holders }) => countHtml(holders)),
      lastPriceColumn(site, (row) => row, true),
      inCard.off(
        column('Authority or owner', ({ holder }) => (holder === null ? DASH_HTML : destinationLink(site, holder))),
      ),
      inCard.off(numberColumn('Block', ({ creation_height }) => heightLink(site, creation_height))),
    ],
    empty: 'No token or NFT has a matching ticker or name.',
  });
}

/** Renders the results by name. */
function namedTable(site: Site, rows: readonly SearchRow[]): Html {
  const nfts = rows.map((row) => ({ ...row, nft: nftMetadataFromHex(row.metadata!) }));
  return table(nfts, {
    caption: 'NFTs whose name contains the text',
    columns: [
      column('Name', ({ id, nft }) => nftNameLink(site, id, nft)),
      column('Ticker', ({ nft }) => bytesAsText(nft.ticker, { most: 24 })),
      column('NFT', ({ id }) => nftLink(site, id)),
      numberColumn('Block', ({ height }) => heightLink(site, height!)),
    ],
  });
}
