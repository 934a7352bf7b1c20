/** Pages that stay open: opens them, and waits for what they show. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import type { PendingWorld } from '../support/pending-world.ts';
import { until } from '../support/until.ts';
import { Visitor, WIDE } from './visitor.ts';

const MAX_WAIT_MS = 60_000;

/** What a page shows: an element, and a part of its text. */
export type Shown = readonly [selector: string, text: string];

/** Opens a page in a window of its own, and waits until it is live. */
export async function openLive(browser: Browser, url: string, view = WIDE): Promise<Visitor> {
  const visitor = await Visitor.open(browser, view, new URL(url).origin);
  await visitor.open(url);
  await isLive(visitor.page);
  return visitor;
}

export const isLive = (page: Page) =>
  until(() => page.evaluate('document.querySelector("button.live").textContent === "Live: on"'), 'the page is live');

export const textOf = async (page: Page, selector: string): Promise<string> => (await page.textContent(selector)) ?? '';

/** Waits until a page shows a text, and returns when it did, in milliseconds since the epoch. */
export async function waitForText(page: Page, ...[selector, text]: Shown): Promise<number> {
  const shown = page.evaluate<number>(`new Promise((resolve) => {
    const elements = () => [...document.querySelectorAll(${JSON.stringify(selector)})];
    const look = () => elements().some(({ textContent }) => textContent.includes(${JSON.stringify(text)})) && resolve(Date.now());
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
    look();
  })`);
  const tooLate = sleep(MAX_WAIT_MS, null, { ref: false });
  const at = await Promise.race([shown, tooLate]);
  if (at === null) assert.fail(`in vain for ${MAX_WAIT_MS} ms: ${selector} shows ${text}`);
  return at;
}

/**
 * Lets something happen, which ends when the server shows it, until the page has followed within a second once: on a busy
 * machine anything may take long now and then.
 */
export async function followsWithinASecond(t: TestContext, page: Page, act: () => Promise<Shown>): Promise<void> {
  const times: number[] = [];
  await until(async () => {
    const [selector, text] = await act();
    const since = Date.now();
    times.push(Math.max(0, (await waitForText(page, selector, text)) - since));
    return times.at(-1)! < 1_000;
  }, 'the page follows within a second');
  t.diagnostic(`followed after ${times.join(', ')} ms`);
}

/** What a page of the chain shows at the node's tip. */
export const tipShown = ({ node }: PendingWorld): Shown => ['footer', `As of block ${node.tip().height} `];

/** A block comes, and the server shows it. */
export async function grow(world: PendingWorld): Promise<Shown> {
  world.node.grow();
  await world.indexIsSeen();
  return tipShown(world);
}

/** Counts how often the page is read again. */
export function countRequests(page: Page): () => number {
  let count = 0;
  page.on('request', (request) => {
    if (request.url() === page.url()) count++;
  });
  return () => count;
}
