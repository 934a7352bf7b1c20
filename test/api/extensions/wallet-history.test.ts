/** Statements of wallets of several addresses, against a naive model. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destinationAddress, tokenAddress } from '../../../src/chain/address.ts';
import { COIN, type Currency } from '../../../src/chain/currency.ts';
import type { Destination } from '../../../src/chain/types.ts';
import type { Json } from '../../support/simulated-chain-servers.ts';
import * as chain from '../../support/simulated-chain-servers.ts';
import type { TestServer } from '../../support/web-server.ts';

chain.serveSimulatedChain();
const { network } = chain;
const atomsOf = ({ atoms }: Json) => BigInt(atoms);
const nameOf = ({ currency }: Json) => (currency.type === 'Coin' ? COIN : currency.token_id);
const nameOfCurrency = (currency: Currency) => (currency === COIN ? COIN : tokenAddress(network, currency));

async function post(path: string, body: object | string, status = 200): Promise<Json> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answers = await Promise.all(
    (chain.servers as readonly TestServer[]).map((server) =>
      server.request(`/api/v2${path}`, { method: 'POST', body: text }),
    ),
  );
  const [described, core] = answers as [Json, Json];
  assert.equal(described.status, status, described.text);
  assert.deepEqual(core.body, described.body);
  return described.body;
}

function wallets(): Destination[][] {
  const counts = new Map<Destination, number>();
  for (const { owner } of chain.past.changes) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a).map(([owner]) => owner);
  return [sorted.slice(0, 1), sorted.slice(0, 5), sorted.slice(2, 20)];
}

const addressesOf = (owners: readonly Destination[]) => owners.map((owner) => destinationAddress(network, owner));

/** All rows of a statement, by its cursors. */
async function statement(body: object, items = 100): Promise<Json> {
  let page = await post('/history', { ...body, items });
  const whole = { opening: page.opening, closing: page.closing, items: [...page.items] };
  while (page.next_cursor !== null) {
    page = await post('/history', { ...body, items, cursor: page.next_cursor });
    whole.items.push(...page.items);
  }
  return whole;
}

/** What a wallet has of each currency after a block, by the model. */
function balancesAt(owners: readonly Destination[], height: number): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const owner of owners) {
    for (const [currency, balance] of chain.past.balancesAt(owner, height)) {
      const name = nameOfCurrency(currency);
      if (balance > 0n) sums.set(name, (sums.get(name) ?? 0n) + balance);
    }
  }
  return sums;
}

const shown = (balances: readonly Json[]) => new Map(balances.map((each) => [nameOf(each), atomsOf(each.balance)]));
const sorted = (balances: ReadonlyMap<string, bigint>) => [...balances].sort(([a], [b]) => (a < b ? -1 : 1));

it('a statement nets out what its addresses sent to each other, and its opening and changes add up to its closing', async () => {
  for (const owners of wallets()) {
    const addresses = addressesOf(owners);
    const inverted = { from: '#60', to: chain.timeOf(20) };
    for (const range of [{}, { from: '#20', to: '#60' }, { from: chain.timeOf(50) }, inverted]) {
      const { opening, closing, items } = await statement({ addresses, ...range });
      if ('from' in range && range.from === '#20') {
        assert.deepEqual(sorted(shown(opening)), sorted(balancesAt(owners, 19)));
        assert.deepEqual(sorted(shown(closing)), sorted(balancesAt(owners, 59)));
      } else if (range === inverted) assert.deepEqual([closing, items], [opening, []]);
      else assert.deepEqual(sorted(shown(closing)), sorted(balancesAt(owners, 90)));
      const sums = new Map(shown(opening));
      for (const row of items.toReversed()) {
        const sum = (sums.get(nameOf(row)) ?? 0n) + atomsOf(row.change);
        sums.set(nameOf(row), sum);
        assert.equal(atomsOf(row.balance), sum, JSON.stringify(row));
      }
      assert.deepEqual(sorted(new Map([...sums].filter(([, sum]) => sum > 0n))), sorted(shown(closing)));
      const keys = items.map(
        ({ height, tx_id, ...row }: Json) => `${height} ${tx_id} ${nameOf(row)} ${row.kinds.includes('unlocked')}`,
      );
      assert.equal(new Set(keys).size, keys.length, 'a row for each transaction and currency');
      if ('from' in range) continue;
      for (const size of [7, 23]) assert.deepEqual((await statement({ addresses }, size)).items, items);
    }
  }
});

it('a statement of a currency has the rows of that currency', async () => {
  const addresses = addressesOf(wallets()[1]!);
  const { items } = await statement({ addresses });
  for (const name of new Set<string>(items.map(nameOf))) {
    const of = await statement({ addresses, currency: name === COIN ? network.coinTicker : name });
    assert.deepEqual(
      of.items,
      items.filter((row: Json) => nameOf(row) === name),
    );
    assert.ok([...of.opening, ...of.closing].every((each: Json) => nameOf(each) === name));
  }
});

it('a statement of one address is its history', async () => {
  const [address] = addressesOf(wallets()[0]!);
  const { items } = await statement({ addresses: [address, address] });
  assert.deepEqual(
    items,
    (await (chain.servers[0] as TestServer).pages(`/address/${address}/history?items=100`)).flat(),
  );
});

it('balances of a wallet are summed up, now and after any block', async () => {
  for (const owners of wallets()) {
    const addresses = addressesOf(owners);
    for (const height of [5, 45, 90]) {
      const { balances, ...block } = await post('/balances', { addresses, height });
      assert.equal(block.height, height);
      assert.deepEqual(sorted(shown(balances)), sorted(balancesAt(owners, height)));
    }
    assert.deepEqual(await post('/balances', { addresses }), await post('/balances', { addresses, height: 90 }));
  }
});

it('statements refuse what they do not understand', async () => {
  const addresses = addressesOf(wallets()[0]!);
  const refused: readonly [path: string, body: object | string, error: string | RegExp, status?: number][] = [
    ['/history', '[]', 'Invalid wallet: the body is no JSON object'],
    ['/history', '{', 'Invalid wallet: the body is no JSON object'],
    ['/history', { addresses: [] }, /^Invalid addresses: /],
    ['/history', { addresses: Array(501).fill(addresses[0]) }, /^Invalid addresses: /],
    ['/history', { addresses: ['x'] }, 'Invalid address'],
    ['/history', { addresses, currency: 'x' }, 'Invalid token Id'],
    ['/history', { addresses, from: 'x' }, /^Invalid from: /],
    ['/history', { addresses, from: {} }, /^Invalid from: /],
    ['/history', { addresses, items: 1.5 }, 'Invalid items: a text or a whole number is expected'],
    ['/history', { addresses, items: 101 }, 'Invalid number of items'],
    ['/history', { addresses, cursor: 'x' }, 'Invalid cursor'],
    ['/balances', { addresses, cursor: 'x' }, 'Invalid cursor: it needs `format`'],
    ['/balances', { addresses, format: 'csv', cursor: 'x' }, 'Invalid cursor'],
    ['/balances', { addresses, height: 91 }, 'No block found at supplied height', 404],
    ['/balances', { addresses, time: 1 }, 'No block found at supplied time', 404],
  ];
  for (const [path, body, error, status = 400] of refused) {
    const answer = await post(path, body, status);
    if (typeof error === 'string') assert.equal(answer.error, error);
    else assert.match(answer.error, error);
  }
});

it('statements document 404 only where a block is asked for', async () => {
  const { paths } = await (chain.servers[0] as TestServer).document();
  const found = (path: string) => '404' in paths[`/api/v2${path}`].post.responses;
  assert.deepEqual([found('/history'), found('/staking'), found('/balances')], [false, false, true]);
});

/** An export as lines of JSON, without the cursors, and the cursors. */
async function exported(path: string, body: object): Promise<{ rows: Json[]; cursors: string[] }> {
  const { headers, text, status } = await (chain.servers[0] as TestServer).request(`/api/v2${path}`, {
    method: 'POST',
    body: JSON.stringify({ ...body, format: 'ndjson' }),
  });
  assert.equal(status, 200, text);
  assert.equal(headers.get('content-type'), 'application/x-ndjson');
  const lines = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  return { rows: lines.map(({ cursor: _, ...row }) => row), cursors: lines.map(({ cursor }) => cursor) };
}

it('an export of a statement has the rows of all its pages, whatever the range, and goes on after any of them', async () => {
  for (const owners of wallets()) {
    const addresses = addressesOf(owners);
    const coins = { currency: network.coinTicker };
    for (const selection of [{}, { from: '#20', to: '#60' }, { from: chain.timeOf(50) }, { ...coins, to: '#40' }]) {
      const { items } = await statement({ addresses, ...selection });
      const { rows, cursors } = await exported('/history', { addresses, ...selection });
      assert.deepEqual(rows, items);
      const middle = Math.floor(cursors.length / 2);
      const rest = await exported('/history', { addresses, ...selection, cursor: cursors[middle] });
      assert.deepEqual(rest.rows, items.slice(middle + 1));
      const page = await post('/history', { addresses, ...selection, cursor: cursors[middle] });
      assert.deepEqual(page.items, items.slice(middle + 1, middle + 11));
    }
  }
});

it('an export of the balances of a wallet has them all, and goes on after any of them', async () => {
  const addresses = addressesOf(wallets()[2]!);
  for (const point of [{}, { height: 45 }, { time: chain.timeOf(70) }]) {
    const { balances } = await post('/balances', { addresses, ...point });
    assert.ok(balances.length > 3);
    const { rows, cursors } = await exported('/balances', { addresses, ...point });
    assert.deepEqual(rows, balances);
    const rest = await exported('/balances', { addresses, ...point, cursor: cursors[1] });
    assert.deepEqual(rest.rows, balances.slice(2));
  }
  const strange = await exported('/balances', { addresses: [destinationAddress(network, `01${'ab'.repeat(20)}`)] });
  assert.deepEqual(strange.rows, []);
});

it('a statement and the balances of a wallet are exported as CSV', async () => {
  const addresses = addressesOf(wallets()[1]!);
  const server = chain.servers[0] as TestServer;
  const csv = async (path: string, body: object, headers = {}) =>
    (
      await server.request(`/api/v2${path}`, { method: 'POST', body: JSON.stringify({ addresses, ...body }), headers })
    ).text
      .trimEnd()
      .split('\r\n');
  const lines = await csv('/history', { format: 'csv' });
  assert.match(lines[0]!, /^height,block_id,time_utc,tx_id,currency,ticker,change,fee,balance,locked,kinds,cursor$/);
  assert.equal(lines.length, 1 + (await statement({ addresses })).items.length);
  const german = await csv('/balances', { decimal: ',' }, { accept: 'text/csv' });
  assert.match(german[0]!, /^currency;ticker;balance;locked;cursor$/);
  assert.match(german[1]!, /^\w+;\w+;[0-9]+(,[0-9]+)?;[0-9]+(,[0-9]+)?;/);
  await post('/history', { addresses, format: 'xml' }, 400);
  await post('/balances', { addresses, format: 'csv', height: 1_000_000 }, 404);
  await post('/history', { addresses, format: 'csv', cursor: 'x' }, 400);
});
