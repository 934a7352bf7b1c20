/** Where the contracts differ about tokens and NFTs. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { tokenAddress } from '../../../src/chain/address.ts';
import { until } from '../../support/until.ts';
import { bothContracts, keysOf, UNKNOWN } from './both-profiles.ts';

const { golden, differs, answers } = bothContracts();

const SH = ['hex', 'string'];

differs('a token has a ticker', async () => `/token/${await golden.token()}`, {
  described: (body) => assert.equal(typeof body.token_ticker, 'string'),
  core: (body) => assert.deepEqual(keysOf(body.token_ticker), SH),
});

differs('a token has a metadata URI', async () => `/token/${await golden.token()}`, {
  described: (body) => assert.deepEqual(keysOf(body.metadata_uri), ['hex']),
  core: (body) => assert.deepEqual(keysOf(body.metadata_uri), SH),
});

differs('a token that cannot be frozen', async () => `/token/${await golden.token('not is_freezable')}`, {
  described: (body) => assert.equal(body.is_token_freezable, false),
  core: (body) => assert.equal(body.is_token_freezable, false),
});

differs('a fixed total supply', async () => `/token/${await golden.token(`total_supply_type = 'Fixed'`)}`, {
  described: (body) => {
    assert.deepEqual(keysOf(body.total_supply), ['atoms', 'decimal']);
    assert.equal(body.total_supply_type, 'Fixed');
  },
  core: (body) => {
    assert.deepEqual(keysOf(body.total_supply), ['Fixed']);
    assert.deepEqual(keysOf(body.total_supply.Fixed), ['atoms']);
    assert.ok(!('total_supply_type' in body));
  },
});

differs('an unlimited total supply', async () => `/token/${await golden.token(`total_supply_type = 'Unlimited'`)}`, {
  described: (body) => {
    assert.deepEqual(body.total_supply, body.circulating_supply);
    assert.equal(body.total_supply_type, 'Unlimited');
  },
  core: (body) => assert.equal(body.total_supply, 'Unlimited'),
});

differs('the texts of an NFT', async () => `/nft/${await golden.nft()}`, {
  described: (body) => {
    for (const field of ['name', 'description', 'ticker', 'icon_uri', 'additional_metadata_uri', 'media_uri']) {
      assert.ok(body[field] === null || typeof body[field] === 'string', field);
    }
  },
  core: (body) => {
    for (const field of ['name', 'description', 'ticker']) assert.deepEqual(keysOf(body[field]), SH, field);
    for (const field of ['icon_uri', 'additional_metadata_uri', 'media_uri']) {
      assert.ok(body[field] === null || keysOf(body[field]).join() === SH.join(), field);
    }
  },
});

differs("an NFT's media hash", async () => `/nft/${await golden.nft()}`, {
  described: (body) => assert.match(body.media_hash, /^([0-9a-f]{2})+$/),
  core: (body) => assert.deepEqual(keysOf(body.media_hash), SH),
});

differs('the statistics of a token', async () => `/statistics/token/${await golden.token()}`, {
  described: (body) =>
    assert.deepEqual(keysOf(body), ['burned', 'circulating_supply', 'preminted', 'staked', 'total_supply']),
  core: (body) => assert.deepEqual(keysOf(body), ['burned', 'circulating_supply', 'preminted', 'staked']),
});

answers('the transactions of an unknown token', () => `/token/${tokenAddress(golden.network, UNKNOWN)}/transactions`, {
  described: [404, { error: 'Token not found' }],
  core: [200, []],
});

it('a frozen token cannot be frozen, and can be unfrozen if the freeze allowed that', async () => {
  const id = await golden.token('is_freezable');
  const { rows } = await golden.index.query(
    `update tokens set is_frozen = true, is_unfreezable = false where is_freezable returning token_id`,
  );
  assert.ok(rows.length > 0);
  await golden.index.query('update chain_tip set revision = revision + 1');
  try {
    await until(async () => (await golden.described.json(`/token/${id}`)).frozen, 'it is frozen');
    const body = await golden.described.json(`/token/${id}`);
    assert.deepEqual([body.is_token_freezable, body.is_token_unfreezable], [false, false]);
    await until(async () => (await golden.core.json(`/token/${id}`)).frozen, 'it is frozen');
    const coreBody = await golden.core.json(`/token/${id}`);
    assert.deepEqual([coreBody.is_token_freezable, coreBody.is_token_unfreezable], [null, false]);
  } finally {
    await golden.index.query('update tokens set is_frozen = false, is_unfreezable = null');
    await golden.index.query('update chain_tip set revision = revision + 1');
  }
});
