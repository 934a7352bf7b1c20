/** Without a mouse: from the search to a transaction and back. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { PendingWorld } from '../support/pending-world.ts';
import { beforeInBrowser } from './chromium.ts';
import { type View, Visitor } from './visitor.ts';

const VIEWS: readonly View[] = [
  { width: 1_440, hasScript: true },
  { width: 800, hasScript: false },
];
/** More than any page has before its content. */
const MAX_TABS = 200;

let world: PendingWorld;
let visitors: Visitor[];
const skip = beforeInBrowser(async (browser, scope) => {
  world = await PendingWorld.start(scope, { seed: 'keyboard', blocks: 60, isQuiet: false });
  visitors = await Promise.all(VIEWS.map((view) => Visitor.open(browser, view, world.server.url)));
});

/** What has the focus: its name, its text or the name of its field, whether a person sees that it has it. */
const FOCUS = `(() => {
  const element = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  return {
    name: element.localName,
    path: element.getAttribute('href') ?? '',
    text: (element.textContent || element.getAttribute('name') || '').trim(),
    isSeen: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2 && box.right > 0 && box.bottom > 0
      && box.left < innerWidth && box.top < innerHeight,
  };
})()`;

interface Focus {
  readonly name: string;
  readonly path: string;
  readonly text: string;
  readonly isSeen: boolean;
}

const focusOf = (page: Page): Promise<Focus> => page.evaluate<Focus>(FOCUS);

/** Presses Tab until something has the focus that is meant; each on the way must show that it has it. */
async function tabTo(page: Page, isMeant: (focus: Focus) => boolean): Promise<Focus> {
  for (let i = 0; i < MAX_TABS; i++) {
    await page.keyboard.press('Tab');
    const focus = await focusOf(page);
    if (focus.name === 'body') continue;
    assert.ok(focus.isSeen, `the focus is not seen on ${focus.name} "${focus.text.slice(0, 60)}"`);
    if (isMeant(focus)) return focus;
  }
  throw new Error('the keyboard does not reach it');
}

async function press(page: Page, key: string): Promise<void> {
  await Promise.all([page.waitForNavigation({ waitUntil: 'load' }), page.keyboard.press(key)]);
}

for (const [i, { width, hasScript }] of VIEWS.entries()) {
  it(`from search to a transaction and back by keys only, ${width} px, ${hasScript ? 'with' : 'without'} scripts`, {
    skip,
  }, async () => {
    const { page } = visitors[i]!;
    const { server } = world;
    const [{ id }] = await server.json('/transaction?items=1');
    await visitors[i]!.open(`${server.url}/`);

    if (hasScript) {
      await page.keyboard.press('/');
      assert.equal((await focusOf(page)).name, 'input', 'the key / leads to the search');
    } else {
      await tabTo(page, ({ name }) => name === 'input');
    }
    await page.keyboard.type(id);
    await press(page, 'Enter');
    assert.equal(new URL(page.url()).pathname, `/tx/${id}`);

    const skipLink = await tabTo(page, () => true);
    assert.equal(skipLink.text, 'Skip to content');
    await page.keyboard.press('Enter');
    const link = await tabTo(page, ({ path }) => path.startsWith('/block/'));
    await press(page, 'Enter');
    assert.equal(new URL(page.url()).pathname, link.path.replace(/#.*/, ''));

    const back = await tabTo(page, ({ path }) => path === `/tx/${id}`);
    await press(page, 'Enter');
    assert.equal(new URL(page.url()).pathname, back.path);
    // The browser's own key: a window without a frame does not take it.
    await page.goBack({ waitUntil: 'load' });
    assert.match(page.url(), /\/block\//);
    await tabTo(page, ({ name }) => name === 'input');
    assert.deepEqual((await visitors[i]!.faults({ isTouched: true })).join('\n'), '');
  });
}

it('Escape closes the menu "More", whose button then has the focus', { skip }, async () => {
  const i = VIEWS.findIndex(({ width, hasScript }) => hasScript && width > 1_000);
  const { page } = visitors[i]!;
  await visitors[i]!.open(`${world.server.url}/pools`);
  const menu = page.locator('details.more-sections');
  await menu.locator('summary').click();
  await page.keyboard.press('Tab');
  assert.equal(await menu.getAttribute('open'), '');
  await page.keyboard.press('Escape');
  assert.equal(await menu.getAttribute('open'), null);
  assert.deepEqual([(await focusOf(page)).name, (await focusOf(page)).text], ['summary', 'More']);
});
