/** Pages by offset, far down in lists: read from milestones, and the same entries as a walk from the start gives. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { poolAddress, tokenAddress } from '../../../src/chain/address.ts';
import { ANCHOR_STEP } from '../../../src/store/queries/lists/keyset.ts';
import { builtBefore } from '../../support/file-scope.ts';
import { filledIndex, network } from '../../support/filled-servers.ts';

const index = filledIndex({
  blocks: 250,
  transactionsPerBlock: 3,
  pools: 320,
  delegations: 330,
  tokens: 230,
  nfts: 140,
  orders: 500,
  holders: 310,
});
const server = builtBefore((scope) => index().serve(scope));
const token = builtBefore(async () =>
  tokenAddress(network, await idOf('select token_id as id from tokens where circulating_supply = 1')),
);
const pool = builtBefore(async () => poolAddress(network, await idOf('select pool_id as id from delegations limit 1')));

async function idOf(sql: string): Promise<string> {
  return (await index().query<{ id: string }>(sql)).rows[0]!.id;
}

const LISTS: Readonly<Record<string, () => string>> = {
  transactions: () => '/transaction',
  'pools by height': () => '/pool',
  'pools by pledge': () => '/pool?sort=by_pledge',
  "a pool's delegations": () => `/pool/${pool()}/delegations`,
  tokens: () => '/token',
  'tokens by ticker': () => '/token/ticker/T',
  "a token's transactions": () => `/token/${token()}/transactions`,
  'open orders': () => '/order',
  'open orders of a pair': () => `/order/pair/RML_${token()}`,
};

const withParameters = (path: string, parameters: string) => `${path}${path.includes('?') ? '&' : '?'}${parameters}`;

for (const [name, path] of Object.entries(LISTS)) {
  it(`the list of ${name} has the same entries by offset, also between and beside milestones, and goes on by cursor`, async () => {
    const all = (await server().pages(withParameters(path(), 'items=100'))).flat();
    assert.ok(all.length > 3 * ANCHOR_STEP, `${all.length} entries`);
    const last = Math.floor(all.length / ANCHOR_STEP) * ANCHOR_STEP;
    for (const offset of [
      0,
      1,
      99,
      100,
      101,
      187,
      299,
      300,
      301,
      last,
      all.length - 1,
      all.length,
      all.length + 1_000,
    ]) {
      const page = await server().json(withParameters(path(), `offset=${offset}&items=9`));
      assert.deepEqual(page, all.slice(offset, offset + 9), `offset ${offset}`);
    }
    assert.deepEqual(await server().json(withParameters(path(), 'offset=9223372036854775807')), []);
    const page = await server().get(withParameters(path(), 'offset=150&items=5'));
    const cursor = page.headers.get('x-next-cursor');
    const next = await server().json(withParameters(path(), `items=5&cursor=${cursor}`));
    assert.deepEqual(next.items, all.slice(155, 160));
  });
}

it('a page by offset is right at once when the chain has moved under the milestones', async () => {
  const deep = '/pool?sort=by_pledge&offset=200&items=5';
  const { rows } = await index().query<{ pool_id: string }>(
    'select pool_id from pools order by staker_balance desc, pool_id',
  );
  const places = rows.map(({ pool_id }) => pool_id);
  const served = async () => (await server().json(deep)).map((each: { pool_id: string }) => each.pool_id);
  const expected = (from: number) => places.slice(from, from + 5).map((id) => poolAddress(network, id));
  assert.deepEqual(await served(), expected(200));
  // The first of all pools goes, so that every other one moves up by a place.
  await index().query(`begin;
    update pools set pledge = 0, rewards = 0 where pool_id = '\\x${places[0]}';
    update chain_tip set revision = revision + 1, block_id = sha256(block_id);
    commit`);
  // The server asks the database for this one: nobody asked for this URL before.
  const page = await server().json('/pool?items=5&sort=by_pledge&offset=200');
  const ids = page.map((each: { pool_id: string }) => each.pool_id);
  assert.deepEqual(ids, expected(201));
});
