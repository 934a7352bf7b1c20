/** `/nft/{id}`: an NFT: its metadata, its owner, and the history of its owners. */

import { destinationAddress, publicKeyAddress, tokenAddress } from '../../chain/address.ts';
import { nftMetadataFromHex } from '../../chain/codec/nft.ts';
import { COIN } from '../../chain/currency.ts';
import type { Hex, Id } from '../../chain/types.ts';
import type { ExpandedTokenRow } from '../../store/queries/tokens/expanded-token-lists.ts';
import { NFT_OWNER_LIST, type NftOwnerEntryRow } from '../../store/queries/tokens/nft-lists.ts';
import { getNft, type NftRow } from '../../store/queries/tokens/tokens.ts';
import { TOKEN_TRANSACTION_BODY_LIST, type TransactionRow } from '../../store/queries/transactions/transactions.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { pageNotFound } from '../page-error.ts';
import { DASH_HTML } from '../parts/amount.ts';
import { bytesHex, chainBytes, chainUriBytes } from '../parts/chain-text.ts';
import { destinationLink, heightLink, idHtml, thingPath, transactionLink, wholeIdLink } from '../parts/id-links.ts';
import { markNotice } from '../parts/mark.ts';
import { pagingLinks, parseListPage, readListPage, type ShownPage } from '../parts/paging.ts';
import { badge, type Property, propertyList } from '../parts/properties-and-badges.ts';
import { column, inCard, numberColumn, table } from '../parts/table.ts';
import { blockAndTime, timeHtml } from '../parts/time.ts';
import { nftName, nftNameText } from '../parts/token.ts';
import { marketLink } from '../parts/trading-pair.ts';
import { sentenceHtml } from '../parts/transaction-sentence.ts';
import { type ListedTransactions, transactionTable } from '../parts/transaction-table.ts';
import { readListedTransactions } from '../read/listed-transactions.ts';
import { apiPathOfListedToken, readListedToken } from '../read/token-list-entry.ts';
import type { Site } from '../site-urls.ts';
import { parseTokenIdInput } from '../visitor-input.ts';
import { say, type Words } from '../words/catalogue.ts';
import { noOwnerHtml } from './nfts.ts';

const FEW = '10';

interface NftData {
  readonly tokenId: Id;
  readonly address: string;
  readonly nft: NftRow;
  readonly listed: ExpandedTokenRow | null;
  readonly owners: ShownPage<NftOwnerEntryRow>;
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
        owners: parseListPage({ cursor: query.owners }, NFT_OWNER_LIST, { tokenId }, FEW),
        transactions: parseListPage(query, TOKEN_TRANSACTION_BODY_LIST, { tokenId }, FEW),
      };
    },
    read: async (store, { tokenId, owners, transactions }) => {
      const [nft, listed, owned, history] = await Promise.all([
        getNft(store, tokenId),
        readListedToken(store, { isNft: true, tokenId }),
        readListPage(store, NFT_OWNER_LIST, owners, { tokenId }),
        readListPage(store, TOKEN_TRANSACTION_BODY_LIST, transactions, { tokenId }),
      ]);
      const tip = requireSameTip(nft, listed, owned, history);
      const transactionsOfToken = await readListedTransactions(network, store, tip, history.entries);
      return {
        tip,
        nft: nft.rows[0],
        listed: listed.listed,
        owners: owned,
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
        isUnlisted: !data.owners.isFirst || !data.transactions.isFirst,
        api: [
          `/nft/${address}`,
          `/nft/${address}/owners`,
          `/token/${address}/transactions`,
          apiPathOfListedToken({ isNft: true, tokenId }),
        ],
        body: html`<h1 class="title"><span>NFT ${nftName(metadata)}</span> ${nft.owner === null && badge('no owner', 'warning')}</h1><p class="title-id">${idHtml(address, { canCopy: true, hasIcon: true })}</p>${markNotice(site, address)}${factsOf(site, data)}${ownersOf(site, data)}${historyOf(site, data)}`,
      };
    },
  });
}

const isBurned = ({ listed, nft }: NftData): boolean => nft.owner === null && listed?.circulating_supply === 0n;

function factsOf(site: Site, data: NftData): Html {
  const { tokenId, listed, owners, transactions } = data;
  const { metadata, owner } = data.nft;
  const taken = owners.isFirst ? toldOf(transactions).get(owners.entries[0]?.tx_id ?? '')?.first : undefined;
  const nft = nftMetadataFromHex(metadata);
  return propertyList([
    ['Name', chainBytes(nft.name)],
    ['Ticker', chainBytes(nft.ticker)],
    nft.description !== '' && ['Description', chainBytes(nft.description)],
    [
      'Owner',
      owner === null
        ? noOwnerHtml(site, isBurned(data), taken)
        : wholeIdLink(site, 'address', destinationAddress(site.network, owner)),
    ],
    nft.creator !== null && [
      'Creator',
      html`${wholeIdLink(site, 'address', publicKeyAddress(site.network, nft.creator))} <span class="muted">as stated at issuance, not verified</span>`,
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

function ownersOf(site: Site, data: NftData): Html {
  const { address, owners, transactions } = data;
  // What is burned has no later owner.
  const end = owners.isFirst && isBurned(data) ? owners.entries[0] : undefined;
  const pages = pagingLinks(site, thingPath('nft', address), owners, {
    parameter: 'owners',
    query: { cursor: transactions.cursor },
    anchor: 'owners',
    label: 'Pages of the owners',
  });
  const told = toldOf(transactions);
  return html`<section><h2>Ownership history</h2>${table(owners.entries, {
    caption: 'Owners, newest first',
    id: 'owners',
    columns: [
      column('Owner', (row) =>
        row.owner === null
          ? noOwnerHtml(site, row === end, told.get(row.tx_id)?.first)
          : destinationLink(site, row.owner),
      ),
      inCard.top(column('Since', ({ timestamp }) => timeHtml(timestamp))),
      numberColumn('Block', ({ height }) => heightLink(site, height)),
      column('Transaction', ({ tx_id }) => transactionLink(site, tx_id)),
      inCard.line(
        column('Action', ({ tx_id }) => {
          const summary = told.get(tx_id);
          return summary == null ? DASH_HTML : sentenceHtml(site, transactions.names, summary, true);
        }),
      ),
    ],
    empty: 'There are no owners on this page.',
  })}${pages}</section>`;
}

function historyOf(site: Site, { address, owners, transactions }: NftData): Html {
  const pages = pagingLinks(site, thingPath('nft', address), transactions, {
    query: { owners: owners.cursor },
    anchor: 'transactions',
    label: 'Pages of the transactions',
  });
  return html`<section><h2>Transactions</h2>${transactionTable(site, transactions, { caption: 'Transactions, newest first', id: 'transactions', empty: 'There are no transactions on this page.' })}${pages}</section>`;
}
