/** `/tokens`: the fungible tokens; tokens and NFTs by a text in their ticker or name. */
import { badRequest } from '../../api/errors/api-error.ts';
import { shownEntries } from '../../api/pagination/list-result.ts';
import { rowRange } from '../../api/pagination/paging.ts';
import { metadataFromHex } from '../../chain/codec/nft.ts';
import { type SearchRow, search } from '../../store/queries/search.ts';
import { EXPANDED_TICKER_LIST, EXPANDED_TOKEN_LIST, type ExpandedTokenRow } from '../../store/queries/token-lists.ts';
import type { SnapshotTip } from '../../store/read/batched-query.ts';
import type { Explorer } from '../explorer-context.ts';
import { type Html, html } from '../html.ts';
import { type AnyPage, definePage, sameTip } from '../page.ts';
import { AMOUNT_COLUMN, amount, count, exactAmount, fractionLength } from '../parts/amount.ts';
import { chainBytes } from '../parts/chain-text.ts';
import { destinationLink, heightLink, nftLink, tokenLink } from '../parts/ids.ts';
import { nftName } from '../parts/nft-name.ts';
import { paging, parseListPage } from '../parts/paging.ts';
import { table } from '../parts/table.ts';
import { time } from '../parts/time.ts';
import type { Site } from '../site.ts';

/** No ticker or name is longer. */
const LONGEST_TEXT = 200;
const MOST_NAMED = 20;

interface TokensData {
  readonly tip: SnapshotTip;
  readonly rows: readonly ExpandedTokenRow[];
  /** Of a search, on its first page: NFTs with the text in their name. */
  readonly named: readonly SearchRow[];
}

export function tokensPage({ site }: Explorer): AnyPage {
  const { network } = site;
  return definePage({
    path: '/tokens',
    parse: ({ query }) => {
      const text = typeof query.q === 'string' ? query.q.trim() : '';
      if (text.length > LONGEST_TEXT) throw badRequest(`No ticker or name is longer than ${LONGEST_TEXT} characters`);
      if (text.includes('\0')) throw badRequest('No ticker or name that can be searched for has a zero character');
      const fragment = text.toLowerCase();
      const page =
        fragment === ''
          ? parseListPage(query, EXPANDED_TOKEN_LIST, {})
          : parseListPage(query, EXPANDED_TICKER_LIST, { fragment });
      return { text, fragment, page };
    },
    read: async (store, { fragment, page }): Promise<TokensData> => {
      if (fragment === '') {
        const { tip, rows } = await EXPANDED_TOKEN_LIST.read(store, rowRange(page));
        return { tip, rows, named: [] };
      }
      const terms = { height: null, ids: null, time: null, text: fragment, limit: MOST_NAMED };
      const [byTicker, found] = await Promise.all([
        EXPANDED_TICKER_LIST.read(store, { fragment, ...rowRange(page) }),
        search(store, terms),
      ]);
      const listed = new Set(byTicker.rows.map(({ token_id }) => token_id));
      const isNamed = ({ type, id, metadata }: SearchRow) =>
        type === 'nft' && !listed.has(id) && metadata !== null && hasInName(metadata, fragment);
      const named = page.after === null ? found.rows.filter(isNamed) : [];
      return { tip: sameTip(byTicker, found), rows: byTicker.rows, named };
    },
    render: ({ tip, rows, named }, { text, fragment, page }) => {
      const isSearch = fragment !== '';
      // Without a search the list ends before the NFTs, which have a page of their own.
      const listed = isSearch ? rows : rows.filter((row) => !row.is_nft);
      const { entries: tokens, nextCursor } = shownEntries(EXPANDED_TOKEN_LIST, page, listed);
      const isFirst = page.after === null;
      const query = isSearch ? { q: text } : {};
      const pages = paging(site, '/tokens', { isFirst, nextCursor, query });
      const list = isSearch
        ? html`<h2>By ticker</h2>${foundTable(site, tokens)}${pages}${isFirst && html`<h2>By name</h2>${namedTable(site, named)}`}`
        : html`${tokenTable(site, tokens)}${pages}<p><a href="${site.href('/nfts')}">NFTs are listed on a page of their own</a></p>`;
      return {
        title: isSearch ? 'Tokens found' : 'Tokens',
        description: `Fungible tokens on Mintlayer ${network.name} at block ${tip.height}, with their supply and holders.`,
        section: 'tokens',
        canonical: '/tokens',
        isUnlisted: isSearch || !isFirst,
        api: isSearch
          ? [`/token/ticker/${encodeURIComponent(text)}?expand=true`, `/search?q=${encodeURIComponent(text)}`]
          : ['/token?expand=true'],
        body: html`<h1>${isSearch ? 'Tokens and NFTs found' : 'Tokens'}</h1>${tokenSearch(site, text)}${list}`,
      };
    },
  });
}

/** The form that searches tokens and NFTs. */
export function tokenSearch(site: Site, text: string): Html {
  return html`<form class="filter" method="get" action="${site.href('/tokens')}"><label>Ticker or name <input type="search" name="q" value="${text}" maxlength="${LONGEST_TEXT}" autocomplete="off" spellcheck="false" placeholder="all, or a part of it"></label><button type="submit">Find</button>${text !== '' && html` <a href="${site.href('/tokens')}">All tokens</a>`}</form>`;
}

function hasInName(metadata: string, fragment: string): boolean {
  return Buffer.from(metadataFromHex(metadata).name, 'hex').toString('utf8').toLowerCase().includes(fragment);
}

function tokenTable(site: Site, tokens: readonly ExpandedTokenRow[]): Html {
  const supplies = tokens.map((token) => exactAmount(token.circulating_supply, token.decimals!));
  const fraction = fractionLength(supplies);
  return table({
    caption: 'Fungible tokens, by id',
    isCaptionHidden: true,
    columns: [
      { label: 'Ticker' },
      { label: 'Token' },
      { label: 'Circulating', kind: AMOUNT_COLUMN },
      { label: 'Decimals', kind: AMOUNT_COLUMN },
      { label: 'Holders', kind: AMOUNT_COLUMN },
      { label: 'Authority' },
      { label: 'Block', kind: AMOUNT_COLUMN },
      { label: 'Issued' },
    ],
    rows: tokens.map((token, i) => [
      chainBytes(token.ticker!, { most: 24 }),
      tokenLink(site, token.token_id),
      amount(supplies[i]!, { fraction }),
      count(token.decimals!),
      count(token.holders),
      destinationLink(site, token.authority!),
      heightLink(site, token.creation_height),
      time(token.creation_timestamp),
    ]),
    empty: 'There are no fungible tokens here: none is issued yet, or the list ended on the page before.',
  });
}

/** What a search by ticker finds, fungible tokens first. */
function foundTable(site: Site, tokens: readonly ExpandedTokenRow[]): Html {
  const none = html`<span class="muted">–</span>`;
  return table({
    caption: 'Tokens and NFTs with the text in their ticker',
    isCaptionHidden: true,
    columns: [
      { label: 'Ticker' },
      { label: 'Kind' },
      { label: 'Name' },
      { label: 'Id' },
      { label: 'Circulating', kind: AMOUNT_COLUMN },
      { label: 'Holders', kind: AMOUNT_COLUMN },
      { label: 'Authority or owner' },
      { label: 'Block', kind: AMOUNT_COLUMN },
    ],
    rows: tokens.map((token) => {
      const metadata = token.metadata === null ? null : metadataFromHex(token.metadata);
      const owner = token.is_nft ? token.owner : token.authority;
      return [
        chainBytes(metadata?.ticker ?? token.ticker!, { most: 24 }),
        token.is_nft ? 'NFT' : 'Token',
        metadata === null ? none : nftName(metadata),
        token.is_nft ? nftLink(site, token.token_id) : tokenLink(site, token.token_id),
        amount(exactAmount(token.circulating_supply, token.decimals ?? 0)),
        count(token.holders),
        owner === null ? none : destinationLink(site, owner),
        heightLink(site, token.creation_height),
      ];
    }),
    empty: 'No token or NFT has this in its ticker.',
  });
}

/** What the search finds by name besides. */
function namedTable(site: Site, rows: readonly SearchRow[]): Html {
  return table({
    caption: 'NFTs with the text in their name',
    isCaptionHidden: true,
    columns: [{ label: 'Name' }, { label: 'Ticker' }, { label: 'NFT' }, { label: 'Block', kind: AMOUNT_COLUMN }],
    rows: rows.map(({ id, metadata, height }) => {
      const nft = metadataFromHex(metadata!);
      return [nftName(nft), chainBytes(nft.ticker, { most: 24 }), nftLink(site, id), heightLink(site, height!)];
    }),
    empty: 'No other NFT has this in its name.',
  });
}
