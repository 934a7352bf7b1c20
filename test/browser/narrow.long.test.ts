/** What a narrow window does without a script: the menu, and rows that are cards instead of being cut. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PendingWorld } from '../support/pending-world.ts';
import { beforeInBrowser } from './chromium.ts';
import { PAGE_PATHS, type PagePath } from './page-paths.ts';
import { Visitor } from './visitor.ts';

let world: PendingWorld;
let phone: Visitor;
let desktop: Visitor;
let wide: Visitor;
const skip = beforeInBrowser(async (browser, scope) => {
  world = await PendingWorld.start(scope, { seed: 'narrow', blocks: 100, isQuiet: false });
  phone = await Visitor.open(browser, { width: 360, hasScript: false }, world.server.url);
  desktop = await Visitor.open(browser, { width: 1_280, hasScript: false }, world.server.url);
  wide = await Visitor.open(browser, { width: 1_440, hasScript: false }, world.server.url);
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
  const sections = (visitor: Visitor) => visitor.page.getByRole('link', { name: 'Watch list' }).isVisible();
  const menu = (visitor: Visitor) => visitor.page.getByText('Menu', { exact: true });
  for (const visitor of [phone, desktop]) await visitor.open(`${world.server.url}/decode`);
  assert.deepEqual([await menu(phone).isVisible(), await sections(phone)], [true, false]);
  assert.deepEqual([await menu(desktop).isVisible(), await sections(desktop)], [false, true]);
  const header = await phone.page.locator('header.site').evaluate((element) => element.clientHeight);
  assert.ok(header < 110, `the header of a phone has ${header} px`);
  await menu(phone).click();
  assert.equal(await sections(phone), true);
  assert.deepEqual(await phone.faults({ isTouched: true }), []);
  assert.deepEqual(await phone.accessibilityFaults('light'), []);
  await phone.page.getByRole('link', { name: 'Watch list' }).click();
  await phone.page.waitForURL('**/watch');
  assert.equal(await sections(phone), false, 'the menu of the next page is closed');
});

interface Card {
  readonly height: number;
  /** Between its left edge, where new rows have a bar, and its content. */
  readonly margin: number;
  readonly cells: readonly { readonly label: string | null; readonly shown: string; readonly isInside: boolean }[];
}

/** The rows that are seen of tables that are cards. */
const CARDS = `[...document.querySelectorAll('.cards tbody tr')].flatMap((row) => {
  const box = row.getBoundingClientRect();
  if (box.height === 0) return [];
  const cells = [...row.cells].filter((cell) => cell.getBoundingClientRect().width > 0);
  return {
    height: box.height,
    margin: Math.min(...cells.map((cell) => cell.getBoundingClientRect().left)) - box.left,
    cells: cells.map((cell) => {
      const { left, right } = cell.getBoundingClientRect();
      const label = cell.dataset.label ?? null;
      return { label, shown: getComputedStyle(cell, '::before').content, isInside: left >= 0 && right <= innerWidth };
    }),
  };
})`;

/** Lines with the room around them; different fonts beside each other make a line a little higher. */
const heightOf = (lines: number) => lines * 26 + 2 * 6 + 1;

/** The usual lines of a card in lists that have not three: a whole sentence may take two. */
const LINES: Readonly<Record<string, number>> = { '/': 4, '/txs': 4, '/pools': 5, '/address/:address': 4 };

it('a phone shows rows as cards of few lines, with whole sentences and labels, and with room for the bar of a new row', {
  skip,
}, async () => {
  const all: boolean[] = [];
  for (const registered of ['/', '/blocks', '/txs', '/pools', '/pool/:id', '/tokens', '/orders', '/address/:address']) {
    await phone.open(world.server.url + (await pathOf(registered)));
    assert.deepEqual(await phone.page.evaluate(SCROLLED), [], registered);
    const cards = await phone.page.evaluate<readonly Card[]>(CARDS);
    assert.ok(cards.length > 0, registered);
    const lines = LINES[registered] ?? 3;
    if (registered === '/') {
      const cut = await phone.page.evaluate<string[]>(
        `[...document.querySelectorAll('#newest-transactions .summary')].filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent)`,
      );
      assert.deepEqual(cut, []);
    }
    all.push(...cards.map(({ height }) => height > heightOf(lines)));
    for (const { height, margin, cells } of cards) {
      assert.ok(height <= 2 * heightOf(lines), `${registered}: a card has ${height} px`);
      assert.ok(margin > 4, registered);
      for (const { label, shown, isInside } of cells) {
        assert.equal(shown, label === null ? 'none' : JSON.stringify(label));
        assert.ok(isInside, `${registered}: ${label}`);
      }
    }
  }
  const high = all.filter(Boolean);
  assert.ok(high.length <= all.length / 8, `${high.length} of ${all.length} cards have more lines`);
});

it('a phone has the name and the price of a market in one line, the price at its end, and badges below', {
  skip,
}, async () => {
  await phone.open(`${world.server.url}/markets`);
  const rows = await phone.page.evaluate<{ isBeside: boolean; isBelow: boolean; end: number }[]>(`
    [...document.querySelectorAll('.cards tbody tr:not(:has(.top > .dash))')].map((row, i) => {
      const link = row.querySelector('th a');
      link.textContent = 'A LONG TICKER (rmltk1cpnq…wvnly3)/RML';
      for (const badge of row.querySelectorAll('th .badge')) badge.remove();
      if (i % 2 === 0) link.insertAdjacentHTML('afterend', '<span class="badge">crossed</span>');
      const [name, badge, price] = ['th a', 'th .badge', '.top'].map((each) => row.querySelector(each)?.getBoundingClientRect());
      return {
        isBeside: name.right <= price.left && price.top - name.top < 4 && price.bottom <= name.bottom,
        isBelow: badge === undefined || badge.top >= name.bottom,
        end: row.getBoundingClientRect().right - price.right,
      };
    })`);
  assert.ok(rows.length > 1);
  const [{ end }] = rows as [(typeof rows)[0]];
  assert.deepEqual(
    rows,
    rows.map(() => ({ isBeside: true, isBelow: true, end })),
  );
});

it('an address with long lists is parts that open on a phone, each with a few entries', { skip }, async () => {
  await phone.open(world.server.url + (await pathOf('/address/:address')));
  const parts = await phone.page.locator('.part').count();
  assert.ok(parts > 3);
  const height = await phone.page.evaluate<number>('document.documentElement.scrollHeight');
  assert.ok(height < 2_450, `${height} px with ${parts} lists`);
  await phone.page.evaluate('for (const part of document.querySelectorAll(".part")) part.open = true');
  const rows = await phone.page.evaluate<number[]>(`
    [...document.querySelectorAll('.part > .scroll table')].map(({ tBodies: [body] }) =>
      [...body.rows].filter((row) => row.getBoundingClientRect().height > 0).length)`);
  assert.equal(rows.length, parts);
  assert.equal(Math.max(...rows), 3);
});

it('what is pressed has 24 px in both directions, but for links in sentences', { skip }, async () => {
  for (const visitor of [phone, desktop]) {
    for (const registered of ['/', '/txs', '/pools', '/tx/:id', '/token/:id', '/market/:pair', '/address/:address']) {
      await visitor.open(world.server.url + (await pathOf(registered)));
      const small = await visitor.page.evaluate<string[]>(`
        [...document.querySelectorAll('a, button, input, select, summary')].flatMap((each) => {
          const { width, height } = each.getBoundingClientRect();
          if (width === 0 || each.closest('p, .summary, .more, .tabs') || (width >= 24 && height >= 24)) return [];
          return each.outerHTML.slice(0, 100) + ' ' + width + ' × ' + height;
        })`);
      assert.deepEqual(small, [], `${registered}, ${visitor.view.width} px`);
    }
  }
});

it('a phone still offers the orders of a list of pools', { skip }, async () => {
  await phone.open(`${world.server.url}/pools`);
  const heads = phone.page.locator('.cards thead th');
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
    scrolled.filter((caption) => caption.startsWith('Prices in')),
    [],
  );
});

it('at 1,440 px the tables of pools, markets, tokens and balances have all their columns in sight, and badges in their cells', {
  skip,
}, async () => {
  const things = [await pathOf('/token/:id'), `${await pathOf('/address/:address')}/balances`];
  for (const path of ['/pools?coins=1000', '/markets', '/tokens', ...things]) {
    await wide.open(world.server.url + path);
    assert.deepEqual(await wide.page.evaluate(SCROLLED), [], path);
    const over = await wide.page.evaluate<string[]>(`[...document.querySelectorAll('td .badge')].filter((each) =>
      each.getBoundingClientRect().right > each.closest('td').getBoundingClientRect().right).map((each) => each.textContent)`);
    assert.deepEqual(over, [], path);
    const lines = await wide.page.evaluate<number>(
      `Math.max(...[...document.querySelectorAll('thead th')].map((head) => head.clientHeight)) / 24`,
    );
    assert.ok(lines < 4, `${path}: a head of ${lines} lines`);
  }
});

it('a phone shows one part of a market at a time, with its calculator below the chart and below the book', {
  skip,
}, async () => {
  await phone.open(world.server.url + (await pathOf('/market/:pair')));
  const parts = { Chart: '.prices', Book: '#sells', Trades: '#trades', Orders: '#orders' };
  for (const [label, shown] of Object.entries(parts)) {
    await phone.page.locator('.tabs label', { hasText: label }).click();
    for (const part of Object.values(parts))
      assert.equal(await phone.page.locator(`.market ${part}`).isVisible(), part === shown, `${label}: ${part}`);
    assert.equal(await phone.page.locator('.market #size').isVisible(), /Chart|Book/.test(label), label);
  }
  await phone.page.locator('.tabs label', { hasText: 'Chart' }).click();
  const chart = await phone.page.locator('.tall.chart > svg').boundingBox();
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
  await phone.page.getByRole('button', { name: 'Calculate', exact: true }).click();
  await phone.page.waitForURL('**amount=1%2C000#size');
  await shown('.book');
  const answer = phone.page.locator('#size > :is(div, p)').first();
  assert.match((await answer.textContent())!, /costs|can be bought|No open order/);
  const box = await answer.boundingBox();
  assert.ok(box && box.y > 0 && box.y < 640, `the answer is at ${box?.y} px`);
});
