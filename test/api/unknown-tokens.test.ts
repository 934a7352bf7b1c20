/**
 * Tokens that nobody has issued. Consensus lets blocks name them where nothing of them moves: in outputs of amount zero
 * (docs/protocol.md#upgrades-by-height), and as what an order asks.
 */
import assert from 'node:assert/strict';
import { destinationAddress, orderAddress, tokenAddress } from '../../src/chain/address.ts';
import { deriveOrderId, transactionId } from '../../src/chain/derive-ids.ts';
import type { TxOutput } from '../../src/chain/types.ts';
import { COIN, coins, OWNER, signed, spend, tokens, transfer } from '../ledger/small-world.ts';
import { HandmadeChain, handmadeServers } from '../support/handmade-chain.ts';

const UNKNOWN = 'ee'.repeat(32);
const HOLDER = `01${'0b'.repeat(20)}`;

const nothing = tokens(UNKNOWN, 0n);
const ask: TxOutput = {
  type: 'CreateOrder',
  order: { concludeKey: OWNER, ask: tokens(UNKNOWN, 5n), give: coins(10n * COIN) },
};

const chain = new HandmadeChain([transfer(coins(1000n * COIN))]);
const { network } = chain;
const making = signed(
  [spend(network.genesisId, 0, 'BlockReward')],
  [
    transfer(coins(900n * COIN)),
    { type: 'Transfer', value: nothing, destination: HOLDER },
    { type: 'LockThenTransfer', value: nothing, destination: HOLDER, lock: { type: 'UntilHeight', value: 2n } },
    {
      type: 'Htlc',
      value: nothing,
      contract: {
        ...{ secretHash: '00'.repeat(20), spendKey: HOLDER, refundKey: OWNER },
        refundTimelock: { type: 'UntilHeight', value: 0n },
      },
    },
    { type: 'Burn', value: nothing },
    ask,
  ],
);
const MADE = transactionId(making.transaction);
const CONCLUDED = deriveOrderId(making.transaction.inputs)!;
chain.add({ transactions: [making] });
const asking = signed([spend(MADE, 0), spend(MADE, 1), spend(MADE, 2)], [transfer(coins(890n * COIN)), ask]);
const OPEN = deriveOrderId(asking.transaction.inputs)!;
const concluding = signed(
  [{ type: 'OrderAccountCommand', command: { type: 'ConcludeOrder', orderId: CONCLUDED } }],
  [transfer(coins(10n * COIN))],
);
chain.add({ transactions: [asking, concluding] });

const servers = handmadeServers(chain);
const token = tokenAddress(network, UNKNOWN);
const holder = destinationAddress(network, HOLDER);

servers.alike('an output of nothing of an unknown token is an output and a history, and no balance', async (server) => {
  const { outputs, fee } = await server.json(`/transaction/${MADE}`);
  const value = { type: 'TokenV1', token_id: token, amount: { atoms: '0', decimal: '0' } };
  assert.deepEqual(outputs[1], { type: 'Transfer', destination: holder, value });
  assert.deepEqual(outputs[4], { type: 'Burn', value });
  assert.equal(fee.decimal, '90');
  const { tokens: held, transaction_history } = await server.json(`/address/${holder}`);
  assert.deepEqual([held, transaction_history], [[], [transactionId(asking.transaction), MADE]]);
  assert.equal((await server.json(`/address/${holder}/spendable-utxos`)).length, 1);
});

servers.alike('an unknown token stays unknown, whatever names it', async (server) => {
  assert.deepEqual(await server.json('/token'), []);
  for (const path of [`/token/${token}`, `/statistics/token/${token}`]) {
    await server.refuses(path, 404, 'Token not found');
  }
});

servers.alike('an order that asks for an unknown token is an order, counted without decimals', async (server) => {
  const order = {
    order_id: orderAddress(network, OPEN),
    conclude_destination: destinationAddress(network, OWNER),
    give_currency: { type: 'Coin' },
    initially_given: { atoms: `${10n * COIN}`, decimal: '10' },
    give_balance: { atoms: `${10n * COIN}`, decimal: '10' },
    ask_currency: { type: 'Token', token_id: token },
    initially_asked: { atoms: '5', decimal: '5' },
    ask_balance: { atoms: '5', decimal: '5' },
    nonce: 0,
  };
  assert.deepEqual(await server.json('/order'), [order]);
  assert.deepEqual(await server.json(`/order/pair/${network.coinTicker}_${token}`), [order]);
  await server.refuses(`/order/pair/${token}_${network.coinTicker}/book?side=ask`, 404, 'Token not found');
  const { outputs } = await server.json(`/transaction/${transactionId(asking.transaction)}`);
  assert.deepEqual(outputs[1].ask_value.amount, { atoms: '5', decimal: '5' });
});

servers.alike('its market has no ticker, and no trades and candles, as long as an order is open', async (server) => {
  const [market, ...others] = (await server.json('/market')).items;
  assert.deepEqual(others, []);
  assert.deepEqual(
    [market.pair, market.base, market.open_orders, market.quote.ticker],
    [
      `${token}_${network.coinTicker}`,
      { currency: { type: 'Token', token_id: token }, ticker: null, decimals: 0 },
      ...[1, network.coinTicker],
    ],
  );
  assert.deepEqual(await server.json('/market?format=tickers'), []);
  for (const pair of [market.pair, `${network.coinTicker}_${token}`]) {
    for (const list of ['trades', 'candles']) {
      const path = `/order/pair/${pair}/${list}`;
      assert.deepEqual(await server.json(path), { items: [], next_cursor: null }, path);
    }
  }
  const page = await server.request(`/market/${market.pair}`, { headers: { accept: 'text/html' } });
  assert.deepEqual([page.status, page.text.includes('a token that is not issued')], [200, true]);
  const other = tokenAddress(network, 'dd'.repeat(32));
  await server.refuses(`/order/pair/${other}_${network.coinTicker}/trades`, 404, 'Token not found');
});

servers.alike('it is concluded like any other', async (server) => {
  const { give_balance, ask_balance, nonce } = await server.json(`/order/${orderAddress(network, CONCLUDED)}`);
  assert.deepEqual([give_balance.atoms, ask_balance.atoms, nonce], ['0', '0', 1]);
  assert.equal((await server.json(`/transaction/${transactionId(concluding.transaction)}`)).fee.atoms, '0');
  const { coin_balance } = await server.json(`/address/${destinationAddress(network, OWNER)}`);
  assert.equal(coin_balance.decimal, '900');
});
