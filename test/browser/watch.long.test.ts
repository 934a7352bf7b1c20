/** The watch list: things with private labels that only the browser has. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { afterEach, it } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../src/chain/address.ts';
import { decimalText } from '../../src/chain/decimal-text.ts';
import { TRADING } from '../sim/history.ts';
import { ownerOf, paymentOf } from '../support/payments.ts';
import { PendingWorld } from '../support/pending-world.ts';
import { until } from '../support/until.ts';
import { beforeInBrowser } from './chromium.ts';
import { grow, isLive, textOf, tipShown, waitForText } from './live-page.ts';
import { NARROW, Visitor, WIDE } from './visitor.ts';

let world: PendingWorld;
let browser: Browser;
/** The paths of a thing of each kind. */
let things: readonly string[];
const skip = beforeInBrowser(async (started, scope) => {
  browser = started;
  world = await PendingWorld.start(scope, { seed: 'watch', blocks: 60, mix: TRADING, isPresent: true });
  const id = async (sql: string) => Object.values((await world.index.query<Record<string, string>>(sql)).rows[0]!)[0]!;
  const { network } = world;
  const token = tokenAddress(network, await id('select token_id from tokens order by token_id limit 1'));
  const market = (await world.server.json('/market?items=1')).items[0].pair;
  const delegation = await id('select delegation_id from delegations order by balance desc, delegation_id limit 1');
  things = [
    `/address/${payer()}`,
    `/pool/${poolAddress(network, await id('select pool_id from pools where staker_balance > 0 order by pool_id limit 1'))}`,
    `/delegation/${delegationAddress(network, delegation)}`,
    `/token/${token}`,
    `/market/${market}`,
  ];
});

afterEach(async () => {
  for (const context of browser?.contexts() ?? []) await context.close();
});

/** Whose coins the next payment spends. */
const payer = () => destinationAddress(world.network, ownerOf(paymentOf(world.node)));
const open = (view = WIDE) => Visitor.open(browser, view, world.server.url);
const url = (path: string) => world.server.url + path;
const titleIs = (page: Page, title: string) =>
  until(async () => (await page.title()) === title, `the title is ${title}`);
const TITLE = 'Watch list · Mintlayer';
const titleOf = (count: number) => `${count > 0 ? `(${count}) ` : ''}${TITLE} ${world.network.name}`;

async function openStreams(): Promise<number> {
  const { text } = await world.server.request('/metrics');
  return Number(/^chain_indexer_streams_open(?:\{.*\})? (\d+)$/m.exec(text)![1]);
}

/** Watches the thing whose page is shown, by one press, and then gives it a label. False if that is refused. */
async function watch(page: Page, label: string): Promise<boolean> {
  await page.click('details.watch summary');
  await page.locator('details.watch[data-watched], details.watch [role="alert"]:not([hidden])').first().waitFor();
  if ((await page.getAttribute('details.watch', 'data-watched')) === null) return false;
  await page.fill('details.watch input', label);
  await page.keyboard.press('Enter');
  await waitForText(page, 'details.watch:not([open]) bdi', label);
  return true;
}

/** Where the parts of a page are. */
const placesOf = (page: Page) =>
  page.evaluate<string>(`[...document.querySelectorAll('main > *, footer')]
    .map((each) => each.getBoundingClientRect().top + scrollY).join()`);
/** The cells of the row of a thing: 2 has what it has now, 3 what has changed. */
const cellOf = (id: string, cell: number) => `tr:has([data-thing$="/${id}"]) td:nth-of-type(${cell})`;

/** The rows of the list: the height, and the button below the top of the row. */
const rowPlaces = (page: Page) =>
  page.evaluate<
    { height: number; button: number }[]
  >(`[...document.querySelectorAll('#watched tbody tr')].map((row) => {
    const { top, height } = row.getBoundingClientRect();
    return { height, button: row.querySelector('button').getBoundingClientRect().top - top };
  })`);

/** The list that a browser is given before it opens a page. */
const give = (target: Page | BrowserContext, list: readonly (readonly [path: string, label: string])[]) => {
  const entries = list.map(([path, label]) => ({ thing: path.slice(1), label }));
  return target.addInitScript(
    `localStorage.getItem('watch /') ?? localStorage.setItem('watch /', ${JSON.stringify(JSON.stringify(entries))})`,
  );
};
const stored = (page: Page) =>
  page.evaluate<{ thing: string; label: string }[]>(`JSON.parse(localStorage.getItem('watch /') ?? '[]')`);

const setVisibility = (page: Page, state: 'visible' | 'hidden') =>
  page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'))`);

/** The payer pays a fee, in a block. */
async function payFee(): Promise<void> {
  world.receive(paymentOf(world.node));
  await grow(world);
}

it('a thing is watched from its page, and its label stands beside links to it, also after a block', {
  skip,
}, async () => {
  for (const view of [WIDE, NARROW]) {
    const visitor = await open(view);
    const { page } = visitor;
    for (const path of things) {
      await visitor.open(url(path));
      assert.equal(await textOf(page, 'details.watch summary .off'), '☆ Watch');
      const places = await placesOf(page);
      await page.click('details.watch summary');
      await page.locator('details.watch[data-watched]').waitFor();
      assert.equal(await placesOf(page), places, 'one press watches it, and moves nothing');
      await page.click('details.watch summary');
      await watch(page, `My ${path.split('/')[1]}`);
      assert.equal(await textOf(page, 'details.watch summary .on'), `★ Watched My ${path.split('/')[1]}`);
    }
    await page.click('details.watch summary');
    await visitor.isSound({ name: 'watch-form' });
    const [, pool] = things;
    await visitor.open(url('/pools'));
    const label = `a[href="${pool}"] ~ bdi.label`;
    assert.equal(await textOf(page, `tbody ${label}`), 'My pool');
    await isLive(page);
    await grow(world);
    await waitForText(page, ...tipShown(world));
    await visitor.isSound({ name: 'watch-labels' });
    assert.equal(await page.locator(`tbody ${label}`).count(), 1);
    await visitor.open(url(pool!));
    assert.equal(await page.locator('details.watch').getAttribute('data-watched'), '');
    await page.click('details.watch summary');
    assert.equal(await page.inputValue('details.watch input'), 'My pool');
    await page.fill('details.watch input', 'Mine');
    await page.click('h1');
    await waitForText(page, 'details.watch:not([open]) bdi', 'Mine');
    await page.click('details.watch summary');
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.locator('details.watch:not([data-watched])').waitFor();
    assert.deepEqual(
      (await stored(page)).map(({ thing }) => `/${thing}`),
      things.filter((path) => path !== pool),
    );
    await visitor.open(url('/pools'));
    assert.equal(await page.locator('bdi.label').count(), 0);
    await visitor.open(url('/watch'));
    await isLive(page);
    assert.equal(await page.locator('#watched tbody tr').count(), things.length - 1);
    await visitor.isSound({ name: 'watch-list', isTouched: false });
  }
});

/** Opens the empty list. Returns what pastes a text into its field, and waits for a message. */
async function openToPaste() {
  const visitor = await open();
  const { page } = visitor;
  await visitor.open(url('/watch'));
  await page.locator('#watch-list .empty').waitFor();
  const paste = async (text: string, message: string) => {
    await page.fill('[name="ids"]', text);
    await page.click('[name="add"] button');
    await page.locator(`[data-message="${message}"]:not([hidden])`).waitFor();
  };
  return { visitor, page, paste };
}

it('things are watched by their pasted ids or links, and what is none of them is named and stays in the field', {
  skip,
}, async () => {
  const { page, paste } = await openToPaste();
  const [first, ...others] = things.map((path) => path.split('/')[2]!);
  const wrong = orderAddress(world.network, 'ab'.repeat(32));
  await paste(`${wrong} x`, 'unknown');
  assert.deepEqual(await stored(page), []);
  await paste(`${first} ${wrong}, x`, 'added');
  assert.equal(await textOf(page, '[data-message="added"]'), '1 added.');
  assert.equal(await textOf(page, '[data-message="unknown"]'), `Not an id: ${wrong.slice(0, 40)}`);
  assert.equal(await page.inputValue('[name="ids"]'), `${wrong}, x`);
  await paste(`${url(things[0]!)}\n${others.join(' ')}`, 'added');
  await waitForText(page, '[data-message="added"]', `${others.length} added.`);
  assert.deepEqual(
    (await stored(page)).map(({ thing }) => `/${thing}`),
    things,
  );
  await paste(first!, 'known');
  assert.equal(await textOf(page, '[data-message="known"]'), 'Everything is on the list already.');
});

it('what follows a pasted id in its line is its label', { skip }, async () => {
  const { visitor, page, paste } = await openToPaste();
  const [address, pool, delegation, token, market] = things.map((path) => path.split('/')[2]!);
  await paste(
    `${address} Savings\n${pool},Cold, old wallet,\n\n${delegation}\tRent ${token} - A - B, ${market}`,
    'added',
  );
  assert.deepEqual(
    (await stored(page)).map(({ label }) => label),
    ['Savings', 'Cold, old wallet', 'Rent', 'A - B', ''],
  );
  await waitForText(page, '[data-message="added"]', '5 added.');
  assert.equal(await page.inputValue('#watched input >> nth=0'), 'Savings');
  await visitor.isSound({ name: 'watch-pasted' });
});

it('a pasted id whose checksum is wrong is not added, but named, and stays in the field with its label', {
  skip,
}, async () => {
  const { visitor, page, paste } = await openToPaste();
  const [address, pool] = things.map((path) => path.split('/')[2]!) as [string, string];
  const mistyped = `${address.slice(0, -3)} Savings`;
  const problem = `${address.slice(0, 24)}: This is not a wallet address: it is incomplete or mistyped.`;
  await paste(mistyped, 'mistyped');
  assert.ok((await textOf(page, '[data-message="mistyped"]')).startsWith(problem));
  assert.deepEqual(await stored(page), []);
  assert.equal(await page.locator('[data-message^="added"]:not([hidden])').count(), 0);
  await paste(`${mistyped}\n${pool} Mine`, 'added');
  assert.ok((await textOf(page, '[data-message="mistyped"]:not([hidden])')).startsWith(problem));
  assert.deepEqual(await stored(page), [{ thing: `pool/${pool}`, label: 'Mine' }]);
  assert.equal(await page.inputValue('[name="ids"]'), mistyped);
  assert.equal(await page.locator('#watched tbody tr').count(), 1);
  await visitor.isSound({ name: 'watch-mistyped' });
});

it('the watch list shows what each thing has, and what has changed since the last visit, which the title counts', {
  skip,
}, async () => {
  const [address, pool] = things.map((path) => path.split('/')[2]!) as [string, string];
  const visitor = await open();
  const { page } = visitor;
  await give(page, [...things.map((path) => [path, ''] as const), ['/address/nothing', 'Not of this network']]);
  await visitor.open(url('/watch'));
  await isLive(page);
  const shown = async (id: string, cell: number, on = page) =>
    BigInt(
      (await on
        .locator(`${cellOf(id, cell)} [data-atoms]`)
        .first()
        .getAttribute('data-atoms')) ?? '',
    );
  const { server } = world;
  const coins = async () => BigInt((await server.json(`/address/${address}`)).coin_balance.atoms);
  assert.equal(await shown(address, 2), await coins());
  const { staker_balance: own, delegations_balance: delegated } = await server.json(`/pool/${pool}`);
  assert.equal(await shown(pool, 2), BigInt(own.atoms) + BigInt(delegated.atoms));
  assert.match(await textOf(page, cellOf('nothing', 2)), /unknown on/);
  assert.match(await textOf(page, cellOf(address, 3)), /^(nothing to compare yet|unchanged)$/);
  await visitor.isSound({ name: 'watch-1-before' });

  const before = await coins();
  while ((await coins()) === before) await payFee();
  await until(async () => (await shown(address, 2)) === (await coins()), 'the balance is shown');
  assert.equal(await shown(address, 3), (await coins()) - before);
  await until(async () => /^\([1-5]\) /.test(await page.title()), 'the title counts what has changed');
  const { items } = await server.json(`/address/${address}/transactions?items=20`);
  const newest = page.locator(`${cellOf(address, 3)} .events + a`);
  assert.equal(await newest.getAttribute('href'), `/tx/${items[0].tx_id}`);
  assert.match((await newest.textContent())!, /^(now|\d+ \w+ ago)$/);
  await visitor.isSound({ name: 'watch-2-changed' });
  const shownChange = await textOf(page, cellOf(address, 3));
  await page.reload();
  await isLive(page);
  const change = shownChange.split('transaction')[0]!;
  assert.ok((await textOf(page, cellOf(address, 3))).startsWith(change), 'a reload is no new visit');

  await setVisibility(page, 'hidden');
  await titleIs(page, titleOf(0));
  const left = await coins();
  while ((await coins()) === left) await payFee();
  await until(async () => /^\([1-5]\) /.test(await page.title()), 'a hidden tab counts what has changed');
  const other = await page.context().newPage();
  await other.goto(url('/watch'));
  await other.locator(cellOf(address, 3)).waitFor();
  assert.equal(await shown(address, 3, other), (await coins()) - left);
});

it('on a phone each thing has three lines, with the button in the first one', { skip }, async () => {
  const visitor = await open(NARROW);
  const { page } = visitor;
  await give(
    page,
    things.map((path) => [path, 'A label']),
  );
  await visitor.open(url('/watch'));
  await isLive(page);
  const rows = await rowPlaces(page);
  assert.equal(rows.length, things.length);
  for (const { height, button } of rows)
    assert.ok(height <= 104 && button < 10, `${height} px, button at ${button} px`);
  await visitor.isSound({ name: 'watch-phone', isTouched: false });
});

it('the list comes when the server answers again, and an address that is typed meanwhile stays', { skip }, async () => {
  const { page } = await open();
  await give(page, [[things[0]!, 'Mine']]);
  let failures = 0;
  await page.route('**/watch', (route) =>
    route.request().method() === 'POST' && failures++ < 1 ? route.abort() : route.continue(),
  );
  await page.goto(url('/watch'));
  const field = page.locator('#watched tbody input');
  await field.waitFor();
  assert.equal(failures, 2);
  await isLive(page);
  await field.fill('A new label');
  await page.click('summary:has-text("Add")');
  await page.fill('[name="ids"]', 'typed');
  await field.focus();
  await grow(world);
  await waitForText(page, ...tipShown(world));
  assert.equal(await field.inputValue(), 'A new label');
  assert.equal(await page.inputValue('[name="ids"]'), 'typed');
});

it('while the index is being built the page says so, and then shows the list', { skip }, async () => {
  const { page } = await open();
  await give(page, [[things[0]!, 'Mine']]);
  const setReady = (isReady: boolean) =>
    world.index.query(`update chain_tip set revision = revision + 1, is_ready = ${isReady}`);
  await setReady(false);
  await until(async () => !(await world.server.isReady()), 'the server is not ready');
  try {
    await page.goto(url('/watch'));
    await waitForText(page, 'main', 'The index is being built');
  } finally {
    await setReady(true);
  }
  await page.locator('#watched tbody input').waitFor();
  assert.equal(await page.inputValue('#watched tbody input'), 'Mine');
});

it('the watch list says which tokens an address has more or less of since the last visit', { skip }, async () => {
  interface Held {
    readonly owner: string;
    readonly amount: string;
    readonly decimals: number;
    readonly ticker: string;
  }
  const { rows } = await world.index.query<Held>(`
    select encode(b.owner, 'hex') as owner, b.amount::text, k.decimals,
           convert_from(k.ticker, 'UTF8') as ticker
    from balances b join tokens k on k.token_id = b.currency
    where b.amount > 10 and b.locked = 0 and (select count(*) from balances o where o.owner = b.owner and o.currency > '') = 1
      and (select count(*) from balance_changes c where c.owner = b.owner) <= 500 limit 1`);
  const { owner, amount, decimals, ticker } = rows[0]!;
  const path = `/address/${destinationAddress(world.network, owner)}`;
  const { page } = await open();
  await give(page, [[path, '']]);
  await page.goto(url('/watch'));
  await isLive(page);
  await page.goto(url('/'));
  // As if it had had nothing at the last visit.
  await page.evaluate(`{
    const seen = JSON.parse(localStorage.getItem('watch / seen'));
    for (const thing in seen) seen[thing] = seen[thing].replace(/^\\d+\\.\\d+/, '-1.0');
    localStorage.setItem('watch / seen', JSON.stringify(seen));
  }`);
  await page.goto(url('/watch'));
  await isLive(page);
  const [line] = await page.locator(`${cellOf(path.split('/')[2]!, 3)} > div`).allInnerTexts();
  const notice = await page.getAttribute('#watched input', 'data-notice');
  const text = `+${decimalText(BigInt(amount), decimals)} ${ticker}`;
  assert.ok(notice!.includes(` · ${text}`), `${notice} has ${text}`);
  assert.match(line!, new RegExp(`^\\+[\\d.\\s]+ ${ticker}`));
});

it('of the hidden tabs with the watch list one follows the chain and notifies', { skip }, async () => {
  await until(async () => (await openStreams()) === 0, 'no other page is open');
  const context = await browser.newContext();
  await give(context, [[`/address/${payer()}`, 'Savings']]);
  await context.addInitScript(`globalThis.notified = [];
    globalThis.Notification = class {
      static permission = 'default';
      static async requestPermission() { return (Notification.permission = 'granted'); }
      constructor(title, { body }) { notified.push(title + ': ' + body); }
    };`);
  const pages = [await context.newPage(), await context.newPage()];
  for (const page of pages) {
    await page.goto(url('/watch'));
    await isLive(page);
  }
  // Metrics may be a second old.
  await until(async () => (await openStreams()) === 2, 'each has a stream');
  const [first, second] = pages as [Page, Page];
  await first.getByRole('button', { name: 'Notifications' }).click();
  await second.evaluate('Notification.requestPermission()');
  await until(async () => (await first.getAttribute('[name="notify"]', 'aria-pressed')) === 'true', 'it is allowed');
  for (const page of pages) await setVisibility(page, 'hidden');
  await until(async () => (await openStreams()) === 1, 'one tab follows');
  const notified = async () =>
    (await Promise.all(pages.map((page) => page.evaluate<string[]>('notified')))).flat().length;
  while ((await notified()) === 0) {
    await payFee();
    await Promise.race([
      until(async () => (await notified()) > 0, 'a notification'),
      grow(world).then(() => grow(world)),
    ]);
  }
  assert.match(
    (await first.evaluate<string[]>('notified'))[0]!,
    /^Savings: [\d.]+ \w+ · −[\d.]+ \w+(, [+−…][^,]*)*, (one transaction|\d+ transactions)$/,
  );
  assert.deepEqual(await second.evaluate('notified'), []);
  await until(async () => (await second.title()).startsWith('(1) '), 'the other tab counts it, too');
  await first.close();
  await until(async () => (await openStreams()) === 1, 'the other tab follows then');
});

it('the list is exported to a file, and a file is added to the list, unless something is wrong with it', {
  skip,
}, async () => {
  const first = await (await browser.newContext()).newPage();
  const [address, pool, delegation, token, market] = things as [string, string, string, string, string];
  await give(first, [
    [address, 'One'],
    [pool, '<b>"Two"</b> & ü'],
    [market, ''],
  ]);
  await first.goto(url('/watch'));
  const [download] = await Promise.all([first.waitForEvent('download'), first.click('[name="export"]')]);
  const file = await readFile(await download.path(), 'utf8');
  assert.equal(download.suggestedFilename(), `watch-list-${world.network.name}.json`);

  const visitor = await open();
  const { page } = visitor;
  await give(page, [
    [pool, 'Mine'],
    [delegation, 'Other'],
  ]);
  await visitor.open(url('/watch'));
  const load = async (text: string, message: string) => {
    await page.setInputFiles('[name="import"]', {
      name: 'list.json',
      mimeType: 'application/json',
      buffer: Buffer.from(text),
    });
    await page.locator(`[data-message="${message}"]:not([hidden])`).waitFor();
    return textOf(page, `[data-message="${message}"]`);
  };
  assert.equal(await load(file, 'added'), '2 added.');
  const list = [
    { thing: pool.slice(1), label: 'Mine' },
    { thing: delegation.slice(1), label: 'Other' },
    { thing: address.slice(1), label: 'One' },
    { thing: market.slice(1), label: '' },
  ];
  assert.deepEqual(await stored(page), list);
  await visitor.isSound({ name: 'watch-imported' });
  const content = JSON.parse(file);
  const things99 = Array.from({ length: 99 }, (_, i) => ({ thing: `pool/x${i}`, label: '' }));
  for (const [text, message, shown] of [
    ['', 'damaged', /not a watch list/],
    ['{', 'damaged', /not a watch list/],
    ['null', 'damaged', /not a watch list/],
    [JSON.stringify({ ...content, version: 2 }), 'damaged', /not a watch list/],
    [JSON.stringify({ ...content, things: {} }), 'damaged', /not a watch list/],
    [JSON.stringify({ ...content, network: 'elsewhere' }), 'network', /is for elsewhere, not for /],
    [JSON.stringify({ ...content, things: [content.things[0], { thing: 'block/1' }] }), 'entry', /Entry 2 /],
    [JSON.stringify({ ...content, things: [{ thing: `${token.slice(1)}/../..` }] }), 'entry', /Entry 1 /],
    [JSON.stringify({ ...content, things: [{ thing: token.slice(1), label: 7 }] }), 'entry', /Entry 1 /],
    [JSON.stringify({ ...content, things: things99 }), 'full', /room for 100/],
    ['x'.repeat(1_000_001), 'damaged', /not a watch list/],
  ] as const) {
    assert.match(await load(text, message), shown);
    assert.deepEqual(await stored(page), list);
  }
});

it('the list has room for 100 things, which all are followed', { skip }, async () => {
  const visitor = await open();
  const { page } = visitor;
  const [address, pool, , token] = things as [string, string, string, string];
  const pools = Array.from(
    { length: 98 },
    (_, i) => `/pool/${poolAddress(world.network, i.toString(16).padStart(64, '0'))}`,
  );
  await give(page, [...pools.map((path) => [path, ''] as const), [address, 'Last']]);
  await visitor.open(url(pool));
  await watch(page, 'The hundredth');
  assert.equal((await stored(page)).length, 100);
  await visitor.open(url(token));
  assert.equal(await watch(page, 'One too many'), false);
  assert.match(await textOf(page, 'details.watch [role="alert"]:not([hidden])'), /room for 100/);
  await visitor.isSound({ name: 'watch-full' });
  assert.equal((await stored(page)).length, 100);
  await visitor.open(url('/watch'));
  await isLive(page);
  assert.equal(await page.locator('#watched tbody tr').count(), 100);
});

it('labels are changed on the watch list, also for other tabs', { skip }, async () => {
  const context = await browser.newContext();
  await give(
    context,
    things.map((path) => [path, 'Old']),
  );
  const [list, other] = [await context.newPage(), await context.newPage()];
  await list.goto(url('/watch'));
  await other.goto(url(things[1]!));
  const field = list.locator('#watched tbody input').nth(1);
  await field.fill('  New\tlabel  ');
  await field.press('Enter');
  await waitForText(other, 'details.watch summary bdi', 'New label');
  await list.locator('#watched tbody [name="remove"]').nth(1).click();
  await until(async () => (await other.getAttribute('details.watch', 'data-watched')) === null, 'it is not watched');
  assert.equal(await list.locator('#watched tbody tr').count(), 4);
});

it('what the browser has stored may be damaged', { skip }, async () => {
  const entry = { thing: things[0]!.slice(1), label: 'Kept' };
  const keys = ['watch /', 'watch / seen'];
  for (const text of ['{', 'null', '7', '{"a":null}', '[null,[],{"thing":7},{"thing":"javascript:/x"}]', '"text"']) {
    const visitor = await open();
    await visitor.page.addInitScript(
      `for (const key of ${JSON.stringify(keys)}) if (!sessionStorage.done) localStorage.setItem(key, ${JSON.stringify(text)});`,
    );
    for (const path of ['/', things[0]!, '/watch']) {
      await visitor.open(url(path));
      await visitor.isSound();
    }
    await visitor.page.locator('.empty').waitFor();
    await visitor.page.evaluate('sessionStorage.done = true');
    await visitor.open(url(things[0]!));
    await watch(visitor.page, 'Kept');
    assert.deepEqual(await stored(visitor.page), [entry]);
    await visitor.open(url('/watch'));
    await isLive(visitor.page);
  }
});

it('without a script the page says why the list needs one, and other pages have no button for it', {
  skip,
}, async () => {
  const visitor = await open({ ...WIDE, hasScript: false });
  await visitor.open(url('/watch'));
  assert.match(await textOf(visitor.page, '.needs-script'), /needs JavaScript: only your browser stores it/);
  assert.equal(await visitor.page.locator('#watch-list').isVisible(), false);
  await visitor.open(url(things[0]!));
  assert.equal(await visitor.page.locator('details.watch').isVisible(), false);
});
