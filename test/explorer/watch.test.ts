/** The watch list as the server renders it for the script, which posts ids and what was seen of each. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import {
  delegationAddress,
  destinationAddress,
  parseDelegationId,
  parseDestination,
  parsePoolId,
  poolAddress,
  tokenAddress,
} from '../../src/chain/address.ts';
import { TRADING } from '../sim/history.ts';
import { fileScope } from '../support/file-scope.ts';
import { getPage, type PageElement, parsePage, type TestPage } from '../support/html-page.ts';
import { ownerOf, paymentOf } from '../support/payments.ts';
import { PendingWorld } from '../support/pending-world.ts';

type Asked = readonly [thing: unknown, seen: unknown];

const scope = fileScope();
let world: PendingWorld;
let ids: Readonly<Record<'address' | 'pool' | 'delegation' | 'token' | 'market', string>>;

before(async () => {
  world = await PendingWorld.start(scope, { seed: 'watch', blocks: 160, mix: TRADING });
  const { network } = world;
  ids = {
    address: payer(),
    pool: poolAddress(
      network,
      await text('select pool_id from pools where staker_balance > 0 order by pool_id limit 1'),
    ),
    delegation: delegationAddress(
      network,
      await text('select delegation_id from delegations order by balance desc, delegation_id limit 1'),
    ),
    token: tokenAddress(network, await text('select token_id from tokens order by token_id limit 1')),
    market: (await world.server.json('/market?items=1')).items[0].pair,
  };
});

const text = async (sql: string) =>
  String(Object.values((await world.index.query<Record<string, unknown>>(sql)).rows[0]!)[0]);
const payer = () => destinationAddress(world.network, ownerOf(paymentOf(world.node)));
const allThings = () => Object.entries(ids).map(([kind, id]) => `${kind}/${id}`);

async function post(body: unknown, status = 200): Promise<TestPage> {
  const answer = await fetch(`${world.server.url}/watch`, {
    method: 'POST',
    headers: { accept: 'text/html' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const html = await answer.text();
  assert.equal(answer.status, status, html.slice(0, 2_000));
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  return parsePage(html, { status, headers: answer.headers });
}

const list = (...things: readonly Asked[]) => post({ things });

/** The row of a thing: its cells, and what the script keeps of it. */
function rowOf({ main }: TestPage, thing: string) {
  const cells = main.table('watched').find((each) => fieldIn(each).attribute('data-thing') === thing)!;
  const field = fieldIn(cells);
  const [name, , now, since] = cells as [PageElement, PageElement, PageElement, PageElement];
  return { name, now, since, state: field.attribute('data-state')!, notice: field.attribute('data-notice') };
}
const fieldIn = (cells: readonly PageElement[]) => cells[1]!.one('input');

/** What was seen, as if nothing had ever happened before. */
const fromTheBeginning = (state: string) => state.replace(/^\d+\.\d+\./, '-1.0.');

async function payUntil(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) {
    world.receive(paymentOf(world.node));
    world.node.grow();
    await world.indexIsSeen();
  }
}

async function coinsOf(address: string): Promise<bigint> {
  const { coin_balance: spendable, locked_coin_balance: locked } = await world.server.json(`/address/${address}`);
  return BigInt(spendable.atoms) + BigInt(locked.atoms);
}

/** What an owner, in hex, has in pools and delegations. */
async function stakedOf(owner: string): Promise<bigint> {
  const staked = await text(`
    select coalesce((select sum(staker_balance) from pools where decommission_destination = decode('${owner}', 'hex')), 0)
      + coalesce((select sum(balance) from delegations where spend_destination = decode('${owner}', 'hex')), 0)`);
  return BigInt(staked);
}

it('a thing of each kind has its value, and nothing has changed when it is asked for first', async () => {
  const page = await list(...allThings().map((thing) => [thing, null] as const));
  const { address, pool, delegation, token } = ids;
  const { server } = world;
  const { staker_balance: own, delegations_balance: delegated } = await server.json(`/pool/${pool}`);
  const expected: readonly (readonly [thing: string, atoms: bigint])[] = [
    [`address/${address}`, (await coinsOf(address)) + (await stakedOf(parseDestination(world.network, address)))],
    [`pool/${pool}`, BigInt(own.atoms) + BigInt(delegated.atoms)],
    [`delegation/${delegation}`, BigInt((await server.json(`/delegation/${delegation}`)).balance.atoms)],
    [`token/${token}`, BigInt((await server.json(`/token/${token}`)).circulating_supply.atoms)],
  ];
  for (const [thing, atoms] of expected) assert.deepEqual(rowOf(page, thing).now.atoms(), [atoms], thing);
  for (const thing of allThings()) {
    const { name, since, state, notice } = rowOf(page, thing);
    assert.ok(name.links().includes(`/${thing}`), thing);
    assert.equal(since.text, 'nothing to compare yet', thing);
    assert.match(state, /^\d+\.\d+\.\d+\.\d*(\.[0-9a-f]{10}){3}$/, thing);
    assert.equal(notice, undefined, thing);
  }
  const { block_id, block_height } = await server.json('/chain/tip');
  assert.equal(page.whole.attribute('data-tip'), `${block_height}-${block_id}`);
  assert.equal(page.whole.attribute('data-live'), 'blocks');
  assert.match(page.title, /^Watch list/);
});

it('the price of a market is that of the pair in the order of its name', async () => {
  const mirrored = ids.market.split('_').reverse().join('_');
  const things = [ids.market, mirrored].map((pair) => `market/${pair}`);
  const page = await list(...things.map((thing) => [thing, null] as const));
  for (const thing of things) {
    const { last_price: price } = await world.server.json(`/${thing}`);
    const { now } = rowOf(page, thing);
    const exact = now.all('details').length > 0 ? now.one('details').all('span').at(-1)! : now.one('.amount');
    assert.equal(exact.text.replaceAll(' ', ''), price.decimal, thing);
  }
});

it('a thing that the chain does not have has no value, and an id of another network or of nothing is unknown', async () => {
  const missing = `pool/${poolAddress(world.network, 'ab'.repeat(32))}`;
  const page = await list(
    [missing, null],
    ['address/nothing', null],
    ['market/ML_what', null],
    [`pool/${ids.token}`, ''],
  );
  assert.equal(rowOf(page, missing).now.text, '–');
  for (const thing of ['address/nothing', 'market/ML_what', `pool/${ids.token}`]) {
    assert.equal(rowOf(page, thing).now.text, `unknown on ${world.network.name}`);
    assert.equal(rowOf(page, thing).state, '');
  }
});

it('a mistyped id has the problem that the statement names', async () => {
  const mistyped = ids.address.slice(0, -3);
  const field = (page: TestPage, at: number) => fieldIn(page.main.table('watched')[at]!);
  const page = await list([`address/${mistyped}`, null], [`pool/${ids.pool}`, null]);
  const problem = field(page, 0).attribute('data-problem')!;
  assert.match(problem, /^\w{24}: This is not a wallet address: it is incomplete/);
  const statement = await getPage(world.server, `/statement?addresses=${mistyped}`, 400);
  assert.equal(statement.main.one('.banner').text, problem);
  assert.equal(field(page, 1).attribute('data-problem'), undefined);
});

it('an empty list says how things come on it, with the form for them open', async () => {
  const { main } = await list();
  assert.match(main.one('.empty').text, /^You are not watching anything yet/);
  assert.equal(main.one('.add').attribute('open'), '');
  assert.equal((await list([allThings()[0], null])).main.one('.add').attribute('open'), undefined);
});

it('what is no watch list gets the error 400', async () => {
  const [thing] = allThings();
  const most = Array.from({ length: 100 }, (_, i) => [`pool/x${i}`, null]);
  assert.equal((await post({ things: most })).main.table('watched').length, 100);
  const bodies = [
    '',
    '{',
    '[]',
    '{}',
    { things: {} },
    { things: [null] },
    { things: ['pool'] },
    { things: [[7, null]] },
    { things: [[thing]] },
    { things: [[thing, 7]] },
    { things: [['block/1', null]] },
    { things: [['constructor/1', null]] },
    { things: [[`address/${'a'.repeat(400)}`, null]] },
    { things: [[thing, 'x'.repeat(401)]] },
    { things: [...most, [thing, null]] },
    {
      things: [
        [thing, null],
        [thing, null],
      ],
    },
  ];
  for (const body of bodies) {
    assert.match((await post(body, 400)).main.text, /not a watch list|Invalid watch list/, JSON.stringify(body));
  }
  await post(JSON.stringify({ things: most, more: 'x'.repeat(100_000) }), 413);
});

it('a text that is not what was seen counts as nothing seen', async () => {
  const thing = `address/${ids.address}`;
  const { state } = rowOf(await list([thing, null]), thing);
  for (const seen of ['', 'text', '{"now":{}}', `${state}0`, state.replace(/^\d+/, '9999999999'), state.slice(1)]) {
    const shown = rowOf(await list([thing, seen]), thing);
    if (seen !== state.slice(1))
      assert.deepEqual([shown.since.text, shown.state], ['nothing to compare yet', state], seen);
  }
});

it('what was seen on a chain that has begun anew is not compared', async () => {
  const known = `address/${ids.address}`;
  const { state } = rowOf(await list([known, null]), known);
  const longer = state.replace(/^\d+/, '999999');
  const unknown = `pool/${poolAddress(world.network, 'ab'.repeat(32))}`;
  const page = await list([known, longer], [unknown, state]);
  for (const thing of [known, unknown]) assert.equal(rowOf(page, thing).since.text, 'nothing to compare yet', thing);
  assert.match(page.title, /^Watch list/);
});

it('an NFT is watched like a token', async () => {
  const [nft] = (await world.server.json('/nft?items=1')).items;
  const thing = `nft/${nft.token_id}`;
  const page = await getPage(world.server, `/${thing}`);
  assert.equal(page.main.one('details.watch').attribute('data-thing'), thing);
  const { name, state } = rowOf(await list([thing, null]), thing);
  assert.ok(name.links().includes(`/${thing}`));
  const { since } = rowOf(await list([thing, fromTheBeginning(state)]), thing);
  assert.match(since.text, /^(one transaction|\d+ transactions)/);
});

it('an address says what it has more or less since it was seen, with its transactions', async () => {
  const address = payer();
  const thing = `address/${address}`;
  const first = rowOf(await list([thing, null]), thing);
  assert.equal(rowOf(await list([thing, first.state]), thing).since.text, 'unchanged', 'nothing has changed');
  const before = await coinsOf(address);
  await payUntil(async () => (await coinsOf(address)) !== before);
  const page = await list([thing, first.state]);
  const { since, state, notice = '' } = rowOf(page, thing);
  assert.equal(since.atoms()[0], (await coinsOf(address)) - before);
  assert.match(page.title, /^\(1\) Watch list/);
  assert.notEqual(state, first.state);
  assert.match(notice, /^[\d.]+ \w+ · [+−][\d.]+ \w+(, [+−][\d.]+ [^,]+)*, (one transaction|\d+ transactions)$/);
  const { items } = await world.server.json(`/address/${address}/transactions?items=20`);
  const [history, newest] = since.links().filter((link) => !link.startsWith('/token/'));
  assert.equal(newest, `/tx/${items[0].tx_id}`);
  const [, from] = /\/history\?since=(\d+)$/.exec(history!)!;
  const fresh = (await world.server.json(`/address/${address}/history?from=${from}&items=100`)).items;
  const count = new Set(fresh.map(({ tx_id }: { tx_id: string }) => tx_id)).size;
  assert.equal(since.one('.events').text, count === 1 ? 'one transaction' : `${count} transactions`);
});

it('events are counted from the one that was seen last, and more than a hundred are 100+', async () => {
  const { network, index } = world;
  interface Counted {
    readonly key: string;
    readonly count: string;
  }
  const busiest = async (sql: string) => (await index.query<Counted>(sql)).rows[0]!;
  const owner = await busiest(
    `select encode(owner, 'hex') as key, count(*) from address_transactions group by 1 order by 2 desc, 1 limit 1`,
  );
  const few = await busiest(
    `select encode(owner, 'hex') as key, count(*) from address_transactions group by 1 having count(*) between 2 and 100 order by 2 desc, 1 limit 1`,
  );
  const pool = await busiest(
    `select encode(pool_id, 'hex') as key, least(count(*), 101) as count from blocks where pool_id is not null group by 1 order by 2 desc, 1 limit 1`,
  );
  const moved = await busiest(
    `select encode(delegation_id, 'hex') as key, count(*) from delegation_transactions group by 1 order by 2 desc, 1 limit 1`,
  );
  const issued = await busiest(
    `select encode(token_id, 'hex') as key, count(*) from token_events where token_id in (select token_id from tokens) group by 1 order by 2 desc, 1 limit 1`,
  );
  assert.ok(Number(owner.count) > 100, owner.count);
  const things: readonly (readonly [thing: string, count: string, what: string])[] = [
    [`address/${destinationAddress(network, owner.key)}`, '100+', 'transactions'],
    [`address/${destinationAddress(network, few.key)}`, few.count, 'transactions'],
    [`pool/${poolAddress(network, pool.key)}`, Number(pool.count) > 100 ? '100+' : pool.count, 'blocks'],
    [`delegation/${delegationAddress(network, moved.key)}`, moved.count, 'transactions'],
    [`token/${tokenAddress(network, issued.key)}`, issued.count, 'events'],
  ];
  const first = await list(...things.map(([thing]) => [thing, null] as const));
  const seen = things.map(([thing]) => [thing, fromTheBeginning(rowOf(first, thing).state)] as const);
  const page = await list(...seen);
  for (const [thing, count, what] of things) {
    const { since } = rowOf(page, thing);
    const one = { transactions: 'one transaction', blocks: 'one block', events: 'one event' }[what];
    assert.equal(since.one('.events').text, Number(count) === 1 ? one : `${count} ${what}`, thing);
    assert.equal(since.text.includes(', the last '), Number(count) !== 1, since.text);
    const kind = thing.startsWith('pool') ? 'block' : 'tx';
    const newest = since.links().at(-1)!;
    assert.match(newest, new RegExp(`^/${kind}/[0-9a-f]{64}$`), thing);
  }
  const trades = `market/${ids.market}`;
  const { state } = rowOf(await list([trades, null]), trades);
  const { since } = rowOf(await list([trades, fromTheBeginning(state)]), trades);
  const { trades: all } = await world.server.json(`/market/${ids.market}`);
  assert.equal(since.one('.events').text, all > 100 ? '100+ trades' : all === 1 ? 'one trade' : `${all} trades`);
});

it('an address says which tokens it has more or less of, three of them', async () => {
  interface Held {
    readonly owner: string;
    readonly tokens: string;
  }
  const { rows } = await world.index.query<Held>(`
    select encode(owner, 'hex') as owner, string_agg(total::text, ' ' order by currency) as tokens
    from balances where currency > '' group by owner
    having (select count(*) from balance_changes c where c.owner = balances.owner) <= 500
    order by count(*) desc, owner`);
  const most = rows[0]!;
  const one = rows.find(({ tokens }) => !tokens.includes(' '))!;
  for (const { owner, tokens } of [most, one]) {
    const thing = `address/${destinationAddress(world.network, owner)}`;
    const { state } = rowOf(await list([thing, null]), thing);
    const { since } = rowOf(await list([thing, fromTheBeginning(state)]), thing);
    const held = tokens.split(' ').map(BigInt);
    assert.deepEqual(since.atoms(), held.slice(0, 3));
    assert.equal(since.text.includes('…'), held.length > 3);
  }
});

it('an address says how much more or less it has in staking', async () => {
  const owner = await text(
    'select decommission_destination from pools where staker_balance > 0 order by pool_id limit 1',
  );
  const staked = await stakedOf(owner);
  const thing = `address/${destinationAddress(world.network, owner)}`;
  const parts = rowOf(await list([thing, null]), thing).state.split('.');
  assert.equal(parts[3], String(staked));
  const after = async (atoms: bigint) => rowOf(await list([thing, parts.with(3, String(atoms)).join('.')]), thing);
  const more = await after(staked - 5n);
  assert.deepEqual([more.since.text, more.since.atoms()], ['+0.00000000005 RML in staking', [5n]]);
  assert.match(more.notice!, /\+0\.00000000005 RML in staking$/);
  assert.equal((await after(staked + 5n)).since.text, '−0.00000000005 RML in staking');
});

it('a pool and a delegation say what part of a change is rewards', async () => {
  const rewards = {
    pool: 'staker_rewards + delegation_rewards from pools where pool_id',
    delegation: 'balance + withdrawn - deposited from delegations where delegation_id',
  };
  for (const [kind, sql] of Object.entries(rewards) as [keyof typeof rewards, string][]) {
    const id =
      kind === 'pool' ? parsePoolId(world.network, ids.pool) : parseDelegationId(world.network, ids.delegation);
    const thing = `${kind}/${ids[kind]}`;
    const parts = rowOf(await list([thing, null]), thing).state.split('.');
    assert.equal(parts[3], await text(`select ${sql} = decode('${id}', 'hex')`), thing);
    // A delegation may have nothing.
    if (kind === 'delegation') continue;
    const before = parts.with(2, String(BigInt(parts[2]!) - 9n)).with(3, String(BigInt(parts[3]!) - 4n));
    const { since } = rowOf(await list([thing, before.join('.')]), thing);
    assert.equal(since.text, '+0.00000000009 RML +0.00000000004 RML of rewards', thing);
  }
});

it('an order that others fill, and a block that is removed, are changes', async () => {
  const market = `market/${ids.market}`;
  const { state } = rowOf(await list([market, null]), market);
  const parts = state.split('.');
  for (const [fromEnd, text] of [
    [1, 'orders changed'],
    [2, 'staked coins changed'],
    [3, 'newest event replaced by a reorganisation'],
  ] as const) {
    const other = parts.with(-fromEnd, '0123456789').join('.');
    assert.equal(rowOf(await list([market, other]), market).since.text, text);
  }
  const moved = parts.with(1, '1').join('.');
  assert.equal(rowOf(await list([market, moved]), market).since.text, 'unchanged', 'only its block has another time');

  const address = payer();
  const thing = `address/${address}`;
  const before = await coinsOf(address);
  await payUntil(async () => (await coinsOf(address)) !== before);
  const newest = async () => (await world.server.json(`/address/${address}/transactions?items=1`)).items[0].tx_id;
  const [coins, removed] = [await coinsOf(address), await newest()];
  const seen = rowOf(await list([thing, null]), thing).state;
  world.node.reorganise(1, 2);
  await world.indexIsSeen();
  const after = rowOf(await list([thing, seen]), thing);
  assert.equal(after.since.text === 'unchanged', (await coinsOf(address)) === coins && (await newest()) === removed);
  assert.equal(rowOf(await list([thing, after.state]), thing).since.text, 'unchanged');
});
