/**
 * Hostile texts in a real browser: nothing of them runs, nothing becomes an element, nothing leaves, and the layout stands.
 * `SEEDS=a,b` tries those.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostileChain } from '../support/hostile-chain.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { testOverSeeds } from '../support/seeds.ts';
import { browserObstacle, startBrowser } from './chromium.ts';
import { type View, Visitor } from './visitor.ts';

/** Of each seed; another part of all kinds of them with each. */
const TEXTS = 20;
const EXTREMES: readonly View[] = [
  { width: 360, hasScript: true },
  { width: 1_440, hasScript: false },
];

const TITLE = 'hostile texts are shown harmlessly, with the layout whole';
const obstacle = browserObstacle();

if (obstacle !== undefined) test(TITLE, { skip: obstacle }, () => {});
else {
  testOverSeeds(TITLE, async (seed, scope) => {
    const { chain, paths } = hostileChain(seed, TEXTS);
    const index = await TestIndex.create(scope, chain.network);
    await index.follow(chain.blocks, 50);
    const server = await index.serve(scope);
    const browser = await startBrowser(scope);
    const found = await Promise.all(
      EXTREMES.map(async (view) => faultsOf(await Visitor.open(browser, view, server.url), server.url, paths)),
    );
    if (found.flat().length > 0) assert.fail(found.flat().join('\n'));
  });
}

async function faultsOf(visitor: Visitor, origin: string, paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    await visitor.open(origin + path);
    // Texts that are folded are as harmless when they are opened.
    await visitor.page.evaluate('document.querySelectorAll("main details").forEach((each) => { each.open = true; })');
    const faults = [...(await visitor.faults({ isTouched: true })), ...(await visitor.foreignElements())];
    found.push(...faults.map((fault) => `${path}, ${visitor.view.width} px: ${fault}`));
  }
  return found;
}
