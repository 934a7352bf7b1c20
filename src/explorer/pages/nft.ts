/** `/nft/{id}`: what was issued, who owns it, and who owned it. */
import { notFound } from '../../api/errors/api-error.ts';
import { shownEntries } from '../../api/pagination/list-result.ts';
import { type ListPage, rowRange } from '../../api/pagination/paging.ts';
import { publicKeyAddress, tokenAddress } from '../../chain/address.ts';
import { metadataFromHex } from '../../chain/codec/nft.ts';
import { COIN } from '../../chain/currency.ts';
import type { Hex, Id } from '../../chain/types.ts';
import { NFT_OWNER_LIST, type NftOwnerRow } from '../../store/queries/nft-lists.ts';
import { getStatistics } from '../../store/queries/statistics.ts';
import type { ExpandedTokenRow } from '../../store/queries/token-lists.ts';
import { getNft, type NftRow } from '../../store/queries/tokens.ts';
import {
  type ListedTransactionRow,
  type TransactionKey,
  WHOLE_TOKEN_TRANSACTION_LIST,
} from '../../store/queries/transactions.ts';
import type { SnapshotTip } from '../../store/read/batched-query.ts';
import type { Explorer } from '../explorer-context.ts';
import { type Html, html } from '../html.ts';
import { type AnyPage, definePage, sameTip } from '../page.ts';
import { AMOUNT_COLUMN } from '../parts/amount.ts';
import { badge } from '../parts/badge.ts';
import { bytesHex, chainBytes, chainUriBytes, plainChainText } from '../parts/chain-text.ts';
import { facts } from '../parts/facts.ts';
import { addressLink, destinationLink, heightLink, idText, thingPath, transactionLink } from '../parts/ids.ts';
import { nftName, nftNameText } from '../parts/nft-name.ts';
import { cursorOf, paging, parseListPage } from '../parts/paging.ts';
import { marketLink } from '../parts/pair.ts';
import { table } from '../parts/table.ts';
import { time } from '../parts/time.ts';
import { tokenHistory } from '../parts/token-history.ts';
import { listedTokenPath, readListedToken } from '../read/listed-token.ts';
import { visitorTokenId } from '../read/visitor-ids.ts';
import type { Site } from '../site.ts';
import { NOBODY } from './nfts.ts';

const FEW = '10';

interface NftParams {
  readonly tokenId: Id;
  readonly owners: ListPage<TransactionKey>;
  readonly transactions: ListPage<TransactionKey>;
}

interface NftData {
  readonly tip: SnapshotTip;
  readonly nft: NftRow | undefined;
  readonly isToken: boolean;
  readonly listed: ExpandedTokenRow | null;
  readonly owners: readonly NftOwnerRow[];
  readonly transactions: readonly ListedTransactionRow[];
}

export function nftPage({ site }: Explorer): AnyPage {
  const { network } = site;
  return definePage<NftParams, NftData>({
    path: '/nft/:id',
    parse: ({ params, query }) => {
      const tokenId = visitorTokenId(network, params.id!, 'an NFT');
      return {
        tokenId,
        owners: parseListPage({ cursor: query.owners }, NFT_OWNER_LIST, { tokenId }, FEW),
        transactions: parseListPage(query, WHOLE_TOKEN_TRANSACTION_LIST, { tokenId }, FEW),
      };
    },
    read: async (store, { tokenId, owners, transactions }) => {
      const [nft, statistics, listed, owned, history] = await Promise.all([
        getNft(store, tokenId),
        getStatistics(store, tokenId),
        readListedToken(store, { isNft: true, tokenId }),
        NFT_OWNER_LIST.read(store, { tokenId, ...rowRange(owners) }),
        WHOLE_TOKEN_TRANSACTION_LIST.read(store, { tokenId, ...rowRange(transactions) }),
      ]);
      const tip = sameTip(nft, statistics, listed, owned, history);
      return {
        tip,
        nft: nft.rows[0],
        isToken: nft.rows.length === 0 && statistics.rows[0]!.exists,
        listed: listed.listed,
        owners: owned.rows,
        transactions: history.rows,
      };
    },
    render: (data, params) => {
      const address = tokenAddress(network, params.tokenId);
      if (data.isToken) return { location: thingPath('token', address) };
      if (!data.nft) throw notFound(`There is no NFT with the id ${address} in the chain`);
      const metadata = metadataFromHex(data.nft.metadata);
      const name = nftNameText(metadata);
      const isFirst = params.owners.after === null && params.transactions.after === null;
      return {
        title: `NFT ${name}`,
        description: `The NFT ${name} (${address}) on Mintlayer ${network.name}: what was issued, and who owned it since when.`,
        section: 'nfts',
        canonical: thingPath('nft', address),
        isUnlisted: !isFirst,
        api: [
          `/nft/${address}`,
          `/nft/${address}/owners`,
          `/token/${address}/transactions`,
          listedTokenPath({ isNft: true, tokenId: params.tokenId }),
        ],
        body: html`<h1 class="title">NFT ${nftName(metadata)} ${data.nft.owner === null && badge('no owner', 'warning')}</h1><p class="title-id">${idText(address, { canCopy: true })}</p>${factsOf(site, data, data.nft, params.tokenId)}${ownersOf(site, data, params, address)}${historyOf(site, data, params, address)}`,
      };
    },
  });
}

function factsOf(site: Site, { listed }: NftData, { metadata, owner }: NftRow, tokenId: Id): Html {
  const nft = metadataFromHex(metadata);
  return facts([
    ['Name', chainBytes(nft.name)],
    ['Ticker', chainBytes(nft.ticker)],
    ['Description', nft.description === '' ? NONE : chainBytes(nft.description)],
    ['Owner', owner === null ? NOBODY : destinationLink(site, owner, { isShort: false })],
    [
      'Creator',
      nft.creator === null
        ? html`<span class="muted">not named</span>`
        : html`${addressLink(site, publicKeyAddress(site.network, nft.creator), { isShort: false })} <span class="muted">as the issuance says; nobody checks it</span>`,
    ],
    listed !== null && [
      'Issued in block',
      html`${heightLink(site, listed.creation_height)}, ${time(listed.creation_timestamp)}`,
    ],
    ['Media', uri(nft.mediaUri)],
    ['Media hash', nft.mediaHash === '' ? NONE : bytesHex(nft.mediaHash)],
    ['Icon', uri(nft.iconUri)],
    ['More metadata', uri(nft.additionalMetadataUri)],
    ['Market', marketLink(site, tokenId, COIN, `Order book in ${site.network.coinTicker}`)],
  ]);
}

const NONE = html`<span class="muted">none</span>`;

function uri(hex: Hex): Html {
  return hex === '' ? NONE : chainUriBytes(hex);
}

function ownersOf(site: Site, data: NftData, params: NftParams, address: string): Html {
  const { entries, nextCursor } = shownEntries(NFT_OWNER_LIST, params.owners, data.owners);
  const pages = paging(site, thingPath('nft', address), {
    isFirst: params.owners.after === null,
    nextCursor,
    parameter: 'owners',
    query: { cursor: cursorOf(WHOLE_TOKEN_TRANSACTION_LIST, params.transactions) },
    anchor: 'owners',
    label: 'Pages of the owners',
  });
  return html`<section><h2>Owners</h2>${table({
    caption: 'Who had it since when, newest first',
    isCaptionHidden: true,
    id: 'owners',
    columns: [
      { label: 'Owner' },
      { label: 'Since' },
      { label: 'Block', kind: AMOUNT_COLUMN },
      { label: 'By the transaction' },
    ],
    rows: entries.map(({ owner, timestamp, height, tx_id }) => [
      owner === null ? NOBODY : destinationLink(site, owner),
      time(timestamp),
      heightLink(site, height),
      transactionLink(site, tx_id),
    ]),
    empty: 'There are no owners on this page of the list.',
  })}${pages}</section>`;
}

function historyOf(site: Site, data: NftData, params: NftParams, address: string): Html {
  const ticker = plainChainText(Buffer.from(metadataFromHex(data.nft!.metadata).ticker, 'hex').toString('utf8'), 24);
  const { entries, nextCursor } = shownEntries(WHOLE_TOKEN_TRANSACTION_LIST, params.transactions, data.transactions);
  const pages = paging(site, thingPath('nft', address), {
    isFirst: params.transactions.after === null,
    nextCursor,
    query: { owners: cursorOf(NFT_OWNER_LIST, params.owners) },
    anchor: 'transactions',
    label: 'Pages of the transactions',
  });
  return html`<section><h2>Transactions</h2>${tokenHistory(site, entries, { tokenId: params.tokenId, ticker, decimals: 0 })}${pages}</section>`;
}
