/**
 * Every field of every resource of the API's published description, by name and type, in the response profile
 * `described`.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { delegationAddress, orderAddress, poolAddress } from '../../src/chain/address.ts';
import { goldenServers } from '../support/golden-servers.ts';
import {
  address,
  amount,
  array,
  arrayOf,
  boolean,
  delegationId,
  type Fields,
  fields,
  HEADER,
  hex,
  id,
  integer,
  nullOr,
  ORDER,
  POOL,
  poolId,
  STATISTICS,
  string,
  TRANSACTION,
  text,
  timestamp,
  tokenId,
  UTXO_ENTRY,
  wrongFields,
} from '../support/shape.ts';

// The recorded chain ends without an open order: one that was concluded is opened again.
const golden = goldenServers(`
  update orders set is_concluded = false, is_frozen = false, ask_balance = initially_asked, give_balance = initially_given
  where order_id = (select order_id from orders where not is_frozen order by 1 limit 1)`);

interface Resource {
  readonly name: string;
  readonly path: () => string | Promise<string>;
  /** Of the answer, or of each element when it is a list. */
  readonly fields: Fields;
  readonly isList?: boolean;
}

const transferId = () =>
  golden.value(`select tx_id from transactions where body like '%"input_type":"UTXO"%"type":"Transfer"%' limit 1`);
const blockWithTransactions = () =>
  golden.value('select block_id from blocks where tx_count > 0 and pool_id is not null limit 1');
const busiestPool = async () =>
  poolAddress(
    golden.network,
    await golden.value('select pool_id from delegations group by pool_id order by count(*) desc limit 1'),
  );
const owner = () =>
  golden.address('utxos where unlock_height is null and unlock_time is null and refund_owner is null');

const RESOURCES: readonly Resource[] = [
  { name: 'transaction', path: async () => `/transaction/${await transferId()}`, fields: TRANSACTION },
  {
    name: 'entry of the list of transactions',
    path: () => '/transaction?items=100',
    fields: TRANSACTION,
    isList: true,
  },
  {
    name: 'merkle path',
    path: async () => `/transaction/${await transferId()}/merkle-path`,
    fields: { block_id: id, merkle_path: arrayOf(id), merkle_root: id },
  },
  {
    name: 'spendable UTXO entry',
    path: async () => `/address/${await owner()}/spendable-utxos`,
    fields: UTXO_ENTRY,
    isList: true,
  },
  {
    name: 'UTXO entry',
    path: async () => `/address/${await owner()}/all-utxos`,
    fields: {
      ...UTXO_ENTRY,
      spent: nullOr(fields({ transaction_id: nullOr(id), block_id: id, height: integer, timestamp: integer })),
    },
    isList: true,
  },
  {
    name: 'token',
    path: async () => `/token/${await golden.token()}`,
    fields: {
      authority: address,
      circulating_supply: amount,
      frozen: boolean,
      is_locked: boolean,
      is_token_freezable: boolean,
      is_token_unfreezable: nullOr(boolean),
      metadata_uri: fields({ hex }),
      next_nonce: integer,
      number_of_decimals: integer,
      token_ticker: string,
      total_supply: amount,
    },
  },
  {
    name: 'entry of the transactions of a token',
    path: async () => `/token/${await golden.token()}/transactions`,
    fields: { tx_global_index: integer, tx_id: id },
    isList: true,
  },
  {
    name: 'NFT',
    path: async () => `/nft/${await golden.nft('owner is not null')}`,
    fields: {
      additional_metadata_uri: nullOr(string),
      creator: nullOr(address),
      description: nullOr(string),
      icon_uri: nullOr(string),
      media_hash: nullOr(hex),
      media_uri: nullOr(string),
      name: nullOr(string),
      owner: address,
      ticker: nullOr(string),
    },
  },
  { name: 'pool', path: async () => `/pool/${await busiestPool()}`, fields: POOL },
  { name: 'entry of the list of pools', path: () => '/pool?items=100', fields: POOL, isList: true },
  {
    name: 'entry of the delegations of a pool',
    path: async () => `/pool/${await busiestPool()}/delegations`,
    fields: {
      balance: amount,
      creation_block_height: integer,
      delegation_id: delegationId,
      next_nonce: integer,
      spend_destination: address,
    },
    isList: true,
  },
  {
    name: 'block statistics of a pool',
    path: async () => `/pool/${await busiestPool()}/block-stats?from=0&to=9999999999`,
    fields: { block_count: integer },
  },
  {
    name: 'delegation',
    path: async () =>
      `/delegation/${delegationAddress(golden.network, await golden.value('select delegation_id from delegations limit 1'))}`,
    fields: {
      balance: amount,
      creation_block_height: integer,
      next_nonce: integer,
      pool_id: poolId,
      spend_destination: address,
    },
  },
  {
    name: 'order',
    path: async () =>
      `/order/${orderAddress(golden.network, await golden.value('select order_id from orders limit 1'))}`,
    fields: ORDER,
  },
  { name: 'entry of the list of orders', path: () => '/order', fields: ORDER, isList: true },
  {
    name: 'block',
    path: async () => `/block/${await blockWithTransactions()}`,
    fields: {
      header: fields(HEADER),
      body: fields({
        reward: arrayOf(fields({ destination: address, pool_id: poolId, type: text(/^ProduceBlockFromStake$/) })),
        transactions: arrayOf(fields({ id, fee: amount, inputs: array, outputs: array })),
      }),
    },
  },
  { name: 'block header', path: async () => `/block/${await blockWithTransactions()}/header`, fields: HEADER },
  {
    name: 'reward entry',
    path: async () => `/block/${await blockWithTransactions()}/reward`,
    fields: { destination: address, pool_id: poolId, type: string },
    isList: true,
  },
  {
    name: 'address summary',
    path: async () => `/address/${await golden.address('address_transactions')}`,
    fields: {
      coin_balance: amount,
      locked_coin_balance: amount,
      tokens: array,
      transaction_history: arrayOf(id),
    },
  },
  { name: 'coin statistics', path: () => '/statistics/coin', fields: STATISTICS },
  {
    name: 'token statistics',
    path: async () => `/statistics/token/${await golden.token()}`,
    fields: { ...STATISTICS, total_supply: amount },
  },
  { name: 'genesis', path: () => '/chain/genesis', fields: { block_id: id, genesis_message: string, timestamp } },
  { name: 'tip', path: () => '/chain/tip', fields: { block_height: integer, block_id: id } },
];

for (const resource of RESOURCES) {
  it(`the ${resource.name} has all of its fields, each of its type`, async () => {
    const body = await golden.described.json(await resource.path());
    const entries: object[] = resource.isList ? body : [body];
    assert.ok(entries.length > 0, 'the list is empty');
    const wrong = entries.flatMap((entry) => wrongFields(entry, resource.fields));
    assert.deepEqual([...new Set(wrong)], []);
  });
}

it('an input entry names the output that it spends, resolved', async () => {
  const { inputs } = await golden.described.json(`/transaction/${await transferId()}`);
  const entry = inputs.find((candidate: { utxo: { type: string } | null }) => candidate.utxo?.type === 'Transfer');
  const check = fields({
    input: fields({ index: integer, input_type: text(/^UTXO$/), source_id: id, source_type: string }),
    utxo: fields({
      destination: address,
      type: text(/^Transfer$/),
      value: fields({ type: text(/^(Coin|TokenV1)$/), amount }),
    }),
  });
  assert.ok(check(entry), JSON.stringify(entry));
});

it('the root answers with the served versions', async () => {
  assert.deepEqual((await golden.described.request('/')).body, { versions: ['2.0.0'] });
});

it('a height is answered with a bare block id', async () => {
  const blockId = await golden.described.json('/chain/1');
  assert.ok(id(blockId));
  assert.equal(
    (await golden.described.json(`/block/${blockId}/header`)).previous_block_id,
    await golden.described.json('/chain/0'),
  );
});

it('the transaction ids of a block are those of the block, none for a block without transactions', async () => {
  const blockId = await blockWithTransactions();
  const block = await golden.described.json(`/block/${blockId}`);
  assert.deepEqual(
    await golden.described.json(`/block/${blockId}/transaction-ids`),
    block.body.transactions.map((transaction: { id: string }) => transaction.id),
  );
  const empty = await golden.value('select block_id from blocks where tx_count = 0 and height > 0 limit 1');
  assert.deepEqual(await golden.described.json(`/block/${empty}/transaction-ids`), []);
});

it('the lists of delegations, token authority, tokens and tickers are plain ids', async () => {
  const delegator = await golden.address('delegations', 'spend_destination');
  assert.ok(arrayOf(delegationId)(await golden.described.json(`/address/${delegator}/delegations`)));
  const authority = await golden.address('tokens', 'authority');
  assert.ok(arrayOf(tokenId)(await golden.described.json(`/address/${authority}/token-authority`)));
  assert.ok(arrayOf(tokenId)(await golden.described.json('/token')));
  const { token_ticker: ticker } = await golden.described.json(`/token/${await golden.token()}`);
  assert.ok(
    (await golden.described.json(`/token/ticker/${ticker.toLowerCase()}?items=100`)).includes(await golden.token()),
  );
  assert.deepEqual(await golden.described.json('/token/ticker/nobodyhasthisticker'), []);
});

it('NFTs are found by listing the tokens and requesting each', async () => {
  const ids = (await golden.described.pages('/token?items=100')).flat();
  let nfts = 0;
  for (const candidate of ids) {
    const { status, body } = await golden.described.get(`/nft/${candidate}`);
    if (status === 200) nfts++;
    else assert.deepEqual([status, body], [404, { error: 'NFT not found' }]);
  }
  assert.equal(nfts, Number(await golden.value('select count(*) from nfts')));
});

it('an output is answered as the UTXO set holds it', async () => {
  const txId = await golden.value(`
    select x.tx_id from utxos u join blocks b on b.height = u.height
    join transactions x on x.tx_index = b.first_tx_index + u.position
    where u.output_index = 0 and u.unlock_height is null and u.height > 0 limit 1`);
  const output = await golden.described.json(`/transaction/${txId}/output/0`);
  const { outputs } = await golden.described.json(`/transaction/${txId}`);
  assert.deepEqual(output, { ...outputs[0], spent_at_block_height: null });
  assert.equal((await golden.described.get(`/transaction/${txId}/output/999`)).status, 404);
});
