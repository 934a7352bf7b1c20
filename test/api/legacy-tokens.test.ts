/** Legacy tokens, which only old blocks of testnet hold: decoded and shown, in histories and lists of outputs, never counted. */
import assert from 'node:assert/strict';
import { destinationAddress, tokenAddress } from '../../src/chain/address.ts';
import { transactionId } from '../../src/chain/derive-ids.ts';
import { testnet } from '../../src/chain/networks/known-networks.ts';
import type { OutputValue } from '../../src/chain/types.ts';
import { COIN, coins, OWNER, signed, spend, transfer } from '../ledger/small-world.ts';
import { HandmadeChain, handmadeServers } from '../support/handmade-chain.ts';

const HOLDER = `01${'0b'.repeat(20)}`;
const OLD_TOKEN = 'f1'.repeat(32);

const hex = (text: string) => Buffer.from(text).toString('hex');
const issuance: OutputValue = {
  type: 'TokenV0',
  data: {
    type: 'TokenIssuance',
    ...{ ticker: hex('OLD'), amountToIssue: 900n, numberOfDecimals: 2, metadataUri: hex('http://old') },
  },
};
const nftIssuance: OutputValue = {
  type: 'TokenV0',
  data: {
    type: 'NftIssuance',
    metadata: {
      creator: `0002${'12'.repeat(32)}`,
      ...{ name: hex('Name'), description: hex('Text'), ticker: hex('OLDNFT'), iconUri: '' },
      ...{ additionalMetadataUri: '', mediaUri: hex('http://x'), mediaHash: '01020304' },
    },
  },
};
const payment: OutputValue = { type: 'TokenV0', data: { type: 'TokenTransfer', tokenId: OLD_TOKEN, amount: 5n } };

const chain = new HandmadeChain([transfer(coins(1000n * COIN))], testnet);
const { network } = chain;
const issuing = signed(
  [spend(network.genesisId, 0, 'BlockReward')],
  [
    { type: 'Transfer', value: issuance, destination: HOLDER },
    { type: 'LockThenTransfer', value: nftIssuance, destination: HOLDER, lock: { type: 'UntilHeight', value: 2n } },
    { type: 'LockThenTransfer', value: payment, destination: HOLDER, lock: { type: 'UntilHeight', value: 100n } },
    { type: 'Burn', value: coins(100n * COIN) },
    transfer(coins(899n * COIN)),
  ],
);
const ISSUING = transactionId(issuing.transaction);
chain.add({ transactions: [issuing] });
const paying = signed(
  [spend(ISSUING, 0), spend(ISSUING, 1)],
  [
    { type: 'Burn', value: payment },
    { type: 'Burn', value: nftIssuance },
    { type: 'Transfer', value: payment, destination: HOLDER },
  ],
);
const PAYING = transactionId(paying.transaction);
chain.add({ transactions: [paying] });

const servers = handmadeServers(chain);
const holder = destinationAddress(network, HOLDER);
const oldToken = tokenAddress(network, OLD_TOKEN);
const SHOWN = { type: 'TokenV0' };

// docs/api.md#formats
servers.alike('an output of legacy tokens shows that, and nothing of what it carries', async (server) => {
  const { outputs, fee } = await server.json(`/transaction/${ISSUING}`);
  assert.deepEqual(outputs.slice(0, 2), [
    { type: 'Transfer', destination: holder, value: SHOWN },
    {
      type: 'LockThenTransfer',
      destination: holder,
      value: SHOWN,
      lock: { type: 'UntilHeight', content: 2 },
    },
  ]);
  assert.equal(fee.decimal, '1');
  const spent = await server.json(`/transaction/${PAYING}`);
  const spentOutputs = spent.inputs.map(({ utxo }: { utxo: object }) => utxo);
  assert.deepEqual(spentOutputs, outputs.slice(0, 2));
  assert.deepEqual(spent.outputs, [
    { type: 'Burn', value: SHOWN },
    { type: 'Burn', value: SHOWN },
    { type: 'Transfer', destination: holder, value: SHOWN },
  ]);
});

servers.alike('who has legacy tokens has their history and their outputs, but no balance', async (server) => {
  assert.deepEqual(await server.json(`/address/${holder}`), {
    coin_balance: { atoms: '0', decimal: '0' },
    locked_coin_balance: { atoms: '0', decimal: '0' },
    tokens: [],
    transaction_history: [PAYING, ISSUING],
  });
  const spendable = await server.json(`/address/${holder}/spendable-utxos`);
  assert.deepEqual(
    spendable.map(({ outpoint, utxo }: { outpoint: object; utxo: object }) => [outpoint, utxo]),
    [
      [
        { source_type: 'Transaction', source_id: PAYING, index: 2 },
        { type: 'Transfer', destination: holder, value: SHOWN },
      ],
    ],
  );
  assert.deepEqual(await server.json(`/transaction/${PAYING}/output/2`), {
    type: 'Transfer',
    destination: holder,
    value: SHOWN,
    spent_at_block_height: null,
  });
  assert.deepEqual((await server.json(`/transaction/${ISSUING}/output/2`)).lock.content, 100);
});

servers.alike('legacy tokens are no tokens, by no id and by no ticker, and count in no total', async (server) => {
  assert.deepEqual(await server.json('/token'), []);
  assert.deepEqual(await server.json('/token/ticker/old'), []);
  for (const path of [`/token/${oldToken}`, `/statistics/token/${oldToken}`]) {
    await server.refuses(path, 404, 'Token not found');
  }
  await server.refuses(`/nft/${oldToken}`, 404, 'NFT not found');
  const { circulating_supply, burned } = await server.json('/statistics/coin');
  assert.deepEqual([circulating_supply.decimal, burned.decimal], ['900', '100']);
  const { coin_balance } = await server.json(`/address/${destinationAddress(network, OWNER)}`);
  assert.equal(coin_balance.decimal, '899');
});

servers.alike('the transactions of legacy tokens are those of no token', async (server) => {
  const answer = await server.get(`/token/${oldToken}/transactions`);
  const isCore = server === servers.core;
  assert.deepEqual([answer.status, answer.body], isCore ? [200, []] : [404, { error: 'Token not found' }]);
});
