/** Charts that are zoomed with a mouse, keys, buttons and a finger, while the chain moves. */
import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { destinationAddress } from '../../src/chain/address.ts';
import { TRADING } from '../sim/history.ts';
import { PendingWorld } from '../support/pending-world.ts';
import { until } from '../support/until.ts';
import { beforeInBrowser } from './chromium.ts';
import { NARROW, SETTLED, type View, Visitor, WIDE } from './visitor.ts';

/** Each block begins another hour, so charts have many values. Markets have many orders and trades. */
const MIX = {
  ...TRADING,
  name: 'charts',
  blockSeconds: { from: 10_800, to: 10_800 },
  weights: { ...TRADING.weights, orderCreate: 60, orderFill: 40 },
};
let world: PendingWorld;
let browser: Browser;
const skip = beforeInBrowser(async (started, scope) => {
  browser = started;
  world = await PendingWorld.start(scope, { seed: 'charts', blocks: 90, mix: MIX, isQuiet: false });
});

afterEach(async () => {
  for (const context of browser?.contexts() ?? []) await context.close();
});

async function open(path: string, view: View = WIDE): Promise<Visitor> {
  const visitor = await Visitor.open(browser, view, world.server.url);
  await visitor.open(world.server.url + path);
  return visitor;
}

/** A chart of a page, with what a visitor does to it. */
class ShownChart {
  readonly page: Page;
  readonly #figure: string;

  private constructor(page: Page, figure: string) {
    this.page = page;
    this.#figure = figure;
  }

  /** Waits until the script has drawn it. `kind`: as in its values. `id`: where there are several, as "#id". */
  static async of(page: Page, kind: string, id = ''): Promise<ShownChart> {
    const figure = `figure.chart${id}:has(> svg[data-chart*='"kind":"${kind}"'])`;
    await page.waitForSelector(`${figure} .plot canvas`, { state: 'attached' });
    for (const fold of await page.locator(figure).first().locator('xpath=ancestor::details[not(@open)]').all())
      await fold.locator('summary').first().click();
    await page.locator(figure).first().scrollIntoViewIfNeeded();
    return new ShownChart(page, figure);
  }

  async values(): Promise<{ readonly texts: string[]; readonly names: string[] }> {
    const data = JSON.parse((await this.page.getAttribute(`${this.#figure} > svg`, 'data-chart'))!);
    const [names, values]: string[][] = [data.names.split('\n'), data.values.split('\n')];
    const isValue = (_: string, i: number) => names![i] !== '';
    return {
      names: names!.filter(isValue),
      texts: names!.map((name, i) => `${name}: ${values![i]}`).filter(isValue),
    };
  }

  async says(): Promise<string> {
    return (await this.page.textContent(`${this.#figure} output`)) ?? '';
  }

  async willSay(expected: string | RegExp, message: string): Promise<void> {
    let said = '';
    const isSaid = async () => {
      said = await this.says();
      return typeof expected === 'string' ? said === expected : expected.test(said);
    };
    await until(isSaid, message, { withinMs: 20_000, explain: () => `it says "${said}", not "${expected}"` });
  }

  /** The first and the last value that it shows, by their places among all; the pointer must not be on it. */
  async range(): Promise<readonly [number, number]> {
    const { names } = await this.values();
    await this.willSay(/^$|^Shown: /, 'no value is pointed at');
    const said = await this.says();
    if (said === '') return [0, names.length - 1];
    const [, from, to] = /^Shown: (.*) to (.*)$/.exec(said)!;
    return [names.indexOf(from!), names.lastIndexOf(to!)];
  }

  async isWhole(): Promise<boolean> {
    return (await this.says()) === '';
  }

  /** Where its shapes are: beside the numbers at the axis. */
  async box(): Promise<{ readonly x: number; readonly y: number; readonly width: number; readonly height: number }> {
    const [plot, shapes] = await Promise.all(
      ['.plot', '.u-over'].map((each) => this.page.locator(`${this.#figure} ${each}`).boundingBox()),
    );
    return { ...plot!, x: shapes!.x, width: shapes!.width };
  }

  /** The pictures of the server and of the script are at the same place. */
  async isInPlace(): Promise<void> {
    const boxes = await Promise.all(
      ['.plot', '> svg', 'canvas'].map((each) => this.page.locator(`${this.#figure} ${each}`).boundingBox()),
    );
    for (const box of boxes) {
      for (const side of ['x', 'y', 'width', 'height'] as const) {
        assert.ok(Math.abs(box![side] - boxes[0]![side]) <= 1, `${side}: ${JSON.stringify(boxes)}`);
      }
    }
  }

  /** Where something in its head is, then the head, then the chosen value. */
  headBoxes(selector: string): Promise<Record<'left' | 'right' | 'top' | 'bottom', number>[]> {
    return this.page.evaluate(`[${JSON.stringify(selector)}, 'figcaption', 'output span'].map((each) =>
      document.querySelector(${JSON.stringify(this.#figure)}).querySelector(each).getBoundingClientRect().toJSON())`);
  }

  async pointAt(part: number): Promise<void> {
    const { x, y, width, height } = await this.box();
    await this.page.mouse.move(x + width * part, y + height / 2);
  }

  async pointElsewhere(): Promise<void> {
    await this.page.mouse.move(1, 1);
  }

  async drag(from: number, to: number): Promise<void> {
    await this.pointAt(from);
    await this.page.mouse.down();
    for (const step of [0.25, 0.5, 0.75, 1]) await this.pointAt(from + (to - from) * step);
    await this.page.mouse.up();
    await this.pointElsewhere();
  }

  async doubleClick(): Promise<void> {
    const { x, y, width, height } = await this.box();
    await this.page.mouse.dblclick(x + width / 2, y + height / 2);
    await this.blur();
    await this.pointElsewhere();
  }

  async press(name: 'Zoom in' | 'Zoom out' | 'Whole range'): Promise<void> {
    await this.page.locator(this.#figure).getByRole('button', { name }).click();
    await this.pointElsewhere();
  }

  async focus(): Promise<void> {
    await this.page.focus(`${this.#figure} > svg`);
  }

  async blur(): Promise<void> {
    await this.page.evaluate('document.activeElement.blur()');
  }

  /** How many points of the drawing have about this colour, such as "var(--accent)". */
  pixels(colour: string): Promise<number> {
    return this.page.evaluate<number>(`(() => {
      const canvas = document.querySelector(${JSON.stringify(`${this.#figure} canvas`)});
      const probe = document.createElement('span');
      probe.style.color = ${JSON.stringify(colour)};
      document.body.append(probe);
      const wanted = getComputedStyle(probe).color.match(/[0-9.]+/g).map(Number);
      probe.remove();
      const copy = document.createElement('canvas');
      Object.assign(copy, { width: canvas.width, height: canvas.height });
      const context = copy.getContext('2d', { willReadFrequently: true });
      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) {
        const isNear = [0, 1, 2].every((part) => Math.abs(data[i + part] - wanted[part]) < 12);
        if (isNear && data[i + 3] > 150) count++;
      }
      return count;
    })()`);
  }
}

/** The pages with a chart of each kind; most values are found by the database. */
const PATHS: Readonly<Record<string, () => string | Promise<string>>> = {
  line: async () => {
    const sql = `select encode(owner, 'hex') as owner from balance_changes where currency = '' group by owner order by min(height), 1 limit 1`;
    const { rows } = await world.index.query<{ owner: string }>(sql);
    return `/address/${destinationAddress(world.network, rows[0]!.owner)}/past`;
  },
  bars: async () => {
    const sql = `select to_char(to_timestamp(timestamp) at time zone 'UTC' - interval '2 days', 'YYYY-MM-DD') as day from chain_tip`;
    const { rows } = await world.index.query<{ day: string }>(sql);
    return `/statistics/transactions?interval=hour&from=${rows[0]!.day}`;
  },
  candles: () => marketPath((market) => market.trades),
  // A crossed book has no depth.
  depth: () => marketPath((market) => (market.isCrossed ? 0 : market.levels)),
};

/** The page of the market that has most of something. */
async function marketPath(
  of: (counts: { trades: number; levels: number; isCrossed: boolean }) => number,
): Promise<string> {
  const { items } = await world.server.json('/market?items=100&cursor=');
  let best = { path: '', count: 0 };
  for (const { pair, is_crossed: isCrossed } of items) {
    const { items: candles } = await world.server.json(`/order/pair/${pair}/candles?items=90`);
    const [bids, asks] = await Promise.all(
      ['ask', 'bid'].map((side) => world.server.json(`/order/pair/${pair}/book?side=${side}&order=best&items=50`)),
    );
    const count = of({ trades: candles.length, levels: bids.items.length + asks.items.length, isCrossed });
    if (count > best.count) best = { path: `/market/${pair}`, count };
  }
  assert.ok(best.count > 2, 'there is a market with some values');
  return best.path;
}

const COLOURS: Readonly<Record<string, readonly string[]>> = {
  line: ['var(--accent)'],
  bars: ['var(--accent)'],
  candles: ['var(--buy)', 'var(--sell)'],
  depth: ['var(--buy)', 'var(--sell)'],
};

for (const kind of Object.keys(PATHS)) {
  it(`a chart (${kind}) is zoomed by a drag, and is whole again after a double click`, { skip }, async () => {
    const visitor = await open(await PATHS[kind]!());
    const chart = await ShownChart.of(visitor.page, kind);
    await chart.isInPlace();
    // The depth is in a part that was just opened.
    await visitor.isSound({ isTouched: kind === 'depth' });
    const isDrawn = async () => {
      const counts = await Promise.all(COLOURS[kind]!.map((colour) => chart.pixels(colour)));
      return Math.max(...counts) > 50;
    };
    await until(isDrawn, 'it has its colours');
    const { names, texts } = await chart.values();
    const last = texts.length - 1;
    assert.ok(last >= 2, `it has ${texts.length} values`);
    assert.ok(await chart.isWhole());

    // The last prices of a book may be five pixels apart.
    const edge = kind === 'line' ? 0.004 : 0.002;
    await chart.pointAt(edge);
    await chart.willSay(texts[0]!, 'the first value is shown');
    await chart.pointAt(1 - edge);
    await chart.willSay(texts[last]!, 'the last value is shown');
    await chart.pointElsewhere();
    await chart.willSay('', 'the value goes with the pointer');

    await chart.drag(edge, 0.6);
    const [from, to] = await chart.range();
    assert.ok(from === 0 && to >= 1 && to < last, `values ${from} to ${to} of ${last} are seen`);
    await chart.pointAt(1 - edge);
    await until(async () => (await chart.says()).startsWith(`${names[to]}: `), 'a value at the new end is shown');
    await visitor.isSound();
    await chart.doubleClick();
    await chart.willSay('', 'it is whole');
    await chart.pointAt(1 - edge);
    await chart.willSay(texts[last]!, 'the last value is shown again');
  });

  it(`a chart (${kind}) is read and zoomed with keys alone`, { skip }, async () => {
    const visitor = await open(await PATHS[kind]!());
    const { page } = visitor;
    const chart = await ShownChart.of(page, kind);
    const { texts } = await chart.values();
    await chart.focus();
    for (const [i, text] of texts.entries()) {
      if (i > 0) await page.keyboard.press('ArrowRight');
      await chart.willSay(text, `value ${i}`);
    }
    await page.keyboard.press('Home');
    await chart.willSay(texts[0]!, 'the first value');
    await page.keyboard.press('+');
    await chart.willSay(texts[0]!, 'the value stays');
    await visitor.isSound();
    await chart.blur();
    const [, to] = await chart.range();
    assert.ok(to < texts.length - 1, `it ends with value ${to} of ${texts.length - 1}`);
    // What is shown follows the keys, and is no larger than before.
    await chart.focus();
    await page.keyboard.press('End');
    await chart.willSay(texts.at(-1)!, 'the last value');
    await chart.blur();
    const [from, end] = await chart.range();
    assert.ok(from > 0 && end === texts.length - 1, `values ${from} to ${end} are seen`);
    await chart.focus();
    for (let i = 0; i < 12; i++) await page.keyboard.press('-');
    await chart.blur();
    await chart.willSay('', 'it is whole');
    await chart.focus();
    await page.keyboard.press('+');
    await page.keyboard.press('0');
    await chart.blur();
    await chart.willSay('', 'it is whole');
  });

  it(`a chart (${kind}) is zoomed by buttons, with a finger, too`, { skip }, async () => {
    const visitor = await open(await PATHS[kind]!(), NARROW);
    const { page } = visitor;
    const chart = await ShownChart.of(page, kind);
    await chart.isInPlace();
    const { texts } = await chart.values();
    const tap = async (name: string) => {
      await page
        .locator('figure.chart')
        .filter({ has: page.locator(`svg[data-chart*='"${kind}"']`) })
        .getByRole('button', { name })
        .tap();
    };
    await tap('Zoom in');
    await until(async () => !(await chart.isWhole()), 'it is zoomed');
    const [from, to] = await chart.range();
    assert.ok(to - from < texts.length - 1);
    await visitor.isSound();
    for (let i = 0; i < 3 && !(await chart.isWhole()); i++) await tap('Zoom out');
    await chart.willSay('', 'it is whole');
    await tap('Zoom in');
    await tap('Whole range');
    await chart.willSay('', 'it is whole');
  });
}

for (const view of [WIDE, NARROW]) {
  it(`beside a value the title of the chart stays, and nothing moves, ${view.width} px wide`, { skip }, async () => {
    const { page } = await open(await PATHS.bars!(), view);
    const chart = await ShownChart.of(page, 'bars');
    const { texts } = await chart.values();
    await watchShifts(page);
    for (const part of [0.1, 0.5, 0.9]) {
      await chart.pointAt(part);
      await until(async () => texts.includes(await chart.says()), 'a value is shown');
      const [title, head, value] = await chart.headBoxes('.what');
      assert.ok(title!.left === head!.left && title!.right <= value!.left, 'the title is seen');
      assert.ok(Math.abs(value!.right - head!.right) <= 1, 'the value is at the right end');
      assert.ok(Math.abs(value!.top - title!.top) <= 1, 'on the line of the title');
    }
    await chart.pointElsewhere();
    await chart.willSay('', 'the value goes with the pointer');
    assert.equal(await shifts(page), 0);
  });

  it(`a chart of the statistics states its newest value until another one is chosen, ${view.width} px wide`, {
    skip,
  }, async () => {
    const visitor = await open('/statistics', view);
    const { page } = visitor;
    const chart = await ShownChart.of(page, 'bars', '#transactions-chart');
    const { texts } = await chart.values();
    const newest = page.locator('figure.chart .newest').first();
    assert.equal(await newest.textContent(), texts.at(-1));
    await watchShifts(page);
    await chart.pointAt(0.5);
    await until(async () => texts.slice(0, -1).includes(await chart.says()), 'another value is shown');
    assert.ok(!(await newest.isVisible()), 'its place is taken');
    const [before, , value] = await chart.headBoxes('.newest');
    assert.ok(
      Math.abs(value!.right - before!.right) <= 1 && Math.abs(value!.top - before!.top) <= 1,
      'at the same place',
    );
    await chart.pointElsewhere();
    await chart.willSay('', 'the value goes with the pointer');
    assert.ok(await newest.isVisible());
    assert.equal(await shifts(page), 0);
    await visitor.isSound();
  });
}

for (const kind of ['candles', 'depth']) {
  it(`on a phone the long values of a chart (${kind}) stand below its title`, { skip }, async () => {
    const { page } = await open(await PATHS[kind]!(), NARROW);
    const chart = await ShownChart.of(page, kind);
    await chart.pointAt(0.5);
    await chart.willSay(/: /, 'a value is shown');
    const [title, , value] = await chart.headBoxes('.what');
    assert.ok(value!.top >= title!.bottom - 1, 'the title is seen');
  });
}

/** Counts what moves from now on, also what answers to a key. */
const watchShifts = (page: Page) =>
  page.evaluate(`globalThis.shift = 0;
    new PerformanceObserver((list) => { for (const { value } of list.getEntries()) shift += value; }).observe({ type: 'layout-shift' })`);
async function shifts(page: Page): Promise<number> {
  await page.evaluate(SETTLED);
  return page.evaluate<number>('shift');
}

/** The longest time to wait for the answer to a touch. */
const ANSWER_MS = 1_000;

it('a finger that moves to the side zooms a chart; one that moves down scrolls the page', { skip }, async () => {
  const visitor = await open(await PATHS.bars!(), NARROW);
  const { page } = visitor;
  const chart = await ShownChart.of(page, 'bars');
  const { texts } = await chart.values();
  const devtools = await page.context().newCDPSession(page);
  // When a touch begins to scroll the page, Chromium does not always answer what comes after it.
  const touch = (type: string, points: readonly { x: number; y: number }[]) =>
    Promise.race([
      devtools.send('Input.dispatchTouchEvent', { type: type as 'touchStart', touchPoints: [...points] }),
      page.waitForTimeout(ANSWER_MS),
    ]);
  const swipe = async (points: readonly (readonly [number, number])[]) => {
    const { x, y, width, height } = await chart.box();
    const at = points.map(([across, down]) => ({ x: x + width * across, y: y + height * down }));
    await touch('touchStart', [at[0]!]);
    for (const point of at.slice(1)) await touch('touchMove', [point]);
    await touch('touchEnd', []);
  };
  const steps = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
  await page.evaluate('scrollTo(0, 0)');
  await swipe(steps.map((step) => [0.5, 0.9 - step * 2]));
  await until(async () => (await page.evaluate<number>('scrollY')) > 0, 'the page scrolls');
  assert.doesNotMatch(await chart.says(), /^Shown/);
  await page.evaluate('scrollTo(0, 0)');
  await swipe(steps.map((step) => [step, 0.5]));
  await page.touchscreen.tap(200, 28);
  await chart.blur();
  const isZoomed = async () => {
    const [from, to] = await chart.range();
    return to - from < texts.length * 0.8;
  };
  await until(isZoomed, 'the chart is zoomed');
  await page.touchscreen.tap(180, (await chart.box()).y + 20);
  assert.ok(texts.includes(await chart.says()), 'a tap shows a value');
  await visitor.isSound();
});

it('a new value comes while a chart is zoomed: what is seen stays, and a shown value stays', { skip }, async () => {
  const visitor = await open(await PATHS.bars!());
  const chart = await ShownChart.of(visitor.page, 'bars');
  await chart.drag(0.3, 0.6);
  const before = await chart.values();
  const said = await chart.says();
  assert.match(said, /^Shown: /);
  const [from] = await chart.range();
  await visitor.isSound({ name: 'zoom-1-before' });
  await grow(chart, before.names);
  assert.equal(await chart.says(), said);
  await visitor.isSound({ name: 'zoom-2-point' });
  // It is drawn like this, too.
  await chart.pointAt(0.002);
  await chart.willSay(before.texts[from]!, 'the first value that is seen is the same');
  await chart.pointElsewhere();
  await chart.willSay(said, 'the pointer is gone');

  await chart.focus();
  await visitor.page.keyboard.press('ArrowRight');
  const value = await chart.says();
  const { names, texts } = await chart.values();
  assert.ok(texts.includes(value));
  await grow(chart, names);
  assert.equal(await chart.says(), value);
  await chart.blur();
  await chart.willSay(said, 'what is seen stayed');
  await visitor.isSound();
});

it('a new value comes while the newest ones are seen: the chart follows', { skip }, async () => {
  const visitor = await open(await PATHS.bars!());
  const chart = await ShownChart.of(visitor.page, 'bars');
  await chart.drag(0.5, 0.998);
  const { names } = await chart.values();
  const [from, to] = await chart.range();
  assert.ok(from > 0 && to === names.length - 1);
  await grow(chart, names);
  const after = await chart.values();
  await chart.willSay(`Shown: ${names[from]} to ${after.names.at(-1)}`, 'the new value is seen');
  await chart.pointAt(0.998);
  await chart.willSay(after.texts.at(-1)!, 'the new value can be pointed at');
  await visitor.isSound();
});

/** A block comes, and the values of a chart are others then. */
async function grow(chart: ShownChart, names: readonly string[]): Promise<void> {
  world.node.grow();
  await world.indexIsSeen();
  await until(async () => (await chart.values()).names.at(-1) !== names.at(-1), 'there is a new value');
  await chart.page.evaluate(SETTLED);
}

it('a chart stays over its picture when the window becomes narrower and wider again', { skip }, async () => {
  const visitor = await open(await PATHS.bars!());
  const { page } = visitor;
  const chart = await ShownChart.of(page, 'bars');
  for (const width of [360, 800, 360, 1_280]) {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(SETTLED);
    await chart.isInPlace();
  }
  await visitor.isSound();
});

it('a chart has the colours of the theme, also when it is switched', { skip }, async () => {
  const visitor = await open(await PATHS.bars!());
  const { page } = visitor;
  const chart = await ShownChart.of(page, 'bars');
  const light = await chart.pixels('var(--muted)');
  await page.emulateMedia({ colorScheme: 'dark' });
  await until(async () => (await chart.pixels('var(--muted)')) > light / 3, 'the texts are those of the dark theme');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.click('button.theme');
  await page.click('button.theme');
  assert.equal(await page.getAttribute('html', 'data-theme'), 'dark');
  await until(async () => (await chart.pixels('var(--muted)')) > light / 3, 'the texts are those of the dark theme');
});

it('only pages with charts load uPlot, once', { skip }, async () => {
  const visitor = await Visitor.open(browser, WIDE, world.server.url);
  const files: string[] = [];
  visitor.page.on('request', (request) => files.push(new URL(request.url()).pathname.split('/').at(-1)!));
  const opened = async (path: string) => {
    files.length = 0;
    await visitor.open(world.server.url + path);
    await until(() => files.includes('live.js'), 'the scripts are loaded');
    await visitor.page.waitForLoadState('networkidle');
    return files.filter((file) => /uplot|charts/.test(file)).sort();
  };
  for (const path of ['/', '/blocks', '/pools', '/fees']) assert.deepEqual(await opened(path), [], path);
  assert.deepEqual(await opened('/statistics'), ['charts.js', 'uplot.css', 'uplot.js']);
});

it('if uPlot cannot be loaded, the picture of the server stays, without buttons', { skip }, async () => {
  const visitor = await Visitor.open(browser, WIDE, world.server.url);
  const { page } = visitor;
  await page.context().route(/uplot\.js$/, (route) => route.abort());
  await visitor.open(world.server.url + (await PATHS.bars!()));
  await page.waitForLoadState('networkidle');
  assert.equal(await page.locator('figure.chart :is(.plot, .zoom)').count(), 0);
  const visibility = `getComputedStyle(document.querySelector('figure.chart svg .bars')).visibility`;
  assert.equal(await page.evaluate(visibility), 'visible');
  await visitor.isSound({ allowed: /uplot|Failed to load|Failed to fetch|ERR_FAILED/ });
});
