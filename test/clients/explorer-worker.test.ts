/**
 * What the worker of Mintlayer's explorer asks for, and reads of the responses, restated: the catalogue of tokens by one
 * batch of offsets, the newest transactions with their blocks, and all pools with their delegations and blocks of a day.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { upgrading } from '../devnet/sim/networks.ts';
import { MONTHS, simulatedHistory } from '../sim/history.ts';
import { TestIndex } from '../support/indexed-database.ts';

// Wallets and the explorer number their networks.
const network = { ...upgrading, name: 'testnet' };
const OFFSETS = Array.from({ length: 16 }, (_, i) => 10 * i);

test("the worker of Mintlayer's explorer finds all tokens, the newest transactions, and all pools", async (t) => {
  const { mainChain } = simulatedHistory({
    network,
    blocks: 60,
    seed: 'explorer',
    reorganisationProbability: 0,
    mix: MONTHS,
  });
  const index = await TestIndex.create(t, network);
  await index.follow(mainChain, 60);
  const server = await index.serve(t, { contract: 'mintlayer-core' });
  const idsOf = async (sql: string) => (await index.query<{ id: string }>(sql)).rows.map(({ id }) => id);

  const json = { 'content-type': 'application/json' };
  const batch = await server.batch({ ids: OFFSETS, type: '/token?offset=:address', network: 1 }, json);
  assert.equal(batch.status, 200, batch.text);
  const listed: string[] = [...new Set<string>(batch.body.results.flat())];
  const stored = await idsOf('select token_id as id from tokens union all select token_id from nfts');
  assert.ok(stored.length > 10 && stored.length <= 160, `${stored.length}`);
  assert.equal(listed.length, stored.length);
  let fungible = 0;
  for (const id of listed) {
    const { status, body: token } = await server.get(`/token/${id}`);
    if (status !== 200) {
      const nft = await server.get(`/nft/${id}`);
      assert.equal(nft.status, 200, nft.text);
      continue;
    }
    fungible++;
    assert.equal(typeof token.frozen, 'boolean');
    assert.equal(typeof token.is_locked, 'boolean');
    assert.equal(typeof token.token_ticker.string, 'string');
    assert.ok('string' in token.metadata_uri);
    assert.ok(typeof token.total_supply === 'string' || /^\d+$/.test(token.total_supply.Fixed.atoms));
    assert.equal(typeof token.number_of_decimals, 'number');
    assert.match(token.circulating_supply.decimal, /^\d/);
  }
  assert.equal(fungible, (await idsOf('select token_id as id from tokens')).length);

  const tip = await server.json('/chain/tip');
  assert.equal(tip.block_height, 60);
  const transactions = await server.json('/transaction?offset=0');
  assert.ok(transactions.length > 0);
  for (const { id, fee, inputs, outputs, timestamp, confirmations } of transactions) {
    assert.match(id, /^[0-9a-f]{64}$/);
    assert.match(fee.decimal, /^\d/);
    assert.ok(Array.isArray(inputs) && Array.isArray(outputs));
    assert.ok(Number(timestamp) > 0 && Number(confirmations) >= 0 && Number(confirmations) <= 60, `${confirmations}`);
    for (const { type, value, amount, data } of outputs) {
      const atoms = {
        Transfer: value?.amount.atoms,
        LockThenTransfer: value?.amount.atoms,
        DelegateStaking: amount?.atoms,
        CreateStakePool: data?.amount.atoms,
      }[type as string];
      if (atoms !== undefined) assert.match(atoms, /^\d+$/, type);
    }
  }
  let block = tip.block_id;
  for (let height = 60; height > 50; height--) {
    const { header, body } = await server.json(`/block/${block}`);
    assert.ok(header.timestamp.timestamp > 0 && Array.isArray(body.transactions));
    assert.ok(Number.isFinite(Number.parseInt(header.consensus_data.target, 16)), header.consensus_data.target);
    assert.equal(typeof body.reward[0].pool_id, 'string');
    block = header.previous_block_id;
  }

  const pools: string[] = [];
  for (let page = [''], offset = 0; page.length > 0; offset += 10) {
    const details = await server.json(`/pool?offset=${offset}`);
    page = details.map(({ pool_id: id }: { pool_id: string }) => id);
    pools.push(...page);
    for (const { margin_ratio_per_thousand: margin, cost_per_block: cost, staker_balance: balance } of details) {
      assert.match(margin, /^[\d.]+%$/);
      assert.match(`${cost.decimal} ${balance.decimal} ${balance.atoms}`, /^[\d.]+ [\d.]+ \d+$/);
    }
  }
  assert.equal(new Set(pools).size, pools.length);
  assert.ok(pools.length > 0);
  for (const pool of pools) {
    for (const { delegation_id: id, balance } of await server.json(`/pool/${pool}/delegations`)) {
      assert.equal(typeof id, 'string');
      assert.match(balance.atoms, /^\d+$/);
    }
    const { block_count: count } = await server.json(`/pool/${pool}/block-stats?from=0&to=4000000000`);
    assert.ok(Number.isInteger(count), pool);
  }
});
