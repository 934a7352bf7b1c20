/** The pages of blocks and the lists of blocks and transactions against the API's answers. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { KIND_WORDS } from '../../src/explorer/parts/kind-words.ts';
import { goldenServers } from '../support/golden-servers.ts';
import { getPage } from '../support/html-page.ts';
import { checkBlockPage, checkBlockRow, checkTransactionRow } from './check-block-page.ts';
import { linked, pagedRows } from './page-values.ts';

const golden = goldenServers();
const server = () => golden.described;

it('the page of a block shows what the API answers, for every block of a recorded chain', async () => {
  const blocks = (await server().pages('/block?items=100')).flat();
  assert.ok(blocks.length > 50);
  for (const block of blocks) await checkBlockPage(server(), block);
});

it('the page of a block is found by the height as well', async () => {
  const { block_height: height, block_id: id } = await server().json('/chain/tip');
  const [byHeight, byId] = await Promise.all([
    getPage(server(), `/block/${height - 3}`),
    getPage(server(), `/block/${await server().json(`/chain/${height - 3}`)}`),
  ]);
  assert.equal(byHeight.main.text, byId.main.text);
  const newest = await getPage(server(), `/block/${height}`);
  assert.ok(newest.main.text.includes(id));
  assert.ok(!newest.main.links().includes(`/block/${height + 1}`));
});

it('the page of the genesis shows its outputs and its message', async () => {
  const genesis = await server().json('/chain/genesis');
  for (const path of ['/block/0', `/block/${genesis.block_id}`]) {
    const { main } = await getPage(server(), path);
    assert.equal(main.one('h1').text, 'Genesis');
    assert.ok(
      main.fact('Message').text.includes(genesis.genesis_message.slice(0, 40)) || genesis.genesis_message === '',
    );
    const amounts = genesis.utxos.flatMap(({ value }: { value?: { amount?: { atoms: string } } }) =>
      value?.amount ? [BigInt(value.amount.atoms)] : [],
    );
    for (const atoms of amounts) assert.ok(main.atoms().includes(atoms));
  }
});

it('the lists of blocks and transactions walk to their end by links, and show every entry of the API once', async () => {
  for (const [path, api, check] of [
    ['/blocks', '/block?items=100', checkBlockRow],
    ['/txs', '/transaction?expand=true&items=100', checkTransactionRow],
  ] as const) {
    const expected = (await server().pages(api)).flat();
    const rows = await pagedRows(server(), path);
    for (const [i, row] of rows.entries()) await check(row, expected[i], server());
    assert.equal(rows.length, expected.length, path);
  }
});

it('a list is walked back by links, page by page, as far as the way is remembered', async () => {
  const linkOf = (page: Awaited<ReturnType<typeof getPage>>, text: string) =>
    page.main
      .all('a')
      .find((link) => link.text === text)
      ?.attribute('href');
  for (const path of ['/blocks', '/txs']) {
    let page = await getPage(server(), path);
    const shown: string[] = [];
    for (let next = linkOf(page, 'Next page'); next !== undefined; next = linkOf(page, 'Next page')) {
      shown.push(page.main.one('tbody').text);
      page = await getPage(server(), next);
    }
    assert.ok(shown.length >= 3);
    const back: string[] = [];
    for (let link = linkOf(page, 'Previous page'); link !== undefined; link = linkOf(page, 'Previous page')) {
      page = await getPage(server(), link);
      back.push(page.main.one('tbody').text);
    }
    assert.deepEqual(back, shown.slice(-back.length).reverse());
    assert.equal(back.length, Math.min(shown.length, 18));
  }
  const cursor = linkOf(await getPage(server(), '/blocks'), 'Next page')!.split('=')[1]!;
  const far = await getPage(server(), `/blocks?cursor=${Array(20).fill(cursor).join('.')}`);
  assert.equal(linkOf(far, 'Next page')!.split('=')[1]!.split('.').length, 20);
  assert.equal(linkOf(await getPage(server(), `/blocks?cursor=.${cursor}`), 'Previous page'), undefined);
});

it('pages of the lists of blocks and transactions other than the first are not for search engines', async () => {
  const first = await getPage(server(), '/txs');
  const next = first.main.nextPages()[0]!;
  const robots = (page: typeof first) =>
    page.whole
      .all('meta')
      .some((meta) => meta.attribute('name') === 'robots' && meta.attribute('content') === 'noindex');
  assert.deepEqual([robots(first), robots(await getPage(server(), next))], [false, true]);
});

it('the lists of blocks and transactions begin where a visitor wants: at a block, a day or a time', async () => {
  const blocks = (await server().pages('/block?items=100')).flat();
  const { height, timestamp } = blocks[Math.floor(blocks.length / 2)];
  const start = (text: string) => `at=${encodeURIComponent(text)}`;
  const iso = new Date(timestamp * 1_000).toISOString();
  const upTo = (end: number) => blocks.find((block) => block.timestamp < end)!.height;
  for (const [text, first] of [
    [`${height}`, height],
    [` Block ${height} `, height],
    [iso.slice(0, 10), upTo(Date.parse(iso.slice(0, 10)) / 1_000 + 86_400)],
    [`${timestamp}`, upTo(timestamp + 1)],
  ] as const) {
    const rows = await pagedRows(server(), `/blocks?${start(text)}`);
    assert.deepEqual([rows[0]![0]!.text, rows.length], [`${first}`, first], text);
    const ids = (await server().pages(`/transaction?cursor=&items=100&to=%23${first + 1}`)).flat().map(({ id }) => id);
    const transactions = await pagedRows(server(), `/txs?${start(text)}`);
    assert.deepEqual(
      transactions.map(([cell]) => linked(cell!)),
      ids,
      text,
    );
  }
  const { main } = await getPage(server(), `/txs?kind=transfer&${start(`${height}`)}`);
  assert.equal(main.one('input').attribute('value'), `${height}`);
  for (const time of main.all('time')) assert.equal(time.attribute('data-relative'), undefined, 'clock times');
  assert.equal(main.all('option').find((option) => option.attribute('selected') !== undefined)?.text, 'transfer');
});

it('a list says beside its form, which keeps it, what is no block and no date to begin with', async () => {
  for (const path of ['/blocks', '/txs']) {
    for (const [text, said] of [
      ['the other day', 'Enter the height of a block, or a date such as 2026-01-31, yesterday or last Monday.'],
      ['999999999', 'There is no block 999999999 yet: the newest one is block'],
      ['11/10/2026', 'Is the day or the month first? Enter the date as 2026-01-31.'],
    ] as const) {
      const { main } = await getPage(server(), `${path}?at=${encodeURIComponent(text)}`, 400);
      assert.ok(main.one('.banner').text.startsWith(said), main.text);
      assert.equal(main.one('input').attribute('value'), text);
      assert.ok(main.rows().length > 0);
    }
  }
  const { main } = await getPage(server(), '/txs?at=1999-01-31');
  assert.match(main.text, /There are none up to then\./);
});

it('the list of transactions is filtered by their kind, over pages', async () => {
  const counts = new Map<string, number>();
  for (const { kinds } of (await server().pages('/block?items=100')).flat()) {
    for (const [kind, count] of Object.entries<number>(kinds)) counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
  const [kind, count] = [...counts].sort(([, a], [, b]) => b - a)[0]!;
  const links = (await server().pages(`/transaction?kind=${kind}&items=100`)).flat().map(({ id }) => id);
  assert.equal(links.length, count);
  const rows = await pagedRows(server(), `/txs?items=2&kind=${kind}`);
  assert.deepEqual(
    rows.map(([transaction]) => linked(transaction!)),
    links,
  );
  const { main } = await getPage(server(), `/txs?kind=${kind}`);
  assert.equal(main.one('option[selected]').text, KIND_WORDS[kind as keyof typeof KIND_WORDS]);
  await getPage(server(), '/txs?kind=fill', 400);
});
