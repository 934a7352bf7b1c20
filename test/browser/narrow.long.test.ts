/** What a narrow window does without a script: the menu, and tables that fold instead of being cut. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PendingWorld } from '../support/pending-world.ts';
import { beforeInBrowser } from './chromium.ts';
import { PAGE_PATHS, type PagePath } from './page-paths.ts';
import { Visitor } from './visitor.ts';

let world: PendingWorld;
let phone: Visitor;
let desktop: Visitor;
const skip = beforeInBrowser(async (browser, scope) => {
  world = await PendingWorld.start(scope, { seed: 'narrow', blocks: 100, isQuiet: false });
  phone = await Visitor.open(browser, { width: 360, hasScript: false }, world.server.url);
  desktop = await Visitor.open(browser, { width: 1_280, hasScript: false }, world.server.url);
});

/** The first path of a kind of page. */
async function pathOf(registered: string): Promise<string> {
  const found: PagePath | undefined = [await PAGE_PATHS[registered]!(world)].flat()[0];
  return found!.path;
}

/** Tables that are wider than their place, so that they are scrolled. */
const SCROLLED = `[...document.querySelectorAll('.scroll')].filter((each) => each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.querySelector('caption').textContent + ': ' + each.scrollWidth + ' of ' + each.clientWidth + ' px')`;

it('a phone has the sections in a menu, and a desktop has them in a line', { skip }, async () => {
  const sections = (visitor: Visitor) => visitor.page.getByRole('link', { name: 'Rich list' }).isVisible();
  const menu = (visitor: Visitor) => visitor.page.getByText('Menu', { exact: true });
  for (const visitor of [phone, desktop]) await visitor.open(`${world.server.url}/blocks`);
  assert.deepEqual([await menu(phone).isVisible(), await sections(phone)], [true, false]);
  assert.deepEqual([await menu(desktop).isVisible(), await sections(desktop)], [false, true]);
  const header = await phone.page.locator('header.site').evaluate((element) => element.clientHeight);
  assert.ok(header < 110, `the header of a phone has ${header} px`);
  await menu(phone).click();
  assert.equal(await sections(phone), true);
  assert.deepEqual(await phone.faults({ isTouched: true }), []);
  assert.deepEqual(await phone.accessibilityFaults('light'), []);
  await phone.page.getByRole('link', { name: 'Rich list' }).click();
  await phone.page.waitForURL('**/richlist');
  assert.equal(await sections(phone), false, 'the menu of the next page is closed');
});

it('a phone shows all cells of a row below its name, each with its label', { skip }, async () => {
  for (const registered of ['/', '/blocks', '/txs', '/pools', '/pool/:id', '/tokens', '/orders', '/address/:address']) {
    await phone.open(world.server.url + (await pathOf(registered)));
    assert.deepEqual(await phone.page.evaluate(SCROLLED), [], registered);
    const cells = await phone.page.evaluate<{ label: string; shown: string; isInside: boolean }[]>(`
      [...document.querySelectorAll('.folds td')].map((cell) => {
        const box = cell.getBoundingClientRect();
        return {
          label: cell.dataset.label,
          shown: getComputedStyle(cell, '::before').content,
          isInside: box.width > 0 && box.left >= 0 && box.right <= innerWidth,
        };
      })`);
    assert.ok(cells.length > 0, registered);
    for (const { label, shown, isInside } of cells) {
      assert.equal(shown, JSON.stringify(label));
      assert.ok(isInside, `${registered}: ${label}`);
    }
  }
});

it('a phone still offers the orders of a list of pools', { skip }, async () => {
  await phone.open(`${world.server.url}/pools`);
  const heads = phone.page.locator('.folds thead th');
  const visible = [];
  for (const head of await heads.all()) if (await head.isVisible()) visible.push(await head.locator('a').count());
  assert.ok(visible.length > 3 && visible.every((links) => links === 1));
});

it('the book of a market stands beside the chart at 1,280 px, with all its columns', { skip }, async () => {
  await desktop.open(world.server.url + (await pathOf('/market/:pair')));
  const [chart, sells] = await Promise.all(
    ['.market .tall.chart', '#sells'].map((part) => desktop.page.locator(part).first().boundingBox()),
  );
  assert.ok(chart && sells && chart.x + chart.width < sells.x, 'the chart is left of the book');
  assert.ok(sells.y < chart.y + chart.height, 'both are seen together');
  const scrolled = await desktop.page.evaluate<string[]>(SCROLLED);
  assert.deepEqual(
    scrolled.filter((caption) => /^(Bids|Asks)/.test(caption)),
    [],
  );
});

it('a phone shows one part of a market at a time, and a chart that is high enough', { skip }, async () => {
  await phone.open(world.server.url + (await pathOf('/market/:pair')));
  const parts = { Chart: '.prices', Book: '.book', Trades: '#trades', Orders: '#orders' };
  for (const [label, shown] of Object.entries(parts)) {
    await phone.page.locator('.tabs label', { hasText: label }).click();
    for (const part of Object.values(parts))
      assert.equal(await phone.page.locator(`.market > ${part}`).isVisible(), part === shown, `${label}: ${part}`);
  }
  await phone.page.locator('.tabs label', { hasText: 'Chart' }).click();
  const chart = await phone.page.locator('.tall.chart svg').boundingBox();
  assert.ok(chart && chart.height >= 200, `${chart?.height}`);
});

it('a phone opens a market at the part of the address, and the answer to what an amount costs is seen', {
  skip,
}, async () => {
  const market = world.server.url + (await pathOf('/market/:pair'));
  const shown = async (part: string) => assert.ok(await phone.page.locator(`.market > ${part}`).isVisible(), part);
  for (const [anchor, part] of [
    ['#size', '.book'],
    ['#trades', '#trades'],
    ['', '.prices'],
  ] as const) {
    await phone.open('about:blank');
    await phone.open(market + anchor);
    await shown(part);
  }
  await phone.page.locator('.tabs label', { hasText: 'Book' }).click();
  await phone.page.locator('#size input').fill('1,000');
  await phone.page.getByRole('button', { name: 'Show', exact: true }).click();
  await phone.page.waitForURL('**amount=1%2C000#size');
  await shown('.book');
  const answer = phone.page.locator('#size > :is(div, p)').first();
  assert.match((await answer.textContent())!, /costs|cannot fill/);
  const box = await answer.boundingBox();
  assert.ok(box && box.y > 0 && box.y < 640, `the answer is at ${box?.y} px`);
});
