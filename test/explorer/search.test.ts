/** Searching by a form or by a path: to the thing, a list of what it may be, or what is wrong with it. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../src/chain/address.ts';
import { goldenServers } from '../support/golden-servers.ts';
import { getPage, postForm } from '../support/html-page.ts';
import { htlcHashes } from './check-token-and-order-pages.ts';
import { linked, listed, secondsOf } from './page-values.ts';

const golden = goldenServers();
const server = () => golden.described;

/** Where a browser is sent; the text of the page where it is not. */
async function leadsTo(path: string): Promise<string> {
  const response = await fetch(server().url + path, { headers: { accept: 'text/html' }, redirect: 'manual' });
  const text = await response.text();
  return response.status === 303 ? response.headers.get('location')! : text;
}

it('a search for the whole id of anything leads to its page, by the form and by the path', async () => {
  const { block_id: block } = await server().json('/chain/tip');
  const [{ id: transaction }] = await server().json('/transaction?items=1');
  const [pool] = (await server().json('/pool?items=1&cursor=')).items;
  const token = await golden.token();
  const nft = await golden.nft();
  const address = await golden.address('address_transactions');
  for (const [text, path] of [
    [block, `/block/${block}`],
    [transaction, `/tx/${transaction}`],
    [pool.pool_id, `/pool/${pool.pool_id}`],
    [token, `/token/${token}`],
    [nft, `/nft/${nft}`],
    [address, `/address/${address}`],
  ] as const) {
    assert.equal(await leadsTo(`/search?q=${text}`), path);
    assert.equal(await leadsTo(`/search?q=%20${text.toUpperCase()}%20`), path);
    assert.equal(await leadsTo(`/${text}`), path);
  }
});

it('an id, address, hash or height on the page of another kind leads to its own page, and the API still answers 404 or 400', async () => {
  const { block_id: block, block_height: height } = await server().json('/chain/tip');
  const [{ id: tx }] = await server().json('/transaction?items=1');
  const one = (column: string, table: string) => golden.value(`select ${column} from ${table} limit 1`);
  const ids = {
    block,
    tx,
    address: await golden.address('address_transactions'),
    pool: poolAddress(golden.network, await one('pool_id', 'pools')),
    delegation: delegationAddress(golden.network, await one('delegation_id', 'delegations')),
    token: await golden.token(),
    nft: await golden.nft(),
    order: orderAddress(golden.network, await one('order_id', 'orders')),
    htlc: (await htlcHashes(server()))[0]!,
  };
  const pages = [...Object.keys(ids), 'market'];
  for (const page of pages) {
    for (const [kind, id] of Object.entries(ids)) {
      if (page === kind) continue;
      assert.equal(await leadsTo(`/${page}/${id}`), `/${kind}/${id}`, `${kind} as ${page}`);
      assert.equal(await leadsTo(`/${page}/${id.toUpperCase()}`), `/${kind}/${id}`, `${kind} as ${page}`);
    }
    if (page !== 'block') assert.equal(await leadsTo(`/${page}/${height}`), `/block/${block}`, `height as ${page}`);
  }
  assert.equal(await leadsTo(`/pool/${tx}/delegations`), `/tx/${tx}`);
  assert.equal(await leadsTo(`/address/${ids.pool}/history`), `/pool/${ids.pool}`);
  for (const [path, status] of [
    [`/transaction/${block}`, 404],
    [`/block/${tx}`, 404],
    [`/nft/${ids.token}`, 404],
    [`/pool/${ids.order}`, 400],
  ] as const) {
    assert.equal((await server().get(path)).status, status, path);
  }
});

it('what is no thing of any kind stays an error of the page that was asked for', async () => {
  const unknown = 'ab'.repeat(32);
  for (const [path, status] of [
    [`/tx/${unknown}`, 404],
    [`/block/${unknown}`, 404],
    [`/pool/${poolAddress(golden.network, unknown)}`, 404],
    [`/htlc/${'cd'.repeat(20)}`, 404],
    ['/block/99999999', 404],
    ['/tx/99999999', 400],
    [`/order/${tokenAddress(golden.network, unknown)}`, 400],
  ] as const) {
    const { main } = await getPage(server(), path, status);
    const mayBeMistyped = /It may be mistyped|Check that it was copied/.test(main.text);
    assert.equal(mayBeMistyped, path !== '/block/99999999', path);
  }
});

it('a search for the beginning of an id that only one thing has, or for an address never used, leads to its page', async () => {
  const [{ id }] = await server().json('/transaction?items=1');
  assert.equal(await leadsTo(`/search?q=${id.slice(0, 20)}`), `/tx/${id}`);
  const address = destinationAddress(golden.network, `01${'ab'.repeat(20)}`);
  assert.equal(await leadsTo(`/${address}`), `/address/${address}`);
});

it('a search with several results lists those of the API, with tokens of many holders first', async () => {
  // Many, but all fit on the page.
  const text = await golden.value(
    `select fragment from ticker_fragments where fragment ~ '^[a-z]+$'
     group by fragment having count(*) between 2 and 12 order by count(*) desc limit 1`,
  );
  const { items } = await server().json(`/search?q=${encodeURIComponent(text)}`);
  assert.ok(items.length > 1 && items.length < 20);
  const { main } = await getPage(server(), `/search?q=${encodeURIComponent(text)}`);
  const shown = main.rows().map(([name, , id, holders, issued]) => ({
    label: name!.text,
    id: linked(id!),
    holders: Number(holders!.text.replace('–', '0')),
    issued: secondsOf(issued!),
    height: Number(issued!.one('a').text.replace('block ', '')),
  }));
  const names = (entries: readonly { label: string; id: string }[]) => entries.map(({ label, id }) => `${id} ${label}`);
  assert.deepEqual(names(shown).sort(), names(items).sort());
  const isWhole = ({ id }: { id: string }) => {
    const { label, detail } = items.find((item: { id: string }) => item.id === id);
    return [label, /^NFT (.*), issued/.exec(detail)?.[1]].some((name) => name?.toLowerCase() === text.toLowerCase());
  };
  for (const [i, entry] of shown.entries()) {
    const { id, holders, height, issued } = entry;
    const block = await server().json(`/block/${await server().json(`/chain/${height}`)}`);
    assert.equal(issued, block.header.timestamp.timestamp);
    assert.equal((await listed(server(), `/statistics/token/${id}/holders?cursor=`)).length, holders);
    const previous = shown[i - 1];
    if (previous === undefined || (isWhole(previous) && !isWhole(entry))) continue;
    assert.equal(isWhole(previous), isWhole(entry), 'whole matches come first');
    assert.ok(previous.holders >= holders);
  }
});

it('a search with more results than fit on the page shows those with most holders, and links to all', async () => {
  const text = await golden.value(
    `select fragment from ticker_fragments where fragment ~ '^[a-z]+$' group by fragment order by count(*) desc limit 1`,
  );
  const { main } = await getPage(server(), `/search?q=${encodeURIComponent(text)}`);
  const rows = main.rows();
  assert.equal(rows.length, 20);
  assert.ok(main.links().includes(`/tokens?q=${encodeURIComponent(text)}`));
  const best = await golden.one(
    `select string_agg(holders::text, ',' order by is_whole desc, holders desc) as holders from (
       select coalesce(s.holders, 0) as holders, bool_or(f.is_whole) as is_whole
       from (select token_id, is_whole from ticker_fragments where fragment = '${text}'
             union all select token_id, is_whole from name_fragments where fragment = '${text}') f
       left join statistics s on s.currency = f.token_id group by f.token_id, s.holders
     ) found`,
  );
  const expected = best.holders!.split(',').slice(0, 20);
  assert.deepEqual(
    rows.map(([, , , holders]) => holders!.text.replace('–', '0')),
    expected,
  );
});

it('a search leaves no quotation mark in the command that asks the API for the same', async () => {
  const { whole } = await getPage(server(), `/search?q=${encodeURIComponent("x' ; reboot '")}`, 404);
  assert.match(whole.one('pre').text, /^curl 'http[^']*\/search\?q=x%27%20%3B%20reboot%20%27'$/);
});

it('a search leads to what the index cannot be searched for: an HTLC by its hash, a market, and the coin', async () => {
  const hash = await golden.value(
    `select encode(secret_hash, 'hex') from outputs where secret_hash is not null limit 1`,
  );
  for (const text of [hash.toUpperCase(), `"${hash}"`, `0x${hash}`, `https://explorer.example/htlc/${hash}`]) {
    assert.equal(await leadsTo(`/search?q=${encodeURIComponent(text)}`), `/htlc/${hash}`, text);
  }
  assert.equal(await leadsTo(`/${hash}`), `/htlc/${hash}`);
  const pair = `${await golden.token()}_${golden.network.coinTicker}`;
  for (const text of [pair, pair.toLowerCase(), `https://explorer.example/market/${pair}?interval=hour`]) {
    assert.equal(await leadsTo(`/search?q=${encodeURIComponent(text)}`), `/market/${pair}`, text);
  }
  assert.equal(await leadsTo(`/search?q=${golden.network.coinTicker.toLowerCase()}`), '/statistics');
});

it('a search for the URL of a transaction in the API leads to its page, not to a block of the number in it', async () => {
  const [{ id }] = await server().json('/transaction?items=1');
  const url = encodeURIComponent(`${server().url}/api/v2/transaction/${id}/output/0`);
  assert.equal(await leadsTo(`/search?q=${url}`), `/tx/${id}`);
  assert.equal(
    (await getPage(server(), `/search?q=${encodeURIComponent('24/7')}`, 404)).main.one('h1').text,
    'Nothing found',
  );
});

it('a search for a height above the tip says how high the chain is', async () => {
  const { block_height: height } = await server().json('/chain/tip');
  const { main } = await getPage(server(), `/search?q=${height + 1}`, 404);
  assert.match(main.text, new RegExp(`There is no block ${height + 1} yet: the newest one is block `));
});

it('a search without results says what can be searched, and shows the text harmlessly', async () => {
  const { main } = await getPage(server(), `/search?q=${encodeURIComponent('<script>"\u202e')}`, 404);
  assert.equal(main.one('h1').text, 'Nothing found');
  assert.match(main.text, /U\+202E/);
  assert.equal(main.all('script').length, 0);
  assert.equal((await getPage(server(), '/nothing-of-this-name', 404)).main.one('h1').text, 'Nothing found');
});

it('a search for nothing is the form; for too much is an error', async () => {
  assert.equal((await getPage(server(), '/search')).main.all('form').length, 1);
  assert.equal((await getPage(server(), '/search?q=%20')).main.all('form').length, 1);
  assert.match((await getPage(server(), `/search?q=${'x'.repeat(1_001)}`, 400)).main.text, /1,000 characters/);
});

it('a search for a page by what people call it, or for a raw transaction, leads there', async () => {
  for (const [text, path] of [
    ['mempool', '/mempool'],
    ['Fees', '/fees'],
    ['pool', '/pools'],
    ['rich list', '/richlist'],
    ['statement', '/statement'],
    ['statistics', '/statistics'],
    ['Watch list', '/watch'],
    ['verify message', '/verify-message'],
    ['next blocks', '/mempool'],
    ['taxes', '/statement'],
    ['API', '/docs'],
  ] as const) {
    assert.equal(await leadsTo(`/search?q=${encodeURIComponent(text)}`), path);
  }
  const short = 'ab'.repeat(40);
  const path = await leadsTo(`/search?q=${short}`);
  assert.equal(path, `/decode?hex=${short}`);
  const { main } = await getPage(server(), path);
  assert.equal(main.one('textarea').text, short);
});

/** The items of the API, and what the page says of dates and times: its lines, and where they lead. */
async function datesOf(text: string) {
  const path = `/search?q=${encodeURIComponent(text)}`;
  const { items } = await server().json(path);
  const { main } = await getPage(server(), path, items.length === 0 ? 404 : 200);
  const [list] = main.all('ul.lead');
  const lines = list?.all('li') ?? [main.all('p.lead')[0]!];
  return { items, main, lines: lines.map((line) => line.text), links: lines.flatMap((line) => line.links()) };
}

/** The time of the newest block, and its place in the chain. */
async function newestBlock() {
  const { block_height: height } = await server().json('/chain/tip');
  const id = await server().json(`/chain/${height}`);
  const { timestamp } = (await server().json(`/block/${id}`)).header.timestamp;
  const iso = new Date(timestamp * 1_000).toISOString();
  return { height, id, timestamp, iso, path: `/block/${id}` };
}

it('a search for a day or a month says with which blocks it begins and ends', async () => {
  const { height, iso, timestamp, path } = await newestBlock();
  const { items, lines, links } = await datesOf(iso.slice(0, 10));
  const words = new Date(timestamp * 1_000).toLocaleDateString('en-GB', {
    ...{ day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' },
  });
  assert.deepEqual((await datesOf(words)).items, items);
  assert.deepEqual((await datesOf(iso.slice(0, 10).replaceAll('-', ''))).items, items);
  assert.deepEqual(links, [`/block/${items[0].id}`, path]);
  assert.equal(lines.length, 1);
  assert.match(lines[0]!, new RegExp(`^${iso.slice(0, 10)} \\(UTC\\): block \\d+ to block ${height}$`));
  const month = await datesOf(iso.slice(0, 7));
  assert.equal(month.links[1], path);
  assert.deepEqual((await datesOf(`${iso.slice(5, 7)}/${iso.slice(0, 4)}`)).links, month.links);
  assert.deepEqual((await datesOf('1999-01')).lines, ['No block has the date 1999-01 (UTC).']);
});

it('days and times before the newest block are searched for in words, also of the language of the page', async () => {
  const { iso, path } = await newestBlock();
  const day = await datesOf(iso.slice(0, 10));
  for (const text of ['today', '0 days ago', 'heute', '今天'])
    assert.deepEqual((await datesOf(text)).lines, day.lines, text);
  assert.equal((await datesOf('last week')).lines.length, 1);
  const { lines } = await datesOf('a second ago');
  assert.match(lines[0]!, /^At .+ the newest block was block \d+, from /);
  assert.ok(day.links.includes(path));
  assert.deepEqual(day.main.all('table'), [], 'the sentence has the links to the blocks');
});

it('a search for a year is one for a height, too, and begins with the year', async () => {
  const { iso, path, height } = await newestBlock();
  const year = iso.slice(0, 4);
  const { lines, links, main } = await datesOf(year);
  assert.equal(lines.length, 1);
  assert.equal(links[1], path);
  assert.equal(main.text.includes(`There is no block ${year} yet`), height < Number(year));
  const [period, missing] = [main.text.indexOf(`${year} (UTC) begins`), main.text.indexOf(`There is no block ${year}`)];
  assert.ok(missing < 0 || period < missing);
  assert.equal(await leadsTo(`/block/${year}`).then((text) => text.startsWith('/')), height >= Number(year));
});

it('a search for a date that may be two asks which, with both', async () => {
  const { main, lines } = await datesOf('11/10/2026');
  assert.equal(main.one('p.lead').text, '10 November or 11 October?');
  assert.deepEqual(main.one('p.lead').links(), ['/search?q=2026-11-10', '/search?q=2026-10-11']);
  assert.equal(lines.length, 2);
  const headers = { accept: 'text/html', 'accept-language': 'es' };
  const spanish = await (await fetch(`${server().url}/search?q=11/10/2026`, { headers })).text();
  assert.match(spanish, /&#191;<a [^>]*>10 de noviembre<\/a> o <a [^>]*>11 de octubre<\/a>\?/);
});

it('a search for a time, also in Unix seconds, says which block was the last one up to it', async () => {
  const { height, timestamp, iso, path } = await newestBlock();
  const said = new RegExp(
    `^At ${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC the newest block was block ${height}, from ${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC\\.$`,
  );
  for (const text of [iso, `${iso.slice(0, 10)} ${iso.slice(11, 19)}`, String(timestamp), `${timestamp}000`]) {
    const { lines, links, items } = await datesOf(text);
    assert.equal(lines.length, 1, text);
    assert.match(lines[0]!, said);
    assert.deepEqual(links, [path]);
    assert.equal(items[0].id, path.slice('/block/'.length));
  }
  assert.deepEqual((await datesOf('1999-01-01 12:00')).lines, ['At 1999-01-01 12:00:00 UTC there was no block yet.']);
});

it('a ticker of nobody, or of several tokens, keeps what was typed into the form of orders', async () => {
  const { main } = await getPage(server(), '/orders?first=NOBODYS&second=x', 400);
  assert.match(main.one('.banner').text, /No token has the ticker NOBODYS/);
  assert.deepEqual(
    main
      .one('form.filter')
      .all('input')
      .map((input) => input.attribute('value')),
    ['NOBODYS', 'x'],
  );
});

it('an id that is pasted to be decoded is said to be one', async () => {
  const [{ id }] = await server().json('/transaction?items=1');
  const { main } = await postForm(server(), '/decode', { hex: id }, 400);
  assert.match(main.one('.banner').text, /This is an id/);
  assert.deepEqual(main.one('.banner').links(), [`/search?q=${id}`]);
});
