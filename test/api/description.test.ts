/** Every field of every resource of the service description, by name and type, in the described contract. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../src/chain/address.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import { fileScope } from '../support/file-scope.ts';
import { goldenChain } from '../support/recorded-chain.ts';
import { TestIndex } from '../support/test-index.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';

const scope = fileScope();
let network: Network;
let index: TestIndex;
let server: TestServer;

before(async () => {
  const chain = await goldenChain('r21');
  network = chain.network;
  index = await TestIndex.create(scope, network);
  await index.follow(chain.mainChain, 50);
  // The recorded chain ends without an open order: one that was concluded is opened again.
  await index.session.writer.query(`
    update orders set is_concluded = false, is_frozen = false, ask_balance = initially_asked, give_balance = initially_given
    where order_id = (select min(order_id) from orders where not is_frozen)`);
  server = await startTestWebServer(scope, { network, postgres: index.postgres });
});

/** The only value of a query's first row. */
async function value(sql: string): Promise<string> {
  const { rows } = await index.session.writer.query(sql);
  assert.ok(rows[0], `nothing found: ${sql}`);
  return Object.values(rows[0])[0] as string;
}

type Check = (value: unknown) => boolean;

const string: Check = (it) => typeof it === 'string';
const integer: Check = Number.isSafeInteger;
const boolean: Check = (it) => typeof it === 'boolean';
const array: Check = Array.isArray;
const object: Check = (it) => typeof it === 'object' && it !== null && !Array.isArray(it);
const text =
  (pattern: RegExp): Check =>
  (it) =>
    typeof it === 'string' && pattern.test(it);
const nullOr =
  (check: Check): Check =>
  (it) =>
    it === null || check(it);
const fields =
  (expected: Record<string, Check>): Check =>
  (it) =>
    object(it) && Object.entries(expected).every(([name, check]) => check((it as Record<string, unknown>)[name]));
const arrayOf =
  (check: Check): Check =>
  (it) =>
    Array.isArray(it) && it.length > 0 && it.every(check);

const id = text(/^[0-9a-f]{64}$/);
const hex = text(/^([0-9a-f]{2})+$/);
const integerText = text(/^(0|[1-9][0-9]*)$/);
const bech32 = (prefix: string) => text(new RegExp(`^${prefix}1[02-9ac-hj-np-z]+$`));
const tokenId = bech32('rmltk');
const poolId = bech32('rpool');
const delegationId = bech32('rdelg');
const orderId = bech32('rordr');
const address = text(/^(rmt|rpmt|rmtc|rstc|rxanyonecanspend|r[a-z]*)1[02-9ac-hj-np-z]+$/);
const amount = fields({ atoms: integerText, decimal: text(/^[0-9]+(\.[0-9]*[1-9])?$/) });
const timestamp = fields({ timestamp: integer });
const currency: Check = (it) =>
  fields({ type: text(/^Coin$/) })(it) || fields({ type: text(/^Token$/), token_id: tokenId })(it);

const TRANSACTION: Record<string, Check> = {
  id,
  block_id: id,
  confirmations: integerText,
  fee: amount,
  flags: integer,
  inputs: array,
  is_replaceable: boolean,
  outputs: array,
  timestamp: integer,
  tx_global_index: integer,
  version_byte: integer,
};
const POOL: Record<string, Check> = {
  pool_id: poolId,
  cost_per_block: amount,
  decommission_destination: address,
  delegations_balance: amount,
  margin_ratio_per_thousand: text(/^[0-9.]+%$/),
  staker_balance: amount,
  vrf_public_key: bech32('rvrfpk'),
};
const ORDER: Record<string, Check> = {
  order_id: orderId,
  ask_currency: currency,
  ask_balance: amount,
  give_currency: currency,
  give_balance: amount,
  initially_asked: amount,
  initially_given: amount,
  conclude_destination: address,
};
const HEADER: Record<string, Check> = {
  consensus_data: fields({ target: text(/^0x[0-9a-f]{64}$/) }),
  merkle_root: id,
  previous_block_id: id,
  timestamp,
  witness_merkle_root: id,
};
const UTXO_ENTRY: Record<string, Check> = {
  outpoint: fields({ source_type: text(/^(Transaction|BlockReward)$/), source_id: id, index: integer }),
  utxo: fields({ type: string }),
  block: fields({ block_id: id, height: integer, timestamp: integer }),
};
const STATISTICS: Record<string, Check> = {
  burned: amount,
  circulating_supply: amount,
  preminted: amount,
  staked: amount,
};

interface Resource {
  readonly name: string;
  readonly path: () => string | Promise<string>;
  /** Of the answer, or of each element when it is a list. */
  readonly fields: Record<string, Check>;
  readonly isList?: boolean;
}

const destination = async (sql: string) => destinationAddress(network, await value(sql));
const transferId = () =>
  value(`select tx_id from transactions where body like '%"input_type":"UTXO"%"type":"Transfer"%' limit 1`);
const blockWithTransactions = () =>
  value('select block_id from blocks where tx_count > 0 and pool_id is not null limit 1');
const busiestPool = async () =>
  poolAddress(network, await value('select pool_id from delegations group by pool_id order by count(*) desc limit 1'));
const token = async () => tokenAddress(network, await value('select token_id from tokens limit 1'));
const owner = () =>
  destination(
    'select owner from utxos where unlock_height is null and unlock_time is null and refund_owner is null limit 1',
  );

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
    path: async () => `/token/${await token()}`,
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
    path: async () => `/token/${await token()}/transactions`,
    fields: { tx_global_index: integer, tx_id: id },
    isList: true,
  },
  {
    name: 'NFT',
    path: async () =>
      `/nft/${tokenAddress(network, await value('select token_id from nfts where owner is not null limit 1'))}`,
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
      `/delegation/${delegationAddress(network, await value('select delegation_id from delegations limit 1'))}`,
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
    path: async () => `/order/${orderAddress(network, await value('select order_id from orders limit 1'))}`,
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
    path: async () => `/address/${await destination('select owner from address_transactions limit 1')}`,
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
    path: async () => `/statistics/token/${await token()}`,
    fields: { ...STATISTICS, total_supply: amount },
  },
  { name: 'genesis', path: () => '/chain/genesis', fields: { block_id: id, genesis_message: string, timestamp } },
  { name: 'tip', path: () => '/chain/tip', fields: { block_height: integer, block_id: id } },
];

for (const resource of RESOURCES) {
  describe(`the ${resource.name}`, () => {
    for (const [field, check] of Object.entries(resource.fields)) {
      it(`has the field ${field}`, async () => {
        const body = await server.json(await resource.path());
        const entries = resource.isList ? body : [body];
        assert.ok(entries.length > 0, 'the list is empty');
        for (const entry of entries) {
          assert.ok(check(entry[field]), `${field} is ${JSON.stringify(entry[field])}`);
        }
      });
    }
  });
}

describe('an input entry', () => {
  it('names the output that it spends, resolved', async () => {
    const { inputs } = await server.json(`/transaction/${await transferId()}`);
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
});

describe('the plain answers', () => {
  it('of the root are the served versions', async () => {
    assert.deepEqual((await server.request('/')).body, { versions: ['2.0.0'] });
  });

  it('of a height is a bare block id', async () => {
    const blockId = await server.json('/chain/1');
    assert.ok(id(blockId));
    assert.equal((await server.json(`/block/${blockId}/header`)).previous_block_id, await server.json('/chain/0'));
  });

  it('of transaction ids are those of the block, none for a block without transactions', async () => {
    const blockId = await blockWithTransactions();
    const block = await server.json(`/block/${blockId}`);
    assert.deepEqual(
      await server.json(`/block/${blockId}/transaction-ids`),
      block.body.transactions.map((transaction: { id: string }) => transaction.id),
    );
    const empty = await value('select block_id from blocks where tx_count = 0 and height > 0 limit 1');
    assert.deepEqual(await server.json(`/block/${empty}/transaction-ids`), []);
  });

  it('of delegations, of token authority, of tokens and of tickers are ids', async () => {
    const delegator = await destination('select spend_destination from delegations limit 1');
    assert.ok(arrayOf(delegationId)(await server.json(`/address/${delegator}/delegations`)));
    const authority = await destination('select authority from tokens limit 1');
    assert.ok(arrayOf(tokenId)(await server.json(`/address/${authority}/token-authority`)));
    assert.ok(arrayOf(tokenId)(await server.json('/token')));
    const { token_ticker: ticker } = await server.json(`/token/${await token()}`);
    assert.ok((await server.json(`/token/ticker/${ticker.toLowerCase()}?items=100`)).includes(await token()));
    assert.deepEqual(await server.json('/token/ticker/nobodyhasthisticker'), []);
  });

  it('of the NFTs are found by listing the tokens and probing each', async () => {
    const ids = (await server.pages('/token?items=100')).flat();
    let nfts = 0;
    for (const candidate of ids) {
      const { status, body } = await server.get(`/nft/${candidate}`);
      if (status === 200) nfts++;
      else assert.deepEqual([status, body], [404, { error: 'NFT not found' }]);
    }
    assert.equal(nfts, Number(await value('select count(*) from nfts')));
  });

  it('of an output is the output as the UTXO set holds it', async () => {
    const txId = await value(`
      select x.tx_id from utxos u join blocks b on b.height = u.height
      join transactions x on x.tx_index = b.first_tx_index + u.position
      where u.output_index = 0 and u.unlock_height is null and u.height > 0 limit 1`);
    const output = await server.json(`/transaction/${txId}/output/0`);
    const { outputs } = await server.json(`/transaction/${txId}`);
    assert.deepEqual(output, { ...outputs[0], spent_at_block_height: null });
    assert.equal((await server.get(`/transaction/${txId}/output/999`)).status, 404);
  });
});
