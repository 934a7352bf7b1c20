/**
 * What pools, delegations and addresses got by day, and the series of the chain: what a web server answers after a history with
 * reorganisations, against counts from scratch over the blocks of the final chain.
 */
import assert from 'node:assert/strict';
import { delegationAddress, destinationAddress, poolAddress } from '../../src/chain/address.ts';
import { decimalText } from '../../src/chain/decimal-text.ts';
import type { Atoms, Destination, Id, IdentifiedBlock } from '../../src/chain/types.ts';
import { Random } from '../../src/devnet/sim/random.ts';
import { upgrading as network } from '../devnet/sim/networks.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { oncePerSeed, testOverSeeds } from '../support/seeds.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';
import { type ChainState, chainStateOf } from './chain-states.ts';
import { MONTHS, simulatedHistory, take } from './history.ts';
import { naiveTarget } from './naive-facts.ts';
import { TakingPart } from './naive-lists.ts';
import { seesTip } from './patient-answers.ts';

const BLOCKS = 70;
const DAY = 86_400;

interface World {
  readonly server: TestServer;
  readonly mainChain: readonly IdentifiedBlock[];
  /** By height, the genesis first. */
  readonly states: readonly ChainState[];
}

const indexed = oncePerSeed(async (seed, scope): Promise<World> => {
  const history = simulatedHistory({ network, blocks: BLOCKS, seed, mix: MONTHS, reorganisationProbability: 0.15 });
  const { mainChain, steps, simulation } = history;
  const index = await TestIndex.create(scope, network);
  for (const step of steps) await take(index, step);
  const straight = await TestIndex.create(scope, network);
  const states = [await chainStateOf(straight)];
  for (const block of mainChain) {
    await straight.follow([block]);
    states.push(await chainStateOf(straight));
  }
  const server = await startTestWebServer(scope, { network, postgres: index.postgres });
  await seesTip(server, simulation.tipId);
  return { server, mainChain, states };
});

/** The heights of each day, by its first second: a day goes on until a block has a later one. */
function heightsByDay(states: readonly ChainState[]): Map<number, number[]> {
  const days = new Map<number, number[]>();
  let day = 0;
  for (const { height, timestamp } of states) {
    day = Math.max(day, timestamp - (timestamp % DAY));
    days.set(day, [...(days.get(day) ?? []), height]);
  }
  return days;
}

const sum = (amounts: Iterable<Atoms>): Atoms => [...amounts].reduce((all, amount) => all + amount, 0n);

/** What a block's transactions put into a delegation and take out of it. */
function movedBy({ block }: IdentifiedBlock, delegationId: Id): { deposited: Atoms; withdrawn: Atoms } {
  const inputs = block.transactions.flatMap(({ transaction }) => transaction.inputs);
  const outputs = block.transactions.flatMap(({ transaction }) => transaction.outputs);
  return {
    deposited: sum(
      outputs.flatMap((output) =>
        output.type === 'DelegateStaking' && output.delegationId === delegationId ? [output.amount] : [],
      ),
    ),
    withdrawn: sum(
      inputs.flatMap((input) =>
        input.type === 'Account' && input.delegationId === delegationId ? [input.amount] : [],
      ),
    ),
  };
}

interface NaiveDay {
  readonly day: number;
  readonly deposited: Atoms;
  readonly withdrawn: Atoms;
  readonly rewards: Atoms;
  readonly balance: Atoms;
}

/** The days of a delegation in which something moved, newest first. */
function daysOfDelegation({ mainChain, states }: World, id: Id): NaiveDay[] {
  const days: NaiveDay[] = [];
  for (const [day, heights] of heightsByDay(states)) {
    const blocks = heights.filter((height) => height > 0).map((height) => mainChain[height - 1]!);
    const moved = blocks.map((block) => movedBy(block, id));
    const deposited = sum(moved.map((each) => each.deposited));
    const withdrawn = sum(moved.map((each) => each.withdrawn));
    const before = states[heights[0]! - 1]?.delegations.get(id)?.balance ?? 0n;
    const balance = states[heights.at(-1)!]!.delegations.get(id)?.balance ?? 0n;
    const rewards = balance - before - deposited + withdrawn;
    if (deposited > 0n || withdrawn > 0n || rewards > 0n) days.unshift({ day, deposited, withdrawn, rewards, balance });
  }
  return days;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are what the test says they are
type Json = any;
const atomsOf = ({ atoms }: { atoms: string }): Atoms => BigInt(atoms);

async function whole(server: TestServer, path: string): Promise<Json[]> {
  return (await server.pages(`${path}${path.includes('?') ? '&' : '?'}items=3`)).flat();
}

const allDelegations = ({ states }: World) => [...states.at(-1)!.delegations.values()];
const allPools = ({ states }: World) => [...states.at(-1)!.pools.values()];

testOverSeeds('each day of a delegation is what its deposits and balances say', async (seed, scope) => {
  const world = await indexed(seed, scope);
  let rewarded = 0;
  for (const { delegation_id: id, balance } of allDelegations(world)) {
    const path = `/delegation/${delegationAddress(network, id)}/history`;
    const shown = (await whole(world.server, path)).map(({ day, deposited, withdrawn, rewards, balance: held }) => ({
      day,
      deposited: atomsOf(deposited),
      withdrawn: atomsOf(withdrawn),
      rewards: atomsOf(rewards),
      balance: atomsOf(held),
    }));
    const moving = shown.filter(
      ({ deposited, withdrawn, rewards }) => deposited > 0n || withdrawn > 0n || rewards > 0n,
    );
    assert.deepEqual(moving, daysOfDelegation(world, id), path);
    // A day without any of it is that of the creation.
    assert.ok(shown.length - moving.length <= 1, path);
    rewarded += moving.filter(({ rewards }) => rewards > 0n).length;
    const { sums } = await world.server.json(path);
    assert.equal(atomsOf(sums.rewards), sum(shown.map(({ rewards }) => rewards)));
    assert.equal(atomsOf(sums.deposited) + atomsOf(sums.rewards) - atomsOf(sums.withdrawn), balance);
  }
  // Few in some seeds: most blocks are of pools that keep all rewards (their margin is 1,000) or have no delegations.
  assert.ok(rewarded > 0, 'no delegation had rewards');
});

testOverSeeds(
  'each day of a pool is what its blocks paid, and was split among its delegations',
  async (seed, scope) => {
    const world = await indexed(seed, scope);
    const { server, mainChain, states } = world;
    const blocks: Json[] = await whole(server, '/block');
    const rewardOf = new Map(blocks.map((block) => [block.height, block]));
    for (const { pool_id: id } of allPools(world)) {
      const address = poolAddress(network, id);
      const shown = new Map((await whole(server, `/pool/${address}/history`)).map((row) => [row.day, row]));
      for (const [day, heights] of heightsByDay(states)) {
        const made = heights.filter((height) => {
          const consensus = mainChain[height - 1]?.block.header.consensus;
          return consensus?.type === 'PoS' && consensus.data.stakePoolId === id;
        });
        const row = shown.get(day);
        const rewards = (name: string) => sum(made.map((height) => atomsOf(rewardOf.get(height)[name])));
        assert.equal(row?.blocks ?? 0, made.length, `${address} ${day}`);
        if (row === undefined) continue;
        shown.delete(day);
        const end = states[heights.at(-1)!]!;
        const ofPool = [...end.delegations.values()].filter(({ pool_id }) => pool_id === id);
        assert.deepEqual(
          [row.staker_rewards, row.delegation_rewards, row.pledge, row.delegated].map(atomsOf),
          [
            ...[rewards('staker_reward'), rewards('delegations_reward')],
            ...[end.pools.get(id)!.staker_balance, sum(ofPool.map(({ balance }) => balance))],
          ],
          `${address} ${day}`,
        );
        assert.equal(row.delegation_count, ofPool.filter(({ balance }) => balance > 0n).length);
        const shares = await whole(server, `/pool/${address}/history/${day}/delegations`);
        const expected = allDelegations(world)
          .filter(({ pool_id }) => pool_id === id)
          .map((delegation) => ({
            ...delegation,
            of: daysOfDelegation(world, delegation.delegation_id).find((each) => each.day === day),
          }))
          .filter(({ of }) => of !== undefined && of.rewards > 0n)
          .sort((a, b) => (a.delegation_id < b.delegation_id ? -1 : 1))
          .map(({ delegation_id, spend_destination, of }) => [
            ...[delegationAddress(network, delegation_id), destinationAddress(network, spend_destination)],
            ...[of!.balance, of!.rewards],
          ]);
        assert.deepEqual(
          shares.map(({ delegation_id, owner, balance, rewards: got }) => [
            ...[delegation_id, owner],
            ...[atomsOf(balance), atomsOf(got)],
          ]),
          expected,
        );
        assert.equal(sum(shares.map((share) => atomsOf(share.rewards))), rewards('delegations_reward'));
      }
      assert.deepEqual([...shown.keys()], [], `days of ${address} without a block of the chain`);
    }
  },
);

interface Income {
  readonly owner: Destination;
  readonly day: number;
  readonly stake: string;
  readonly rewards: Atoms;
}

async function incomes(world: World): Promise<Income[]> {
  const { server, states } = world;
  const found: Income[] = [];
  for (const { delegation_id: id, spend_destination: owner } of allDelegations(world)) {
    for (const { day, rewards } of daysOfDelegation(world, id)) {
      found.push({ owner, day, stake: delegationAddress(network, id), rewards });
    }
  }
  for (const { pool_id: id, decommission_destination: owner } of states.at(-1)!.pools.values()) {
    const stake = poolAddress(network, id);
    for (const { day, staker_rewards } of await whole(server, `/pool/${stake}/history`)) {
      found.push({ owner, day, stake, rewards: atomsOf(staker_rewards) });
    }
  }
  return found.filter(({ rewards }) => rewards > 0n);
}

async function askWallet(server: TestServer, body: object): Promise<Json> {
  const answer = await server.request('/api/v2/staking', { method: 'POST', body: JSON.stringify(body) });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

testOverSeeds('the income of addresses is that of their pools and delegations, in any range', async (seed, scope) => {
  const world = await indexed(seed, scope);
  const { server, states } = world;
  const random = new Random(seed);
  const all = await incomes(world);
  const days = [...heightsByDay(states).keys()];
  const owners = [...new Set(all.map(({ owner }) => owner))];
  const lineOf = ({ day, pool_id, delegation_id, rewards }: Json) =>
    [day, pool_id ?? delegation_id, atomsOf(rewards)].join(' ');
  const expectedOf = (rows: readonly Income[]) => rows.map(({ day, stake, rewards }) => `${day} ${stake} ${rewards}`);
  for (const owner of owners) {
    const path = `/address/${destinationAddress(network, owner)}/staking`;
    const from = days[random.between(0, days.length - 1)]! - random.between(0, 1);
    const to = days[random.between(0, days.length - 1)]! + random.between(0, 1);
    for (const [range, isIn] of [
      ['', () => true],
      [`?from=${from}`, (day: number) => day >= from],
      [`?to=${to}`, (day: number) => day < to],
      [`?from=${from}&to=${to}`, (day: number) => day >= from && day < to],
    ] as const) {
      const own = all.filter((income) => income.owner === owner && isIn(income.day));
      const rows = await whole(server, `${path}${range}`);
      assert.deepEqual(
        rows
          .filter(({ rewards }) => rewards.atoms !== '0')
          .map(lineOf)
          .sort(),
        expectedOf(own).sort(),
        `${path}${range}`,
      );
      const order = rows.map(({ day }) => day);
      assert.deepEqual(
        order,
        order.toSorted((a, b) => b - a),
      );
      const { sums } = await server.json(`${path}${range}`);
      assert.equal(atomsOf(sums.rewards), sum(own.map(({ rewards }) => rewards)), `${path}${range}`);
      assert.equal(atomsOf(sums.pools) + atomsOf(sums.delegations), atomsOf(sums.rewards));
    }
  }
  const addresses = owners.slice(0, 400).map((owner) => destinationAddress(network, owner));
  const wallet: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const body: Json = await askWallet(server, { addresses, items: 100, cursor });
    wallet.push(...body.items.filter(({ rewards }: Json) => rewards.atoms !== '0').map(lineOf));
    assert.equal(atomsOf(body.sums.rewards), sum(all.map(({ rewards }) => rewards)));
    cursor = body.next_cursor;
  }
  assert.deepEqual(wallet.sort(), expectedOf(all).sort());
});

// ------------------------------------------------------------------------------------------------------- series

/** Counts of the blocks up to each height, besides those in the states. */
function countsOf({ mainChain, states }: World) {
  let [transactions, bytes, trades] = [0, 0, 0];
  return states.map((state, height) => {
    if (height > 0) {
      const { block, size } = mainChain[height - 1]!;
      transactions += block.transactions.length;
      bytes += size;
      for (const { transaction } of block.transactions) {
        trades += transaction.inputs.filter((input) => 'command' in input && input.command.type === 'FillOrder').length;
      }
    }
    return { ...state, transactions, bytes, trades };
  });
}

/** The first second of the interval of a time, by the calendar of the language. */
const STARTS: Readonly<Record<string, (time: Date) => number>> = {
  hour: (time) => time.setUTCMinutes(0, 0, 0),
  day: (time) => time.setUTCHours(0, 0, 0, 0),
  week: (time) => {
    time.setUTCDate(time.getUTCDate() - ((time.getUTCDay() + 6) % 7));
    return time.setUTCHours(0, 0, 0, 0);
  },
  month: (time) => {
    time.setUTCDate(1);
    return time.setUTCHours(0, 0, 0, 0);
  },
};
const startOf = (interval: string, seconds: number) => STARTS[interval]!(new Date(seconds * 1_000)) / 1_000;

function nextStart(interval: string, start: number): number {
  const longest = interval === 'month' ? 31 * DAY : { hour: 3_600, day: DAY, week: 7 * DAY }[interval]!;
  return startOf(interval, start + longest);
}

testOverSeeds('each point of a series is a count from scratch', async (seed, scope) => {
  const world = await indexed(seed, scope);
  const { server } = world;
  const blocks: Json[] = await whole(server, '/block');
  const feeOf = new Map<number, Atoms>(blocks.map(({ height, fees }) => [height, atomsOf(fees)]));
  const counts = countsOf(world);
  const coins = (atoms: Atoms) => decimalText(atoms, network.coinDecimals);
  type Count = (typeof counts)[number];
  const stocks: Readonly<Record<string, (state: Count) => string>> = {
    circulating_supply: ({ circulating }) => coins(circulating),
    total_supply: ({ circulating, burned }) => coins(circulating + burned),
    staked: ({ staked }) => coins(staked),
    burned: ({ burned }) => coins(burned),
    pools: ({ pools }) => `${[...pools.values()].filter(({ staker_balance }) => staker_balance > 0n).length}`,
    delegations: ({ delegations }) => `${[...delegations.values()].filter(({ balance }) => balance > 0n).length}`,
    tokens: ({ tokens }) => `${tokens}`,
    nfts: ({ nfts }) => `${nfts}`,
    open_orders: ({ openOrders }) => `${openOrders}`,
    holders: ({ holders }) => `${holders}`,
    difficulty: ({ height }) => {
      const consensus = world.mainChain[height - 1]?.block.header.consensus;
      if (consensus?.type !== 'PoS') return '0';
      return decimalText((0x26n * 2n ** 192n * 1_000_000n) / naiveTarget(consensus.data.compactTarget), 6);
    },
  };
  const flows: Readonly<Record<string, (heights: readonly number[], before: Count | undefined) => string | null>> = {
    blocks: (heights) => `${heights.filter((height) => height > 0).length}`,
    transactions: (heights, before) => difference(heights, before, ({ transactions }) => transactions),
    bytes: (heights, before) => difference(heights, before, ({ bytes }) => bytes),
    trades: (heights, before) => difference(heights, before, ({ trades }) => trades),
    fees: (heights) => coins(sum(heights.map((height) => feeOf.get(height) ?? 0n))),
    block_time: (heights) => {
      const made = heights.filter((height) => height > 0);
      if (made.length === 0) return null;
      const times = made.map((height) => BigInt(counts[height]!.timestamp - counts[height - 1]!.timestamp));
      return decimalText((sum(times) * 1_000n) / BigInt(made.length), 3);
    },
  };
  const difference = (heights: readonly number[], before: Count | undefined, of: (count: Count) => number) =>
    `${heights.length === 0 ? 0 : of(counts[heights.at(-1)!]!) - (before === undefined ? 0 : of(before))}`;

  const ofDays = { active_addresses: 0, new_addresses: 0, largest_pools_share: 0 };
  for (const interval of ['hour', 'day', 'week', 'month']) {
    const heights = new Map<number, number[]>();
    let latest = 0;
    for (const { height, timestamp } of counts) {
      latest = Math.max(latest, timestamp);
      const start = startOf(interval, latest);
      heights.set(start, [...(heights.get(start) ?? []), height]);
    }
    const first = startOf(interval, counts[0]!.timestamp);
    const last = startOf(interval, latest);
    const starts: number[] = [];
    for (let start = first; start <= last; start = nextStart(interval, start)) starts.push(start);
    const from = starts.length > 400 ? starts.at(-400)! : starts[0]!;
    const listed: Json[] = await server.json('/statistics/series');
    for (const { id, intervals } of listed) {
      if (!intervals.includes(interval)) {
        assert.equal((await server.get(`/statistics/series/${id}?interval=${interval}`)).status, 400);
        continue;
      }
      if (id in ofDays) continue;
      const path = `/statistics/series/${id}?interval=${interval}`;
      const expected: [number, string][] = [];
      let state: Count = counts[0]!;
      for (const start of starts) {
        const own = heights.get(start) ?? [];
        const before = own.length > 0 ? counts[own[0]! - 1] : state;
        state = counts[own.at(-1) ?? state.height]!;
        const value = stocks[id]?.(state) ?? flows[id]?.(own, before) ?? null;
        if (value !== null && start >= from) expected.push([start, value]);
      }
      const { points, complete_until } = await server.json(`${path}&from=${from}`);
      assert.deepEqual(points, expected, path);
      assert.equal(complete_until, last);
      // A part of it, and what there is by default.
      const middle = starts[Math.floor(starts.length / 2)]!;
      const parts = await server.json(`${path}&from=${Math.max(from, middle - 1)}&to=${last}`);
      assert.deepEqual(
        parts.points,
        expected.filter(([time]) => time >= Math.max(from, middle - 1) && time < last),
        path,
      );
      if (starts.length <= 400) assert.deepEqual((await server.json(path)).points, expected, path);
      const csv = await server.get(`${path}&from=${from}&format=csv`);
      assert.equal(csv.text.split('\r\n').length, expected.length + 2);
    }
  }
});

/** The addresses in whose histories the transactions of each block are. */
function addressesByHeight({ mainChain }: World): Map<number, Set<string>> {
  const part = new TakingPart(network, mainChain);
  const heightOf = new Map(
    mainChain.flatMap(({ transactionIds }, i) => transactionIds.map((id) => [id, i + 1] as const)),
  );
  const byHeight = new Map<number, Set<string>>();
  for (const [owner, transactions] of part.ofAddress) {
    for (const id of transactions) {
      const height = heightOf.get(id)!;
      byHeight.set(height, (byHeight.get(height) ?? new Set()).add(owner));
    }
  }
  return byHeight;
}

testOverSeeds('addresses and the largest pools are counted exactly, of what is over', async (seed, scope) => {
  const world = await indexed(seed, scope);
  const { server, states } = world;
  const active = addressesByHeight(world);
  for (const interval of ['day', 'week', 'month']) {
    const heights = new Map<number, number[]>();
    for (const [day, own] of heightsByDay(states)) {
      const start = startOf(interval, day);
      heights.set(start, [...(heights.get(start) ?? []), ...own]);
    }
    const last = Math.max(...heights.keys());
    const seen = new Set<string>();
    const expected = {
      active: [] as [number, string][],
      new: [] as [number, string][],
      share: [] as [number, string][],
    };
    let state = states[0]!;
    for (let start = Math.min(...heights.keys()); start < last; start = nextStart(interval, start)) {
      const own = heights.get(start) ?? [];
      const owners = new Set(own.flatMap((height) => [...(active.get(height) ?? [])]));
      expected.active.push([start, `${owners.size}`]);
      expected.new.push([start, `${[...owners].filter((owner) => !seen.has(owner)).length}`]);
      for (const owner of owners) seen.add(owner);
      state = states[own.at(-1) ?? state.height]!;
      const stakes = [...state.pools.values()].map(
        ({ staker_balance, delegations_balance }) => staker_balance + delegations_balance,
      );
      const largest = sum(stakes.sort((a, b) => (a < b ? 1 : -1)).slice(0, 10));
      expected.share.push([start, decimalText((largest * 1_000_000n) / state.staked, 6)]);
    }
    const pointsOf = async (id: string) => {
      const path = `/statistics/series/${id}?interval=${interval}&from=0`;
      const { points, complete_until } = await server.json(path);
      assert.equal(complete_until, last, path);
      return points;
    };
    assert.deepEqual(await pointsOf('largest_pools_share'), expected.share);
    if (interval === 'week') continue;
    assert.deepEqual(await pointsOf('active_addresses'), expected.active, interval);
    assert.deepEqual(await pointsOf('new_addresses'), expected.new, interval);
  }
});
