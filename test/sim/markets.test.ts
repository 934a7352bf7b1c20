/** The trades, candles and markets of a simulated chain with reorganisations, against a naive count from its blocks. */
import assert from 'node:assert/strict';
import { parseTokenId } from '../../src/chain/address.ts';
import type { IdentifiedBlock } from '../../src/chain/types.ts';
import { upgrading as network } from '../devnet/sim/networks.ts';
import { linked, pagedRows } from '../explorer/page-values.ts';
import { getPage } from '../support/html-page.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { testOverSeeds } from '../support/seeds.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';
import { simulatedHistory, TRADING, take } from './history.ts';
import { beginning, isLower, type NaiveCandle, NaiveTrades, priceText, type SeenTrade } from './naive-trades.ts';
import { seesTip } from './patient-answers.ts';

const BLOCKS = 45;
const DAY = 24 * 3_600;
const TICKER = network.coinTicker;
/** Many fills, over weeks. */
const TRADES = {
  ...TRADING,
  name: 'trades',
  blockSeconds: { from: 100, to: 60_000 },
  weights: { ...TRADING.weights, orderCreate: 20, orderFill: 60 },
};
// biome-ignore lint/suspicious/noExplicitAny: answers of the API
type Json = any;

const lineOfTrade = (row: Json) =>
  [
    ...[row.height, row.timestamp, row.tx_id, row.order_id, row.side, row.price?.atoms ?? null],
    ...[row.base.amount.atoms, row.quote.amount.atoms, row.taker],
  ].join(' ');
const expectedLine = ({ trade, side, price, base, quote }: SeenTrade) =>
  [trade.height, trade.time, trade.txId, trade.order, side, price, base, quote, trade.taker].join(' ');

function candleOf(row: Json): NaiveCandle {
  return {
    time: row.time,
    open: row.open.atoms,
    high: row.high.atoms,
    low: row.low.atoms,
    close: row.close.atoms,
    base: BigInt(row.base_volume.atoms),
    quote: BigInt(row.quote_volume.atoms),
    trades: row.trades,
  };
}

/** The pair of two currencies as a market has it: the coin, or the token with the higher bytes, is the quote. */
function marketOf(one: string, other: string): readonly [base: string, quote: string] {
  const bytes = (currency: string) => (currency === TICKER ? '' : parseTokenId(network, currency));
  const [low, high] = bytes(one) < bytes(other) ? [one, other] : [other, one];
  return low === TICKER ? [high, low] : [low, high];
}

/** Every pair of currencies that an order ever exchanged. */
function pairsOf(naive: NaiveTrades): (readonly [base: string, quote: string])[] {
  const pairs = [...naive.orders.values()].map(({ ask, give }) => marketOf(ask.currency, give.currency));
  return [...new Map(pairs.map((pair) => [pair.join('_'), pair])).values()];
}

function expectedMarket(naive: NaiveTrades, [base, quote]: readonly [string, string], tipTime: number) {
  const priced = naive.ofPair(base, quote).filter(({ price }) => price !== null);
  const orders = naive.openOrders(base, quote);
  const within = priced.filter(({ trade }) => trade.time > tipTime - DAY && trade.time <= tipTime);
  const before = priced.filter(({ trade }) => trade.time <= tipTime - DAY).at(-1);
  const last = within.at(-1);
  const best = (isBid: boolean) =>
    orders
      .filter(({ ask, give }) => give.left > 0n && (isBid ? ask.currency === base : give.currency === base))
      .map(({ ask, give }) => (isBid ? priceText(ask.left, give.left)! : priceText(give.left, ask.left)!))
      .reduce<string | null>(
        (found, price) => (found === null || isLower(found, price) === isBid ? price : found),
        null,
      );
  const extreme = (isHigh: boolean) =>
    within.reduce<string | null>(
      (found, { price }) => (found === null || isLower(found, price!) === isHigh ? price : found),
      null,
    );
  return {
    pair: `${base}_${quote}`,
    last: priced.at(-1)?.price ?? null,
    bid: best(true),
    ask: best(false),
    orders: orders.length,
    trades: priced.length,
    change: before === undefined || last === undefined ? null : relativeChange(before.price!, last.price!),
    high: extreme(true),
    low: extreme(false),
    base: within.reduce((sum, each) => sum + each.base, 0n),
    quote: within.reduce((sum, each) => sum + each.quote, 0n),
    dayTrades: within.length,
  };
}

/** In millionths, towards 0. */
function relativeChange(before: string, after: string): bigint {
  const [[a, b], [c, d]] = [before, after].map((price) => price.split('/').map(BigInt)) as [
    [bigint, bigint],
    [bigint, bigint],
  ];
  return ((c * b - a * d) * 1_000_000n) / (a * d);
}

function millionths(text: string | null): bigint | null {
  if (text === null) return null;
  const [whole, rest = ''] = text.replace('-', '').split('.') as [string, string?];
  const value = BigInt(whole + rest.padEnd(6, '0'));
  return text.startsWith('-') ? -value : value;
}

/** Do orders offer fewer than 1,000 coins for the base at half of the last price or more? */
function isThin(naive: NaiveTrades, pair: string): boolean {
  const [base, quote] = pair.split('_') as [string, string];
  const last = naive.ofPair(base, quote).findLast(({ price }) => price !== null)?.price;
  if (quote !== TICKER || last == null) return false;
  const near = naive
    .openOrders(base, quote)
    .filter(({ ask, give }) => ask.currency === base && !isLower(priceText(ask.whole, 2n * give.whole)!, last));
  return near.reduce((sum, { give }) => sum + give.left, 0n) < 1_000n * 10n ** BigInt(network.coinDecimals);
}

const marketFields = ({ pair, last_price, bid, ask, open_orders, trades, day }: Json) => ({
  pair,
  last: last_price?.atoms ?? null,
  bid: bid?.atoms ?? null,
  ask: ask?.atoms ?? null,
  orders: open_orders,
  trades,
  change: millionths(day.change),
  high: day.high?.atoms ?? null,
  low: day.low?.atoms ?? null,
  base: BigInt(day.base_volume.atoms),
  quote: BigInt(day.quote_volume.atoms),
  dayTrades: day.trades,
});

async function compareMarkets(server: TestServer, naive: NaiveTrades, tip: IdentifiedBlock): Promise<Json[]> {
  const tipTime = tip.block.header.timestamp;
  const byName = (a: Json, b: Json) => (a.pair < b.pair ? -1 : 1);
  const expected = pairsOf(naive)
    .map((pair) => expectedMarket(naive, pair, tipTime))
    .filter(({ trades, orders }) => trades + orders > 0);
  const listed = (await server.pages('/market?items=3')).flat();
  assert.deepEqual(listed.map(marketFields).sort(byName), expected.sort(byName));
  let byTrade: Json[] = [];
  for (const sort of ['by_trade', 'by_volume', 'by_change']) {
    const sorted = (await server.pages(`/market?sort=${sort}&items=3`)).flat();
    assert.deepEqual(sorted.toSorted(byName), listed.toSorted(byName), `${sort} has the same markets`);
    const rows = await pagedRows(server, `/markets?items=4&sort=${sort}`);
    const shown = rows.map(([market]) => linked(market!));
    // A thin market has no rank by its change.
    const isRanked = ({ pair, day }: Json) => day.change !== null && !isThin(naive, pair);
    if (sort === 'by_trade') byTrade = sorted;
    if (sort === 'by_change') {
      const ranked = sorted.filter(isRanked);
      const changes = ranked.map(({ day }) => Number(day.change));
      assert.deepEqual(
        changes,
        changes.toSorted((a, b) => b - a),
      );
      assert.deepEqual(sorted, [...ranked, ...byTrade.filter((each) => !isRanked(each))]);
    }
    assert.deepEqual(
      shown,
      sorted.map(({ pair }) => pair),
      `/markets ${sort}`,
    );
    for (const [i, [, , change]] of rows.entries()) {
      const { pair, frozen_since } = sorted[i];
      const mark = frozen_since === null && isThin(naive, pair) ? 'thin market' : '–';
      if (isRanked(sorted[i])) assert.match(change!.text, /%$/, pair);
      else assert.equal(change!.text, mark, pair);
    }
  }
  for (const market of listed) await compareDirections(server, market);
  for (const { pair } of listed.slice(0, 3)) await compareEstimates(server, pair);
  const tokens = (await server.pages('/token?sort=by_height&expand=true&items=3')).flat();
  for (const { token_id: token, last_price } of tokens) {
    const last = naive.ofPair(token, TICKER).filter(({ price }) => price !== null);
    assert.equal(last_price?.atoms ?? null, last.at(-1)?.price ?? null, token);
  }
  const coinsOf = (token: string) => expectedMarket(naive, [token, TICKER], tipTime).quote;
  await compareTradedTokens(server, tokens, coinsOf, (token) => isThin(naive, `${token}_${TICKER}`));
  const tickers = (await server.json('/market?format=tickers')) as Json[];
  assert.deepEqual(
    tickers.map((ticker) => [ticker.ticker_id, ticker.last_price, ticker.bid, ticker.ask, ticker.base_volume]),
    listed
      .filter(({ trades }) => trades > 0)
      .map(({ pair, last_price, bid, ask, day }) => [
        ...[pair, last_price.decimal, bid?.decimal ?? null, ask?.decimal ?? null, day.base_volume.decimal],
      ]),
  );
  return listed;
}

/** The market by its pair is the entry of the list; the other way round prices and amounts are mirrored. */
async function compareDirections(server: TestServer, market: Json): Promise<void> {
  assert.deepEqual(await server.json(`/market/${market.pair}`), market);
  const mirrored = await server.json(`/market/${market.pair.split('_').reverse().join('_')}`);
  const inverse = (price: Json | null) => price?.atoms.split('/').reverse().join('/') ?? null;
  const prices = ({ last_price, bid, ask, day }: Json) => [last_price, bid, ask, day.high, day.low];
  const { day } = market;
  assert.deepEqual(
    prices(mirrored).map((price) => price?.atoms ?? null),
    [market.last_price, market.ask, market.bid, day.low, day.high].map(inverse),
  );
  assert.deepEqual([mirrored.base, mirrored.quote], [market.quote, market.base]);
  assert.deepEqual([mirrored.day.base_volume, mirrored.day.quote_volume], [day.quote_volume, day.base_volume]);
  assert.equal(mirrored.is_crossed, market.is_crossed);
  const [there, back] = [millionths(day.change), millionths(mirrored.day.change)];
  if (there === null) assert.equal(back, null);
  else if (there > -990_000n) assert.equal(back, 1_000_000_000_000n / (1_000_000n + there) - 1_000_000n);
}

/** What an amount costs is what the levels of the book say, on the page as well. */
async function compareEstimates(server: TestServer, pair: string): Promise<void> {
  for (const [side, orders] of [
    ['buy', 'bid'],
    ['sell', 'ask'],
  ] as const) {
    const levels = (await server.pages(`/order/pair/${pair}/book?side=${orders}&order=best`)).flat();
    for (const amount of ['1', '25.5', '900000000']) {
      const { base } = await server.json(`/market/${pair}`);
      if (base.decimals === 0 && amount.includes('.')) continue;
      const estimate = await server.json(`/market/${pair}/estimate?side=${side}&amount=${amount}`);
      let left = BigInt(estimate.amount.atoms);
      let total = 0n;
      for (const { price, amount: ofLevel } of levels) {
        const taken = left < BigInt(ofLevel.atoms) ? left : BigInt(ofLevel.atoms);
        const [numerator, denominator = 1n] = price.atoms.split('/').map(BigInt) as [bigint, bigint?];
        total += (taken * numerator + (side === 'buy' ? denominator - 1n : 0n)) / denominator;
        left -= taken;
      }
      assert.deepEqual([BigInt(estimate.total.atoms), BigInt(estimate.unfilled.atoms)], [total, left], pair);
      const { main } = await getPage(server, `/market/${pair}?side=${side}&amount=${amount}`);
      const shown = main.one('#size').atoms();
      const amounts = [total, BigInt(estimate.filled.atoms), BigInt(estimate.amount.atoms)];
      if (total > 0n) assert.ok(amounts.every((atoms) => shown.includes(atoms)));
      assert.equal(/Only .+ of |No open order can fill this/.test(main.one('#size').text), left > 0n);
    }
  }
}

/** `coinsOf`: the coins that a token was traded for in the day. */
async function compareTradedTokens(
  server: TestServer,
  tokens: readonly Json[],
  coinsOf: (token: string) => bigint,
  isThinToken: (token: string) => boolean,
): Promise<void> {
  const traded = (await server.pages('/token?sort=by_volume&expand=true&items=3')).flat();
  assert.deepEqual(new Set(traded.map(({ token_id }) => token_id)), new Set(tokens.map(({ token_id }) => token_id)));
  const volumes = traded.map(({ token_id, day_volume }) => {
    assert.equal(BigInt(day_volume.atoms), coinsOf(token_id), token_id);
    return BigInt(day_volume.atoms);
  });
  assert.deepEqual(
    volumes,
    volumes.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0)),
  );
  const byHeight: Json[] = (await server.pages('/token?sort=by_height&expand=true&items=3')).flat();
  const byId = (one: Json, other: Json) => (one.token_id < other.token_id ? -1 : 1);
  assert.deepEqual(byHeight.sort(byId), traded.toSorted(byId), 'every order has the volumes');
  const byOffset = await server.json('/token?sort=by_volume&offset=1&items=3');
  assert.deepEqual(
    byOffset,
    traded.slice(1, 4).map(({ token_id }) => token_id),
  );
  const rows = await pagedRows(server, '/tokens?items=4&sort=by_volume');
  assert.deepEqual(
    rows.map(([token]) => linked(token!)),
    traded.map(({ token_id }) => token_id),
  );
  // Nobody can trade a frozen token: the mark would say less than that.
  assert.deepEqual(
    rows.map((cells) => cells.some(({ text }) => text.includes('thin market'))),
    traded.map(({ token_id, is_frozen }) => !is_frozen && isThinToken(token_id)),
  );
}

async function comparePair(
  server: TestServer,
  naive: NaiveTrades,
  [base, quote]: readonly [string, string],
  tipTime: number,
) {
  const path = `/order/pair/${base}_${quote}`;
  const trades = naive.ofPair(base, quote);
  assert.deepEqual(
    (await server.pages(`${path}/trades?items=7`)).flat().map(lineOfTrade),
    trades.toReversed().map(expectedLine),
    path,
  );
  for (const interval of ['hour', 'day', 'week']) {
    const candles = naive.candles(base, quote, interval).reverse();
    const listed = (await server.pages(`${path}/candles?interval=${interval}&items=5`)).flat();
    assert.deepEqual(listed.map(candleOf), candles, `${path} ${interval}`);
    for (const { time, complete } of listed) assert.equal(complete, beginning(interval, tipTime) > time);
    const { time } = candles[candles.length >> 1] ?? { time: 0 };
    const range = `from=${time}&to=${tipTime}`;
    const inRange = (await server.pages(`${path}/candles?interval=${interval}&items=500&${range}`)).flat();
    assert.deepEqual(
      inRange.map(candleOf),
      candles.filter((each) => each.time >= time && each.time < tipTime),
    );
  }
}

testOverSeeds('trades, candles and markets are a naive count from the blocks, at every tip', async (seed, scope) => {
  const { steps } = simulatedHistory({ network, blocks: BLOCKS, seed, mix: TRADES, reorganisationProbability: 0.2 });
  const index = await TestIndex.create(scope, network);
  const server = await startTestWebServer(scope, { network, postgres: index.postgres });
  let mainChain: IdentifiedBlock[] = [];
  const seenSides = new Set<string>();
  let days = 0;
  for (const [i, step] of steps.entries()) {
    await take(index, step);
    mainChain = [...mainChain.slice(0, step.ancestor), ...step.blocks];
    const isReorganisation = step.blocks.length > 1;
    if (i % 20 !== 19 && i !== steps.length - 1 && !isReorganisation) continue;
    const tip = mainChain.at(-1)!;
    await seesTip(server, tip.id);
    const naive = new NaiveTrades(network, mainChain);
    const listed = await compareMarkets(server, naive, tip);
    days += listed.filter(({ day }) => day.trades > 0).length;
    for (const [base, quote] of pairsOf(naive)) {
      await comparePair(server, naive, [base, quote], tip.block.header.timestamp);
      await comparePair(server, naive, [quote, base], tip.block.header.timestamp);
      for (const { side } of naive.ofPair(base, quote)) seenSides.add(side);
    }
    for (const order of naive.orders.keys()) {
      const fills = (await server.pages(`/order/${order}/fills?items=4`)).flat();
      const expected = naive.trades.filter((trade) => trade.order === order).reverse();
      assert.deepEqual(
        fills.map(({ tx_id, side, base, quote }) => [tx_id, side, base.amount.atoms, quote.amount.atoms].join(' ')),
        expected.map((trade) => {
          const { paid, given } = trade;
          const [base] = marketOf(paid.currency, given.currency);
          return base === given.currency
            ? [trade.txId, 'buy', given.amount, paid.amount].join(' ')
            : [trade.txId, 'sell', paid.amount, given.amount].join(' ');
        }),
      );
    }
  }
  assert.deepEqual([...seenSides].sort(), ['buy', 'sell']);
  assert.ok(days > 0, 'no market had a trade within a day of the tip');
});
