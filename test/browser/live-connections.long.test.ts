/** Pages that stay open while the server, the network, and what is seen of them change. */
import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { PendingWorld } from '../support/pending-world.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { beforeInBrowser } from './chromium.ts';
import {
  countRequests,
  followsWithinASecond,
  grow,
  isLive,
  openLive,
  textOf,
  tipShown,
  waitForText,
} from './live-page.ts';
import { Visitor, WIDE } from './visitor.ts';

/** How long the network is away. */
const AWAY_SECONDS = Number(process.env.TEST_AWAY_SECONDS ?? 5);
let world: PendingWorld;
let browser: Browser;
const skip = beforeInBrowser(async (started, scope) => {
  browser = started;
  world = await PendingWorld.start(scope, { seed: 'connections', blocks: 60, isPresent: true });
});

afterEach(async () => {
  for (const context of browser?.contexts() ?? []) await context.close();
});

const open = (path: string, origin = world.server.url): Promise<Visitor> => openLive(browser, origin + path);

it('a switch keeps the page as it is, until it is switched on again', { skip }, async () => {
  const visitor = await open('/');
  const { page } = visitor;
  await page.click('button.live');
  assert.equal(await textOf(page, 'button.live'), 'Live: off');
  await until(async () => (await openStreams()) === 0, 'the stream is closed');
  const readings = countRequests(page);
  const { height } = world.node.tip();
  await visitor.isSound({ name: 'switch-1-off' });
  await grow(world);
  assert.ok((await textOf(page, 'footer')).includes(`block ${height}`));
  assert.equal(await page.locator('.state .badge').isVisible(), false, 'it does not say that it is up to date');
  await visitor.isSound({ name: 'switch-2-block' });
  await visitor.open(`${world.server.url}/blocks`);
  assert.equal(await textOf(page, 'button.live'), 'Live: off', 'the browser remembers it');
  await page.click('button.live');
  await grow(world);
  await waitForText(page, ...tipShown(world));
  assert.ok(readings() > 0);
  await visitor.isSound({ name: 'switch-3-on' });
});

async function openStreams(): Promise<number> {
  const { text } = await world.server.request('/metrics');
  return Number(/^chain_indexer_streams_open(?:\{.*\})? (\d+)$/m.exec(text)![1]);
}

it('a page that is hidden has no stream, and catches up when it is seen', { skip }, async () => {
  await until(async () => (await openStreams()) === 0, 'no other page is open');
  const visitor = await open('/');
  const { page } = visitor;
  await until(async () => (await openStreams()) === 1, 'it has a stream');
  const setVisibility = (state: string) =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
  await setVisibility('hidden');
  await until(async () => (await openStreams()) === 0, 'it has none');
  const { height } = world.node.tip();
  await grow(world);
  assert.ok((await textOf(page, 'footer')).includes(`block ${height}`));
  await setVisibility('visible');
  await waitForText(page, ...tipShown(world));
  await visitor.isSound();
});

it('a page shows the progress of a sync, and itself when the sync is over, without a reload', { skip }, async (t) => {
  const setReady = (isReady: boolean) =>
    world.index.query(`update chain_tip set revision = revision + 1, is_ready = ${isReady}`);
  await setReady(false);
  t.after(() => setReady(true));
  await until(async () => (await world.server.get('/block')).status === 503, 'the server is not ready');
  const visitor = await Visitor.open(browser, WIDE, world.server.url);
  const { page } = visitor;
  await visitor.open(`${world.server.url}/blocks`, { status: 503 });
  await visitor.isSound({ name: 'sync-1-progress' });
  const { rows } = await world.index.query<{ count: string }>('select transaction_count as count from chain_tip');
  await world.index.query('update chain_tip set revision = revision + 1, transaction_count = transaction_count + 1');
  await waitForText(page, '.facts', `${Number(rows[0]!.count) + 1}`);
  await visitor.isSound({ name: 'sync-2-more' });
  await world.index.query('update chain_tip set revision = revision + 1, transaction_count = transaction_count - 1');
  await setReady(true);
  await waitForText(page, 'h1', 'Blocks');
  await isLive(page);
  await grow(world);
  await waitForText(page, ...tipShown(world));
  await visitor.isSound({ name: 'sync-3-over' });
});

/** What a browser says by itself when it cannot reach the server. */
const NETWORK_FAULTS = /net::ERR_|the console has: error Failed to load resource/;

it('a page follows a server that was restarted', { skip }, async (t) => {
  const visitor = await open('/');
  await visitor.isSound({ name: 'restart-1-before' });
  await world.server.stop();
  await waitForText(visitor.page, 'button.live', 'Live: waiting');
  const upToDate = visitor.page.locator('.state .badge');
  assert.equal(await upToDate.isVisible(), false);
  await visitor.isSound({ name: 'restart-2-stopped', allowed: NETWORK_FAULTS });
  await world.serveAgain();
  await waitForText(visitor.page, 'button.live', 'Live: on');
  await followsWithinASecond(t, visitor.page, () => grow(world));
  assert.equal(await upToDate.isVisible(), true);
  await visitor.isSound({ name: 'restart-3-back', allowed: NETWORK_FAULTS });
});

it('a page follows when the network was away, with what was missed', { skip }, async (t) => {
  const proxy = await TcpProxy.start(t, { host: '127.0.0.1', port: world.server.port });
  const visitor = await open('/blocks', `http://127.0.0.1:${proxy.address.port}`);
  await proxy.close();
  await waitForText(visitor.page, 'button.live', 'Live: waiting');
  for (let i = 0; i < 3; i++) await grow(world);
  await sleep(AWAY_SECONDS * 1_000);
  assert.equal(await textOf(visitor.page, 'button.live'), 'Live: waiting');
  await visitor.isSound({ name: 'network-1-away', allowed: NETWORK_FAULTS });
  await proxy.reopen();
  await waitForText(visitor.page, 'tbody tr:nth-child(3)', `${world.node.tip().height - 2}`);
  await followsWithinASecond(t, visitor.page, () => grow(world));
  await visitor.isSound({ name: 'network-2-back', allowed: NETWORK_FAULTS });
});

it('a page notices a connection that died silently, and follows on another one', { skip }, async (t) => {
  const proxy = await TcpProxy.start(t, { host: '127.0.0.1', port: world.server.port });
  const visitor = await Visitor.open(browser, WIDE, `http://127.0.0.1:${proxy.address.port}`);
  const { page } = visitor;
  await page.clock.install();
  await visitor.open(`http://127.0.0.1:${proxy.address.port}/blocks`);
  await isLive(page);
  proxy.freeze();
  await page.clock.runFor(60_000);
  assert.equal(await textOf(page, 'button.live'), 'Live: on', 'the server may be silent for so long');
  await page.clock.runFor(20_000);
  assert.equal(await textOf(page, 'button.live'), 'Live: waiting');
  proxy.thaw();
  proxy.cut();
  await page.clock.runFor(10_000);
  await isLive(page);
});

it('a page opens another stream when the first one is accepted, but gets no response', { skip }, async () => {
  const visitor = await Visitor.open(browser, WIDE, world.server.url);
  const { page } = visitor;
  await page.clock.install();
  await page.route('**/stream?*', () => {}, { times: 1 });
  const requested = page.waitForRequest('**/stream?*');
  await visitor.open(`${world.server.url}/blocks`);
  await requested;
  await page.clock.runFor(70_000);
  assert.notEqual(await textOf(page, 'button.live'), 'Live: on');
  await page.clock.runFor(10_000);
  await isLive(page);
});

it('each visible page has a stream of its own, and follows', { skip }, async () => {
  await until(async () => (await openStreams()) === 0, 'no other page is open');
  const context = await browser.newContext();
  const pages = await Promise.all([context.newPage(), context.newPage()]);
  for (const page of pages) await page.goto(`${world.server.url}/blocks`);
  await until(async () => (await openStreams()) === 2, 'each has a stream');
  await grow(world);
  for (const page of pages) await waitForText(page, ...tipShown(world));
  await pages[0]!.close();
  await until(async () => (await openStreams()) === 1, 'the other one keeps its stream');
});
