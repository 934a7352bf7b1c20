/**
 * The table of docs/api.md#order-and-content-of-lists: it has every list of the OpenAPI document, and each list comes in the
 * order that the table states. The orders are read in the table; this file knows only how an entry shows their values.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import * as addresses from '../../../src/chain/address.ts';
import { MONTHS } from '../../sim/history.ts';
import { builtBefore } from '../../support/file-scope.ts';
import { PendingWorld } from '../../support/pending-world.ts';
import type { TestServer } from '../../support/web-server.ts';

// biome-ignore lint/suspicious/noExplicitAny: what it holds is checked against its schema
type Json = any;
type Value = bigint | number | string | undefined;

/** Few owners and markets, so that many entries are of the same block, and of the same transaction. */
const MIX = {
  ...MONTHS,
  addresses: 5,
  newAddressChance: 0,
  markets: 3,
  transactionsPerBlock: 60,
  weights: {
    ...MONTHS.weights,
    poolCreate: 8,
    delegate: 40,
    nftIssue: 40,
    lock: 30,
    htlcCreate: 30,
    orderCreate: 40,
    orderFill: 40,
    orderConclude: 1,
  },
};
const BLOCKS = 25;
/** Lists in which no two entries have the same of these values, or rarely: what comes after it is not seen to decide. */
const WITHOUT_TIES =
  /state=|address\/\{a\}\/pools|holders|book|by_(pledge|stake|apy)|htlc|outspends|reward|mempool|search|fills|trades|events/;
const PAGE_SIZES = [1, 4, 7];
/** The entries that are compared in pages of each size. */
const COMPARED = 12;

const ROWS = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8')
  .split('### Order and content of lists')[1]!
  .split('\n\n')
  .find((part) => part.startsWith('| lists |'))!
  .split('\n')
  .slice(2)
  .map((row) => row.split('|').slice(1, 3) as [lists: string, order: string]);

/** The lists of the table with the values that decide, and whether the highest one is first. */
const LISTS = ROWS.flatMap(([lists, order]) =>
  [...lists.matchAll(/`([^`]*\/[^`]*)`/g)].map(([, list]) => ({
    list: list!,
    order: [...order.matchAll(/`([^`]+)` ([↑↓])/g)].map(([, key, arrow]) => ({ key: key!, isDown: arrow === '↓' })),
  })),
);

const world = builtBefore(async (scope) => {
  const pending = await PendingWorld.start(scope, { mix: MIX, blocks: BLOCKS, seed: 'order', isQuiet: false });
  /** The lowest removed block of each reorganisation. */
  const followed: string[] = [];
  for (const depth of [1, 3]) {
    followed.push(pending.node.mainChainId(pending.node.tip().height - depth + 1)!);
    pending.node.reorganise(depth, depth + 1);
    await pending.indexIsSeen();
  }
  await pending.agrees();
  const { server, core, network, pendingIds: accepted } = pending;
  const { ids: arrived } = await server.json('/mempool/ids');
  return { server, core, network, accepted, arrived, followed, ...(await readFacts(pending)) };
});

/** What the tables say of the things that entries name. */
async function readFacts({ index, network }: PendingWorld) {
  const rows = async (sql: string): Promise<Json[]> => (await index.query<Json>(sql)).rows;
  const byId = async (sql: string) => new Map<string, Json>((await rows(sql)).map((row) => [row.id, row]));
  /** The values of a column that most rows have; first those that many rows with the same `key` have. */
  const most = async (
    table: string,
    column: string,
    { where = 'true', key = '0', limit = 2 } = {},
  ): Promise<string[]> =>
    (
      await rows(`select encode(${column}, 'hex') as value from ${table} where ${column} is not null and ${where}
                  group by ${column} order by count(*) - count(distinct ${key}) desc, ${column} limit ${limit}`)
    ).map(({ value }) => value);
  /** For each list of an address one of which it is long. */
  const owners: string[] = [];
  for (const [table, column, where, key] of [
    ['outputs', 'owner', 'true', '0'],
    ['utxos', 'owner', 'unlock_height is not null or unlock_time is not null', 'coalesce(unlock_height, unlock_time)'],
    ['outputs', 'owner', 'secret_hash is not null', 'height'],
    ['delegations', 'spend_destination', 'true', '0'],
    ['tokens', 'authority', 'true', '0'],
    ['orders', 'conclude_destination', 'not is_concluded', 'creation_height'],
    ['pools', 'decommission_destination', 'staker_balance > 0', 'creation_height'],
    ['nfts', 'owner', 'true', 'creation_height'],
  ] as const) {
    owners.push(...(await most(table, column, { where, key, limit: 1 })));
  }
  /** A day of a pool whose rewards several delegations shared. */
  const [shared] = await rows(`
    select encode(g.pool_id, 'hex') as pool, d.day
    from delegation_days d join delegations g using (delegation_id) join pool_days p on p.pool_id = g.pool_id and p.day = d.day
    where d.withdrawn + d.balance > d.deposited and p.delegation_rewards > 0
    group by g.pool_id, d.day order by count(*) desc, g.pool_id, d.day limit 1`);
  const pools = [shared.pool, ...(await most('blocks', 'pool_id'))];
  const tokens = [
    ...(await most('token_events', 'token_id')),
    ...(await most('balances', 'currency', { where: `currency <> ''` })),
    ...(await most('token_transactions', 'token_id')),
  ];
  const ids: Record<string, readonly string[]> = {
    a: [...new Set(owners)].map((owner) => addresses.destinationAddress(network, owner)),
    pair: (
      await rows(`select base, quote from markets order by least(trades, open_orders) desc, base, quote limit 3`)
    ).map(({ base, quote }) => addresses.pairName(network, base, quote)),
    day: [`${shared.day * 86_400}`],
    hash: await most('outputs', 'secret_hash'),
    pool: pools.map((id) => addresses.poolAddress(network, id)),
    delegation: (await most('delegation_days', 'delegation_id')).map((id) => addresses.delegationAddress(network, id)),
    token: tokens.map((id) => addresses.tokenAddress(network, id)),
    nft: (await most('nft_owners', 'token_id')).map((id) => addresses.tokenAddress(network, id)),
    order: (await most('fills', 'order_id')).map((id) => addresses.orderAddress(network, id)),
    transaction: await most('address_transactions', 'tx_id'),
    block: await most('blocks', 'block_id', { where: 'tx_count > 3' }),
    ticker: (
      await rows(`select fragment from ticker_fragments
                  group by fragment having bool_or(is_whole) order by count(*) desc, fragment limit 2`)
    ).map(({ fragment }) => fragment),
  };
  const indexes = [
    ...(await rows(`
      select encode(x.tx_id, 'hex') || ' ' || f.base_amount || ' ' || f.quote_amount as id, f.input_index as index
      from fills f join blocks b using (height) join transactions x on x.tx_index = b.first_tx_index + f.position`)),
    ...(await rows(`
      select encode(x.tx_id, 'hex') || ' ' || e.kind || ' ' || coalesce(e.amount::text, '-') as id, e.event_index as index
      from token_events e join blocks b using (height) join transactions x on x.tx_index = b.first_tx_index + e.position`)),
    ...(await rows(`
      select encode(x.tx_id, 'hex') || ' ' || s.input_index as id, s.output_index as index
      from spends s join blocks b on b.height = s.spent_height
      join transactions x on x.tx_index = b.first_tx_index + s.spent_position`)),
  ];
  return {
    ids,
    indexes: new Map<string, number>(indexes.map(({ id, index: place }) => [id, place])),
    transactions: await byId(`
      select encode(x.tx_id, 'hex') as id, x.tx_index, x.height, (x.tx_index - b.first_tx_index)::integer as position
      from transactions x join blocks b on b.height = x.height`),
    blocks: await byId(`select encode(block_id, 'hex') as id, height, tx_count as position from blocks`),
    rewards: new Map((await rows('select height, tx_count from blocks')).map((row) => [row.height, row.tx_count])),
    tokens: await byId(`
      select encode(k.token_id, 'hex') as id, k.creation_height, s.holders
      from (select token_id, creation_height from tokens union all select token_id, creation_height from nfts) k
      left join statistics s on s.currency = k.token_id`),
    markets: await byId(`select encode(base, 'hex') || '_' || encode(quote, 'hex') as id, last_height from markets`),
    objects: await byId(`
      select encode(order_id, 'hex') as id, creation_height, null::text as apr_rank, null::text as expected_rank, 0 as blocks_month from orders
      union all select encode(token_id, 'hex'), creation_height, 'is an NFT', null, 0 from nfts
      union all
      select encode(pool_id, 'hex'), creation_height, case when age < 86400 or apy_rank < 0 then '-1'
             else trunc(apy_rank * 2592000 / least(age, 2592000))::text end,
             div(greatest(reward - cost_per_block, 0) * (1000 - margin_ratio_per_thousand) * effective_stake, greatest(total_stake, 1))::text,
             blocks_month
      from pools p
      cross join (
        select (select staker_reward + delegations_reward - fees from blocks order by height desc limit 1)
               + div(coalesce(sum(fees), 0), greatest(count(*), 1)) as reward
        from blocks, (select coalesce(max(b.timestamp), -1) as timestamp from blocks b, chain_tip t
                      where b.timestamp <= t.timestamp - 2592000) before
        where height > 0 and floor(blocks.timestamp / 3600.0) > floor(before.timestamp / 3600.0)) r
      cross join lateral (
        select t.timestamp - b.timestamp as age from chain_tip t, blocks b where b.height = p.creation_height) a`),
  };
}

/** The bytes of an id. */
function bytesOf(id: string): string {
  const { parsePoolId, parseDelegationId, parseTokenId, parseOrderId } = addresses;
  for (const parse of [parsePoolId, parseDelegationId, parseTokenId, parseOrderId]) {
    try {
      return parse(world().network, id);
    } catch {}
  }
  return id;
}

const currencyOf = ({ token_id: id }: Json): string => (id === undefined ? '' : bytesOf(id));

/** The id that an entry is, or has. */
function idOf(entry: Json): string {
  if (typeof entry === 'string') return bytesOf(entry);
  const { delegation_id, pool_id, order_id, token_id, id } = entry;
  return bytesOf(delegation_id ?? pool_id ?? order_id ?? token_id ?? id);
}

const madeOf = (entry: Json): Json => world().objects.get(idOf(entry)) ?? world().tokens.get(idOf(entry));

/** Where an entry is in the chain: its transaction, or the reward of its block. */
function placeOf(entry: Json): { readonly height: number; readonly position: number; readonly tx_index?: number } {
  const { transactions, blocks, rewards } = world();
  const { outpoint, tx_id: txId, height, kinds } = entry;
  // A day of staking comes before the block that begins it.
  if (kinds?.length === 0 && txId === null) return { height, position: -2 };
  if (outpoint?.source_type === 'BlockReward') return blocks.get(outpoint.source_id);
  const id = typeof entry === 'string' ? entry : (outpoint?.source_id ?? txId ?? entry.id);
  if (txId !== null) return transactions.get(id);
  return { height, position: kinds.includes('reward') ? rewards.get(height) : -1 };
}

/** How an entry shows the values that the table names. */
/** The ticker of a search result. */
const tickerOf = ({ type, label, detail }: Json): string =>
  (type === 'nft' ? /^NFT (.*), issued/.exec(detail)![1]! : label).toLowerCase();

const VALUES: Readonly<Record<string, (entry: Json, place: number, path: string) => Value>> = {
  tx_global_index: (entry) => Number(placeOf(entry).tx_index),
  height: (entry) => {
    if (entry.pair !== undefined)
      return world().markets.get(`${currencyOf(entry.base.currency)}_${currencyOf(entry.quote.currency)}`).last_height;
    return entry.height ?? (entry.outpoint ? placeOf(entry).height : madeOf(entry).creation_height);
  },
  position: (entry) => placeOf(entry).position,
  'output index': (entry, place) =>
    entry?.outpoint?.index ?? world().indexes.get(`${entry?.tx_id} ${entry?.input_index}`) ?? place,
  'input index': ({ tx_id: id, base, quote }) =>
    world().indexes.get(`${id} ${base.amount.atoms} ${quote.amount.atoms}`),
  'event index': ({ tx_id: id, event, amount }) => world().indexes.get(`${id} ${event} ${amount?.atoms ?? '-'}`),
  id: idOf,
  type: (entry) => (entry.type === 'nft' || world().objects.has(idOf(entry)) ? 1 : 0),
  holders: (entry, _, path) => {
    const holders = Number(world().tokens.get(idOf(entry)).holders ?? 0);
    return holders > 1 || path.startsWith('/search') ? holders : 0;
  },
  volume: ({ quote, day }) => (currencyOf(quote.currency) === '' ? BigInt(day.quote_volume.atoms) : 0n),
  change: ({ day: { change } }) => (change === null ? -1 : Number(change)),
  match: (entry, _, path) => {
    const text = path.split('q=')[1]!;
    return tickerOf(entry) === text || (entry.type === 'nft' && entry.label.toLowerCase() === text) ? 0 : 1;
  },
  'found in': (entry, place, path) => {
    const text = path.split('q=')[1]!;
    const isWhole = VALUES.match!(entry, place, path) === 0;
    return (isWhole ? tickerOf(entry) === text : tickerOf(entry).includes(text)) ? 0 : 1;
  },
  currency: ({ currency }) => currencyOf(currency),
  base: ({ base }) => currencyOf(base.currency),
  quote: ({ quote }) => currencyOf(quote.currency),
  owner: ({ address }) => addresses.parseDestination(world().network, address),
  amount: ({ amount }) => BigInt(amount.atoms),
  day_volume: ({ day_volume }) => BigInt(day_volume.atoms),
  total: ({ total }) => BigInt(total.atoms),
  day: ({ day }) => day,
  time: ({ time }) => time,
  opens_at: ({ opens_at: time }) => time,
  staker_balance: ({ staker_balance: balance }) => BigInt(balance.atoms),
  total_stake: ({ staker_balance: own, delegations_balance: others }) => BigInt(own.atoms) + BigInt(others.atoms),
  'blocks.month': (entry) => world().objects.get(idOf(entry)).blocks_month,
  margin_ratio_per_thousand: ({ margin_ratio_per_thousand: margin }) => Number.parseFloat(margin),
  price: ({ price }) => {
    const [quote, base] = price.atoms.split('/').map(BigInt);
    return (quote! * 10n ** 60n) / (base ?? 1n);
  },
  followed: ({ removed }) => world().followed.indexOf(removed[0].block_id),
  arrival: ({ id }) => world().arrived.indexOf(id),
  acceptance: ({ id, outpoint }) => world().accepted.indexOf(id ?? outpoint.source_id),
  apr_month: (entry) => BigInt(world().objects.get(idOf(entry)).apr_rank),
  apr_expected: (entry) => BigInt(world().objects.get(idOf(entry)).expected_rank),
};

/** The paths of a list for some things that have many entries. */
function pathsOf(list: string): string[] {
  const { ids } = world();
  if (list === '/search') return ids.ticker!.map((text) => `/search?q=${text}`);
  if (list === '/statement') {
    return [...ids.a!.slice(0, 4), ids.a!.join()].map((owners) => `/statement?addresses=${owners}`);
  }
  const paths: string[] = [];
  const fill = (path: string): void => {
    const parameter = /\{([a-z]+)\}/.exec(path);
    if (parameter === null) return void paths.push(path);
    const name = parameter[1] === 'id' ? /([a-z]+)\/\{id\}/.exec(path)![1]! : parameter[1]!;
    for (const id of ids[name]!) fill(path.replace(parameter[0], id));
  };
  fill(list);
  return paths;
}

const withQuery = (path: string, query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`;

/** The first entries of a list in pages; all of a list without pages. */
async function walk(server: TestServer, path: string, items: number, limit: number): Promise<Json[]> {
  const entries: Json[] = [];
  for (let cursor: string | null = ''; cursor !== null && entries.length < limit; ) {
    const place = isByOffset(path) ? `offset=${entries.length}` : `cursor=${encodeURIComponent(cursor)}`;
    const page: Json = path.startsWith('POST ')
      ? await post(server, path, { items, cursor })
      : await get(server, withQuery(path, `items=${items}&${place}`));
    if (Array.isArray(page) && !isByOffset(path)) return page.slice(0, limit);
    entries.push(...(page.items ?? page));
    cursor = isByOffset(path) && page.length === items ? '' : (page.next_cursor ?? null);
  }
  return entries.slice(0, limit);
}

/** The list that has another order by offset. */
const isByOffset = (path: string): boolean => path.startsWith('/mempool/transactions?order=');

async function post(server: TestServer, path: string, fields: object): Promise<Json> {
  const body = JSON.stringify({ addresses: world().ids.a, ...fields });
  const answer = await server.request(`/api/v2${path.slice('POST '.length)}`, { method: 'POST', body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** A response; of an address that is no authority, none of whose tokens there are. */
async function get(server: TestServer, path: string): Promise<Json> {
  const { status, text, body } = await server.get(path);
  if (status === 404 && body.error === 'No token authority found') return [];
  assert.equal(status, 200, `${path}: ${text}`);
  return body;
}

/** What is the same of an entry in both profiles. */
function sameInBoth(entry: Json): string {
  if (typeof entry !== 'object' || entry === null) return String(entry);
  const { outpoint, address, day, time, pair, price, currency, tx_id, block_id, height } = entry;
  const id = entry.delegation_id ?? entry.pool_id ?? entry.order_id ?? entry.token_id ?? entry.id;
  const fields = [id, outpoint, address, day, time, pair, price?.atoms, currency, tx_id, block_id, height];
  const known = fields.filter((field) => field !== undefined && field !== null);
  return known.length === 1 && typeof known[0] === 'string' ? known[0] : JSON.stringify(known);
}

it('the table of orders in docs/api.md has every list of the OpenAPI document, and no other', async () => {
  const bare = (list: string) => list.split('?')[0]!.replace(/\{[a-z]+\}/g, '{}');
  const isList = ({ properties = {}, type, items }: Json): boolean =>
    type === 'array' ? items !== undefined : 'items' in properties;
  for (const server of [world().server, world().core]) {
    const { paths, components } = await server.document();
    const resolved = (schema: Json): Json => components.schemas[schema.$ref?.split('/').pop()] ?? schema;
    const described = Object.entries<Json>(paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods)
        .filter(([, { responses }]) => {
          const schema = resolved(responses[200].content?.['application/json']?.schema ?? {});
          return (schema.oneOf ?? [schema]).map(resolved).some(isList);
        })
        .map(([method]) => bare(`${method === 'post' ? 'POST ' : ''}${path.replace('/api/v2', '')}`)),
    );
    assert.deepEqual([...new Set(LISTS.map(({ list }) => bare(list)))].sort(), [...described].sort());
  }
});

describe('each list comes in the order of the table in docs/api.md, whatever the size of its pages:', () => {
  for (const { list, order } of LISTS) {
    it(list, async () => {
      const { server, core } = world();
      const ties = new Set<number>();
      let longest = 0;
      for (const path of pathsOf(list)) {
        const whole = await walk(server, path, 100, 1_000);
        longest = Math.max(longest, whole.length);
        for (let i = 1; i < whole.length; i++) {
          const decides = order.findIndex(({ key, isDown }) => {
            const [before, value] = [VALUES[key]!(whole[i - 1], i - 1, path), VALUES[key]!(whole[i], i, path)];
            assert.ok(
              before !== undefined && value !== undefined,
              `${path} has no ${key}: ${JSON.stringify(whole[i])}`,
            );
            if (before === value) return false;
            assert.equal(before > value, isDown, `${key} of entries ${i - 1} and ${i} of ${path}: ${before}, ${value}`);
            return true;
          });
          if (order.length > 0) assert.ok(decides >= 0, `entries ${i - 1} and ${i} of ${path} have the same place`);
          ties.add(decides);
        }
        for (const size of PAGE_SIZES) {
          assert.deepEqual(
            await walk(server, path, size, COMPARED),
            whole.slice(0, COMPARED),
            `${path} in pages of ${size}`,
          );
        }
        if (!path.startsWith('POST ') && path !== '/mempool/transactions') {
          const page: Json = await get(server, path);
          assert.deepEqual((page.items ?? page).slice(0, 10), whole.slice(0, 10), `${path} without a cursor`);
        }
        if (/order=best|sort=total|mempool\/transactions$/.test(path)) continue;
        const own = whole.map(sameInBoth);
        const others = (await walk(core, path, 100, 1_000)).map(sameInBoth);
        const common = own.filter((entry) => others.includes(entry));
        assert.ok(common.length > 0 || own.length === 0, path);
        assert.deepEqual(
          others.filter((entry) => own.includes(entry)),
          common,
          `${path} in the other profile`,
        );
      }
      assert.ok(longest > 1 || /reward|htlc\/\{|state=frozen/.test(list), 'there is a list with an order');
      if (order.length > 1 && !WITHOUT_TIES.test(list))
        assert.ok(ties.size > 1, 'there are entries with the same first value');
    });
  }
});

it('/mempool/transactions?order=dependency has each transaction after its parents', async () => {
  const { server, accepted } = world();
  const listed = await walk(server, '/mempool/transactions?order=dependency', 100, 1_000);
  const places = new Map<string, number>(listed.map(({ id }, place) => [id, place]));
  assert.deepEqual([...places.keys()].sort(), accepted.toSorted());
  let children = 0;
  for (const [place, { inputs }] of listed.entries()) {
    for (const { input } of inputs) {
      const parent = places.get(input.source_id);
      if (parent === undefined) continue;
      children++;
      assert.ok(parent < place);
    }
  }
  assert.ok(children > 0);
});

it('/statistics/series is in the order in which the OpenAPI document names the series', async () => {
  const { server } = world();
  const { paths } = await server.document();
  const { schema } = paths['/api/v2/statistics/series/{id}'].get.parameters.find(({ name }: Json) => name === 'id');
  const listed: Json[] = await server.json('/statistics/series');
  assert.deepEqual(
    listed.map(({ id }) => id),
    schema.enum,
  );
});
