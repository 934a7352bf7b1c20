/** Trades made by hand: at the edges of hours, days and weeks, where timestamps go back, of nothing, and with decimals. */
import assert from 'node:assert/strict';
import { destinationAddress, orderAddress, tokenAddress } from '../../src/chain/address.ts';
import { deriveOrderId, deriveTokenId, transactionId } from '../../src/chain/derive-ids.ts';
import { tokenIdGenerationAt } from '../../src/chain/networks/network.ts';
import type { SignedTransaction, TxInput, TxOutput } from '../../src/chain/types.ts';
import { COIN, coins, OWNER, signed, spend, tokens, transfer } from '../ledger/small-world.ts';
import { HandmadeChain, handmadeServers, issueToken, tokenCommand } from '../support/handmade-chain.ts';
import { GENESIS_TIMESTAMP, SECONDS_PER_BLOCK } from '../support/small-chain.ts';

const OTHER = `01${'0b'.repeat(20)}`;
const HOUR = 3_600;
const DAY = 24 * HOUR;
/** A Sunday; the week from Monday on begins at the end of it. */
const SUNDAY = Date.UTC(2023, 10, 19) / 1_000;
const MONDAY = SUNDAY + DAY;
const TUESDAY = MONDAY + DAY;

const chain = new HandmadeChain([
  transfer(coins(100_000n * COIN)),
  { type: 'Transfer', destination: OTHER, value: coins(50n * COIN) },
]);
const { network } = chain;

let left = 100_000n * COIN;
let change: TxInput = spend(network.genesisId, 0, 'BlockReward');
function made(
  inputs: readonly TxInput[],
  outputs: readonly TxOutput[],
  first: readonly TxInput[] = [],
): SignedTransaction {
  left -= 2_000n * COIN;
  const transaction = signed([...first, change, ...inputs], [transfer(coins(left)), ...outputs]);
  change = spend(transactionId(transaction.transaction), 0);
  return transaction;
}

function addAt(time: number, transactions: readonly SignedTransaction[]): void {
  const usual = GENESIS_TIMESTAMP + (chain.blocks.length + 1) * SECONDS_PER_BLOCK;
  chain.add({ transactions, secondsLater: time - usual });
}

const issued = made([], [issueToken('544b', '', 3, { type: 'Unlimited' })]);
const TOKEN = deriveTokenId(issued.transaction.inputs, tokenIdGenerationAt(network, 1))!;
addAt(GENESIS_TIMESTAMP + 120, [issued]);
const mint = tokenCommand(0n, { type: 'MintTokens', tokenId: TOKEN, amount: 1_000_000n });
const minted = made([mint], [transfer(tokens(TOKEN, 900_000n)), transfer(tokens(TOKEN, 100_000n))]);
addAt(GENESIS_TIMESTAMP + 240, [minted]);
const [forSale, toPay] = [1, 2].map((index) => spend(transactionId(minted.transaction), index)) as [TxInput, TxInput];
/** Sells 900 tokens for 1,800 coins. */
const sale: TxOutput = {
  type: 'CreateOrder',
  order: { concludeKey: OWNER, ask: coins(1_800n * COIN), give: tokens(TOKEN, 900_000n) },
};
/** Buys 100 tokens for 150 coins. */
const purchase: TxOutput = {
  type: 'CreateOrder',
  order: { concludeKey: OWNER, ask: tokens(TOKEN, 100_000n), give: coins(150n * COIN) },
};
const offered = made([forSale], [sale]);
const wanted = made([], [purchase]);
addAt(GENESIS_TIMESTAMP + 360, [offered, wanted]);
const [SALE, PURCHASE] = [offered, wanted].map(({ transaction }) => deriveOrderId(transaction.inputs)!) as [
  string,
  string,
];

const fill = (orderId: string, fillAmount: bigint): TxInput => tokenCommandOfOrder(orderId, fillAmount);
function tokenCommandOfOrder(orderId: string, fillAmount: bigint): TxInput {
  return { type: 'AccountCommand', nonce: 0n, command: { type: 'FillOrder', orderId, fillAmount, destination: OWNER } };
}

// Two fills in one transaction, 2 and 2.0000…: the last second of the week.
addAt(MONDAY - 1, [made([fill(SALE, 20n * COIN), fill(SALE, 40n * COIN)], [transfer(tokens(TOKEN, 30_000n))])]);
// The first second of the next week, by somebody whose coins come after the command.
addAt(MONDAY, [
  signed(
    [fill(SALE, 50n * COIN), spend(network.genesisId, 1, 'BlockReward')],
    [{ type: 'Transfer', destination: OTHER, value: tokens(TOKEN, 25_000n) }],
  ),
]);
// Back into the old week: the median is still lower.
const backInTime = made([fill(PURCHASE, 20_000n), toPay], [transfer(tokens(TOKEN, 80_000n))]);
addAt(MONDAY - 60, [backInTime]);
// Nothing at all, by nobody.
addAt(MONDAY + 60, [signed([fill(SALE, 0n)])]);
// Less than the smallest part of a token: 1 atom of a coin for nothing.
addAt(MONDAY + HOUR, [made([fill(SALE, 1n)], [])]);
// On the next day, and then an hour before that, on the same day.
addAt(TUESDAY + HOUR + 30, [made([fill(SALE, 20n * COIN)], [transfer(tokens(TOKEN, 10_000n))])]);
const rest = spend(transactionId(backInTime.transaction), 1);
// With it somebody pays what nearly two atoms of the token cost, and gets one.
addAt(TUESDAY + HOUR - 30, [
  made([fill(PURCHASE, 20_000n), rest], [transfer(tokens(TOKEN, 60_000n))]),
  made([fill(SALE, 399_999_999n)], [transfer(tokens(TOKEN, 1n))]),
]);

const servers = handmadeServers(chain);
const PAIR = `${tokenAddress(network, TOKEN)}_${network.coinTicker}`;
const INVERSE = `${network.coinTicker}_${tokenAddress(network, TOKEN)}`;
// biome-ignore lint/suspicious/noExplicitAny: answers of the API
type Json = any;

servers.alike('each fill is a trade with its price, in both directions of the pair', async (server) => {
  const trades = (await server.pages(`/order/pair/${PAIR}/trades?items=3`)).flat();
  const shown = ({ side, price, base, quote, taker }: Json) => [
    ...[side, price?.decimal ?? null, base.amount.decimal, quote.amount.decimal],
    taker === null ? null : taker === destinationAddress(network, OTHER) ? 'other' : 'owner',
  ];
  assert.deepEqual(trades.map(shown), [
    ['buy', '2', '0.001', '0.00399999999', 'owner'],
    ['sell', '1.5', '20', '30', 'owner'],
    ['buy', '2', '10', '20', 'owner'],
    ['buy', null, '0', '0.00000000001', 'owner'],
    ['buy', null, '0', '0', null],
    ['sell', '1.5', '20', '30', 'owner'],
    ['buy', '2', '25', '50', 'other'],
    ['buy', '2', '20', '40', 'owner'],
    ['buy', '2', '10', '20', 'owner'],
  ]);
  const [first] = (await server.json(`/order/pair/${INVERSE}/trades?items=100`)).items.slice(6);
  assert.deepEqual(
    [first.side, first.price, first.base.amount.decimal, first.base.ticker, first.quote.decimals],
    [...['sell', { decimal: '0.5', atoms: '1/200000000' }, '50', network.coinTicker, 3]],
  );
  const fills = (await server.json(`/order/${orderAddress(network, PURCHASE)}/fills`)).items;
  assert.deepEqual(fills.map(shown), [
    ['sell', '1.5', '20', '30', 'owner'],
    ['sell', '1.5', '20', '30', 'owner'],
  ]);
});

servers.alike(
  'trades as CSV name each currency by its id and its ticker, in the direction of the pair',
  async (server) => {
    const id = tokenAddress(network, TOKEN);
    const coin = network.coinTicker;
    for (const [pair, names] of [
      [PAIR, [id, 'TK', coin, coin]],
      [INVERSE, [coin, coin, id, 'TK']],
    ] as const) {
      const { text } = await server.get(`/order/pair/${pair}/trades?format=csv`);
      const [columns, first] = text.split('\r\n').map((line) => line.split(',')) as [string[], string[]];
      const wanted = ['base_currency', 'base_ticker', 'quote_currency', 'quote_ticker'];
      assert.deepEqual(
        wanted.map((name) => first[columns.indexOf(name)]),
        names,
      );
    }
  },
);

servers.alike(
  'candles are by the timestamps of blocks, and open and close by their place in the chain',
  async (server) => {
    const candles = async (interval: string, pair = PAIR) =>
      (await server.json(`/order/pair/${pair}/candles?interval=${interval}`)).items.map(
        ({ time, open, high, low, close, trades, complete }: Json) => [
          ...[time, open.decimal, high.decimal, low.decimal, close.decimal, trades, complete],
        ],
      );
    assert.deepEqual(await candles('hour'), [
      [TUESDAY + HOUR, '2', '2', '2', '2', 1, false],
      [TUESDAY, '1.5', '2', '1.5', '2', 2, false],
      [MONDAY, '2', '2', '2', '2', 1, true],
      [MONDAY - HOUR, '2', '2', '1.5', '1.5', 3, true],
    ]);
    assert.deepEqual(await candles('day'), [
      [TUESDAY, '2', '2', '1.5', '2', 3, false],
      [MONDAY, '2', '2', '2', '2', 1, true],
      [SUNDAY, '2', '2', '1.5', '1.5', 3, true],
    ]);
    assert.deepEqual(await candles('week'), [
      [MONDAY, '2', '2', '1.5', '2', 4, false],
      [MONDAY - 7 * DAY, '2', '2', '1.5', '1.5', 3, true],
    ]);
    assert.deepEqual((await candles('week', INVERSE))[1], [MONDAY - 7 * DAY, '0.5', '0.666', '0.5', '0.666', 3, true]);
  },
);

servers.alike('a market has its newest price, and the best of its open orders', async (server) => {
  const [market, ...others] = (await server.json('/market')).items;
  assert.deepEqual(others, []);
  assert.deepEqual(
    [market.pair, market.last_price.decimal, market.bid.decimal, market.ask.decimal, market.open_orders, market.trades],
    [PAIR, '2', '1.5', '1.99999760478', 2, 7],
  );
  // One fill took an atom of the coin, and gave nothing for it. The tip is a minute before the fill below it, which is not in
  // its day; the last trade before the day is also the one that went back.
  assert.deepEqual([market.day.trades, market.day.base_volume.decimal, market.day.change], [2, '20.001', '0.333333']);
});

servers.alike('a trade of an atom has the price of its order, not that of its rounded amounts', async (server) => {
  const { last_price, day } = await server.json(`/market/${PAIR}`);
  const [candle] = (await server.json(`/order/pair/${PAIR}/candles?interval=day`)).items;
  const prices = [last_price, day.high, day.low, candle.high, candle.low, candle.close];
  assert.deepEqual(
    prices.map(({ decimal }) => decimal),
    ['2', '2', '1.5', '2', '1.5', '2'],
  );
});

servers.alike('wrong intervals, times, pairs and formats are refused', async (server) => {
  for (const [path, status, error] of [
    [`/order/pair/${PAIR}/candles?interval=minute`, 400, /Invalid interval/],
    [`/order/pair/${PAIR}/candles?from=%231`, 400, /Invalid from/],
    [`/order/pair/${PAIR}/candles?items=501`, 400, /Invalid number of items/],
    [`/order/pair/${PAIR}/trades?items=101`, 400, /Invalid number of items/],
    [`/order/pair/ABC/trades`, 400, /Invalid order trading pair/],
    [`/order/pair/${tokenAddress(network, 'ab'.repeat(32))}_${network.coinTicker}/trades`, 404, /Token not found/],
    [`/order/pair/${tokenAddress(network, 'ab'.repeat(32))}_${network.coinTicker}/candles`, 404, /Token not found/],
    [`/order/${orderAddress(network, 'ab'.repeat(32))}/fills`, 404, /Order not found/],
    ['/market?format=csv', 400, /Invalid format/],
    ['/market?offset=1', 400, /Invalid offset/],
  ] as const) {
    const answer = await server.get(path);
    assert.deepEqual([answer.status, error.test(answer.body.error)], [status, true], `${path}: ${answer.text}`);
  }
});
