/** `/token/{id}`: a fungible token: its supply, holders, authority, markets and transactions. */

import { requestedPair } from '../../answers/markets.ts';
import { freezingOf, type TokenLabels } from '../../answers/token-label.ts';
import type { TransactionOutline } from '../../answers/transaction-outline.ts';
import { pairName, tokenAddress } from '../../chain/address.ts';
import { COIN } from '../../chain/currency.ts';
import { marketOf } from '../../chain/market.ts';
import type { Atoms, Id } from '../../chain/types.ts';
import { tickerIsUnique } from '../../render/unique-ticker.ts';
import { CANDLE_LIST, type CandleEntryRow } from '../../store/queries/orders/candles.ts';
import { getMarket, type MarketRow } from '../../store/queries/orders/markets.ts';
import { HOLDER_BALANCE_LIST, type HolderBalanceRow } from '../../store/queries/tokens/holders.ts';
import {
  TOKEN_EVENT_LIST,
  TOKEN_EVENT_NAMES,
  type TokenEventEntryRow,
  type TokenEventName,
} from '../../store/queries/tokens/token-events.ts';
import {
  getOlderNamesake,
  getTokenSummary,
  type NamesakeRow,
  type TokenSummaryRow,
} from '../../store/queries/tokens/tokens.ts';
import { TOKEN_TRANSACTION_BODY_LIST, type TransactionRow } from '../../store/queries/transactions/transactions.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { SnapshotTip } from '../../store/read/query.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { pageNotFound } from '../page-error.ts';
import { amountHtml, coinAmount, coinUnit, countHtml, maxDecimalsOf, noneHtml } from '../parts/amount.ts';
import { EVENT_NAMES, tokenEventTable } from '../parts/balance-change-and-token-event-tables.ts';
import { marketCandles } from '../parts/candles.ts';
import { bytesAsText, chainUriBytes, plainChainText } from '../parts/chain-text.ts';
import { parseChoice } from '../parts/filter-form.ts';
import { destinationLink, heightLink, idHtml, thingPath, tokenLink } from '../parts/id-links.ts';
import { markNotice } from '../parts/operator-mark.ts';
import {
  entryCount,
  fold,
  listChoices,
  pagingLinks,
  parseListPage,
  readListPage,
  type ShownPage,
} from '../parts/paging.ts';
import { banner, namedDetail, propertyList, tile, tiles } from '../parts/properties-and-badges.ts';
import { timeHtml } from '../parts/time.ts';
import {
  authorityPowers,
  describeFreezing,
  describeSupply,
  frozenBadge,
  holderConcentration,
  holderDownloads,
  holderTable,
  tokenAmount,
} from '../parts/token.ts';
import { crossedBadge, dayChange, marketLink, priceOfAmounts, thinBadge } from '../parts/trading-pair.ts';
import { type ListedTransactions, transactionTable } from '../parts/transaction-table.ts';
import { watchedHeading } from '../parts/watch-controls.ts';
import { readListedTransactions, readOutlines } from '../read/listed-transactions.ts';
import { apiPathOfListedToken } from '../read/token-list-entry.ts';
import type { Site } from '../site.ts';
import { parseTokenIdInput } from '../visitor-input.ts';
import { newestFirst, say, type Words } from '../words/catalogue.ts';

const FEW = '10';
/** The days in the chart of prices. */
const CANDLES = 90;
const LARGEST = 10;

interface TokenData {
  readonly tip: SnapshotTip;
  readonly tokenId: Id;
  readonly address: string;
  readonly token: TokenSummaryRow;
  /** The oldest token with the same ticker, if this one is not older. */
  readonly namesake: NamesakeRow | undefined;
  /** The ticker, for column labels. */
  readonly ticker: string;
  readonly holders: ShownPage<HolderBalanceRow>;
  readonly largest: readonly HolderBalanceRow[];
  /** Prices in coins by day. */
  readonly candles: readonly CandleEntryRow[];
  /** That with the coin; null without trades and open orders. */
  readonly market: MarketRow | null;
  readonly transactions: ShownPage<TransactionRow> & ListedTransactions;
  readonly events: ShownPage<TokenEventEntryRow>;
  /** That of the events, if only one was asked for. */
  readonly kind: TokenEventName | undefined;
  readonly outlinesOfEvents: readonly TransactionOutline[];
}

export function tokenPage({ site }: ExplorerContext): AnyPage {
  const { network } = site;
  return definePage({
    path: '/token/:id',
    parse: ({ params, query }) => {
      const tokenId = parseTokenIdInput(network, params.id!);
      const holders = parseListPage({ cursor: query.holders }, HOLDER_BALANCE_LIST, { currency: tokenId }, FEW);
      const transactions = parseListPage(query, TOKEN_TRANSACTION_BODY_LIST, { tokenId }, FEW);
      const kind = parseChoice(query, 'event', TOKEN_EVENT_NAMES) ?? undefined;
      const events = parseListPage({ cursor: query.events }, TOKEN_EVENT_LIST, { tokenId, kind }, FEW);
      return { tokenId, holders, transactions, kind, events };
    },
    read: async (store, { tokenId, holders, transactions, kind, events }) => {
      const currency = tokenId;
      const [summary, namesake, page, largest, candles, market, history, happened] = await Promise.all([
        getTokenSummary(store, tokenId),
        getOlderNamesake(store, tokenId),
        readListPage(store, HOLDER_BALANCE_LIST, holders, { currency }),
        holders.after === null ? null : HOLDER_BALANCE_LIST.read(store, { currency, after: null, limit: LARGEST }),
        CANDLE_LIST.read(store, {
          market: marketOf(tokenId, COIN),
          interval: 'day',
          from: null,
          to: null,
          after: null,
          limit: CANDLES,
        }),
        getMarket(store, tokenId, COIN),
        readListPage(store, TOKEN_TRANSACTION_BODY_LIST, transactions, { tokenId }),
        readListPage(store, TOKEN_EVENT_LIST, events, { tokenId, kind }),
      ]);
      const [token = null] = summary.rows;
      const tip = requireSameTip(summary, namesake, page, largest ?? page, candles, market, history, happened);
      const transactionsOfToken = await readListedTransactions(network, store, tip, history.entries);
      return {
        tip,
        token,
        namesake: namesake.rows[0],
        holders: page,
        largest: (largest ?? page).rows.slice(0, LARGEST),
        candles: candles.rows.filter((row) => CANDLE_LIST.isEntry(row)),
        market: market.rows[0] ?? null,
        transactions: { ...history, ...transactionsOfToken },
        events: happened,
        outlinesOfEvents: await readOutlines(
          network,
          store,
          tip,
          happened.entries.map(({ tx_id }) => tx_id),
        ),
      };
    },
    render: ({ tip, token, ...lists }, { tokenId, kind }) => {
      const address = tokenAddress(network, tokenId);
      if (!token) throw pageNotFound(say('There is no token with the id {address} in the chain.', { address }));
      const ticker = plainChainText(Buffer.from(token.ticker, 'hex').toString('utf8'), 24);
      const data: TokenData = { ...lists, tip, tokenId, address, token, ticker, kind };
      return {
        title: say('Token {ticker}', { ticker }),
        description: say(
          'The token {ticker} ({address}) on Mintlayer {network}: {holders} holders at block {height}.',
          { ticker, address, network: network.name, holders: token.holders, height: tip.height },
        ),
        section: 'tokens',
        canonical: thingPath('token', address),
        isUnlisted: !data.holders.isFirst || !data.transactions.isFirst || !data.events.isFirst || kind !== undefined,
        api: [
          `/token/${address}`,
          `/statistics/token/${address}`,
          `/statistics/token/${address}/holders?sort=total`,
          `/token/${address}/transactions`,
          `/token/${address}/events${kind === undefined ? '' : `?kind=${kind}`}`,
          ...(data.market === null ? [] : [`/market/${pairName(network, tokenId, COIN)}`]),
          `/order/pair/${pairName(network, tokenId, COIN)}/candles?interval=day`,
          apiPathOfListedToken({ isNft: false, tokenId }),
        ],
        body: body(site, data),
      };
    },
  });
}

/** The most characters of a ticker in the heading. */
const SHOWN_TICKER = 24;

function body(site: Site, data: TokenData): Html {
  const { token, address } = data;
  const freezing = freezingOf([token]);
  const frozen = frozenBadge(freezing);
  const since = freezing && html`· frozen since block ${heightLink(site, freezing.since)}`;
  return html`${watchedHeading(site, 'token', address, html`<h1 class="title"><span>Token ${bytesAsText(token.ticker, { most: SHOWN_TICKER })}</span> ${frozen} ${thinBadge(site, data.market)} ${crossedBadge(data.market)}</h1>`)}<p class="title-id">${idHtml(address, { canCopy: true, hasIcon: true })}</p><p class="muted">Issued on ${timeHtml(token.creation_timestamp, 'day')} in block ${heightLink(site, token.creation_height)} ${since}</p>${markNotice(site, address)}${namesakesOf(site, data)}${tilesOf(site, data)}${factsOf(site, token)}${data.market === null ? holdersOf(site, data) : html`<div class="columns">${pricesOf(site, data)}${holdersOf(site, data)}</div>`}${fold('Details', detailsOf(site, token))}${eventsOf(site, data)}${historyOf(site, data)}`;
}

/** Warns of a token whose ticker an older one has, or the coin; tells the oldest one that others have it. */
function namesakesOf(site: Site, { token, namesake: older, ticker }: TokenData): Html | null {
  if (tickerIsUnique(site.network, token)) return null;
  if (ticker.toLowerCase() === site.network.coinTicker.toLowerCase()) {
    return banner(html`This token has the ticker of the coin, but is not the coin.`, 'warning');
  }
  const holders = (count: number) => html`${countHtml(count)} ${count === 1 ? 'holder' : 'holders'}`;
  const all = site.href('/tokens', { ticker });
  if (older !== undefined) {
    return banner(
      html`The ticker ${ticker} was first used in block ${heightLink(site, older.creation_height)} by ${tokenLink(site, older.token_id)}, with ${holders(older.holders)}; this token has ${holders(token.holders)}. <a href="${all}">All with this ticker</a>`,
      'warning',
    );
  }
  return banner(html`Newer tokens use this ticker too: <a href="${all}">see them all</a>.`);
}

function tilesOf(site: Site, { tokenId, token, market }: TokenData): Html {
  const link = (content: Html) => marketLink(site, tokenId, COIN, content);
  const price = (ofBase: Atoms | null, ofQuote: Atoms | null) =>
    priceOfAmounts(ofBase, ofQuote, { base: token.decimals, quote: site.network.coinDecimals });
  const prices = market && [
    price(market.last_base, market.last_quote),
    price(market.bid_base, market.bid_quote),
    price(market.ask_base, market.ask_quote),
  ];
  // Prices beside each other are compared: they have the same decimals.
  const decimals = maxDecimalsOf((prices ?? []).flatMap((each) => each ?? []));
  const [last, bid, ask] = (prices ?? []).map(
    (each) => each && amountHtml(each, { unit: coinUnit(site), isRounded: true, decimals }),
  );
  // Orders of a frozen token cannot be filled.
  const best = (name: Words, found: Html | null | undefined) =>
    freezingOf([token]) === null && tile(name, found ?? html`<span class="muted">no orders</span>`);
  return tiles([
    last
      ? tile('Last price', link(last), dayChange(site, market!))
      : tile('Last price', noneHtml(), html`${link(html`not traded against ${site.network.coinTicker} yet`)}`),
    market && best('Best bid', bid),
    market && best('Best ask', ask),
    market &&
      tile(
        'Volume, 24 h',
        coinAmount(site, market.day_quote_volume, { isRounded: true }),
        html`<a href="${site.href('/orders', { pair: pairName(site.network, tokenId, COIN) })}">${namedDetail('Open orders', countHtml(market.open_orders))}</a>`,
      ),
    tile('Circulating supply', tokenAmount(token, token.unburned_supply, { isRounded: true })),
    tile('Holders', countHtml(token.holders)),
  ]);
}

const factsOf = (site: Site, token: TokenSummaryRow): Html =>
  propertyList([
    ['Maximum supply', describeSupply(token)],
    ['Freezing', describeFreezing(token)],
    [
      'Authority',
      html`${destinationLink(site, token.authority)}<br><span class="muted">can ${authorityPowers(token)}</span>`,
    ],
  ]);

function detailsOf(site: Site, token: TokenSummaryRow): Html {
  const shown = (atoms: bigint) => tokenAmount(token, atoms);
  const lost = token.circulating_supply - token.unburned_supply;
  const unminted = token.burned - lost;
  return propertyList([
    token.ticker.length > 2 * SHOWN_TICKER && ['Ticker', bytesAsText(token.ticker)],
    ['Metadata', token.metadata_uri === '' ? noneHtml() : chainUriBytes(site, token.metadata_uri)],
    ['Decimals', countHtml(token.decimals)],
    lost !== 0n && ['Supply including burned tokens', shown(token.circulating_supply)],
    lost !== 0n && ['Burned', shown(lost)],
    unminted !== 0n && ['Unminted by the authority', shown(unminted)],
    ['Next nonce', countHtml(token.next_nonce)],
  ]);
}

function holdersOf(
  site: Site,
  { tip, token, address, ticker, holders: shown, largest, transactions, events, kind }: TokenData,
): Html {
  const { decimals, holders, unburned_supply: circulatingSupply } = token;
  const pages = pagingLinks(site, thingPath('token', address), shown, {
    parameter: 'holders',
    query: { cursor: transactions.cursor, events: events.cursor, event: kind },
    anchor: 'holders',
    of: 'Holders',
  });
  const concentration = holderConcentration(largest, { holders, circulatingSupply });
  const list = html`<div>${concentration}</div>${holderTable(site, shown.entries, { ticker, decimals, circulatingSupply })}${pages}${holderDownloads(site, address, tip)}`;
  return fold('Holders', list, { count: countHtml(holders), isOpen: true });
}

/** The market with the coin: its prices by day. */
function pricesOf(site: Site, { tokenId, token, candles }: TokenData): Html {
  const labels: TokenLabels = new Map([[tokenId, { ...token, metadata: null }]]);
  const chart = marketCandles(site, labels, requestedPair([tokenId, COIN]), 'day', candles);
  const more = html`<p class="paging">${marketLink(site, tokenId, COIN, html`Prices, trades and order book`)}</p>`;
  return fold('Market', html`${chart}${more}`, { isOpen: true });
}

function eventsOf(site: Site, data: TokenData): Html {
  const { token, address, events, kind, outlinesOfEvents } = data;
  const path = thingPath('token', address);
  const query = { holders: data.holders.cursor, cursor: data.transactions.cursor };
  const choice = (event: TokenEventName | undefined, text: Words) => ({
    text,
    url: site.href(path, { ...query, event }, '#events-list'),
    isShown: event === kind,
  });
  const kinds = TOKEN_EVENT_NAMES.map((event) => choice(event, EVENT_NAMES[event]));
  const isWhole = kind === undefined && events.isFirst && events.nextCursor === null;
  const pages = pagingLinks(site, path, events, {
    parameter: 'events',
    query: { ...query, event: kind },
    anchor: 'events-list',
    of: 'Events',
  });
  const list = html`${!isWhole && listChoices('Kinds of events', [choice(undefined, 'All'), ...kinds])}${tokenEventTable(site, events.entries, outlinesOfEvents, token)}${pages}`;
  return fold('Events', list, {
    count: kind === undefined ? entryCount(token.events) : undefined,
    isOpen: kind !== undefined || !events.isFirst,
  });
}

function historyOf(site: Site, { token, address, holders, transactions, events, kind }: TokenData): Html {
  const pages = pagingLinks(site, thingPath('token', address), transactions, {
    query: { holders: holders.cursor, events: events.cursor, event: kind },
    anchor: 'transactions',
    of: 'Transactions',
  });
  const list = transactionTable(site, transactions, {
    caption: newestFirst('Transactions'),
    id: 'transactions',
    empty: 'There are no transactions yet.',
  });
  return fold('Transactions', html`${list}${pages}`, {
    count: entryCount(token.transactions),
    isOpen: !transactions.isFirst,
  });
}
