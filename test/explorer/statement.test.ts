/** The page of statements, against the API's responses. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { delegationAddress, destinationAddress } from '../../src/chain/address.ts';
import type { Id } from '../../src/chain/types.ts';
import { getPage, type PageElement } from '../support/html-page.ts';
import * as chain from '../support/simulated-chain-servers.ts';
import type { TestServer } from '../support/web-server.ts';
import { atoms, type Json, linked } from './page-values.ts';

chain.serveSimulatedChain();
const { network } = chain;
const served = () => chain.servers[0] as TestServer;
const dayText = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(0, 10);
const PARTS = ['income', 'spent', 'fee', 'protocol_fee', 'rewards', 'moved'] as const;

/** The two busiest addresses, and an owner of a delegation. */
function addresses(): string[] {
  const counts = new Map<string, number>();
  for (const { owner } of chain.past.changes) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const busy = [...counts].sort(([, a], [, b]) => b - a).slice(0, 2);
  const staker = [...chain.facts.world.delegations.values()][0]!.owner;
  return [...busy.map(([owner]) => owner), staker].map((owner) => destinationAddress(network, owner));
}

/** The amounts of the rows of a table by the names of its columns; of nothing there is a dash. */
function shownAmounts(main: PageElement, id: string, rows: readonly PageElement[][]): bigint[][] {
  const labels = main
    .one(`table#${id}`)
    .one('thead')
    .all('th')
    .map(({ text }) => text);
  return rows.map((cells) => COLUMNS.map((label) => cells[labels.indexOf(label)]?.atoms()[0] ?? 0n));
}

const COLUMNS = [
  ...['Opening balance', 'Received', 'Sent', 'Fees', 'Staking rewards', 'Own transfers', 'Closing balance'],
];
/** On the page the fee and the protocol fee are one. */
function partsOf(row: Json): bigint[] {
  const [income, spent, fee, protocolFee, ...rest] = PARTS.map((part) => atoms(row[part])) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  return [income, spent, fee + protocolFee, ...rest];
}

it('a statement is reached from each address, and shows balances, sums and lines of any period', async () => {
  const [first] = addresses() as [string];
  const { main } = await getPage(served(), `/address/${first}`);
  let [hidden, moves] = [0, 0];
  assert.ok(main.links().includes(`/statement?addresses=${first}`));
  const period = { from: dayText(chain.timeOf(20)), to: dayText(chain.timeOf(70)) };
  const asked = {
    from: `${Date.parse(period.from) / 1_000}`,
    to: `${Date.parse(period.to) / 1_000 + 86_400}`,
  };
  for (const [typed, more, query] of [
    [first, {}, {}],
    [addresses().join('\r\n'), {}, {}],
    [addresses().join(' , '), period, asked],
    [first, { currency: network.coinTicker }, { currency: network.coinTicker }],
  ] as const) {
    const named = typed.split(/[\s,]+/).join();
    const api = `/statement?${new URLSearchParams({ addresses: named, ...query, items: '100' })}`;
    const { currencies } = await served().json(api);
    const lines: Json[] = (await served().pages(api)).flat();
    const path = `/statement?${new URLSearchParams({ addresses: typed, ...more })}`;
    const { main } = await getPage(served(), path);
    // What came and went within the period needs a click.
    const held = currencies.filter(
      ({ currency, opening, closing }: Json) =>
        currency === network.coinTicker || atoms(opening) !== 0n || atoms(closing) !== 0n,
    );
    const open = Math.min(held.length || currencies.length, 10);
    const parts = currencies.length > open ? ['sums', 'other-sums'] : ['sums'];
    assert.equal(main.table('sums').length, open);
    for (const part of [...parts, 'lines']) {
      const heads = main.one(`table#${part}`).one('thead').text;
      assert.match(heads, /Received ?Sent ?Fees ?Staking rewards/, 'the same columns, also of nothing');
    }
    assert.deepEqual(
      parts.flatMap((part) => shownAmounts(main, part, main.table(part))).sort(),
      currencies.map((each: Json) => [atoms(each.opening), ...partsOf(each.sums), atoms(each.closing)]).sort(),
    );
    for (const part of parts) {
      const tickers = main.table(part).map(([currency]) => currency!.text.split(' ')[0]!);
      const tokens = tickers.filter((ticker) => ticker !== network.coinTicker);
      assert.deepEqual(
        tokens,
        tokens.toSorted((a, b) => a.localeCompare(b)),
      );
    }
    const isShown = (line: Json) => line.tx_id !== null || partsOf(line).some((part) => part !== 0n);
    const shownLines = lines.filter(isShown);
    hidden += lines.length - shownLines.length;
    let [next, count]: [string | undefined, number] = [path, 0];
    while (next !== undefined) {
      const { main: page } = await getPage(served(), next);
      const rows = page.table('lines');
      const own = shownLines.slice(count, count + rows.length);
      assert.deepEqual(
        rows.map(([, what]) => (what!.links().length > 0 ? linked(what!) : null)),
        own.map((line) => line.tx_id ?? line.delegation_id ?? line.pool_id),
      );
      for (const [i, { tx_id, moved }] of own.entries()) {
        if (atoms(moved) === 0n) continue;
        assert.ok(rows[i]!.at(-1)!.text.startsWith(atoms(moved) > 0n ? '+' : '−'), rows[i]!.at(-1)!.text);
        if (tx_id === null) continue;
        assert.match(rows[i]![1]!.links()[1]!, /^\/(pool|delegation)\//, 'it names what the coins moved to or from');
        moves++;
      }
      assert.deepEqual(
        shownAmounts(page, 'lines', rows),
        own.map((line) => [0n, ...partsOf(line), 0n]),
      );
      count += rows.length;
      [next] = page.nextPages();
    }
    assert.equal(count, shownLines.length);
    const [csv] = main.all('a.button').map((link) => link.attribute('href')!);
    const text = await (await fetch(served().url + csv!)).text();
    const opened = currencies.filter((each: Json) => atoms(each.opening) > 0n).length;
    const closed = currencies.filter((each: Json) => atoms(each.closing) > 0n).length;
    assert.equal(text.trimEnd().split('\r\n').length, 1 + opened + lines.length + closed);
  }
  assert.ok(hidden > 0, 'a day of staking changed nothing');
  assert.ok(moves > 0, 'a transaction moved coins to or from staking');
});

it('a statement says that its period had no staking rewards', async () => {
  const owners = [...new Set(chain.past.changes.map(({ owner }) => owner))];
  const said = new Map<boolean, boolean>();
  for (const owner of owners) {
    const address = destinationAddress(network, owner);
    const { currencies } = await served().json(`/statement?addresses=${address}`);
    const coin = currencies.find(({ currency }: Json) => currency.type === 'Coin');
    const isRewarded = coin !== undefined && atoms(coin.sums.rewards) > 0n;
    if (coin === undefined || said.has(isRewarded)) continue;
    const { main } = await getPage(served(), `/statement?addresses=${address}`);
    said.set(isRewarded, main.text.includes('No staking rewards in this period.'));
    if (said.size === 2) break;
  }
  assert.deepEqual([said.get(true), said.get(false)], [false, true]);
});

it('a period by its name ends at the tip, whatever the day is', async () => {
  const [address] = addresses() as [string];
  const tip = new Date(chain.timeOf(90) * 1_000);
  const [year, month] = [tip.getUTCFullYear(), tip.getUTCMonth()];
  for (const [period, from, to] of [
    ['this-month', dayText(Date.UTC(year, month, 1) / 1_000), ''],
    ['this-year', `${year}-01-01`, ''],
    ['last-year', `${year - 1}-01-01`, `${year - 1}-12-31`],
    ['last-month', dayText(Date.UTC(year, month - 1, 1) / 1_000), dayText(Date.UTC(year, month, 0) / 1_000)],
  ] as const) {
    const { main } = await getPage(served(), `/statement?addresses=${address}&from=2020-01-01&period=${period}`);
    const named = await getPage(served(), `/statement?addresses=${address}&from=${from}&to=${to}`);
    assert.equal(main.text, named.main.text);
    for (const page of [main, named.main])
      assert.deepEqual(
        page.all('button[aria-current]').map((button) => button.attribute('value')),
        [period],
      );
    assert.deepEqual(
      main.all('input').map((input) => input.attribute('value')),
      [from, to, ''],
    );
  }
  assert.equal(
    (await getPage(served(), '/statement')).main.all('button').length,
    5,
    'without addresses it is the form, with a button for each period',
  );
});

/** The height of the last block before a day. */
const lastBefore = (day: string) =>
  chain.facts.blocks.filter(({ timestamp }) => timestamp < Date.parse(day) / 1_000).length;

it('the files of a statement stand above its sums, with the period and the block of the closing balances in their names', async () => {
  const [address] = addresses() as [string];
  for (const [query, name] of [
    ['', `statement-${address}-at-block-90.csv`],
    [
      '&from=2025-01-02&to=2025-02-03',
      `statement-${address}-from-2025-01-02-to-2025-02-03-at-block-${lastBefore('2025-02-04')}.csv`,
    ],
    ['&to=2025-02-03', `statement-${address}-to-2025-02-03-at-block-${lastBefore('2025-02-04')}.csv`],
  ] as const) {
    const page = await getPage(served(), `/statement?addresses=${address}${query}`);
    const parts = page.main.all('*').filter((part) => part.name === 'table' || part.hasClass('button'));
    assert.ok(parts.length > 3 && parts.slice(0, 3).every(({ name }) => name === 'a'));
    const response = await fetch(served().url + parts[0]!.attribute('href'));
    assert.equal(response.headers.get('content-disposition'), `attachment; filename="${name}"`);
    await response.body!.cancel();
    assert.ok(page.whole.one('header').links().includes('/statement'));
  }
  const far = await served().get(`/statement?addresses=${address}&format=csv&from=99999999999999&to=0`);
  assert.equal(far.status, 200);
});

it('a delegation among the addresses is said to be one, with a link to the statement of its owner', async () => {
  const [address, , owner] = addresses() as [string, string, string];
  const [id] = [...chain.facts.world.delegations.keys()] as [Id];
  const typed = { addresses: `${address} ${delegationAddress(network, id)}`, currency: '', from: '2024-01-01', to: '' };
  const { main } = await getPage(served(), `/statement?${new URLSearchParams(typed)}`, 400);
  assert.match(main.one('.banner').text, /is a delegation\. Its rewards are in the statement of its owner\.$/);
  const link = new URLSearchParams(main.one('.banner').links()[1]!.replace('/statement?', ''));
  assert.deepEqual([link.get('addresses'), link.get('from')], [`${address} ${owner}`, '2024-01-01']);
  const unknown = delegationAddress(network, 'ab'.repeat(32) as Id);
  const { main: none } = await getPage(served(), `/statement?addresses=${unknown}`, 400);
  assert.equal(none.one('.banner').text, 'There is no delegation with this id.');
});

it('what is wrong is said, and what was typed is kept', async () => {
  const [address] = addresses() as [string];
  for (const [query, problem] of [
    [{ addresses: `${address} x` }, /^x: This is not a wallet address/],
    [{ addresses: address, currency: 'NOTHING' }, /No token has the ticker NOTHING/],
    [{ addresses: address, from: '2024-02-02', to: '2024-01-01' }, /cannot be after its last day/],
    [{ addresses: Array(101).fill(address).join(' ') }, /100 addresses at most/],
  ] as const) {
    const { main } = await getPage(served(), `/statement?${new URLSearchParams(query)}`, 400);
    assert.match(main.one('.banner').text, problem);
    assert.equal(main.one('textarea').text, query.addresses);
  }
});

it('the statement of a token is found by its ticker; if several tokens have it, each of them is offered', async () => {
  const [address] = addresses() as [string];
  const tokens = (await served().pages('/token?expand=true&items=100'))
    .flat()
    .filter(({ type }: Json) => type === 'fungible');
  const byTicker = Map.groupBy(tokens, ({ ticker }: Json): string => ticker.toLowerCase());
  const typed = [...byTicker].filter(([ticker]) => /^[^1]{1,20}$/.test(ticker));
  const seen = new Set<boolean>();
  for (const [currency, named] of typed) {
    const query = new URLSearchParams({ addresses: address, currency, from: '2024-01-01' });
    if (named.length === 1) {
      const headers = { accept: 'text/html' };
      const response = await fetch(`${served().url}/statement?${query}`, { headers, redirect: 'manual' });
      const location = new URL(response.headers.get('location')!, served().url);
      assert.deepEqual([location.pathname, location.searchParams.get('currency')], ['/statement', named[0]!.token_id]);
      assert.equal(location.searchParams.get('from'), '2024-01-01');
    } else {
      const { main } = await getPage(served(), `/statement?${query}`, 400);
      const offered = main
        .one('ul')
        .links()
        .map((link) => new URLSearchParams(link.split('?')[1]).get('currency'));
      assert.deepEqual(offered.sort(), named.map(({ token_id }: Json) => token_id).sort());
    }
    seen.add(named.length === 1);
  }
  assert.deepEqual([...seen].sort(), [false, true]);
});
