/** What the script adds to pages besides live content: suggestions, copying, times. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { PendingWorld } from '../support/pending-world.ts';
import { until } from '../support/until.ts';
import { beforeInBrowser } from './chromium.ts';
import { NARROW, Visitor, WIDE } from './visitor.ts';

let world: PendingWorld;
let browser: Browser;
const skip = beforeInBrowser(async (started, scope) => {
  browser = started;
  world = await PendingWorld.start(scope, { seed: 'controls', blocks: 80, isQuiet: false });
});

async function open(path: string, view = WIDE): Promise<Visitor> {
  const visitor = await Visitor.open(browser, view, world.server.url);
  await visitor.open(world.server.url + path);
  return visitor;
}

const attribute = (page: Page, selector: string, name: string) => page.getAttribute(selector, name);
const INPUT = 'form.search input';

for (const view of [WIDE, NARROW]) {
  it(`the search suggests what the typed text may mean, and arrow keys choose, ${view.width} px`, {
    skip,
  }, async () => {
    const visitor = await open('/', view);
    const { page } = visitor;
    const [{ id }] = await world.server.json('/transaction?items=1');
    const { items } = await world.server.json(`/search?q=${id.slice(0, 12)}`);
    await page.keyboard.press('/');
    await page.keyboard.type(id.slice(0, 12), { delay: 5 });
    await page.waitForSelector('[role="option"]');
    assert.equal(await page.locator('[role="option"]').count(), items.length);
    assert.equal(await attribute(page, INPUT, 'aria-expanded'), 'true');
    const [list, field] = [await page.locator('.suggestions').boundingBox(), await page.locator(INPUT).boundingBox()];
    assert.deepEqual([list!.x, list!.width], [field!.x, field!.width], 'as wide as the field');
    await visitor.isSound();
    await page.keyboard.press('ArrowDown');
    const active = await attribute(page, INPUT, 'aria-activedescendant');
    assert.equal(await attribute(page, `#${active}`, 'aria-selected'), 'true');
    await visitor.isSound();
    // Back to the field.
    await page.keyboard.press('ArrowUp');
    assert.equal(await attribute(page, INPUT, 'aria-activedescendant'), null);
    await page.keyboard.press('Escape');
    assert.equal(await attribute(page, INPUT, 'aria-expanded'), 'false');
    assert.equal(await page.inputValue(INPUT), id.slice(0, 12), 'the text stays');
    await page.keyboard.type(id.slice(12, 16));
    await page.waitForSelector('[role="option"]');
    await page.keyboard.press('ArrowDown');
    await Promise.all([page.waitForURL(`**/tx/${id}`), page.keyboard.press('Enter')]);
  });
}

it('suggestions say what they are in the language of the page', { skip }, async () => {
  const visitor = await open('/');
  const { page } = visitor;
  await page.context().addCookies([{ name: 'language', value: 'de', url: world.server.url }]);
  await visitor.open(`${world.server.url}/`);
  const [{ id }] = await world.server.json('/transaction?items=1');
  await page.keyboard.press('/');
  await page.keyboard.type(id.slice(0, 12), { delay: 5 });
  await page.waitForSelector('[role="option"]');
  assert.equal(await page.locator('[role="option"] .badge').count(), 0, 'the type is said once');
  assert.equal(await page.textContent('[role="option"] .name'), 'Transaktion');
  await page.fill(INPUT, '5');
  await page.waitForSelector('[role="option"] time');
  assert.match((await page.textContent('[role="option"] time'))!, /^\d\d\.\d\d\.\d{4}, \d\d:\d\d:\d\d UTC$/);
});

it('a text that means nothing has no suggestions, and Enter still searches', { skip }, async () => {
  const visitor = await open('/blocks');
  const { page } = visitor;
  await page.keyboard.press('/');
  await page.keyboard.type('nothing-has-this-name');
  await until(async () => (await page.textContent('form.search [role="status"]')) === 'No suggestions', 'it says so');
  assert.equal(await attribute(page, INPUT, 'aria-expanded'), 'false');
  await visitor.isSound();
  await Promise.all([page.waitForURL('**/search?q=nothing-has-this-name'), page.keyboard.press('Enter')]);
});

it('a button copies an id; where the browser does not allow it, the id is selected', { skip }, async () => {
  const [{ id }] = await world.server.json('/transaction?items=1');
  const visitor = await open(`/tx/${id}`);
  const { page } = visitor;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const button = page.locator('.title-id button.copy');
  await button.click();
  await until(async () => (await button.textContent()) === 'Copied', 'the button says so');
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), id);
  await page.evaluate('Object.defineProperty(navigator, "clipboard", { value: undefined })');
  await button.click();
  await until(async () => (await button.textContent()) === 'Selected', 'the button says so');
  assert.equal(await page.evaluate('getSelection().toString()'), id);
  await until(async () => (await button.textContent()) === 'Copy', 'it can be pressed again');
  await visitor.isSound();
});

it('a short id in a list has a button that copies all of it, by pointer and by key, and nothing moves', {
  skip,
}, async () => {
  const visitor = await open('/txs');
  const { page } = visitor;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const link = page.locator('tbody tr:nth-child(2) a.thing').first();
  const id = await link.locator('.id').textContent();
  const before = await page.locator('tbody').boundingBox();
  await link.hover();
  const button = page.locator('button.beside');
  await button.waitFor();
  assert.deepEqual(await page.locator('tbody').boundingBox(), before);
  await button.click();
  await until(async () => (await button.textContent()) === 'Copied', 'the button says so');
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), id);
  await page.mouse.move(1, 1);
  const other = page.locator('tbody tr:nth-child(3) a.thing').first();
  await other.focus();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.className'), 'copy beside', 'the button follows the id');
  await page.keyboard.press('Enter');
  const next = await other.locator('.id').textContent();
  await until(async () => (await page.evaluate('navigator.clipboard.readText()')) === next, 'the key copies, too');
  // As long as it has the focus, it is above a part of what follows.
  await visitor.isSound({ isTouched: false, allowed: /target-size/ });
});

it('the id beside a ticker that is not unique has a button that copies it, outside of its link', { skip }, async () => {
  const visitor = await open('/txs?items=100');
  const { page } = visitor;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const unit = page.locator('a.unit:has(.id)').first();
  const id = await unit.locator('.id').textContent();
  await unit.focus();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.previousElementSibling.title'), id);
  await page.keyboard.press('Enter');
  await until(async () => (await page.evaluate('navigator.clipboard.readText()')) === id, 'the key copies');
  await visitor.isSound({ isTouched: false });
});

it('times are how long ago, local or in UTC, as the visitor has chosen, and the browser remembers it', {
  skip,
}, async () => {
  const visitor = await open('/blocks');
  const { page } = visitor;
  const time = page.locator('tbody tr:first-child time');
  const iso = await attribute(page, 'tbody tr:first-child time', 'datetime');
  const utc = `${iso!.slice(0, 19).replace('T', ' ')} UTC`;
  assert.match((await time.textContent())!, / ago$/);
  assert.ok((await time.getAttribute('title'))!.startsWith(utc));
  await page.click('button.times');
  assert.match((await time.textContent())!, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.equal(new Date((await time.textContent())!).getTime(), new Date(iso!).getTime());
  await page.click('button.times');
  assert.equal(await time.textContent(), utc);
  await visitor.isSound();
  await visitor.open(`${world.server.url}/blocks`);
  assert.equal(await time.textContent(), utc);
});

it('a printed page is as wide as the paper, with times that mean something later', { skip }, async () => {
  for (const path of ['/blocks', '/txs', '/pools', '/richlist', '/reorganisations']) {
    const visitor = await open(path);
    const { page } = visitor;
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 1_080, height: 800 });
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    assert.ok(width <= 1_080, `${path}: ${width}`);
    if (path !== '/blocks') continue;
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    assert.match((await page.textContent('tbody time'))!, / UTC$/);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    assert.match((await page.textContent('tbody time'))!, / ago$/);
  }
});

it('a page is printed dark on light, whatever the theme', { skip }, async () => {
  const { page } = await open('/blocks');
  const textColour = () => page.evaluate<string>('getComputedStyle(document.body).color');
  const light = await textColour();
  for (const theme of ['light', 'dark']) {
    await page.click('button.theme');
    assert.equal(await attribute(page, 'html', 'data-theme'), theme);
    assert.equal((await textColour()) === light, theme === 'light');
    await page.emulateMedia({ media: 'print' });
    assert.equal(await textColour(), light, theme);
    await page.emulateMedia({ media: null });
  }
});

it('the browser remembers the theme, and tells the server nothing of what was set', { skip }, async () => {
  const visitor = await open('/blocks');
  const { page } = visitor;
  for (const theme of ['light', 'dark']) {
    await page.click('button.theme');
    assert.equal(await attribute(page, 'html', 'data-theme'), theme);
  }
  await page.click('button.times');
  const requested = page.waitForRequest(`${world.server.url}/txs`);
  await visitor.open(`${world.server.url}/txs`);
  assert.equal(await attribute(page, 'html', 'data-theme'), 'dark');
  assert.deepEqual(await page.context().cookies(), []);
  const { cookie } = await (await requested).allHeaders();
  assert.equal(cookie, undefined);
  await visitor.isSound();
});

it('what an amount costs is answered in place, and the address of the page asks for it', { skip }, async () => {
  const visitor = await open('/markets');
  const { page } = visitor;
  await visitor.open(new URL((await attribute(page, 'tbody a', 'href'))!, world.server.url).href);
  await page.locator('#size input[name="amount"]').fill('0.5');
  await page.locator('#size button').click();
  await page.waitForSelector('#size > div');
  assert.match(page.url(), /[?&]amount=0\.5#size$/);
  // Also: the page was not loaded again.
  await visitor.isSound();
});
