/** `/nfts`: the NFTs, newest first. */
import { nftMetadataFromHex } from '../../chain/codec/nft.ts';
import type { Action } from '../../render/actions.ts';
import type { AgeSort } from '../../store/queries/lists/age-order.ts';
import { type ListedNftRow, NFT_LIST } from '../../store/queries/tokens/nft-lists.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { bytesAsText } from '../parts/chain-text.ts';
import { destinationLink, nftLink, thingLink } from '../parts/id-links.ts';
import { ageQuery, ageSortColumn, pagingLinks, parseAgeSort, parseListPage, readListPage } from '../parts/paging.ts';
import { column, inCard, numberColumn, type TableOrder, table } from '../parts/table.ts';
import { blockTime } from '../parts/time.ts';
import { nftNameLink } from '../parts/token.ts';
import type { Site } from '../site.ts';
import { newestFirst, oldestFirst, textOf } from '../words/catalogue.ts';
import { tokenSearchForm } from './tokens.ts';

export function nftsPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/nfts',
    parse: ({ query }) => {
      const sort = parseAgeSort(query);
      return { sort, page: parseListPage(query, NFT_LIST, { sort }) };
    },
    read: (store, { sort, page }) => readListPage(store, NFT_LIST, page, { sort }),
    render: (shown, { sort }) => {
      const order = ageSortColumn(sort, (query) => site.href('/nfts', query));
      return {
        title: 'NFTs',
        section: 'nfts',
        canonical: '/nfts',
        isUnlisted: !shown.isFirst || sort !== 'by_height',
        api: [sort === 'by_height' ? '/nft' : `/nft?sort=${sort}`],
        body: html`<h1>NFTs</h1>${tokenSearchForm(site, '')}<p class="muted">Pictures are drawn from the ids; media are not loaded.</p>${nftTable(site, shown.entries, order)}${pagingLinks(site, '/nfts', shown, { query: ageQuery(sort) })}`,
      };
    },
  });
}

function nftTable(site: Site, rows: readonly ListedNftRow[], order: TableOrder<AgeSort>): Html {
  const nfts = rows.map((row) => ({ ...row, nft: nftMetadataFromHex(row.metadata) }));
  return table(nfts, {
    caption: (order.sort === 'by_height' ? newestFirst : oldestFirst)('NFTs'),
    id: 'gallery',
    order,
    columns: [
      column('Name', ({ token_id, nft }) => nftNameLink(site, token_id, nft)),
      column('Ticker', ({ nft }) => bytesAsText(nft.ticker, { most: 24 })),
      column('NFT', ({ token_id }) => nftLink(site, token_id)),
      column('Owner', ({ owner, is_burned }) =>
        owner === null ? noOwnerHtml(site, is_burned) : destinationLink(site, owner),
      ),
      inCard.top(
        numberColumn(
          'Issued',
          ({ creation_height, creation_timestamp }) => blockTime(site, creation_height, creation_timestamp),
          order.sort,
        ),
      ),
    ],
    empty: 'No NFTs are issued yet.',
  });
}

/** Shown instead of an owner; `taken`: what took it from the last one, if that is known. */
export function noOwnerHtml(site: Site, isBurned: boolean, taken?: Action | null): Html {
  if (isBurned) return html`<span class="muted">burned</span>`;
  const order = taken?.type === 'order_create' ? taken.order_id : null;
  if (order !== null) return html`<span class="muted">held by order ${thingLink(site, 'order', order)}</span>`;
  return html`<span class="muted">${textOf(taken?.type === 'htlc_create' ? 'held by an HTLC' : 'held by an order or HTLC')}</span>`;
}
