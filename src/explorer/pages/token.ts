/** `/token/{id}`: a fungible token: supply, holders, authority, market, transactions. */
import { notFound } from '../../api/errors/api-error.ts';
import { shownEntries } from '../../api/pagination/list-result.ts';
import { type ListPage, rowRange } from '../../api/pagination/paging.ts';
import type { TokenLabels } from '../../api/present/token-label.ts';
import { tokenAddress } from '../../chain/address.ts';
import { COIN } from '../../chain/currency.ts';
import type { Id } from '../../chain/types.ts';
import { HOLDER_BALANCE_LIST, type HolderBalanceRow, type HolderKey } from '../../store/queries/holders.ts';
import { type OrderRow, PAIR_ORDER_LIST } from '../../store/queries/orders.ts';
import { getNft, getTokenSummary, type TokenSummaryRow } from '../../store/queries/tokens.ts';
import {
  type ListedTransactionRow,
  type TransactionKey,
  WHOLE_TOKEN_TRANSACTION_LIST,
} from '../../store/queries/transactions.ts';
import type { SnapshotTip } from '../../store/read/batched-query.ts';
import type { Explorer } from '../explorer-context.ts';
import { type Html, html } from '../html.ts';
import { type AnyPage, definePage, sameTip } from '../page.ts';
import { amount, count, exactAmount } from '../parts/amount.ts';
import { badge } from '../parts/badge.ts';
import { chainBytes, chainUriBytes, plainChainText } from '../parts/chain-text.ts';
import { facts } from '../parts/facts.ts';
import { concentration, holderTable } from '../parts/holders.ts';
import { destinationLink, heightLink, idText, thingPath } from '../parts/ids.ts';
import { orderTable } from '../parts/order-table.ts';
import { cursorOf, paging, parseListPage } from '../parts/paging.ts';
import { marketLink, pairName } from '../parts/pair.ts';
import { time } from '../parts/time.ts';
import { tokenHistory } from '../parts/token-history.ts';
import { freezeWords, supplyWords, tokenAmount } from '../parts/token-words.ts';
import { listedTokenPath } from '../read/listed-token.ts';
import { visitorTokenId } from '../read/visitor-ids.ts';
import type { Site } from '../site.ts';

const FEW = '10';
const MARKET_ORDERS = 5;
const LARGEST = 10;

interface TokenParams {
  readonly tokenId: Id;
  readonly holders: ListPage<HolderKey>;
  readonly transactions: ListPage<TransactionKey>;
}

interface TokenData {
  readonly tip: SnapshotTip;
  /** Null where there is none. */
  readonly token: TokenSummaryRow | null;
  readonly isNft: boolean;
  /** The page of the list. */
  readonly holders: readonly HolderBalanceRow[];
  readonly largest: readonly HolderBalanceRow[];
  readonly orders: readonly OrderRow[];
  readonly transactions: readonly ListedTransactionRow[];
}

export function tokenPage({ site }: Explorer): AnyPage {
  const { network } = site;
  return definePage<TokenParams, TokenData>({
    path: '/token/:id',
    parse: ({ params, query }) => {
      const tokenId = visitorTokenId(network, params.id!);
      const holders = parseListPage({ cursor: query.holders }, HOLDER_BALANCE_LIST, { currency: tokenId }, FEW);
      const transactions = parseListPage(query, WHOLE_TOKEN_TRANSACTION_LIST, { tokenId }, FEW);
      return { tokenId, holders, transactions };
    },
    read: async (store, { tokenId, holders, transactions }) => {
      const currency = tokenId;
      const [summary, page, largest, orders, history] = await Promise.all([
        getTokenSummary(store, tokenId),
        HOLDER_BALANCE_LIST.read(store, { currency, ...rowRange(holders) }),
        holders.after === null ? null : HOLDER_BALANCE_LIST.read(store, { currency, after: null, limit: LARGEST }),
        PAIR_ORDER_LIST.read(store, { pair: [tokenId, COIN], after: null, limit: MARKET_ORDERS }),
        WHOLE_TOKEN_TRANSACTION_LIST.read(store, { tokenId, ...rowRange(transactions) }),
      ]);
      const [token = null] = summary.rows;
      const nft = token === null ? await getNft(store, tokenId) : null;
      return {
        tip: sameTip(summary, page, largest ?? page, orders, history, nft ?? summary),
        token,
        isNft: nft !== null && nft.rows.length > 0,
        holders: page.rows,
        largest: (largest ?? page).rows.slice(0, LARGEST),
        orders: orders.rows,
        transactions: history.rows,
      };
    },
    render: (data, params) => {
      const { token, isNft } = data;
      const address = tokenAddress(network, params.tokenId);
      if (isNft) return { location: thingPath('nft', address) };
      if (!token) throw notFound(`There is no token with the id ${address} in the chain`);
      const ticker = plainChainText(Buffer.from(token.ticker, 'hex').toString('utf8'), 24);
      const isFirst = params.holders.after === null && params.transactions.after === null;
      return {
        title: `Token ${ticker}`,
        description: `The token ${ticker} (${address}) on Mintlayer ${network.name}: ${token.holders} holders at block ${data.tip.height}.`,
        section: 'tokens',
        canonical: thingPath('token', address),
        isUnlisted: !isFirst,
        api: [
          `/token/${address}`,
          `/statistics/token/${address}`,
          `/statistics/token/${address}/holders?sort=total`,
          `/token/${address}/transactions`,
          `/order/pair/${pairName(network, params.tokenId, COIN)}`,
          listedTokenPath({ isNft: false, tokenId: params.tokenId }),
        ],
        body: body(site, { ...data, token }, params, { address, ticker }),
      };
    },
  });
}

/** Characters of a ticker in the heading. */
const SHOWN_TICKER = 24;

interface Names {
  readonly address: string;
  /** For labels. */
  readonly ticker: string;
}

interface FoundToken extends TokenData {
  readonly token: TokenSummaryRow;
}

function body(site: Site, data: FoundToken, params: TokenParams, names: Names): Html {
  const { token } = data;
  const frozen = token.is_frozen ? badge('frozen', 'bad') : null;
  const locked = token.is_locked ? badge('supply locked') : null;
  return html`<h1 class="title">Token ${chainBytes(token.ticker, { most: SHOWN_TICKER })} ${frozen} ${locked}</h1><p class="title-id">${idText(names.address, { canCopy: true })}</p>${factsOf(site, token)}<div class="columns">${holdersOf(site, data, params, names)}${marketOf(site, data, params, names)}</div>${historyOf(site, data, params, names)}`;
}

function factsOf(site: Site, token: TokenSummaryRow): Html {
  const shown = (atoms: bigint) => tokenAmount(token, atoms);
  const lost = token.circulating_supply - token.unburned_supply;
  return facts([
    ['Circulating', shown(token.unburned_supply)],
    token.ticker.length > 2 * SHOWN_TICKER && ['Ticker', chainBytes(token.ticker)],
    ['Supply', supplyWords(token)],
    lost !== 0n && [
      'Minted, less unminted',
      html`${shown(token.circulating_supply)} <span class="muted">of which ${amount(exactAmount(lost, token.decimals))} burned without being unminted</span>`,
    ],
    token.burned !== 0n && ['Burned so far', shown(token.burned)],
    ['Freezing', freezeWords(token)],
    ['Holders', count(token.holders)],
    ['Decimals', count(token.decimals)],
    ['Authority', destinationLink(site, token.authority, { isShort: false })],
    ['Metadata', token.metadata_uri === '' ? html`<span class="muted">none</span>` : chainUriBytes(token.metadata_uri)],
    ['Issued in block', html`${heightLink(site, token.creation_height)}, ${time(token.creation_timestamp)}`],
    ['Next nonce', html`${count(token.next_nonce)} <span class="muted">for the authority's next command</span>`],
  ]);
}

function holdersOf(site: Site, data: FoundToken, params: TokenParams, { address, ticker }: Names): Html {
  const { decimals, holders, unburned_supply: circulatingSupply } = data.token;
  const { entries, nextCursor } = shownEntries(HOLDER_BALANCE_LIST, params.holders, data.holders);
  const pages = paging(site, thingPath('token', address), {
    isFirst: params.holders.after === null,
    nextCursor,
    parameter: 'holders',
    query: { cursor: cursorOf(WHOLE_TOKEN_TRANSACTION_LIST, params.transactions) },
    anchor: 'holders',
    label: 'Pages of the holders',
  });
  return html`<section><h2>Holders</h2>${concentration(data.largest, { holders, circulatingSupply })}${holderTable(site, entries, { ticker, decimals, circulatingSupply })}${pages}</section>`;
}

function marketOf(
  site: Site,
  { token, orders }: FoundToken,
  { tokenId }: TokenParams,
  { address, ticker }: Names,
): Html {
  const { coinTicker } = site.network;
  const labels: TokenLabels = new Map([[tokenId, { ticker: token.ticker, decimals: token.decimals, metadata: null }]]);
  const pair = pairName(site.network, tokenId, COIN);
  const links = html`<p>${marketLink(site, tokenId, COIN, `Order book in ${coinTicker}`)} · <a href="${site.href('/orders', { pair })}">all open orders in ${coinTicker}</a></p>`;
  const other = html`<form class="filter" method="get" action="${site.href('/orders')}"><input type="hidden" name="first" value="${address}"><label>Against another token <input name="second" required maxlength="100" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="the other token's id"></label><button type="submit">Show</button></form>`;
  return html`<section><h2>Markets</h2>${links}${orderTable(site, labels, orders, {
    caption: `Newest open orders between ${ticker} and ${coinTicker}`,
    empty: `No order between ${ticker} and ${coinTicker} is open.`,
  })}${other}</section>`;
}

function historyOf(site: Site, data: FoundToken, params: TokenParams, { address, ticker }: Names): Html {
  const { decimals } = data.token;
  const { entries, nextCursor } = shownEntries(WHOLE_TOKEN_TRANSACTION_LIST, params.transactions, data.transactions);
  const pages = paging(site, thingPath('token', address), {
    isFirst: params.transactions.after === null,
    nextCursor,
    query: { holders: cursorOf(HOLDER_BALANCE_LIST, params.holders) },
    anchor: 'transactions',
    label: 'Pages of the transactions',
  });
  return html`<section><h2>Transactions</h2>${tokenHistory(site, entries, { tokenId: params.tokenId, ticker, decimals })}${pages}</section>`;
}
