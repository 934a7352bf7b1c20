/** Frozen tokens: what they keep from moving is marked on pages and in the API. */
import assert from 'node:assert/strict';
import { orderAddress, tokenAddress } from '../../src/chain/address.ts';
import { deriveOrderId, deriveTokenId, transactionId } from '../../src/chain/derive-ids.ts';
import { regtest } from '../../src/chain/networks/known-networks.ts';
import { tokenIdGenerationAt } from '../../src/chain/networks/network.ts';
import type { AccountCommand, Id, SignedTransaction, TxInput, TxOutput } from '../../src/chain/types.ts';
import { COIN, coins, OWNER, signed, spend, tokens, transfer } from '../ledger/small-world.ts';
import { HandmadeChain, handmadeServers, issueToken, tokenCommand } from '../support/handmade-chain.ts';
import { getPage } from '../support/html-page.ts';
import { type Json, pagedRows } from './page-values.ts';

const chain = new HandmadeChain([transfer(coins(100_000n * COIN))]);
const { network } = chain;
const RML = regtest.coinTicker;

let left = 100_000n * COIN;
let change: TxInput = spend(network.genesisId, 0, 'BlockReward');
function add(outputs: readonly TxOutput[], more: readonly TxInput[] = [], cost = 1_000n): SignedTransaction {
  left -= cost * COIN;
  const transaction = signed([change, ...more], [transfer(coins(left)), ...outputs]);
  change = spend(transactionId(transaction.transaction), 0);
  chain.add({ transactions: [transaction] });
  return transaction;
}
const command = (nonce: bigint, each: AccountCommand) => add([], [tokenCommand(nonce, each)]);
/** What the other trades: 10 of 1,000 for 20 coins, of which one was taken. */
interface Traded {
  readonly id: Id;
  readonly order: string;
}

/** Issues and mints a token, sells some of it, has a trade at 2 coins, and offers coins for tokens. */
function trade(ticker: string, bid = { coins: 1_000n, tokens: 1_000n }): Traded {
  const issued = add([issueToken(Buffer.from(ticker).toString('hex'), '', 0, { type: 'Unlimited' })]);
  const id = deriveTokenId(issued.transaction.inputs, tokenIdGenerationAt(network, chain.blocks.length))!;
  const mint = tokenCommand(0n, { type: 'MintTokens', tokenId: id, amount: 1_000n });
  const minted = add([transfer(tokens(id, 1_000n))], [mint]);
  const order = { concludeKey: OWNER, ask: coins(20n * COIN), give: tokens(id, 10n) };
  const held = spend(transactionId(minted.transaction), 1);
  const offered = add([{ type: 'CreateOrder', order }, transfer(tokens(id, 990n))], [held]);
  const orderId = deriveOrderId(offered.transaction.inputs)!;
  const fill = tokenCommand(0n, { type: 'FillOrder', orderId, fillAmount: 2n * COIN, destination: OWNER });
  add([transfer(tokens(id, 1n))], [fill]);
  const bought = { concludeKey: OWNER, ask: tokens(id, bid.tokens), give: coins(bid.coins * COIN) };
  add([{ type: 'CreateOrder', order: bought }], [], bid.coins);
  return { id, order: orderId };
}

const [FREE, COLD, ICE] = [trade('FREE'), trade('COLD'), trade('ICE')];
command(1n, { type: 'FreezeToken', tokenId: FREE.id, isUnfreezable: true });
command(2n, { type: 'UnfreezeToken', tokenId: FREE.id });
command(1n, { type: 'FreezeToken', tokenId: COLD.id, isUnfreezable: true });
const COLD_SINCE = chain.blocks.length;
command(1n, { type: 'FreezeToken', tokenId: ICE.id, isUnfreezable: false });
const ICE_SINCE = chain.blocks.length;
const DEEP = trade('DEEP', { coins: 3_000n, tokens: 3_000n });
// Nobody offers 1,000 coins for one of these at half of the last price or more.
const SHALLOW = [trade('FEW', { coins: 999n, tokens: 500n }), trade('LOW', { coins: 1_000n, tokens: 1_001n })];
// All but an atom of what the order still asks, for 8 of the 9 that it has.
const nearlyAll = { type: 'FillOrder', orderId: DEEP.order, fillAmount: 18n * COIN - 1n, destination: OWNER } as const;
add([transfer(tokens(DEEP.id, 8n))], [tokenCommand(1n, nearlyAll)]);

const servers = handmadeServers(chain);
const address = ({ id }: Traded) => tokenAddress(network, id);
const pairs = (traded: Traded) => [`${address(traded)}_${RML}`, `${RML}_${address(traded)}`];
const CASES = [
  { traded: FREE, since: null, badge: '' },
  { traded: COLD, since: COLD_SINCE, badge: 'frozen' },
  { traded: ICE, since: ICE_SINCE, badge: 'permanently frozen' },
];

servers.alike('markets of a frozen token are marked, and say that their orders cannot be filled', async (server) => {
  const { main: list } = await getPage(server, '/markets');
  assert.match(list.one('.legend').text, /frozen A token of the pair is frozen: its orders cannot be filled\.$/);
  const rows = new Map(list.rows().map((row) => [row[0]!.links()[0]!, row[0]!]));
  const listed = new Map((await server.json('/market')).items.map((each: Json) => [each.pair, each.frozen_since]));
  for (const { traded, since, badge } of CASES) {
    const row = rows.get(`/market/${pairs(traded)[0]}`)!;
    assert.equal(row.all('.badge').find(({ text }) => /frozen$/.test(text))?.text ?? '', badge);
    assert.equal(listed.get(pairs(traded)[0]), since);
    for (const pair of pairs(traded)) {
      assert.equal((await server.json(`/market/${pair}`)).frozen_since, since);
      assert.equal((await server.json(`/market/${pair}/estimate?amount=1`)).frozen_since, since);
      const { main } = await getPage(server, `/market/${pair}?amount=1`);
      assert.equal(main.one('h1').all('.badge')[0]?.text ?? '', badge);
      const words = main.one('#size').text;
      if (since === null) assert.doesNotMatch(words, /rozen/);
      else if (badge === 'frozen') {
        assert.match(words, new RegExp(`Frozen since block ${since}: these orders cannot be filled now\\.`));
        assert.match(words, /Once the token is unfrozen: (Buying|Selling|Only|No open order)/);
      } else
        assert.match(
          words,
          new RegExp(`Permanently frozen since block ${since}: these orders can never be filled\\.$`),
        );
    }
  }
});

servers.alike('orders of a frozen token are marked, and say that they cannot be filled or closed', async (server) => {
  const orders: Json[] = (await server.pages('/order?items=10')).flat();
  const owner = orders[0].conclude_destination;
  const lists = await Promise.all(
    ['/orders', `/address/${owner}/orders`].map(async (path) => (await getPage(server, path)).main.rows()),
  );
  for (const { traded, since, badge } of CASES) {
    const id = orders.find(({ give_currency }) => give_currency.token_id === address(traded)).order_id;
    const mark = badge && `token ${badge}`;
    for (const rows of lists) {
      const row = rows.find(([link]) => link!.links()[0] === `/order/${id}`)!;
      const badges = row.flatMap((cell) => cell.all('.badge')).map(({ text }) => text);
      assert.equal(badges.find((text) => text.startsWith('token')) ?? '', mark);
    }
    const { main } = await getPage(server, `/order/${id}`);
    assert.deepEqual(
      main
        .one('h1')
        .all('.badge')
        .map(({ text }) => text),
      mark === '' ? ['open'] : ['open', mark],
    );
    assert.equal(/Anyone can fill it/.test(main.text), since === null);
    if (since === null) continue;
    const banner = main.one('.banner');
    assert.ok(banner.links().includes(`/block/${since}`) && banner.links().includes(`/token/${address(traded)}`));
    const expected =
      badge === 'frozen'
        ? /: the order cannot be filled or closed until the/
        : /: the order can never be filled or closed\./;
    assert.match(banner.text, expected);
    assert.match(main.fact('Initial price').text, new RegExp(`^2 ${RML} per (COLD|ICE)$`));
    assert.match(main.fact('Current price').text, new RegExp(`^2 ${RML} per (COLD|ICE)$`));
    assert.match(main.fact('Left to receive').text, new RegExp(`^18 ${RML}$`));
    assert.match(main.fact('Left to sell').text, /^9 (COLD|ICE)$/);
  }
});

servers.alike('dust that is left of an order reads as less than 0.0001, and is whole in the detail', async (server) => {
  const { main } = await getPage(server, `/order/${orderAddress(network, DEEP.order)}`);
  assert.match(main.one('.lead').text, new RegExp(`^Sells 1 DEEP for <0\\.0001 ${RML}, at `));
  const wanted = main.fact('Left to receive');
  assert.equal(wanted.text, `<0.0001 ${RML}`);
  assert.deepEqual([wanted.atoms(), wanted.all('details').length], [[1n], 1]);
  assert.match(main.fact('Left to sell').text, /^1 DEEP$/);
});

servers.alike('the list of tokens marks those with a thin market where others have a change', async (server) => {
  const changes = new Map(
    (await getPage(server, '/tokens')).main.rows().map((row) => [row[0]!.links()[0], row[2]!.text]),
  );
  for (const { id } of [FREE, DEEP, ...SHALLOW]) {
    const isThin = SHALLOW.some((each) => each.id === id);
    assert.equal(changes.get(`/token/${tokenAddress(network, id)}`) === 'thin market', isThin);
  }
});

/** By the badge. */
const STATES = {
  '': 'can mint more can freeze',
  frozen: 'frozen can be unfrozen and then minted',
  'permanently frozen': 'permanently frozen no more can be minted',
} as const;

servers.alike('a token says since when it is frozen, and in lists what may happen to it', async (server) => {
  const rows = (await getPage(server, '/tokens')).main.rows();
  for (const { traded, since, badge } of CASES) {
    const row = rows.find(([id]) => id!.links()[0] === `/token/${address(traded)}`)!;
    assert.equal(row[5]!.text, STATES[badge as keyof typeof STATES]);
    const { main } = await getPage(server, `/token/${address(traded)}`);
    assert.equal(main.one('h1').all('.badge')[0]?.text ?? '', badge);
    const supply = main.fact('Maximum supply').text;
    const words = {
      '': 'can mint more Unlimited: the authority can always mint more.',
      frozen: 'Unlimited. No more can be minted while the token is frozen.',
      'permanently frozen': 'Unlimited. No more can be minted: the token is permanently frozen.',
    };
    assert.equal(supply, words[badge as keyof typeof words]);
    const head = main.all('p.muted')[0]!;
    assert.deepEqual(head.links().slice(1), since === null ? [] : [`/block/${since}`]);
    assert.equal(head.text.includes('· frozen since block'), since !== null);
  }
});

servers.alike(
  'the value of a token in what an address owns is at most what orders offer, and none if it is frozen or they offer little',
  async (server) => {
    const owner = (await server.pages('/order?items=10')).flat()[0].conclude_destination;
    const { total } = await server.json(`/address/${owner}?expand=true`);
    // 1,000 of each, of which the order gave one for 2 coins: nothing left the address but fees.
    assert.deepEqual(
      total.tokens
        .map((token: Json) => [token.currency.token_id, token.coin_value?.decimal, token.frozen_since])
        .sort(),
      [
        ...CASES.map(({ traded, since }) => [address(traded), since === null ? '1000' : undefined, since]),
        [address(DEEP), '2000', null],
        ...SHALLOW.map((traded) => [address(traded), undefined, null]),
      ].sort(),
    );
    assert.equal(total.tokens_coin_value.decimal, '3000');
    const { main } = await getPage(server, `/address/${owner}`);
    assert.equal(main.fact('Coins').atoms()[0], BigInt(total.coins.atoms));
    assert.deepEqual(main.fact('Tokens').atoms(), [3_000n * COIN]);
    const rows = new Map(
      (await pagedRows(server, `/address/${owner}/balances`)).map((row) => [row[0]!.links()[0], row]),
    );
    for (const { traded, since, badge } of CASES) {
      const [unit, , , , , value] = rows.get(`/token/${address(traded)}`)!;
      assert.equal(unit!.all('.badge')[0]?.text ?? '', badge);
      assert.deepEqual(value!.atoms(), since === null ? [1_000n * COIN] : []);
    }
  },
);
