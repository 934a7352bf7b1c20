/** The script adds to pages, and takes nothing away: the same page says the same with and without it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PendingWorld } from '../support/pending-world.ts';
import { beforeInBrowser } from './chromium.ts';
import { isLive } from './live-page.ts';
import { ERROR_PATHS, PAGE_PATHS, type PagePath } from './page-paths.ts';
import { Visitor, WIDE } from './visitor.ts';

/**
 * What only the script adds to the main part: buttons for copying; what is watched; of a chart the drawing, its buttons and the chosen value.
 * The drawing has axes of its own instead of the picture's, whose name and description stay.
 */
const ADDED = 'button.copy, details.watch, #watch-list, figure .plot, figure .zoom, figure output';
const REPLACED = 'svg[data-chart] text, .needs-script';
/** A page that is opened again sends another transaction. */
const CHANGES = 'decode-sent';

let world: PendingWorld;
let withScript: Visitor;
let without: Visitor;
const skip = beforeInBrowser(async (browser, scope) => {
  world = await PendingWorld.start(scope, { seed: 'chromium', blocks: 160, isQuiet: false });
  world.node.reorganise(2, 3);
  await world.indexIsSeen();
  const visitor = (hasScript: boolean) => Visitor.open(browser, { ...WIDE, hasScript }, world.server.url);
  [withScript, without] = await Promise.all([visitor(true), visitor(false)]);
});

/**
 * What the main part says, in its order: visible texts, times as they are in `datetime`, amounts in atoms, links. The host of
 * `curl` commands is the browser's with the script.
 */
const FACTS = `(() => {
  const isSeen = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const { display, visibility } = getComputedStyle(each);
      if (display === 'none' || visibility === 'hidden') return false;
    }
    return true;
  };
  const facts = [];
  const collect = (element) => {
    if (element.matches(${JSON.stringify(`${ADDED}, ${REPLACED}`)})) return;
    if (element.closest('svg') === null && !isSeen(element)) return;
    if (element.matches('time[datetime]')) return void facts.push('time: ' + element.dateTime);
    if (element.dataset.atoms !== undefined) facts.push('atoms: ' + element.dataset.atoms);
    if (element.matches('a[href]')) facts.push('link: ' + element.getAttribute('href'));
    for (const child of element.childNodes) {
      if (child instanceof Element) collect(child);
      const text = child instanceof Text ? child.data.trim().replace(/\\s+/g, ' ') : '';
      if (text !== '') facts.push(element.closest('.curl') ? text.replace(/'https?:\\/\\/[^/]+/, "'") : text);
    }
  };
  collect(document.querySelector('main'));
  return facts;
})()`;

async function factsOf(visitor: Visitor, { path, status, form }: PagePath): Promise<string[]> {
  const { page, view } = visitor;
  await visitor.open(world.server.url + path, { status, form });
  const follows = await page.evaluate<boolean>('document.documentElement.dataset.live !== undefined');
  if (view.hasScript && follows) await isLive(page);
  return page.evaluate<string[]>(FACTS);
}

test('each kind of page says the same with and without the script', { skip }, async (t) => {
  const finders = Object.entries(PAGE_PATHS).map(([kind, find]) => [kind, () => find(world)] as const);
  for (const [kind, find] of [...finders, ['errors', () => ERROR_PATHS] as const]) {
    await t.test(kind, async () => {
      for (const path of [await find()].flat().filter(({ name }) => name !== CHANGES)) {
        const facts = await factsOf(without, path);
        assert.ok(facts.length > 0, `${path.name} says something`);
        assert.deepEqual(await factsOf(withScript, path), facts, path.name);
      }
    });
  }
});
