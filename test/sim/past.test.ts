/**
 * The tables of what balances, supplies, tokens and stakes were: against a naive account of the blocks, and against indexes
 * that were synced to a height and no further.
 */
import assert from 'node:assert/strict';
import type pg from 'pg';
import type { Atoms } from '../../src/chain/types.ts';
import { balanceChangeKinds } from '../../src/ledger/balance-change-kinds.ts';
import { upgrading } from '../devnet/sim/networks.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { oncePerSeed, testOverSeeds } from '../support/seeds.ts';
import { MONTHS, simulatedHistory } from './history.ts';
import { NaivePast } from './naive-past.ts';

const BLOCKS = 70;

/** What an index holds at its tip, as lines of text. */
interface Now {
  readonly height: number;
  readonly balances: readonly string[];
  readonly supplies: readonly string[];
  readonly stakes: readonly string[];
}

type Client = Pick<pg.Client, 'query'>;

async function lines(client: Client, sql: string, ...parameters: readonly unknown[]): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(sql, [...parameters]);
  return rows.map(({ line }) => line).sort();
}

async function now(client: Client, height: number): Promise<Now> {
  return {
    height,
    balances: await lines(client, `select concat_ws(' ', owner, currency, total, locked) as line from balances`),
    supplies: await lines(
      client,
      `select concat_ws(' ', currency, circulating_supply, preminted, burned, staked) as line from statistics
        where (circulating_supply, preminted, burned, staked) <> (0, 0, 0, 0)`,
    ),
    stakes: await lines(
      client,
      `select concat_ws(' ', delegation_id, balance) as line from delegations where balance > 0
       union all select concat_ws(' ', pool_id, staker_balance) from pools where staker_balance > 0`,
    ),
  };
}

const indexed = oncePerSeed(async (seed, scope) => {
  const { mainChain, network } = simulatedHistory({ network: upgrading, blocks: BLOCKS, seed, mix: MONTHS });
  const index = await TestIndex.create(scope, network);
  const { writer } = index.session;
  const then: Now[] = [await now(writer, 0)];
  for (const block of mainChain) {
    await index.follow([block]);
    then.push(await now(writer, then.length));
  }
  return { mainChain, network, index, then };
});

testOverSeeds('each change of a balance, with its kinds and fee, is what the blocks say', async (seed, scope) => {
  const { mainChain, network, index } = await indexed(seed, scope);
  const { writer } = index.session;
  const { rows: bodies } = await writer.query<{ tx_id: string; body: string }>('select tx_id, body from transactions');
  const fees = new Map(bodies.map(({ tx_id, body }) => [tx_id, BigInt(JSON.parse(body).fee.atoms)]));
  const naive = new NaivePast(network, mainChain, (id) => fees.get(id)!);
  interface Row extends Record<'owner' | 'currency', string>, Record<'change' | 'balance' | 'locked' | 'fee', Atoms> {
    readonly height: number;
    readonly position: number;
    readonly kinds: number;
  }
  const { rows } = await writer.query<Row>('select * from balance_changes');
  const stored = rows.map(({ height, position, owner, currency, change, balance, locked, fee, kinds }) =>
    [height, position, owner, currency, change, balance, locked, fee, balanceChangeKinds(kinds).sort().join(',')].join(
      ' ',
    ),
  );
  assert.deepEqual(stored.sort(), naive.changes.toSorted());
  const { rows: events } = await writer.query(
    'select token_id, height, position, event_index, kind, amount, supply from token_events',
  );
  const storedEvents = events.map((row) =>
    Object.values(row)
      .map((field) => field ?? '')
      .join(' '),
  );
  assert.deepEqual(storedEvents.sort(), naive.tokenEvents.toSorted());
  assert.ok(
    naive.changes.some((line) => / -1 /.test(line)),
    'no lock ended',
  );
  assert.ok(naive.tokenEvents.length > 5);
});

testOverSeeds(
  'balances, holders, supplies and stakes at a height are those of an index that ends there',
  async (seed, scope) => {
    const { index, then } = await indexed(seed, scope);
    const { writer } = index.session;
    for (const { height, balances, supplies } of then) {
      assert.deepEqual(
        await lines(
          writer,
          `select concat_ws(' ', owner, currency, balance, locked) as line
           from (select distinct on (owner, currency) * from balance_changes where height <= $1
                  order by owner, currency, height desc, position desc) as latest
          where balance > 0`,
          height,
        ),
        balances,
        `balances at ${height}`,
      );
      assert.deepEqual(await holdersAt(writer, height), balances, `holders at ${height}`);
      assert.deepEqual(
        await lines(
          writer,
          `select concat_ws(' ', currency, circulating_supply, preminted, burned, staked) as line
           from (select distinct on (currency) * from supplies where height <= $1 order by currency, height desc) as latest
          where (circulating_supply, preminted, burned, staked) <> (0, 0, 0, 0)`,
          height,
        ),
        supplies,
        `supplies at ${height}`,
      );
      const { as_of, stakes } = await stakesAt(writer, height);
      assert.ok(as_of < height || height === 0);
      assert.deepEqual(stakes, then[as_of]?.stakes ?? [], `stakes at ${height}, as of ${as_of}`);
    }
    assert.ok(new Set(await lines(writer, 'select day as line from days')).size > 5);
  },
);

/** Only those who became holders are looked at. */
function holdersAt(client: Client, height: number): Promise<string[]> {
  return lines(
    client,
    `select concat_ws(' ', owner, currency, balance, locked) as line
       from (select distinct currency, owner from balance_changes where height <= $1 and balance = change and balance > 0) as once
            cross join lateral (
              select balance, locked from balance_changes
               where owner = once.owner and currency = once.currency and height <= $1
               order by height desc, position desc limit 1) as latest
      where balance > 0`,
    height,
  );
}

async function stakesAt(client: Client, height: number): Promise<{ as_of: number; stakes: string[] }> {
  const { rows } = await client.query<{ day: number; as_of: number }>(
    'select day, height - 1 as as_of from days where height <= $1 order by height desc limit 1',
    [height],
  );
  const { day, as_of } = rows[0]!;
  const stakes = await lines(
    client,
    `with ends as (select delegation_id as stake_id, day, balance from delegation_days
                   union all select pool_id, day, staker_balance from pool_days)
     select concat_ws(' ', stake_id, balance) as line
       from (select stake_id,
                    case when changed_day < $1 then balance
                         else (select balance from ends d where d.stake_id = s.stake_id and d.day < $1
                                order by d.day desc limit 1) end as balance
               from (select delegation_id as stake_id, changed_day, balance from delegations
                     union all select pool_id, changed_day, staker_balance from pools) as s) as held
      where balance > 0`,
    day,
  );
  return { as_of, stakes };
}

testOverSeeds('the changes of a balance sum up to it, and each fee is in one row at most', async (seed, scope) => {
  const { index } = await indexed(seed, scope);
  const { writer } = index.session;
  assert.deepEqual(
    await lines(
      writer,
      `select concat_ws(' ', owner, currency, sum(change)) as line from balance_changes group by owner, currency
       having sum(change) > 0`,
    ),
    await lines(writer, `select concat_ws(' ', owner, currency, total) as line from balances`),
  );
  assert.deepEqual(
    await lines(
      writer,
      `select concat_ws(' ', height, position) as line from balance_changes where fee > 0 group by height, position
       having count(*) > 1`,
    ),
    [],
  );
});
