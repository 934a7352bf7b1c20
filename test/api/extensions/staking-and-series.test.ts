/** What requests for staking income, series and supplies may ask for; what they answer is in test/sim/days-and-series.test.ts. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { delegationAddress } from '../../../src/chain/address.ts';
import { countDays } from '../../../src/store/write/day-counts.ts';
import { upgrading as network } from '../../devnet/sim/networks.ts';
import { MONTHS, simulatedHistory } from '../../sim/history.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import type { Json } from '../../support/simulated-chain-servers.ts';
import * as chain from '../../support/simulated-chain-servers.ts';
import { until } from '../../support/until.ts';
import type { TestServer } from '../../support/web-server.ts';

chain.serveSimulatedChain();
const { error, got, listed } = chain;
const served = () => chain.servers[0] as TestServer;

const DAY = 86_400;

async function poolId(): Promise<string> {
  const blocks: Json[] = await listed('/block');
  return blocks.find(({ pool_id }) => pool_id !== null).pool_id;
}

it('days are cut to those that begin in a range, and nonsense is refused', async () => {
  const path = `/pool/${await poolId()}/history`;
  const days: Json[] = await listed(path);
  const { day } = days[0];
  assert.deepEqual(await listed(`${path}?from=${day}`), [days[0]]);
  assert.deepEqual(await listed(`${path}?from=${day + 1}`), []);
  assert.deepEqual(await listed(`${path}?to=${day + 1}`), days);
  assert.deepEqual(await listed(`${path}?to=${day}`), days.slice(1));
  assert.deepEqual(await listed(`${path}?from=${2n ** 63n - 1n}`), []);
  assert.match((await error(`${path}?from=x`))[1], /^Invalid from: seconds/);
  assert.deepEqual(await error(`${path}?interval=week`), [400, 'Invalid interval: `day` is expected']);
  assert.match((await error(`${path}/${day + 1}/delegations`))[1], /^Invalid day: /);
  assert.match((await error(`${path}/x/delegations`))[1], /^Invalid day: /);
  assert.deepEqual(await listed(`${path}/${day + 1_000 * DAY}/delegations`), []);
  // A day that no calendar has; the file of an export is named after the day.
  const far = `${path}/${DAY * (2 ** 31 - 1)}/delegations`;
  assert.deepEqual(await listed(far), []);
  const { status, text } = await served().get(`${far}?format=ndjson`);
  assert.deepEqual([status, text], [200, '']);
});

it('a delegation has the transactions that put something into it or took it out', async () => {
  const expected = new Map<string, { tx_id: string; deposited: bigint; withdrawn: bigint }[]>();
  const note = (id: string, tx_id: string, deposited: string, withdrawn: string) => {
    const moves = expected.get(id) ?? [];
    expected.set(id, moves);
    if (moves.at(-1)?.tx_id !== tx_id) moves.push({ tx_id, deposited: 0n, withdrawn: 0n });
    moves.at(-1)!.deposited += BigInt(deposited);
    moves.at(-1)!.withdrawn += BigInt(withdrawn);
  };
  for (const { id: txId, inputs, outputs } of (
    await served().pages('/transaction?items=100&cursor=')
  ).flat() as Json[]) {
    for (const { input } of inputs) {
      if (input.input_type === 'Account') note(input.delegation_id, txId, '0', input.amount.atoms);
    }
    for (const { type, delegation_id: id, amount } of outputs) {
      if (type === 'DelegateStaking') note(id, txId, amount.atoms, '0');
    }
  }
  let both = 0;
  for (const [id, moves] of expected) {
    const entries: Json[] = await listed(`/delegation/${id}/transactions`);
    assert.deepEqual(
      entries.map(({ tx_id, deposited, withdrawn }) => ({
        ...{ tx_id, deposited: BigInt(deposited.atoms), withdrawn: BigInt(withdrawn.atoms) },
      })),
      moves,
    );
    for (const { tx_id, tx_global_index, block_height, timestamp } of entries) {
      const transaction = await served().json(`/transaction/${tx_id}`);
      assert.equal(timestamp, Number(transaction.timestamp));
      assert.equal(timestamp, chain.timeOf(block_height));
      assert.ok(tx_global_index >= 0);
    }
    const { sums } = await got(`/delegation/${id}/history`);
    for (const name of ['deposited', 'withdrawn'] as const) {
      assert.equal(`${moves.reduce((sum, move) => sum + move[name], 0n)}`, sums[name].atoms);
    }
    if (moves.some(({ withdrawn }) => withdrawn > 0n)) both++;
  }
  assert.ok(expected.size > 5 && both > 2);
  assert.deepEqual(await error(`/delegation/${delegationAddress(network, chain.UNKNOWN)}/transactions`), [
    404,
    'Delegation not found',
  ]);
});

it('a series is refused that there is not, or not by this interval, or with too many points', async () => {
  assert.deepEqual(await error('/statistics/series/x'), [400, 'Invalid series: /statistics/series has the ids']);
  assert.match((await error('/statistics/series/blocks?interval=year'))[1], /^Invalid interval: known are hour, day/);
  assert.match((await error('/statistics/series/new_addresses?interval=week'))[1], /this series has day, month$/);
  assert.match((await error('/statistics/series/blocks?from=now'))[1], /^Invalid from: /);
  const { points } = await got('/statistics/series/blocks?interval=hour');
  const [[first], [last]] = [points[0], points.at(-1)];
  const below = await got(`/statistics/series/blocks?interval=hour&from=${last}&to=${last}`);
  assert.deepEqual(below.points, []);
  assert.deepEqual((await got(`/statistics/series/blocks?interval=hour&from=${first}&to=${first + 1}`)).points, [
    points[0],
  ]);
  const far = await got(`/statistics/series/blocks?interval=hour&from=${last}&to=${2n ** 63n - 1n}`);
  assert.deepEqual(far.points, [points.at(-1)]);
});

it('a series of days has no ETag until all days that are over are counted, which they may be later than the tip is shown', async (t) => {
  const index = await TestIndex.create(t, network);
  await index.follow(simulatedHistory({ network, seed: 'beyond', mix: MONTHS, blocks: 60 }).mainChain, 100);
  // As a bulk sync of an index that was ready before leaves it.
  await index.query('delete from day_counts where height > 20; update chain_tip set revision = revision + 1');
  const server = await index.serve(t);
  await until(() => server.isReady(), 'ready');
  const page = (path: string) => server.request(path, { headers: { accept: 'text/html' } });
  const etags = async () => {
    const answers = await Promise.all([
      server.get('/statistics/series/active_addresses?interval=day'),
      server.get('/statistics/series/largest_pools_share?interval=week'),
      page('/statistics/new_addresses'),
      page('/statistics'),
    ]);
    return answers.map(({ status, headers }) => (status === 200 ? headers.get('etag') : status));
  };
  assert.deepEqual(await etags(), [null, null, null, null]);
  assert.ok((await server.get('/statistics/series/blocks?interval=day')).headers.has('etag'));
  await countDays(index.session.writer);
  await until(async () => (await etags()).every((etag) => typeof etag === 'string'), 'all have one');
});

it('supplies are bare numbers of coins', async () => {
  const { circulating_supply, burned, staked } = await got('/statistics/coin');
  const decimals = { circulating: circulating_supply.decimal, burned: burned.decimal, staked: staked.decimal };
  for (const [kind, expected] of Object.entries(decimals)) {
    const answer = await served().get(`/statistics/supply/${kind}`);
    assert.equal(answer.text, expected);
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.ok(answer.headers.get('etag'));
  }
  const { points } = await got('/statistics/series/total_supply');
  assert.equal((await served().get('/statistics/supply/total')).text, points.at(-1)[1]);
  assert.deepEqual(await error('/statistics/supply/x'), [
    400,
    'Invalid supply: known are circulating, total, staked, burned',
  ]);
});

it('a series is exported without cursors, with the decimal mark of the reader', async () => {
  const { points } = await got('/statistics/series/staked');
  const csv = await served().get('/statistics/series/staked?format=csv&decimal=,');
  const lines = csv.text.trimEnd().split('\r\n');
  assert.equal(lines[0], 'time_utc;value');
  assert.equal(lines.length, points.length + 1);
  assert.ok(lines.at(-1)!.endsWith(`;${points.at(-1)[1].replace('.', ',')}`));
  const ndjson = await served().get('/statistics/series/staked?format=ndjson');
  assert.deepEqual(JSON.parse(ndjson.text.split('\n')[0]!), { time: points[0][0], value: points[0][1] });
  assert.match(csv.headers.get('content-disposition')!, /filename="series-staked-by-day\.csv"/);
});
