/** The first view of pages on a slow phone: when it can be read, its bytes, and whether it stands still when live content comes. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Browser } from 'playwright-core';
import { PendingWorld } from '../support/pending-world.ts';
import { until } from '../support/until.ts';
import { beforeInBrowser } from './chromium.ts';

/** A processor four times as slow, and the network that browsers' tools call fast 3G. */
const SLOW = { processor: 4, latencyMs: 150, bytesPerSecond: (1.6 * 1024 * 1024) / 8 };
const PHONE = { viewport: { width: 360, height: 800 }, isMobile: true, hasTouch: true };
/** The mark is 1.5 s on a machine that does nothing else; with the other tests beside this one it may take longer. */
const MOST_MS = 4_000;

/** The pages, each with the most bytes that come over the network, and the most layout shift (browsers call up to 0.1 good). */
const VIEWS: readonly (readonly [what: string, path: () => Promise<string>, bytes: number, shift: number])[] = [
  ['the home page', async () => '/', 45_000, 0.02],
  ['a market', async () => `/market/${(await items('/market'))[0]!.pair}`, 80_000, 0.1],
  [
    'the richest address',
    async () => `/address/${(await items('/statistics/coin/holders'))[0]!.address}`,
    80_000,
    0.02,
  ],
];

async function items(path: string): Promise<{ readonly pair: string; readonly address: string }[]> {
  return (await world.server.json(path)).items;
}

let world: PendingWorld;
let browser: Browser;
const skip = beforeInBrowser(async (started, scope) => {
  browser = started;
  world = await PendingWorld.start(scope, { seed: 'first-view', blocks: 60 });
});

/**
 * Notes the first and the largest paint, and every layout shift but those of rows, above which a new block comes, and of words
 * within a line that stays in its place.
 */
const OBSERVE = `
  globalThis.seen = { first: 0, largest: 0, shift: 0 };
  const isInTable = (node) => Boolean((node instanceof Element ? node : node?.parentElement)?.closest('tr'));
  const isInPlace = ({ previousRect: { x, y }, currentRect }) => x === currentRect.x && y === currentRect.y;
  new PerformanceObserver((list) => { for (const { name, startTime } of list.getEntries())
    if (name === 'first-contentful-paint') seen.first = startTime; }).observe({ type: 'paint', buffered: true });
  new PerformanceObserver((list) => { seen.largest = list.getEntries().at(-1).startTime; })
    .observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => { for (const { value, sources } of list.getEntries())
    if (!sources.every((source) => isInTable(source.node) || isInPlace(source))) seen.shift += value; })
    .observe({ type: 'layout-shift', buffered: true });`;

interface Seen {
  readonly first: number;
  readonly largest: number;
  readonly shift: number;
}

for (const [what, pathOf, mostBytes, mostShift] of VIEWS) {
  it(`${what} can be read soon on a slow phone, and nothing but rows moves when a block comes`, { skip }, async (t) => {
    const page = await (await browser.newContext(PHONE)).newPage();
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOW.processor });
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: SLOW.latencyMs,
      downloadThroughput: SLOW.bytesPerSecond,
      uploadThroughput: SLOW.bytesPerSecond,
    });
    let bytes = 0;
    devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.addInitScript(OBSERVE);
    await page.goto(world.server.url + (await pathOf()), { waitUntil: 'load' });
    const live = 'document.querySelector("button.live")?.textContent === "Live: on"';
    await until(() => page.evaluate(live), 'the page is live');
    const firstBytes = bytes;
    const before = await page.evaluate('document.documentElement.dataset.tip');
    world.node.grow();
    await world.indexIsSeen();
    await until(
      async () => (await page.evaluate('document.documentElement.dataset.tip')) !== before,
      'a block is shown',
    );
    const { first, largest, shift } = await page.evaluate<Seen>('seen');
    t.diagnostic(
      `first text after ${first.toFixed(0)} ms, the largest part after ${largest.toFixed(0)} ms, layout shift ${shift.toFixed(4)}, ${firstBytes} bytes`,
    );
    assert.ok(first > 0 && largest > 0);
    assert.ok(largest < MOST_MS, `${largest} ms`);
    assert.ok(shift <= mostShift, `layout shift ${shift}`);
    assert.ok(firstBytes > 1_000 && firstBytes <= mostBytes, `${firstBytes} bytes`);
  });
}
