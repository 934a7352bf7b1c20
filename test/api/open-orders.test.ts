/**
 * Which orders are open: those that are neither frozen nor concluded and still ask for something. The rule is the column
 * `is_open` of the table of orders.
 */
import assert from 'node:assert/strict';
import { orderAddress, tokenAddress } from '../../src/chain/address.ts';
import { deriveOrderId, deriveTokenId, transactionId } from '../../src/chain/derive-ids.ts';
import type { OrderAccountCommand, TxInput } from '../../src/chain/types.ts';
import { COIN, coins, ISSUANCE, signed, spend, tokens, transfer } from '../ledger/small-world.ts';
import { HandmadeChain, handmadeServers } from '../support/handmade-chain.ts';

const ORDERS = ['untouched', 'half filled', 'filled', 'frozen', 'concluded', 'frozen and concluded'] as const;
type Name = (typeof ORDERS)[number];

const chain = new HandmadeChain([0, ...ORDERS].map(() => transfer(coins(1_000n * COIN))));
const { network } = chain;
const fromGenesis = (index: number): TxInput => spend(network.genesisId, index, 'BlockReward');
const TOKEN = deriveTokenId([fromGenesis(0)], 1)!;
const orderId = (name: Name) => deriveOrderId([fromGenesis(1 + ORDERS.indexOf(name))])!;

const issue = signed([fromGenesis(0)], [ISSUANCE, transfer(coins(300n)), transfer(coins(300n))]);
chain.add({ transactions: [issue] });
// Each asks 300 atoms of the coin for 100 of the token.
const minted = 100n * BigInt(ORDERS.length);
const mint: TxInput = {
  type: 'AccountCommand',
  nonce: 0n,
  command: { type: 'MintTokens', tokenId: TOKEN, amount: minted },
};
const order = { concludeKey: '00', ask: coins(300n), give: tokens(TOKEN, 100n) };
chain.add({
  transactions: ORDERS.map((name, i) =>
    signed([fromGenesis(1 + i), ...(name === 'untouched' ? [mint] : [])], [{ type: 'CreateOrder', order }]),
  ),
});
/** A transaction of a command, which hands on what the order gives. */
const command = (kind: OrderAccountCommand, given: bigint, ...paying: TxInput[]) =>
  signed(
    [...paying, { type: 'OrderAccountCommand', command: kind }],
    given === 0n ? [] : [transfer(tokens(TOKEN, given))],
  );
const paying = (index: number) => spend(transactionId(issue.transaction), index);
chain.add({
  transactions: [
    command({ type: 'FillOrder', orderId: orderId('half filled'), fillAmount: 150n }, 50n, paying(1)),
    command({ type: 'FillOrder', orderId: orderId('filled'), fillAmount: 300n }, 100n, paying(2)),
    command({ type: 'FreezeOrder', orderId: orderId('frozen') }, 0n),
    command({ type: 'ConcludeOrder', orderId: orderId('concluded') }, 100n),
    command({ type: 'FreezeOrder', orderId: orderId('frozen and concluded') }, 0n),
    command({ type: 'ConcludeOrder', orderId: orderId('frozen and concluded') }, 100n),
  ],
});

const servers = handmadeServers(chain);
const token = tokenAddress(network, TOKEN);
const OPEN = (['untouched', 'half filled'] as const).map((name) => orderAddress(network, orderId(name))).sort();
const idsOf = (orders: readonly { readonly order_id: string }[]) => orders.map(({ order_id }) => order_id).sort();

servers.alike('the list of orders does not list a frozen, concluded or filled order', async (server) => {
  assert.deepEqual(idsOf(await server.json('/order')), OPEN);
});

servers.alike('the list of a pair does not list a frozen, concluded or filled order', async (server) => {
  for (const pair of [`${token}_${network.coinTicker}`, `${network.coinTicker}_${token}`])
    assert.deepEqual(idsOf(await server.json(`/order/pair/${pair}`)), OPEN);
});

servers.alike('the order book does not list a frozen, concluded or filled order', async (server) => {
  const book = `/order/pair/${token}_${network.coinTicker}/book`;
  // Those that give the token, all at the same price: 100 atoms and the 50 that are left.
  const [level, ...others] = (await server.json(`${book}?side=bid`)).items;
  assert.deepEqual([level.price.atoms, level.amount.atoms, others], ['3/1', '150', []]);
  assert.deepEqual((await server.json(`${book}?side=ask`)).items, []);
});

servers.alike('an order that is not open is still found by its id', async (server) => {
  for (const name of ORDERS) {
    const { order_id } = await server.json(`/order/${orderAddress(network, orderId(name))}`);
    assert.equal(order_id, orderAddress(network, orderId(name)));
  }
});
