/**
 * A token that an order asks for before it is issued: wherever the order is shown, its decimals are the token's from the
 * block of its issue on, and are gone again when that block is.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { orderAddress, tokenAddress } from '../../src/chain/address.ts';
import { deriveOrderId, deriveTokenId, transactionId } from '../../src/chain/derive-ids.ts';
import type { TxOutput } from '../../src/chain/types.ts';
import { COIN, coins, OWNER, signed, spend, tokens, transfer } from '../ledger/small-world.ts';
import { requireRightIndex } from '../replay/replay.ts';
import { HandmadeChain, handmadeServers } from '../support/handmade-chain.ts';
import { until } from '../support/until.ts';
import { serveIndex, type TestServer } from '../support/web-server.ts';

const DECIMALS = 3;
const ISSUANCE: TxOutput = {
  type: 'IssueFungibleToken',
  issuance: {
    ...{ ticker: '4c415445', numberOfDecimals: DECIMALS, metadataUri: '', authority: OWNER, isFreezable: false },
    totalSupply: { type: 'Unlimited' },
  },
};

const chain = new HandmadeChain([transfer(coins(1000n * COIN)), transfer(coins(500n * COIN))]);
const { network } = chain;
/** The token's id follows from the input that its issuance spends: everybody can know it before. */
const issuingInputs = [spend(network.genesisId, 1, 'BlockReward')];
const TOKEN = deriveTokenId(issuingInputs, 1)!;
const token = tokenAddress(network, TOKEN);

const ordering = signed(
  [spend(network.genesisId, 0, 'BlockReward')],
  [
    transfer(coins(900n * COIN)),
    { type: 'CreateOrder', order: { concludeKey: OWNER, ask: tokens(TOKEN, 4_500n), give: coins(9n * COIN) } },
  ],
);
const ORDERING = transactionId(ordering.transaction);
const order = orderAddress(network, deriveOrderId(ordering.transaction.inputs)!);
const ordered = chain.add({ transactions: [ordering] });
const issuing = signed(issuingInputs, [transfer(coins(100n * COIN)), ISSUANCE]);
const issued = chain.add({ transactions: [issuing] });
chain.add();

/** The asked amount wherever the order is shown: as decimal numbers. */
async function shownDecimals(server: TestServer): Promise<Record<string, string>> {
  const ofTransaction = ({ outputs }: { outputs: { ask_value?: { amount: { decimal: string } } }[] }) =>
    outputs.find(({ ask_value }) => ask_value)!.ask_value!.amount.decimal;
  const [{ body: block }, transactions] = [await server.get(`/block/${ordered.id}`), await server.json('/transaction')];
  return {
    order: (await server.json(`/order/${order}`)).ask_balance.decimal,
    initially: (await server.json(`/order/${order}`)).initially_asked.decimal,
    list: (await server.json('/order'))[0].ask_balance.decimal,
    pair: (await server.json(`/order/pair/${token}_${network.coinTicker}`))[0].ask_balance.decimal,
    transaction: ofTransaction(await server.json(`/transaction/${ORDERING}`)),
    transactions: ofTransaction(transactions.find(({ id }: { id: string }) => id === ORDERING)),
    block: ofTransaction(block.body.transactions[0]),
  };
}

function allAre(text: string): Record<string, string> {
  const places = ['order', 'initially', 'list', 'pair', 'transaction', 'transactions', 'block'];
  return Object.fromEntries(places.map((place) => [place, text]));
}

const servers = handmadeServers(chain);
servers.alike('an order that asks for a token issued later has its decimals wherever it is shown', async (server) => {
  assert.deepEqual(await shownDecimals(server), allAre('4.5'));
});

servers.alike('an order that asks for a token issued later stands in the book with them', async (server) => {
  const { items } = await server.json(`/order/pair/${token}_${network.coinTicker}/book?side=ask`);
  assert.equal(items.length, 1);
  assert.deepEqual(items[0].amount, { atoms: '4500', decimal: '4.5' });
  // 9 coins for 4.5 tokens.
  assert.equal(Number(items[0].price.decimal), 2);
  assert.equal(items[0].price.atoms, `${(9n * COIN) / 4_500n}/1`);
});

it('an order that asks for a token has no decimals before the issue, those of the token after it, and none when that is undone', async (t) => {
  const { index, server } = await serveIndex(t, network);
  const isSeen = async () => (await server.json('/chain/tip')).block_id === index.applier.chain.blockId;
  const seen = () => until(isSeen, 'the server sees the tip');
  await index.follow([ordered]);
  await index.reopen();
  await seen();
  assert.deepEqual(await shownDecimals(server), allAre('4500'));
  await index.follow([issued]);
  await seen();
  assert.deepEqual(await shownDecimals(server), allAre('4.5'));
  await index.reorganise(1, []);
  await seen();
  assert.deepEqual(await shownDecimals(server), allAre('4500'));
  await index.follow([issued]);
  await seen();
  assert.deepEqual(await shownDecimals(server), allAre('4.5'));
  await requireRightIndex(index.postgres, network);
});
