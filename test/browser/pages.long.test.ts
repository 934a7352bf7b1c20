/**
 * Every kind of page in a real browser, at the widths of a phone, a tablet and a desktop, light and dark, with scripts and
 * without: accessible, whole, at rest, and silent. Pictures of all are kept in the directory `$BROWSER_PICTURES`.
 */
import assert from 'node:assert/strict';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { CreateBrowserPages } from '../../src/answers/answers-context.ts';
import type { ExplorerContext } from '../../src/explorer/define-page.ts';
import { createExplorer } from '../../src/explorer/explorer.ts';
import { PAGES, POST_PAGES } from '../../src/explorer/pages/page-list.ts';
import { Site } from '../../src/explorer/site.ts';
import { StaticFiles } from '../../src/explorer/static-files.ts';
import { PendingWorld } from '../support/pending-world.ts';
import { beforeInBrowser } from './chromium.ts';
import { ERROR_PATHS, PAGE_PATHS, type PagePath } from './page-paths.ts';
import { COLOUR_SCHEMES, VIEWS, Visitor, WIDTHS } from './visitor.ts';

const PICTURES = process.env.BROWSER_PICTURES || fileURLToPath(new URL('../../browser-pictures', import.meta.url));
const BLOCKS = 160;

const registered: string[] = [];
let world: PendingWorld;
let visitors: readonly Visitor[];
const skip = beforeInBrowser(async (browser, scope) => {
  await rm(PICTURES, { recursive: true, force: true });
  await mkdir(PICTURES, { recursive: true });
  world = await PendingWorld.start(scope, { seed: 'chromium', blocks: BLOCKS, isQuiet: false, pages: noted });
  world.node.reorganise(2, 3);
  await world.indexIsSeen();
  visitors = await Promise.all(VIEWS.map((view) => Visitor.open(browser, view, world.server.url)));
});

/** The explorer, and the paths of its pages and of its forms that post. */
const noted: CreateBrowserPages = (app, api, statusEvents) => {
  // None of the functions that make a page looks at the chain yet.
  const explorer = { site: new Site(api.network, '', '', new StaticFiles()), answers: api } as ExplorerContext;
  const pages = PAGES.map((create) => create(explorer).path);
  const forms = POST_PAGES.flatMap((create) => create(explorer)?.path ?? []).map((path) => `POST ${path}`);
  registered.splice(0, registered.length, ...pages, ...forms);
  return createExplorer({ origin: 'http://127.0.0.1:3000' })(app, api, statusEvents);
};

test('every kind of page is accessible, whole, at rest and silent in each width and colour scheme', {
  skip,
  // Some ten seconds for each of forty pages on a slow machine.
  timeout: 900_000,
}, async (t) => {
  assert.ok(registered.length > 0);
  for (const path of registered) {
    await t.test(`the page ${path}`, async () => {
      const find = PAGE_PATHS[path];
      assert.ok(find, `test/browser/page-paths.ts does not say where ${path} is found`);
      await visit([await find(world)].flat());
    });
  }
  await t.test('pages of errors', () => visit(ERROR_PATHS));
});

/** Fails with all that is wrong with any of the pages: the first in all views, the others in the extremes. */
async function visit(paths: readonly PagePath[]): Promise<void> {
  const faults = await Promise.all(
    visitors.map(async (visitor) => {
      const found: string[] = [];
      for (const [i, path] of paths.entries()) {
        if (i === 0 || isExtreme(visitor)) found.push(...(await inspect(visitor, path)));
      }
      return found;
    }),
  );
  if (faults.flat().length > 0) assert.fail(faults.flat().join('\n'));
}

/** With scripts, the narrowest and the widest. */
function isExtreme({ view: { width, hasScript } }: Visitor): boolean {
  return hasScript && (width === Math.min(...WIDTHS) || width === Math.max(...WIDTHS));
}

async function inspect(visitor: Visitor, { name, path, status, form }: PagePath): Promise<string[]> {
  const { width, hasScript } = visitor.view;
  await visitor.open(world.server.url + path, { status, form });
  const found: string[] = [];
  for (const colours of COLOUR_SCHEMES) found.push(...(await visitor.accessibilityFaults(colours)));
  found.push(...(await visitor.faults()));
  // Last of all: for a picture of the whole page the window changes its size.
  if (hasScript) {
    for (const colours of COLOUR_SCHEMES) {
      await visitor.picture(colours, join(PICTURES, `${name}-${width}-${colours}.png`));
    }
  }
  return found.map((fault) => `${name} (${path}), ${width} px, ${hasScript ? 'with' : 'without'} scripts: ${fault}`);
}
