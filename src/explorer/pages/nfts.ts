/** `/nfts`: the NFTs, the youngest first. */
import { shownEntries } from '../../api/pagination/list-result.ts';
import { rowRange } from '../../api/pagination/paging.ts';
import { metadataFromHex } from '../../chain/codec/nft.ts';
import { type ListedNftRow, NFT_LIST } from '../../store/queries/nft-lists.ts';
import type { Explorer } from '../explorer-context.ts';
import { type Html, html } from '../html.ts';
import { type AnyPage, definePage } from '../page.ts';
import { AMOUNT_COLUMN } from '../parts/amount.ts';
import { chainBytes } from '../parts/chain-text.ts';
import { destinationLink, heightLink, nftLink } from '../parts/ids.ts';
import { nftName } from '../parts/nft-name.ts';
import { paging, parseListPage } from '../parts/paging.ts';
import { table } from '../parts/table.ts';
import { time } from '../parts/time.ts';
import type { Site } from '../site.ts';
import { tokenSearch } from './tokens.ts';

export function nftsPage({ site }: Explorer): AnyPage {
  return definePage({
    path: '/nfts',
    parse: ({ query }) => ({ page: parseListPage(query, NFT_LIST, {}) }),
    read: (store, { page }) => NFT_LIST.read(store, rowRange(page)),
    render: ({ tip, rows }, { page }) => {
      const { entries: nfts, nextCursor } = shownEntries(NFT_LIST, page, rows);
      const isFirst = page.after === null;
      return {
        title: 'NFTs',
        description: `The NFTs on Mintlayer ${site.network.name} at block ${tip.height}, the youngest first.`,
        section: 'nfts',
        canonical: '/nfts',
        isUnlisted: !isFirst,
        api: ['/nft'],
        body: html`<h1>NFTs</h1>${tokenSearch(site, '')}${nftTable(site, nfts)}${paging(site, '/nfts', { isFirst, nextCursor })}`,
      };
    },
  });
}

/** A list of NFTs. */
export function nftTable(site: Site, nfts: readonly ListedNftRow[]): Html {
  return table({
    caption: 'NFTs, the youngest first',
    isCaptionHidden: true,
    columns: [
      { label: 'Name' },
      { label: 'Ticker' },
      { label: 'NFT' },
      { label: 'Owner' },
      { label: 'Block', kind: AMOUNT_COLUMN },
      { label: 'Issued' },
    ],
    rows: nfts.map((row) => {
      const nft = metadataFromHex(row.metadata);
      return [
        nftName(nft),
        chainBytes(nft.ticker, { most: 24 }),
        nftLink(site, row.token_id),
        row.owner === null ? NOBODY : destinationLink(site, row.owner),
        heightLink(site, row.creation_height),
        time(row.creation_timestamp),
      ];
    }),
    empty: 'No NFTs are issued yet.',
  });
}

/** Why an NFT may have no owner. */
export const NOBODY = html`<span class="muted">burned, or held by an order or HTLC</span>`;
