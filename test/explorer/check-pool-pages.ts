/** What the pages of pools and delegations must show, by the answers of the API. */
import assert from 'node:assert/strict';
import { effectiveStake } from '../../src/chain/effective-stake.ts';
import { getPage, type PageElement } from '../support/html-page.ts';
import type { TestServer } from '../support/web-server.ts';
import {
  assertCells,
  atoms,
  type Json,
  linked,
  listed,
  pagedRows,
  percent,
  scaled,
  sectionCounts,
} from './page-values.ts';

export const POOL_SORTS = [
  'by_height',
  'by_pledge',
  'by_stake',
  'by_blocks',
  'by_margin',
  'by_apy',
  'by_apr_expected',
] as const;

/** A pool of less than a day has no rate, nor has one that made blocks, none of them with the delegations of now. */
const paidApr = (pool: Json, isYoung: boolean): string | null =>
  isYoung || (Number(pool.apr_month) === 0 && pool.blocks.month > 0) ? null : pool.apr_month;

function whyNoApr(pool: Json, isYoung: boolean): string {
  if (pool.apr_month === null) return 'nothing delegated';
  if (isYoung) return 'under a day old';
  return paidApr(pool, isYoung) === null ? 'delegated since its newest block' : '';
}

/** Who keeps all rewards has no APR for delegators. */
const rateText = (rate: string | null, { margin_ratio_per_thousand: margin }: Json): string =>
  rate === null || margin === '100%' ? '–' : percent(scaled(rate, 6), 1_000_000n);

/** Of the share with nine decimals, rounded to two. */
function shareText({ stake_share }: Json): string {
  return percent(scaled(stake_share, 9), 1_000_000_000n);
}

/** A pool that keeps everything says so. */
export function marginText({ margin_ratio_per_thousand: margin }: Json): string {
  return margin === '100%' ? '100% keeps all rewards' : margin;
}

/** Every page of `/pools` in an order; gives how many pools there are. */
export async function checkPools(
  server: TestServer,
  sort: (typeof POOL_SORTS)[number],
  items: number,
): Promise<number> {
  const pools = await shownPools(server, sort, items);
  const rows = await pagedRows(server, `/pools?sort=${sort}&items=${items}`, 'pools');
  assert.deepEqual(
    rows.map(([pool]) => linked(pool!)),
    pools.map(({ pool_id }) => pool_id),
    sort,
  );
  const dayBefore = (await tipTimeOf(server)) - 86_400;
  for (const [i, cells] of rows.entries()) checkPoolRow(cells, pools[i], pools[i].created.timestamp > dayBefore);
  return rows.length;
}

/** The pools as pages of so many show them: by expected APR, those of a page that are less than a day old come last. */
export async function shownPools(server: TestServer, sort: string, items: number): Promise<Json[]> {
  const pools = await listed(server, `/pool?sort=${sort}&expand=true`);
  if (sort !== 'by_apr_expected') return pools;
  const dayBefore = (await tipTimeOf(server)) - 86_400;
  const isYoung = ({ created }: Json) => created.timestamp > dayBefore;
  const pages = Array.from({ length: Math.ceil(pools.length / items) }, (_, i) =>
    pools.slice(i * items, (i + 1) * items),
  );
  return pages.flatMap((page) => [...page.filter((pool) => !isYoung(pool)), ...page.filter(isYoung)]);
}

const expectedText = ({ expected_blocks_month }: Json) => Number(expected_blocks_month).toFixed(1);

async function tipTimeOf(server: TestServer): Promise<number> {
  const tip = await server.json('/chain/tip');
  return (await server.json(`/block/${tip.block_id}`)).header.timestamp.timestamp;
}

function checkPoolRow(cells: PageElement[], pool: Json, isYoung: boolean): void {
  const expected = [
    ...[undefined, rateText(pool.apr_expected, pool), pool.margin_ratio_per_thousand, atoms(pool.total_stake)],
    ...[shareText(pool), rateText(paidApr(pool, isYoung), pool), atoms(pool.cost_per_block)],
    `${pool.blocks.month} / ${expectedText(pool)}`,
  ];
  assertCells(cells, expected, pool.pool_id);
}

/** `expanded`: of the list of active pools; undefined for one that is decommissioned. */
export async function checkPoolPage(server: TestServer, id: string, expanded: Json | undefined): Promise<void> {
  const pool = await server.json(`/pool/${id}`);
  const { main } = await getPage(server, `/pool/${id}`);
  assert.ok(main.text.includes(id));
  const sections = sectionCounts(main);
  assert.deepEqual([...sections.keys()], ['Rewards by day', 'Delegations', 'Newest blocks', 'Details']);
  const { blocks, created, decommissioned } = await server.json(`/pool/${id}?expand=true`);
  assert.equal(sections.get('Newest blocks'), `${blocks.total}`);
  assert.equal(main.fact('Total blocks').text, String(blocks.total));
  assert.equal(main.fact('Created').links()[0], `/block/${created.height}`);
  assert.equal(decommissioned === null, expanded !== undefined);
  if (decommissioned !== null) {
    const end = main.fact('Decommissioned');
    assert.deepEqual(end.links(), [`/block/${decommissioned.height}`, `/tx/${decommissioned.tx_id}`]);
    const isEmpty = atoms(pool.delegations_balance) === 0n;
    const advice = isEmpty ? '.' : ': withdraw your coins.';
    assert.equal(main.one('.banner').text, `Delegators no longer earn anything${advice}`);
  }
  assert.equal(main.one('.badge').text, expanded === undefined ? 'decommissioned' : 'active');
  assert.deepEqual(main.fact('Owner’s stake').atoms(), [atoms(pool.staker_balance)]);
  assert.deepEqual(main.fact('Delegated').atoms(), [atoms(pool.delegations_balance)]);
  const keepsAll = pool.margin_ratio_per_thousand === '100%';
  if (expanded === undefined) assert.equal(main.fact('Margin').text, marginText(pool));
  else {
    assert.equal(main.fact('Margin').text, `${pool.margin_ratio_per_thousand}kept by the owner`);
    assert.equal(main.text.split('keeps all rewards').length - 1, keepsAll ? 1 : 0, 'which is said once');
  }
  assert.deepEqual(main.fact('Cost per block').atoms(), [atoms(pool.cost_per_block)]);
  assert.equal(linked(main.fact('Decommission key')), pool.decommission_destination);
  assert.equal(main.fact('VRF key').one('.id').text, pool.vrf_public_key);
  if (expanded !== undefined) {
    const now = await tipTimeOf(server);
    const isNew = created.height > 0 && created.timestamp > now - 720 * 3_600;
    const isYoung = created.timestamp > now - 86_400;
    assert.equal(main.one('h1').text.endsWith(isYoung ? ' under a day old' : ' new'), isNew);
    assert.equal(main.fact('Blocks (30 days)').text.endsWith('since its creation'), isNew);
    const rates = ['Expected APR', 'APR (30 days)'].map((name) => main.facts().get(name)?.text ?? null);
    const paid = rateText(paidApr(expanded, isYoung), expanded) + whyNoApr(expanded, isYoung);
    if (keepsAll) assert.deepEqual(rates, [null, null]);
    else {
      assert.equal(rates[0], `${rateText(expanded.apr_expected, expanded)}at today’s stakes`);
      assert.ok(rates[1]!.startsWith(paid));
    }
    assert.deepEqual(main.fact('Stake').atoms(), [atoms(expanded.total_stake)]);
    assert.ok(main.fact('Stake').text.includes(shareText(expanded)));
    assert.deepEqual(main.fact('Effective stake').atoms(), [atoms(expanded.effective_stake)]);
    assert.equal(main.fact('Blocks (24 hours)').text, String(expanded.blocks.day));
    assert.match(main.fact('Blocks (30 days)').text, new RegExp(`^${expanded.blocks.month} ?of `));
    assert.ok(main.fact('Blocks (30 days)').text.includes(` ${expectedText(expanded)} expected`));
    assert.match(main.fact('Delegations with a balance').text, new RegExp(`^${expanded.delegation_count}$`));
  }
  await checkDelegationsOfPool(server, id, main);
  await checkBlocksOfPool(server, id, main);
}

async function checkDelegationsOfPool(server: TestServer, id: string, main: PageElement): Promise<void> {
  const delegations = await listed(server, `/pool/${id}/delegations`);
  const rows = await pagedRows(server, `/pool/${id}/delegations?items=7`);
  assert.deepEqual(
    rows.map(([delegation, owner, balance, nonce, since]) => [
      linked(delegation!),
      linked(owner!),
      ...balance!.atoms(),
      nonce!.text,
      since!.text,
    ]),
    delegations.map((each) => [
      each.delegation_id,
      each.spend_destination,
      atoms(each.balance),
      String(each.next_nonce),
      String(each.creation_block_height),
    ]),
  );
  const largestFirst = [...rows.keys()].sort(
    (a, b) => Number(atoms(delegations[b]!.balance) - atoms(delegations[a]!.balance)) || a - b,
  );
  const ranked = largestFirst.map((i) => rows[i]!);
  checkFirstRows(main, 'delegations-of-the-pool-largest-first', ranked, `/pool/${id}/delegations`);
}

async function checkBlocksOfPool(server: TestServer, id: string, main: PageElement): Promise<void> {
  const blocks = await listed(server, `/pool/${id}/blocks`);
  const rows = await pagedRows(server, `/pool/${id}/blocks?items=9`);
  assert.deepEqual(
    rows.map(([height]) => height!.text),
    blocks.map(({ height }) => String(height)),
  );
  checkFirstRows(main, 'blocks-newest-first', rows, `/pool/${id}/blocks`);
}

/** A table of a page has the first rows of a list (the decimals of its amounts depend on all rows), and a link to all of them if they are more than a phone shows. */
export function checkFirstRows(main: PageElement, id: string, rows: PageElement[][], path: string, most = 10): void {
  const texts = (some: PageElement[][]) =>
    some.map((cells) => cells.map((cell) => (cell.all('.amount').length > 0 ? String(cell.atoms()) : cell.text)));
  const [table] = main.all(`table#${id}`);
  assert.deepEqual(texts(table?.rows() ?? []), texts(rows.slice(0, most)), `${path}: ${id}`);
  assert.equal(main.links().includes(path), rows.length > 3, `${path} is linked where there is more`);
}

export async function checkDelegationPage(server: TestServer, id: string): Promise<void> {
  const delegation = await server.json(`/delegation/${id}`);
  const { main } = await getPage(server, `/delegation/${id}`);
  assert.ok(main.text.includes(id));
  assert.deepEqual(main.fact('Balance').atoms(), [atoms(delegation.balance)]);
  assert.equal(linked(main.fact('Owner')), delegation.spend_destination);
  assert.ok(main.fact('Created').links().includes(`/block/${delegation.creation_block_height}`));
  assert.equal(main.all('dl.facts').length, 1, 'one card of facts');
  assert.equal(linked(main.fact('Pool')), delegation.pool_id);
  const pool = await server.json(`/pool/${delegation.pool_id}`);
  assert.equal(main.fact('Margin').text, marginText(pool));
  assert.deepEqual(main.fact('Cost per block').atoms(), [atoms(pool.cost_per_block)]);
  const { decommissioned } = await server.json(`/pool/${delegation.pool_id}?expand=true`);
  if (decommissioned !== null)
    assert.deepEqual(main.fact('Decommissioned').links(), [`/block/${decommissioned.height}`]);
}

/**
 * The rewards calculator: what coins earn in a year, by the rate that the API gives, when they are added to the pool's stake. Like the rate
 * it is exact to some six digits.
 */
export function rewardOfYear(finalSupply: bigint, amount: bigint, pool: Json, pools: readonly Json[]): number {
  const before = Number(pool.effective_stake.atoms);
  const after = Number(
    effectiveStake(finalSupply, atoms(pool.staker_balance), atoms(pool.delegations_balance) + amount),
  );
  const all = pools.reduce((sum, { effective_stake }) => sum + Number(effective_stake.atoms), 0);
  const stake = Number(pool.total_stake.atoms);
  const rate =
    Number(pool.apr_expected) * (after / before) * (all / (all - before + after)) * (stake / (stake + Number(amount)));
  return Number(amount) * rate;
}
