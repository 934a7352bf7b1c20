/** Rare but valid blocks on the genesis of mainnet. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { builtBefore } from '../support/file-scope.ts';
import { getPage } from '../support/html-page.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { goldenChain } from '../support/recorded-chain.ts';

const ATOMS_PER_COIN = 100_000_000_000n;
const POOLS = {
  genesis: 'mpool1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqd2ew4w',
  withoutDelegatorsShare: 'mpool1yqhp3j6m6pmx09ya33mu5gqfz9sx68ppp4lrg4m8jtz2zg80vvsq8kmrr3',
};
const BRIDGED = 'mmltk1rvk3vffhy7l3z3m7z2vnr8pkpsmhluu2laafwjgvzcvfrvus6jpqvxllv6';

const built = builtBefore(async (scope) => {
  const { network, mainChain } = await goldenChain('mainnet-9-odd-blocks');
  assert.equal(network.name, 'mainnet');
  const index = await TestIndex.create(scope, network);
  await index.bulk(mainChain, 4);
  return { network, servers: await index.serveBoth(scope) };
});
const json = async (path: string) => (await built().servers.described.request(`/api/v2${path}`)).body;

it('the supply is the premine and the subsidies without what was burned', async () => {
  const { preminted, circulating_supply, burned } = await json('/statistics/coin');
  assert.equal(BigInt(preminted.atoms), 400_000_000n * ATOMS_PER_COIN);
  assert.equal(BigInt(burned.atoms), 320n * ATOMS_PER_COIN);
  assert.equal(BigInt(circulating_supply.atoms), (400_000_000n + 9n * 202n - 320n) * ATOMS_PER_COIN);
});

it('the genesis has the id of mainnet, a message with a line break, and a pool with the id zero', async () => {
  const { block_id, genesis_message } = await json('/chain/genesis');
  assert.equal(block_id, built().network.genesisId);
  assert.match(genesis_message, /constraints;\n {8}6777eb86f0564cae/);
  assert.equal((await json(`/pool/${POOLS.genesis}`)).margin_ratio_per_thousand, '5%');
});

it('rewards go to the pool that a block names, also where the kernel is of another pool', async () => {
  const pool = await json(`/pool/${POOLS.genesis}`);
  assert.equal(BigInt(pool.staker_balance.atoms), 101_222n * ATOMS_PER_COIN);
  const rewarded = await json(`/pool/${POOLS.withoutDelegatorsShare}`);
  assert.equal(BigInt(rewarded.staker_balance.atoms), 300_880n * ATOMS_PER_COIN);
});

it('a pool with a margin of 100% has delegations that earn nothing', async () => {
  const pool = await json(`/pool/${POOLS.withoutDelegatorsShare}`);
  assert.equal(pool.margin_ratio_per_thousand, '100%');
  assert.equal(BigInt(pool.delegations_balance.atoms), 143_921n * ATOMS_PER_COIN);
});

it('a token may have more than 10^38 atoms, a ticker in mixed case, and a metadata URI that is not UTF-8', async () => {
  const token = await json(`/token/${BRIDGED}`);
  assert.equal(token.circulating_supply.atoms, '100000000000000000000000000000000000001');
  assert.equal(token.number_of_decimals, 18);
  const page = await getPage(built().servers.described, `/token/${BRIDGED}`);
  assert.match(page.html, /ff00fe3c7363726970743e/);
  assert.doesNotMatch(page.html, /<script>alert/);
});

it('a token without decimals is written without a point', async () => {
  const found = (await json('/token?items=10')) as string[];
  const tokens = await Promise.all(found.map((id) => json(`/token/${id}`)));
  const whole = tokens.find(({ number_of_decimals: decimals }) => decimals === 0);
  assert.deepEqual(whole.circulating_supply, { atoms: '0', decimal: '0' });
});
