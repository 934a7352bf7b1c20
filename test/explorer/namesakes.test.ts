/** Tokens with the same ticker, in any case, or that of the coin: told apart on pages and in the API. Crossed order books. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { tokenAddress } from '../../src/chain/address.ts';
import { deriveOrderId, deriveTokenId, transactionId } from '../../src/chain/derive-ids.ts';
import { regtest } from '../../src/chain/networks/known-networks.ts';
import { tokenIdGenerationAt } from '../../src/chain/networks/network.ts';
import type { Id, SignedTransaction, TxInput, TxOutput } from '../../src/chain/types.ts';
import { COIN, coins, OWNER, signed, spend, tokens, transfer } from '../ledger/small-world.ts';
import { HandmadeChain, handmadeServers, issueNft, issueToken, tokenCommand } from '../support/handmade-chain.ts';
import { getPage, type PageElement } from '../support/html-page.ts';

const OTHER = `01${'0b'.repeat(20)}`;
const chain = new HandmadeChain([transfer(coins(100_000n * COIN))]);
const { network } = chain;
const COIN_TICKER = regtest.coinTicker;

let left = 100_000n * COIN;
let change: TxInput = spend(network.genesisId, 0, 'BlockReward');
function made(outputs: readonly TxOutput[], more: readonly TxInput[] = []): SignedTransaction {
  left -= 1_000n * COIN;
  const transaction = signed([change, ...more], [transfer(coins(left)), ...outputs]);
  change = spend(transactionId(transaction.transaction), 0);
  return transaction;
}

/** Issues a token in a block of its own, and mints 1,000 of it, a few for somebody else. */
function issue(ticker: string, forOther = 0n): Id {
  const issued = made([issueToken(Buffer.from(ticker).toString('hex'), '', 0, { type: 'Unlimited' })]);
  chain.add({ transactions: [issued] });
  const id = deriveTokenId(issued.transaction.inputs, tokenIdGenerationAt(network, chain.blocks.length))!;
  const mint = tokenCommand(0n, { type: 'MintTokens', tokenId: id, amount: 1_000n });
  const others: TxOutput[] =
    forOther === 0n ? [] : [{ type: 'Transfer', destination: OTHER, value: tokens(id, forOther) }];
  const minted = made([transfer(tokens(id, 1_000n - forOther)), ...others], [mint]);
  chain.add({ transactions: [minted] });
  held.set(id, spend(transactionId(minted.transaction), 1));
  return id;
}
const held = new Map<Id, TxInput>();

const FIRST = issue('LUX', 10n);
const SECOND = issue('lux');
const ALONE = issue('LU');
const COINS = issue(COIN_TICKER.toLowerCase());
const nftIssued = signed([change], []);
const NFT = deriveTokenId(nftIssued.transaction.inputs, tokenIdGenerationAt(network, chain.blocks.length + 1))!;
chain.add({ transactions: [made([issueNft(NFT, '4152')])] });
/** Sells a part of a token for 20 coins, and offers coins for as much. */
const sale = (id: Id): TxOutput => ({
  type: 'CreateOrder',
  order: { concludeKey: OWNER, ask: coins(20n * COIN), give: tokens(id, 10n) },
});
const purchase = (id: Id, price: bigint): TxOutput => ({
  type: 'CreateOrder',
  order: { concludeKey: OWNER, ask: tokens(id, 10n), give: coins(price * COIN) },
});
const rest = (id: Id) => transfer(tokens(id, (id === FIRST ? 990n : 1_000n) - 10n));
for (const [id, bid] of [
  [FIRST, 30n],
  [SECOND, 20n],
  [ALONE, 10n],
] as const) {
  const offered = made([sale(id), rest(id)], [held.get(id)!]);
  chain.add({ transactions: [offered, made([purchase(id, bid)])] });
  // A trade: so the token is worth something.
  const orderId = deriveOrderId(offered.transaction.inputs)!;
  const fill = tokenCommand(0n, { type: 'FillOrder', orderId, fillAmount: 2n * COIN, destination: OWNER });
  chain.add({ transactions: [made([transfer(tokens(id, 1n))], [fill])] });
}

const servers = handmadeServers(chain);
const address = (id: Id) => tokenAddress(network, id);

servers.alike('a token says whether others, or the coin, have its ticker in any case', async (server) => {
  const unique = async (path: string) =>
    new Map(
      (await server.pages(path)).flat().map((token) => [token.token_id, token.ticker_is_unique] as [string, boolean]),
    );
  const all = await unique('/token?expand=true&items=2');
  const expected: [string, boolean | undefined][] = [
    ...[FIRST, SECOND, COINS].map((id) => [address(id), false] as [string, boolean]),
    [address(ALONE), true],
    [address(NFT), undefined],
  ];
  assert.deepEqual([...all].sort(), expected.sort());
  const found = await unique('/token/ticker/LU?expand=true');
  assert.deepEqual(
    [FIRST, SECOND, ALONE].map((id) => found.get(address(id))),
    [false, false, true],
  );
});

it('a single token of the described profile says whether its ticker is unique', async () => {
  for (const [id, isUnique] of [
    [FIRST, false],
    [ALONE, true],
  ] as const) {
    assert.equal((await servers.described.json(`/token/${address(id)}`)).ticker_is_unique, isUnique);
    assert.ok(!('ticker_is_unique' in (await servers.core.json(`/token/${address(id)}`))));
  }
});

servers.alike('pages show the id beside a ticker that is not unique, and only there', async (server) => {
  const owner = (await server.json(`/token/${address(FIRST)}`)).authority;
  for (const path of [`/address/${owner}`, '/orders', '/txs']) {
    const { main } = await getPage(server, path);
    if (path.startsWith('/address')) assert.equal(main.table('balances').length, 5);
    const seen = new Set<string>();
    for (const unit of main.all('a.unit')) {
      const id = unit.attribute('title')!;
      const ticker = unit.text.replace(` ${id}`, '');
      seen.add(ticker);
      assert.equal(unit.text, ticker === 'LU' ? ticker : `${ticker} ${id}`, path);
    }
    assert.ok(seen.has('LUX') && seen.has('lux') && seen.has('LU'), `${path}: ${[...seen]}`);
  }
  const { main } = await getPage(server, '/markets');
  const markets = main.rows().map(([market]) => market!.one('a').text);
  assert.equal(new Set(markets).size, 3);
  const short = (id: Id) => `${address(id).slice(0, 10)}…${address(id).slice(-6)}`;
  assert.deepEqual(
    markets.sort(),
    [`LU/${COIN_TICKER}`, `LUX (${short(FIRST)})/${COIN_TICKER}`, `lux (${short(SECOND)})/${COIN_TICKER}`].sort(),
  );
});

servers.alike('the younger of two tokens with one ticker warns, and leads to the older one', async (server) => {
  const page = async (id: Id) => (await getPage(server, `/token/${address(id)}`)).main;
  const warns = (banner: PageElement) => banner.hasClass('warning');
  const warning = (await page(SECOND)).one('.banner');
  assert.ok(warns(warning) && warning.links().includes(`/token/${address(FIRST)}`));
  assert.match(
    warning.text,
    /^The ticker lux was first used in block 1 by .*, with 2 holders; this token has 1 holder\./,
  );
  const note = (await page(FIRST)).one('.banner');
  assert.ok(!warns(note) && note.links().includes('/tokens?ticker=LUX'));
  assert.equal(note.text, 'Newer tokens use this ticker too: see them all.');
  const warningOfCoin = (await page(COINS)).one('.banner');
  assert.ok(warns(warningOfCoin));
  assert.match(warningOfCoin.text, /is not the coin/);
  assert.deepEqual((await page(ALONE)).all('.banner'), []);
});

servers.alike(
  'the tokens with one ticker, in any case, are listed alone, oldest first, with their state',
  async (server) => {
    const { main } = await getPage(server, '/tokens?ticker=LUX');
    assert.equal(main.one('h1').text, 'Tokens with the ticker LUX');
    const shown = (list: PageElement) => list.rows().map((row) => row[0]!.all('a')[0]!.text);
    assert.deepEqual(shown(main), ['LUX', 'lux']);
    assert.ok(main.rows().every((row) => row.some(({ text }) => text.includes('can mint more'))));
    const { main: first } = await getPage(server, '/tokens?ticker=lux&items=1');
    const next = first.links().find((link) => link.includes('cursor='))!;
    assert.deepEqual(shown((await getPage(server, next)).main), ['lux']);
  },
);

servers.alike(
  'a search shows the last price of each token that was traded, marked where the market is thin',
  async (server) => {
    for (const path of ['/search?q=lu', '/tokens?q=lu']) {
      const { main } = await getPage(server, path);
      assert.ok(!main.one('thead').text.includes('Details'), 'of a token there is no more to say');
      for (const id of [FIRST, SECOND, ALONE]) {
        const cells = main.rows().find((row) => row.some((cell) => cell.links().includes(`/token/${address(id)}`)))!;
        assert.ok(
          cells.some(({ text }) => text === `thin market 2 ${network.coinTicker}`),
          path,
        );
      }
    }
  },
);

servers.alike('an order book whose best bid is not below its best ask is marked as crossed', async (server) => {
  const markets = new Map(
    // biome-ignore lint/suspicious/noExplicitAny: answers of the API
    (await server.json('/market')).items.map((market: any) => [market.pair.split('_')[0], market.is_crossed]),
  );
  const { main: list } = await getPage(server, '/markets');
  assert.match(
    list.one('.legend').text,
    / crossed The best bid is at or above the best ask, so anyone can fill both and keep the difference\.$/,
  );
  const marked = new Map(
    list
      .rows()
      .map((row) => [row[0]!.links()[0]!.slice('/market/'.length).split('_')[0], row[0]!.text.includes('crossed')]),
  );
  for (const [id, isCrossed] of [
    [FIRST, true],
    [SECOND, true],
    [ALONE, false],
  ] as const) {
    assert.equal(markets.get(address(id)), isCrossed, 'the API');
    assert.equal(marked.get(address(id)), isCrossed, '/markets');
    for (const pair of [`${address(id)}_${COIN_TICKER}`, `${COIN_TICKER}_${address(id)}`]) {
      const { main } = await getPage(server, `/market/${pair}`);
      assert.equal(/Crossed: the best bid/.test(main.text), isCrossed, pair);
    }
  }
});
