/** The pages about staking income and series, against the API's responses. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { getPage, type PageElement } from '../support/html-page.ts';
import * as chain from '../support/simulated-chain-servers.ts';
import type { TestServer } from '../support/web-server.ts';
import { atoms, type Json, linked, listed, pagedRows } from './page-values.ts';

chain.serveSimulatedChain();
const served = () => chain.servers[0] as TestServer;

const dayText = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(0, 10);
/** A share of at most six decimals. */
const inPercent = (share: string) => `${Number((Number(share) * 100).toFixed(4))}%`;
const amounts = (cells: readonly PageElement[]) => cells.map((cell) => cell.atoms()[0]);

async function poolIds(): Promise<string[]> {
  const blocks: Json[] = await listed(served(), '/block');
  return [...new Set(blocks.map(({ pool_id }) => pool_id).filter((id) => id !== null))];
}

it('a pool has its days, and each day has its split among delegations', async () => {
  let shares = 0;
  for (const id of (await poolIds()).slice(0, 4)) {
    const days = await listed(served(), `/pool/${id}/history`);
    const rows = await pagedRows(served(), `/pool/${id}/days?items=3`);
    assert.deepEqual(
      rows.map(([day, blocks, ...coins]) => [day!.text, blocks!.text, ...amounts(coins.slice(0, 4)), coins[4]!.text]),
      days.map((day: Json) => [
        ...[dayText(day.day), `${day.blocks}`],
        ...[day.staker_rewards, day.delegation_rewards, day.pledge, day.delegated].map(atoms),
        `${day.delegation_count}`,
      ]),
    );
    const { main } = await getPage(served(), `/pool/${id}`);
    const hasPaid = days.some((day: Json) => day.delegation_rewards.atoms !== '0');
    assert.equal(main.all('path.bars').length, hasPaid ? 1 : 0);
    assert.equal(main.table('days').length, Math.min(days.length, 10));
    for (const { day } of days) {
      const path = `/pool/${id}/days/${dayText(day)}`;
      const split = await pagedRows(served(), `${path}?items=4`);
      const api = await listed(served(), `/pool/${id}/history/${day}/delegations`);
      assert.deepEqual(
        split.map(([delegation, owner, ...coins]) => [linked(delegation!), linked(owner!), ...amounts(coins)]),
        api.map(({ delegation_id, owner, balance, rewards }: Json) => [
          ...[delegation_id, owner],
          ...[balance, rewards].map(atoms),
        ]),
        path,
      );
      shares += api.length;
    }
    await getPage(served(), `/pool/${id}/days/yesterday`, 400);
  }
  assert.ok(shares > 10);
});

/** The atoms of a cell; a dash stands for none. */
const amountOrDash = (cell: PageElement) => (cell.text === '–' ? 0n : cell.atoms()[0]);

it('a delegation has its rewards by day and in all, with a chart', async () => {
  const [pool] = await poolIds();
  const delegations: Json[] = await listed(served(), `/pool/${pool}/delegations`);
  assert.ok(delegations.length > 0);
  for (const { delegation_id: id } of delegations.slice(0, 4)) {
    const days = await listed(served(), `/delegation/${id}/history`);
    const { sums } = await served().json(`/delegation/${id}/history`);
    const expected = days.map((day: Json) => [
      dayText(day.day),
      ...[day.rewards, day.deposited, day.withdrawn, day.balance].map(atoms),
    ]);
    const shownDay = ([day, ...coins]: PageElement[]) => [day!.text, ...coins.map(amountOrDash)];
    assert.deepEqual((await pagedRows(served(), `/delegation/${id}/days?items=3`)).map(shownDay), expected);
    const { main } = await getPage(served(), `/delegation/${id}`);
    assert.deepEqual(main.table('days').map(shownDay), expected.slice(0, 90));
    assert.equal(main.fact('Rewards').atoms()[0], atoms(sums.rewards));
    assert.equal(main.fact('Deposited').atoms()[0], atoms(sums.deposited));
    assert.equal(main.fact('Withdrawn').atoms()[0], atoms(sums.withdrawn));
    assert.equal(main.all('a.button').length, 3);
    const named = ['Deposited', 'Withdrawn', 'Pool', 'APR (30 days)', 'Decommissioned', 'Margin', 'Cost per block'];
    assert.deepEqual(
      [...main.facts().keys()].filter((name) => named.includes(name)),
      named.filter((name) => main.facts().has(name)),
      'what was deposited is together, and so are the terms of the pool',
    );
    const moves = (await listed(served(), `/delegation/${id}/transactions`)).map((move: Json) => [
      ...[move.tx_id, atoms(move.deposited), atoms(move.withdrawn), `${move.block_height}`],
    ]);
    const shownMove = ([transaction, deposited, withdrawn, block]: PageElement[]) => [
      ...[linked(transaction!), amountOrDash(deposited!), amountOrDash(withdrawn!), block!.text],
    ];
    assert.deepEqual(main.table('moves').map(shownMove), moves.slice(0, 10));
    assert.deepEqual((await pagedRows(served(), `/delegation/${id}/transactions?items=2`)).map(shownMove), moves);
  }
});

it('the charts of the statistics state the value of the newest day that is over, and the heading how many days they show', async () => {
  const { main } = await getPage(served(), '/statistics');
  const drawn = main.all('figure').map((figure) => {
    const [data] = figure.all('svg').flatMap((svg) => svg.attribute('data-chart') ?? []);
    return { newest: figure.one('.newest').text, ...JSON.parse(data!) };
  });
  const days = Math.max(...drawn.map(({ x }) => x.length));
  assert.ok(days > 1 && days < 90);
  assert.equal(main.one('#over-time').text, `The last ${days} days`);
  for (const [i, id] of ['transactions', 'active_addresses', 'block_time', 'staked'].entries()) {
    const { points, complete_until } = await served().json(`/statistics/series/${id}?interval=day`);
    const [time, value] = points.findLast(([time]: [number]) => time < complete_until);
    const [day, shown] = drawn[i].newest.split(': ');
    assert.equal(day, dayText(time));
    const unit = id === 'block_time' ? Number(value) / Number.parseFloat(drawn[i].values.split('\n').at(-1)) : 1;
    assert.ok(Math.abs(Number(shown) * unit - value) <= value * 0.001, `${id}: ${shown} of ${value}`);
  }
});

it('every series has a chart, a page with its values in any interval, and downloads', async () => {
  const series: Json[] = await served().json('/statistics/series');
  const { main: overview } = await getPage(served(), '/statistics');
  const links = overview.links();
  assert.equal(overview.all('figure').length, 4, 'those that matter most; the others are links');
  const lastDays = overview.all('figure').map((figure) => figure.all('text.end').at(-1)!.text);
  assert.deepEqual(new Set(lastDays).size, 1, 'they end with the same day');
  for (const { id, intervals, unit } of series) {
    for (const interval of intervals) {
      const { main } = await getPage(served(), `/statistics/${id}?interval=${interval}`);
      const { points, complete_until } = await served().json(`/statistics/series/${id}?interval=${interval}`);
      const rows = main.table('values');
      const seconds = { hours: 3_600, minutes: 60 }[main.one('h1').text.split(', ')[1]!] ?? 1;
      const shown = (value: string) =>
        unit === 'seconds' ? String(Number((Number(value) / seconds).toFixed(2))) : value;
      assert.deepEqual(
        rows.map(([, value]) => value!.text.replace(' so far', '')).toReversed(),
        points.map(([, value]: [number, string]) => (unit === 'share' ? inPercent(value) : shown(value))),
        `${id} ${interval}`,
      );
      if (interval === 'day' && unit !== 'seconds') {
        const change = points.findIndex(([, value]: [number, string]) => value !== points[0][1]);
        const begin = new Date(points[Math.max(0, change - 1)][0] * 1_000).toISOString().slice(0, 10);
        assert.ok(main.one('desc').text.includes(`from ${begin} to`), `${id} without the days before it changed`);
      }
      if (unit === 'seconds') {
        const longest = Math.max(...rows.map(([, value]) => Number.parseFloat(value!.text)));
        assert.ok(longest < 100 || seconds === 3_600, 'few digits: minutes or hours rather than thousands of seconds');
      }
      const unfinished = rows.filter(([, value]) => value!.text.endsWith(' so far'));
      assert.equal(unfinished.length, points.filter(([time]: [number]) => time >= complete_until).length);
      if (interval === 'day') assert.equal(links.includes(`/statistics/${id}`), points.length > 0, id);
      const [csv] = main.all('a.button').map((link) => link.attribute('href')!);
      assert.ok((await (await fetch(served().url + csv!)).text()).startsWith('time_utc,value\r\n'));
    }
  }
  await getPage(served(), '/statistics/nothing', 400);
  await getPage(served(), '/statistics/active_addresses?interval=hour', 400);
});
