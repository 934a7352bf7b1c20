/**
 * Every field of every resource of the API's published description, by name and type, in the response profile
 * `described`.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { delegationAddress, orderAddress, poolAddress } from '../../src/chain/address.ts';
import { goldenServers } from '../support/golden-servers.ts';

type Check = (value: unknown) => boolean;
type Fields = Readonly<Record<string, Check>>;

/** The fields of an object that are not what they should be, each with its value. */
function wrongFields(it: object, expected: Fields): string[] {
  const values = it as Record<string, unknown>;
  return Object.entries(expected)
    .filter(([name, check]) => !check(values[name]))
    .map(([name]) => `${name} is ${JSON.stringify(values[name])}`);
}

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
  (expected: Fields): Check =>
  (it) =>
    object(it) && wrongFields(it as object, expected).length === 0;
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

const TRANSACTION: Fields = {
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
const POOL: Fields = {
  pool_id: poolId,
  cost_per_block: amount,
  decommission_destination: address,
  delegations_balance: amount,
  margin_ratio_per_thousand: text(/^[0-9.]+%$/),
  staker_balance: amount,
  vrf_public_key: bech32('rvrfpk'),
};
const ORDER: Fields = {
  order_id: orderId,
  ask_currency: currency,
  ask_balance: amount,
  give_currency: currency,
  give_balance: amount,
  initially_asked: amount,
  initially_given: amount,
  conclude_destination: address,
};
const HEADER: Fields = {
  consensus_data: fields({ target: text(/^0x[0-9a-f]{64}$/) }),
  merkle_root: id,
  previous_block_id: id,
  timestamp,
  witness_merkle_root: id,
};
const UTXO_ENTRY: Fields = {
  outpoint: fields({ source_type: text(/^(Transaction|BlockReward)$/), source_id: id, index: integer }),
  utxo: fields({ type: string }),
  block: fields({ block_id: id, height: integer, timestamp: integer }),
};
const STATISTICS: Fields = {
  burned: amount,
  circulating_supply: amount,
  preminted: amount,
  staked: amount,
};
const BLOCK: Fields = {
  header: fields(HEADER),
  body: fields({
    reward: arrayOf(fields({ destination: address, pool_id: poolId, type: text(/^ProduceBlockFromStake$/) })),
    transactions: arrayOf(fields({ id, fee: amount, inputs: array, outputs: array })),
  }),
};
const TOKEN: Fields = {
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
};
const NFT: Fields = {
  additional_metadata_uri: nullOr(string),
  creator: nullOr(address),
  description: nullOr(string),
  icon_uri: nullOr(string),
  media_hash: nullOr(hex),
  media_uri: nullOr(string),
  name: nullOr(string),
  owner: address,
  ticker: nullOr(string),
};
/** A delegation, by itself and in the list of a pool. */
const DELEGATION: Fields = {
  balance: amount,
  creation_block_height: integer,
  next_nonce: integer,
  spend_destination: address,
};

// The recorded chain ends without an open order: one that was concluded is opened again.
const golden = goldenServers(`
  update orders set concluded_height = null, is_frozen = false, ask_balance = initially_asked, give_balance = initially_given
  where order_id = (select order_id from orders where not is_frozen order by 1 limit 1)`);

/** The ids that stand for their names in braces in the paths below. */
const IDS: Readonly<Record<string, () => Promise<string>>> = {
  spender: () =>
    golden.value(`select tx_id from transactions where body like '%"input_type":"UTXO"%"type":"Transfer"%' limit 1`),
  block: () => golden.value('select block_id from blocks where tx_count > 0 and pool_id is not null limit 1'),
  pool: async () => {
    const sql = 'select pool_id from delegations group by pool_id order by count(*) desc limit 1';
    return poolAddress(golden.network, await golden.value(sql));
  },
  delegation: async () =>
    delegationAddress(golden.network, await golden.value('select delegation_id from delegations limit 1')),
  order: async () => orderAddress(golden.network, await golden.value('select order_id from orders limit 1')),
  owner: () => golden.address('utxos where unlock_height is null and unlock_time is null and refund_owner is null'),
  sender: () => golden.address('address_transactions'),
  token: () => golden.token(),
  nft: () => golden.nft('owner is not null'),
};

/** The response to a path with such names. */
async function got(path: string) {
  const [braces, name] = /\{(\w+)\}/.exec(path) ?? [];
  return golden.described.json(braces === undefined ? path : path.replace(braces, await IDS[name!]!()));
}

const SPENT = nullOr(fields({ transaction_id: nullOr(id), block_id: id, height: integer, timestamp: integer }));

/** The fields are those of the answer, or in brackets of each entry of a list. */
const RESOURCES: readonly (readonly [name: string, path: string, fields: Fields | [Fields]])[] = [
  ['transaction', '/transaction/{spender}', TRANSACTION],
  ['entry of the list of transactions', '/transaction?items=100', [TRANSACTION]],
  ['merkle path', '/transaction/{spender}/merkle-path', { block_id: id, merkle_path: arrayOf(id), merkle_root: id }],
  ['spendable UTXO entry', '/address/{owner}/spendable-utxos', [UTXO_ENTRY]],
  ['UTXO entry', '/address/{owner}/all-utxos', [{ ...UTXO_ENTRY, spent: SPENT }]],
  ['token', '/token/{token}', TOKEN],
  ['entry of the transactions of a token', '/token/{token}/transactions', [{ tx_global_index: integer, tx_id: id }]],
  ['NFT', '/nft/{nft}', NFT],
  ['pool', '/pool/{pool}', POOL],
  ['entry of the list of pools', '/pool?items=100', [POOL]],
  ['entry of the delegations of a pool', '/pool/{pool}/delegations', [{ ...DELEGATION, delegation_id: delegationId }]],
  ['block statistics of a pool', '/pool/{pool}/block-stats?from=0&to=9999999999', { block_count: integer }],
  ['delegation', '/delegation/{delegation}', { ...DELEGATION, pool_id: poolId }],
  ['order', '/order/{order}', ORDER],
  ['entry of the list of orders', '/order', [ORDER]],
  ['block', '/block/{block}', BLOCK],
  ['block header', '/block/{block}/header', HEADER],
  ['reward entry', '/block/{block}/reward', [{ destination: address, pool_id: poolId, type: string }]],
  [
    'address summary',
    '/address/{sender}',
    { coin_balance: amount, locked_coin_balance: amount, tokens: array, transaction_history: arrayOf(id) },
  ],
  ['coin statistics', '/statistics/coin', STATISTICS],
  ['token statistics', '/statistics/token/{token}', { ...STATISTICS, total_supply: amount }],
  ['genesis', '/chain/genesis', { block_id: id, genesis_message: string, timestamp }],
  ['tip', '/chain/tip', { block_height: integer, block_id: id }],
];

for (const [name, path, expected] of RESOURCES) {
  it(`the ${name} has all of its fields, each of its type`, async () => {
    const body = await got(path);
    const [entries, shape] = Array.isArray(expected) ? [body as object[], expected[0]] : [[body], expected];
    assert.ok(entries.length > 0, 'the list is empty');
    const wrong = entries.flatMap((entry) => wrongFields(entry, shape));
    assert.deepEqual([...new Set(wrong)], []);
  });
}

it('an input entry names the output that it spends, resolved', async () => {
  const { inputs } = await got('/transaction/{spender}');
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
  const blockId = await IDS.block!();
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
