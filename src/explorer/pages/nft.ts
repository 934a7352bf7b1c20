/** `/nft/{id}`: an NFT: its metadata, its owner, and the history of its owners. */

import { publicKeyAddress, tokenAddress } from '../../chain/address.ts';
import { nftMetadataFromHex } from '../../chain/codec/nft.ts';
import { COIN } from '../../chain/currency.ts';
import type { Hex, Id } from '../../chain/types.ts';
import type { ExpandedTokenRow } from '../../store/queries/tokens/expanded-token-lists.ts';
import { NFT_OWNER_LIST, type NftOwnerEntryRow } from '../../store/queries/tokens/nft-lists.ts';
import { getNft, type NftRow } from '../../store/queries/tokens/tokens.ts';
import { TOKEN_TRANSACTION_BODY_LIST, type TransactionRow } from '../../store/queries/transactions/transactions.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { Html, html } from '../html.ts';
import { pageNotFound } from '../page-error.ts';
import { DASH_HTML } from '../parts/amount.ts';
import { bytesAsText, bytesHex, chainUriBytes } from '../parts/chain-text.ts';
import { addressLink, destinationLink, idHtml, idIcon, thingPath } from '../parts/id-links.ts';
import { markNotice } from '../parts/operator-mark.ts';
import { pagingLinks, parseListPage, readListPage, type ShownPage } from '../parts/paging.ts';
import { badge, type Property, propertyList } from '../parts/properties-and-badges.ts';
import { column } from '../parts/table.ts';
import { blockAndTime } from '../parts/time.ts';
import { nftName, nftNameText } from '../parts/token.ts';
import { marketLink } from '../parts/trading-pair.ts';
import { type ListedTransaction, type ListedTransactions, transactionTable } from '../parts/transaction-table.ts';
import { watchedHeading } from '../parts/watch-controls.ts';
import { readListedTransactions } from '../read/listed-transactions.ts';
import { apiPathOfListedToken, readListedToken } from '../read/token-list-entry.ts';
import type { Site } from '../site.ts';
import { parseTokenIdInput } from '../visitor-input.ts';
import { newestFirst, say, type Words } from '../words/catalogue.ts';
import { noOwnerHtml } from './nfts.ts';

const FEW = '10';

interface NftData {
  readonly tokenId: Id;
  readonly address: string;
  readonly nft: NftRow;
  readonly listed: ExpandedTokenRow | null;
  /** Those whom the shown transactions gave it to, newest first. */
  readonly owners: readonly NftOwnerEntryRow[];
  readonly transactions: ShownPage<TransactionRow> & ListedTransactions;
}

export function nftPage({ site }: ExplorerContext): AnyPage {
  const { network } = site;
  return definePage({
    path: '/nft/:id',
    parse: ({ params, query }) => {
      const tokenId = parseTokenIdInput(network, params.id!, 'an NFT');
      return {
        tokenId,
        transactions: parseListPage(query, TOKEN_TRANSACTION_BODY_LIST, { tokenId }, FEW),
      };
    },
    read: async (store, { tokenId, transactions }) => {
      const { after, limit } = transactions;
      const [nft, listed, owned, history] = await Promise.all([
        getNft(store, tokenId),
        readListedToken(store, { isNft: true, tokenId }),
        NFT_OWNER_LIST.read(store, { tokenId, after, limit }),
        readListPage(store, TOKEN_TRANSACTION_BODY_LIST, transactions, { tokenId }),
      ]);
      const tip = requireSameTip(nft, listed, owned, history);
      const transactionsOfToken = await readListedTransactions(network, store, tip, history.entries);
      return {
        tip,
        nft: nft.rows[0],
        listed: listed.listed,
        owners: owned.rows.filter((row) => NFT_OWNER_LIST.isEntry(row)),
        transactions: { ...history, ...transactionsOfToken },
      };
    },
    render: ({ nft, ...lists }, { tokenId }) => {
      const address = tokenAddress(network, tokenId);
      if (!nft) throw pageNotFound(say('There is no NFT with the id {address} in the chain.', { address }));
      const data: NftData = { ...lists, tokenId, address, nft };
      const metadata = nftMetadataFromHex(nft.metadata);
      const name = nftNameText(metadata);
      return {
        title: say('NFT {name}', { name }),
        description: say('The NFT {name} ({address}) on Mintlayer {network}: metadata, owner and ownership history.', {
          name,
          address,
          network: network.name,
        }),
        section: 'nfts',
        canonical: thingPath('nft', address),
        isUnlisted: !data.transactions.isFirst,
        api: [
          `/nft/${address}`,
          `/nft/${address}/owners`,
          `/token/${address}/transactions`,
          apiPathOfListedToken({ isNft: true, tokenId }),
        ],
        body: html`${watchedHeading(site, 'nft', address, html`<h1 class="title"><span>NFT ${nftName(metadata)}</span> ${isBurned(data) && badge('burned', 'warning')}</h1>`)}<p class="title-id">${idHtml(address, { canCopy: true })}</p>${markNotice(site, address)}<div class="nft-facts">${new Html(idIcon(address))}${factsOf(site, data)}</div>${historyOf(site, data)}`,
      };
    },
  });
}

const isBurned = ({ listed, nft }: NftData): boolean => nft.owner === null && listed?.circulating_supply === 0n;

function factsOf(site: Site, data: NftData): Html {
  const { tokenId, listed, owners, transactions } = data;
  const { metadata, owner } = data.nft;
  const taken = transactions.isFirst ? toldOf(transactions).get(owners[0]?.tx_id ?? '')?.first : undefined;
  const nft = nftMetadataFromHex(metadata);
  return propertyList([
    ['Ticker', bytesAsText(nft.ticker)],
    nft.description !== '' && ['Description', bytesAsText(nft.description)],
    ['Owner', owner === null ? noOwnerHtml(site, isBurned(data), taken) : destinationLink(site, owner)],
    nft.creator !== null && [
      'Creator',
      html`${addressLink(site, publicKeyAddress(site.network, nft.creator))} <span class="muted">as stated at issuance, not verified</span>`,
    ],
    listed !== null && ['Issued', blockAndTime(site, listed.creation_height, listed.creation_timestamp)],
    uri(site, 'Media', nft.mediaUri),
    nft.mediaHash !== '' && ['Media hash', bytesHex(nft.mediaHash)],
    uri(site, 'Icon', nft.iconUri),
    uri(site, 'Additional metadata', nft.additionalMetadataUri),
    ['Market', marketLink(site, tokenId, COIN, html`Prices, trades and order book in ${site.network.coinTicker}`)],
  ]);
}

const uri = (site: Site, name: Words, hex: Hex): Property => hex !== '' && [name, chainUriBytes(site, hex)];

/** The sentences of the listed transactions, by their ids. */
const toldOf = ({ listed }: ListedTransactions) =>
  new Map(listed.map(({ transaction: { id, summary } }) => [id, summary]));

/** The transactions, each with the owner that it gave the NFT to. */
function historyOf(site: Site, data: NftData): Html {
  const { address, owners, transactions } = data;
  const shown = { ...transactions, names: { ...transactions.names, ownNft: address } };
  // What is burned has no later owner.
  const end = transactions.isFirst && isBurned(data) ? owners[0] : undefined;
  const [told, given] = [toldOf(transactions), new Map(owners.map((row) => [row.tx_id, row]))];
  const owner = column<ListedTransaction>('New owner', ({ transaction: { id } }) => {
    const row = given.get(id);
    if (row === undefined) return DASH_HTML;
    return row.owner === null ? noOwnerHtml(site, row === end, told.get(id)?.first) : destinationLink(site, row.owner);
  });
  const list = transactionTable(site, shown, {
    caption: newestFirst('Transactions'),
    id: 'transactions',
    empty: 'There are no transactions yet.',
    hasSize: false,
    inPlaceOfSenders: owner,
  });
  return html`<section><h2>Owners and transactions</h2>${list}${pagingLinks(site, thingPath('nft', address), transactions, { anchor: 'transactions' })}</section>`;
}
