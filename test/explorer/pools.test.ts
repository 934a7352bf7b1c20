/** The pages of pools and delegations against the API's answers, on a recorded chain. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { delegationAddress, poolAddress } from '../../src/chain/address.ts';
import { hasNoForecast, marginHtml } from '../../src/explorer/parts/pool.ts';
import { Site } from '../../src/explorer/site.ts';
import { StaticFiles } from '../../src/explorer/static-files.ts';
import type { ExpandedPoolRow } from '../../src/store/queries/pools/pool-lists.ts';
import type { PoolRow } from '../../src/store/queries/pools/pools.ts';
import { goldenServers } from '../support/golden-servers.ts';
import { getPage } from '../support/html-page.ts';
import * as chain from '../support/simulated-chain-servers.ts';
import type { TestServer } from '../support/web-server.ts';
import {
  checkDelegationPage,
  checkPoolPage,
  checkPools,
  POOL_SORTS,
  rewardOfYear,
  shownPools,
} from './check-pool-pages.ts';
import { atoms, type Json, linked, listed, pagedRows, percent, scaled } from './page-values.ts';

const golden = goldenServers();
// The recorded chain is shorter than the day that an APR needs.
chain.serveSimulatedChain();
const served = () => chain.servers[0] as TestServer;

const idsIn = async (table: string, column: string): Promise<string[]> =>
  (await golden.index.query(`select ${column} as id from ${table}`)).rows.map(({ id }) => id);

for (const sort of POOL_SORTS) {
  it(`the list of pools is that of the API, page by page: ${sort}`, async () => {
    assert.ok((await checkPools(golden.described, sort, 2)) > 2);
    await checkPools(golden.described, sort, 25);
  });
}

it('the list of pools says which column sorts it, and links to the other orders', async () => {
  const { main } = await getPage(golden.described, '/pools?sort=by_margin&coins=5');
  const sorted = main.all('th[aria-sort]');
  const directions = sorted.map((head) => [head.text, head.attribute('aria-sort')]);
  assert.deepEqual(directions, [['Margin', 'ascending']]);
  const orders = main.all('thead')[0]!.links();
  assert.ok(orders.includes('/pools?sort=by_apy&coins=5'), orders.join(' '));
  assert.ok(orders.includes('/pools?sort=by_stake&coins=5'), orders.join(' '));
  assert.ok(orders.includes('/pools?coins=5'), 'the default order has no parameter');
});

it('the list of pools shows how much is staked, and the shares of the largest ten pools', async () => {
  const { main } = await getPage(golden.described, '/pools');
  const statistics = await golden.described.json('/statistics/coin');
  const staked = main.one('p.lead');
  assert.deepEqual(staked.atoms(), [atoms(statistics.staked)]);
  assert.ok(staked.text.includes(percent(atoms(statistics.staked), atoms(statistics.circulating_supply))));
  const largest = (await listed(golden.described, '/pool?sort=by_stake&expand=true')).slice(0, 10);
  const shown = main
    .one('.shares')
    .all('li')
    .filter((item) => item.links().length > 0);
  assert.deepEqual(
    shown.map((item) => [linked(item), item.text.split(' ').at(-1)]),
    largest.map((pool) => [pool.pool_id, percent(scaled(pool.stake_share, 9), 10n ** 9n)]),
  );
  const fold = main.all('details.fold').at(-1)!;
  assert.ok(fold.one('.share-bar').all('rect').length >= largest.length);
  assert.ok(main.text.indexOf(fold.text) > main.text.indexOf(main.one('#pools').text), 'below the table');
});

const isPaying = ({ apr_expected, margin_ratio_per_thousand: margin }: Json) =>
  apr_expected !== null && margin !== '100%';

it('the list of pools tells what an amount may expect in each when it is added to the stake', async () => {
  const pools = await shownPools(served(), 'by_apr_expected', 3);
  const { coinDecimals, finalSupply } = chain.network;
  const isOfYear = (shown: bigint, amount: bigint, pool: Json) => {
    const expected = rewardOfYear(finalSupply, amount, pool, pools);
    // The rate has six decimals.
    return Math.abs(Number(shown) - expected) <= 1e-5 * expected + 2e-6 * Number(amount);
  };
  for (const [text, amount] of [
    ['1000', 1_000n * 10n ** BigInt(coinDecimals)],
    ['0.5', (5n * 10n ** BigInt(coinDecimals)) / 10n],
    ['1 000,25', (100_025n * 10n ** BigInt(coinDecimals)) / 100n],
    ['1,000', 1_000n * 10n ** BigInt(coinDecimals)],
    ['1,234,567.5', (12_345_675n * 10n ** BigInt(coinDecimals)) / 10n],
    [`1000 ${chain.network.coinTicker}`, 1_000n * 10n ** BigInt(coinDecimals)],
    ['1.234.567,5', (12_345_675n * 10n ** BigInt(coinDecimals)) / 10n],
    ['1.234.567', 1_234_567n * 10n ** BigInt(coinDecimals)],
    ['.5', (5n * 10n ** BigInt(coinDecimals)) / 10n],
    [`1000${chain.network.coinTicker}`, 1_000n * 10n ** BigInt(coinDecimals)],
    ['0,500', (5n * 10n ** BigInt(coinDecimals)) / 10n],
  ] as const) {
    const rows = await pagedRows(served(), `/pools?coins=${encodeURIComponent(text)}&items=3`, 'pools');
    assert.equal(rows.length, pools.length);
    for (const [i, cells] of rows.entries()) {
      const [shown, ...more] = cells[2]!.atoms();
      const pool = pools[i]!;
      assert.equal(linked(cells[0]!), pool.pool_id);
      assert.ok(shown === undefined ? !isPaying(pool) : isOfYear(shown, amount, pool), `${text}: ${shown}`);
      assert.equal(more.length, 0);
    }
  }
  const [first] = pools.filter(isPaying);
  assert.ok(first, 'a pool has a rate');
  const { main } = await getPage(served(), `/pool/${first.pool_id}?coins=1000`);
  assert.deepEqual(main.fact('Amount').atoms(), [1_000n * 10n ** BigInt(coinDecimals)]);
  const [year] = main.fact('Yearly reward').atoms();
  assert.ok(isOfYear(year!, 1_000n * 10n ** BigInt(coinDecimals), first));
  assert.ok(main.fact('30-day reward').atoms()[0]! * 12n <= year!);
  assert.match(main.fact('30-day reward').one('summary').text, /^[\d ]+\.\d{1,4}$/, 'rounded, and whole by a tap');
  assert.equal(main.one('#coins').attribute('value'), '1000');
});

it('the page of a pool shows what the API answers, for every pool of the chain, decommissioned ones too', async () => {
  const expanded = new Map((await listed(golden.described, '/pool?expand=true')).map((pool) => [pool.pool_id, pool]));
  let decommissioned = 0;
  for (const id of await idsIn('pools', 'pool_id')) {
    const address = poolAddress(golden.network, id);
    if (!expanded.has(address)) decommissioned++;
    await checkPoolPage(golden.described, address, expanded.get(address));
  }
  assert.ok(expanded.size > 2 && decommissioned > 0, `${expanded.size} active pools, ${decommissioned} decommissioned`);
});

it('the page of a delegation shows what the API answers, for every delegation of the chain', async () => {
  const ids = await idsIn('delegations', 'delegation_id');
  assert.ok(ids.length > 3);
  for (const id of ids) await checkDelegationPage(golden.described, delegationAddress(golden.network, id));
});

it('the marks of a new pool, and of one that is less than a day old, are explained below the ranking', async () => {
  const { main } = await getPage(golden.described, '/pools');
  assert.ok(main.table('pools').some(([pool]) => pool!.text.endsWith(' under a day old')));
  assert.match(main.one('.legend').text, /^under a day old Less than a day old, so/);
  const { main: ofOlder } = await getPage(served(), '/pools');
  assert.ok(ofOlder.table('pools').some(([pool]) => pool!.text.endsWith(' new')));
  assert.match(
    ofOlder.one('.legend').text,
    /^new Created within the last 30 days: figures cover the time since creation\.$/,
  );
});

it('nothing can be expected of a pool while its delegators share a fixed part of the rewards', () => {
  const upgrades = { ...golden.network.upgrades, rewardDistributionV1: 100 };
  const site = new Site({ ...golden.network, upgrades }, '', '', new StaticFiles());
  const pool = { creation_height: 1, blocks_since_creation: 5, margin_ratio_per_thousand: 100 } as ExpandedPoolRow;
  assert.ok(hasNoForecast(site, pool));
  assert.ok(!hasNoForecast(site, { ...pool, margin_ratio_per_thousand: 1_000 }), 'of which its margin says enough');
});

it('a margin that leaves nothing to delegators is marked, and no other is', () => {
  const texts = [0, 999, 1_000].map((margin) => `${marginHtml({ margin_ratio_per_thousand: margin } as PoolRow)}`);
  assert.deepEqual(texts.slice(0, 2), ['0%', '99.9%']);
  assert.match(texts[2]!, /^100% <span class="badge warning">keeps all rewards/);
});

it('an amount that is none is said to be so beside its form, which keeps it, on the pages of pools, a pool and a market', async () => {
  const [pool] = await listed(golden.described, '/pool?sort=by_stake&expand=true');
  const market = `/market/${await golden.token()}_${golden.network.coinTicker}?side=sell&amount=`;
  for (const text of ['many', '1.2.3', '1,2,3', '-1', '1e3', '.', '1000 XYZ', '9'.repeat(31)]) {
    for (const [path, status] of [
      ['/pools?sort=by_margin&coins=', 400],
      [`/pool/${pool.pool_id}?coins=`, 400],
      [market, 200],
    ] as const) {
      const { main } = await getPage(golden.described, path + encodeURIComponent(text), status);
      const inputs = main.all('input').filter((input) => input.attribute('value') === text);
      assert.equal(inputs.length, 1, path + text);
      assert.match(main.text, /Enter an amount of .+ such as 1000/, path);
      if (path.startsWith('/pools')) assert.equal(main.rows().length > 0, true, 'the table stays');
    }
  }
});

it('two pools stand beside each other, and the one that is expected to pay most is marked, whatever was paid', async () => {
  const pools = (await listed(served(), '/pool?sort=by_apy&expand=true')).filter(({ apr_month }) => apr_month !== null);
  const expected = (pool: (typeof pools)[number]) => scaled(pool.apr_expected, 6);
  const [most, other] = pools
    .flatMap((a) => pools.map((b) => [a, b]))
    .find(([a, b]) => scaled(a.apr_month, 6) > scaled(b.apr_month, 6) && expected(a) < expected(b))!;
  const { main } = await getPage(served(), `/pools/compare?coins=1,000&pool=${other.pool_id}&pool=${most.pool_id}`);
  const heads = main.one('#comparison').one('thead').links();
  assert.deepEqual(heads, [`/pool/${other.pool_id}`, `/pool/${most.pool_id}`]);
  const rows = main.one('#comparison').one('tbody').all('tr');
  assert.deepEqual(
    rows.slice(0, 3).map((row) => row.all('td').map((cell) => cell.text.startsWith('best'))),
    [
      [true, false],
      [true, false],
      [false, false],
    ],
  );
  const shown = rows[0]!.all('td').map((cell) => cell.text.replace('best ', ''));
  assert.deepEqual(
    shown,
    [other, most].map((pool) => percent(expected(pool), 10n ** 6n)),
  );
  assert.match(rows[1]!.text, /^Yearly reward, /);
  for (const [i, pool] of [other, most].entries()) {
    const coins = Number(/[\d.]+/.exec(rows[1]!.all('td')[i]!.text.replaceAll(',', ''))![0]);
    const amount = 1_000n * 10n ** BigInt(chain.network.coinDecimals);
    const all = await listed(served(), '/pool?expand=true');
    const reward = rewardOfYear(chain.network.finalSupply, amount, pool, all) / 10 ** chain.network.coinDecimals;
    assert.ok(Math.abs(coins / reward - 1) < 0.001, rows[1]!.text);
  }
});

it('of a pool of less than a day, what it paid is not compared, but what it is expected to pay is, and no such pool is best', async () => {
  const [first, second] = await listed(golden.described, '/pool?sort=by_stake&expand=true');
  assert.notEqual(first.apr_expected, second.apr_expected);
  const { main } = await getPage(golden.described, `/pools/compare?pool=${first.pool_id}&pool=${second.pool_id}`);
  const [expected, paid] = main.one('#comparison').one('tbody').all('tr');
  assert.deepEqual([paid!.one('th').text, paid!.all('td').map(({ text }) => text)], ['APR (30 days)', ['–', '–']]);
  for (const cell of expected!.all('td')) assert.match(cell.text, /^[\d.]+%/);
  assert.doesNotMatch(main.one('#comparison').text, /best/);
  for (const head of main.one('#comparison').one('thead').all('th')) assert.match(head.text, / under a day old$/);
  assert.match(main.one('.legend').text, /Less than a day old, so/);
});

it('pools are chosen in the list, which keeps the amount, and by a form that keeps what was typed', async () => {
  const list = await getPage(golden.described, '/pools?coins=1,000');
  const boxes = list.main.all('input').filter((input) => input.attribute('form') === 'compare');
  const [first] = await listed(golden.described, '/pool?sort=by_apr_expected&expand=true');
  assert.equal(boxes[0]!.attribute('value'), first!.pool_id);
  assert.equal(list.main.one('#compare').one('input').attribute('value'), '1,000');
  const one = await getPage(golden.described, `/pools/compare?coins=1,000&pool=${first!.pool_id}`);
  assert.equal(one.main.one('textarea').text, first!.pool_id);
  assert.equal(one.main.one('form').one('input').attribute('value'), '1,000');
  assert.equal(one.main.one('#comparison').one('thead').links().length, 1);
  assert.ok(
    one.main.links().includes(`/pools?pool=${first!.pool_id}&coins=1%2C000#ranking`),
    'the others are chosen there',
  );
});

it('the page of a pool leads to the list of pools with the pool chosen, also if it is on another page of the list', async () => {
  const [first, second] = await listed(golden.described, '/pool?sort=by_apr_expected&expand=true');
  const link = `/pools?pool=${second!.pool_id}`;
  const pool = await getPage(golden.described, `/pool/${second!.pool_id}`);
  assert.ok(pool.main.links().includes(`${link}#ranking`));
  const chosen = async (path: string) => {
    const { main } = await getPage(golden.described, path);
    const boxes = main.all('input').filter((input) => input.attribute('checked') !== undefined);
    return [main, boxes.map((input) => input.attribute('value'))] as const;
  };
  const [main, boxes] = await chosen(link);
  assert.deepEqual(boxes, [second!.pool_id]);
  assert.equal(main.one('form.coins').one('input').attribute('value'), second!.pool_id, 'the form keeps it');
  const [short, kept] = await chosen(`${link}&items=1`);
  assert.deepEqual(linked(short.table('pools')[0]![0]!), first!.pool_id);
  assert.deepEqual(kept, [second!.pool_id]);
  assert.ok(short.one('#compare').links().includes(`/pool/${second!.pool_id}`));
});

it('an id that is mistyped, unknown or of a decommissioned pool is named above the figures of the others, and stays in the form', async () => {
  const [first, second] = await listed(golden.described, '/pool?sort=by_stake&expand=true');
  const wrong = `${first.pool_id.slice(0, -1)}${first.pool_id.endsWith('q') ? 'p' : 'q'}`;
  const unknown = poolAddress(golden.network, 'ab'.repeat(32));
  const ended = poolAddress(golden.network, await golden.value('select pool_id from pools where staker_balance = 0'));
  const query = (ids: string[]) => `/pools/compare?pool=${encodeURIComponent(ids.join(' '))}`;
  const { main } = await getPage(golden.described, query([wrong, first.pool_id, unknown, second.pool_id]));
  const banners = main.all('.banner').map(({ text }) => text);
  assert.equal(banners.length, 2);
  assert.match(banners[0]!, /rpool.*: This is not the id of a pool: it is incomplete or mistyped\.$/);
  assert.match(banners[1]!, /^There is no pool rpool.*\.$/);
  const { main: withEnded } = await getPage(golden.described, query([ended, first.pool_id]));
  const { decommissioned } = await golden.described.json(`/pool/${ended}?expand=true`);
  assert.match(withEnded.one('.banner').text, /^rpool.* was decommissioned: block \d+, .*\.$/);
  assert.deepEqual(withEnded.one('.banner').links(), [`/pool/${ended}`, `/block/${decommissioned.height}`]);
  assert.deepEqual(withEnded.one('#comparison').one('thead').links(), [`/pool/${first.pool_id}`]);
  const heads = main.one('#comparison').one('thead').links();
  assert.deepEqual(heads, [`/pool/${first.pool_id}`, `/pool/${second.pool_id}`]);
  assert.equal(main.one('textarea').text.split(/\s/)[0], wrong);
  const alone = await getPage(golden.described, query(['<b>']), 400);
  assert.match(alone.main.one('.banner').text, /^<b>: This is not the id of a pool/);
});
