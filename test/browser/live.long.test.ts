/** Pages that stay open while the chain, the server and the network change. */
import assert from 'node:assert/strict';
import { afterEach, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { destinationAddress } from '../../src/chain/address.ts';
import { transactionId } from '../../src/chain/derive-ids.ts';
import type { SignedTransaction } from '../../src/chain/types.ts';
import { ownerOf, paymentOf } from '../support/payments.ts';
import { PendingWorld } from '../support/pending-world.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { beforeInBrowser } from './chromium.ts';
import { Visitor } from './visitor.ts';

/** How long the network is away. */
const AWAY_SECONDS = Number(process.env.TEST_AWAY_SECONDS ?? 5);
const WIDE = { width: 1_440, hasScript: true };
let world: PendingWorld;
let browser: Browser;
const skip = beforeInBrowser(async (started, scope) => {
  browser = started;
  world = await PendingWorld.start(scope, { seed: 'live', blocks: 60 });
});

afterEach(async () => {
  for (const context of browser?.contexts() ?? []) await context.close();
});

/** Opens a page in a window of its own. */
async function open(path: string, origin = world.server.url): Promise<Visitor> {
  const visitor = await Visitor.open(browser, WIDE, origin);
  await visitor.open(origin + path);
  await isLive(visitor.page);
  return visitor;
}

const isLive = (page: Page) =>
  until(() => page.evaluate('document.querySelector("button.live").textContent === "Live: on"'), 'the page is live');
const textOf = async (page: Page, selector: string): Promise<string> => (await page.textContent(selector)) ?? '';

const MAX_WAIT_MS = 60_000;

/** Waits until a page shows a text, and returns when it did, in milliseconds since the epoch. */
async function waitForText(page: Page, selector: string, text: string): Promise<number> {
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
async function followsWithinASecond(
  t: TestContext,
  page: Page,
  act: () => Promise<readonly [selector: string, text: string]>,
): Promise<void> {
  const times: number[] = [];
  await until(async () => {
    const [selector, text] = await act();
    const since = Date.now();
    times.push(Math.max(0, (await waitForText(page, selector, text)) - since));
    return times.at(-1)! < 1_000;
  }, 'the page follows within a second');
  t.diagnostic(`followed after ${times.join(', ')} ms`);
}

async function grow(): Promise<readonly [string, string]> {
  world.node.grow();
  await world.indexIsSeen();
  return tipShown();
}

/** What a page of the chain shows at the node's tip. */
const tipShown = () => ['footer', `As of block ${world.node.tip().height} `] as const;

/** Hands a payment to the node, and waits until the server shows it. */
async function pay(rank = 0): Promise<{ readonly id: string; readonly payment: SignedTransaction }> {
  const payment = paymentOf(world.node, rank);
  const id = transactionId(payment.transaction);
  world.receive(payment);
  await until(
    async () => (await world.server.get(`/transaction/${id}`)).status === 200,
    'the server knows the payment',
  );
  return { id, payment };
}

it('the first page shows a block and a pending transaction within a second, without a reload', { skip }, async (t) => {
  const visitor = await open('/');
  const { page } = visitor;
  await followsWithinASecond(t, page, async () => {
    await grow();
    return ['#newest-blocks tbody tr:first-child', `${world.node.tip().height}`];
  });
  await visitor.isSound();
  await followsWithinASecond(t, page, async () => ['#newest-transactions tbody tr:first-child', (await pay()).id]);
  assert.match(await textOf(page, '#newest-transactions tbody tr:first-child'), /pending/);
  await visitor.isSound();
  assert.deepEqual(await page.evaluate(MOVED), [], 'nothing moves but the rows of the lists');
});

/** What the layout shifts have moved, except rows of tables. */
const MOVED = `(() => {
  const observer = new PerformanceObserver(() => {});
  observer.observe({ type: 'layout-shift', buffered: true });
  const nodes = observer.takeRecords().flatMap(({ sources }) => sources.map(({ node }) => node));
  return nodes.filter((node) => node && !node.parentElement?.closest('tbody')).map((node) => node.outerHTML ?? node.nodeValue);
})()`;

it('the page of a transaction follows it: pending, confirmed, more and more confirmations', { skip }, async (t) => {
  const { id } = await pay(1);
  const visitor = await open(`/tx/${id}`);
  const { page } = visitor;
  assert.match(await textOf(page, 'h1'), /pending/);
  await followsWithinASecond(t, page, async () => {
    await grow();
    const { block_id: block } = await world.server.json(`/transaction/${id}`);
    return ['.facts', block];
  });
  await visitor.isSound();
  await followsWithinASecond(t, page, async () => {
    await grow();
    const { confirmations } = await world.server.json(`/transaction/${id}`);
    return ['.facts div:nth-child(3) dd', `${confirmations}`];
  });
  await visitor.isSound();
});

it('the page of a transaction says that it was dropped, and that it came again', { skip }, async (t) => {
  const { id, payment } = await pay(2);
  const visitor = await open(`/tx/${id}`);
  await followsWithinASecond(t, visitor.page, async () => {
    world.node.evict([id]);
    await until(async () => (await world.server.get(`/transaction/${id}`)).status === 404, 'the server has dropped it');
    return ['.banner', 'left the mempool unconfirmed'];
  });
  await visitor.isSound();
  await followsWithinASecond(t, visitor.page, async () => {
    world.receive(payment);
    await until(async () => (await world.server.get(`/transaction/${id}`)).status === 200, 'the server knows it again');
    return ['h1', 'pending'];
  });
  await visitor.isSound();
});

it('the page of a transaction says that a reorganisation removed it, and where it is then', { skip }, async (t) => {
  world.node.emptyMempool();
  const { id } = await pay(3);
  await grow();
  const visitor = await open(`/tx/${id}`);
  await followsWithinASecond(t, visitor.page, async () => {
    world.node.reorganise(1, 2, { shared: 0 });
    await world.indexIsSeen();
    return ['.banner', 'a reorganisation removed the block'];
  });
  await waitForText(visitor.page, '.banner', 'No block of the chain has it now');
  await visitor.isSound();
});

it('a page that is open while the chain moves is the same as one that is opened then', { skip }, async () => {
  const { rows } = await world.index.query<{ owner: string }>(
    `select encode(owner, 'hex') as owner from address_transactions group by owner order by count(*) desc, owner limit 1`,
  );
  const [order] = (await world.server.json('/order?items=1')) as {
    pair: string;
    ask_currency: { token_id?: string };
    give_currency: { token_id?: string };
  }[];
  assert.ok(order);
  const [{ id }] = await world.server.json('/transaction?items=1');
  const {
    items: [pool],
  } = await world.server.json('/pool?items=1&cursor=');
  const currency = ({ token_id }: { token_id?: string }) => token_id ?? world.network.coinTicker;
  const paths = [
    ...['/', '/blocks', '/txs', '/mempool', '/pools', '/tokens', '/orders', '/statistics', '/reorganisations'],
    `/address/${destinationAddress(world.network, rows[0]!.owner)}`,
    `/market/${currency(order.give_currency)}_${currency(order.ask_currency)}`,
    ...[`/tx/${id}`, `/pool/${pool.pool_id}`, '/block/30'],
  ];
  const visitors = await Promise.all(paths.map((path) => open(path)));
  for (let i = 0; i < 3; i++) await grow();
  world.node.reorganise(2, 3, { shared: 0.5 });
  await world.indexIsSeen();
  await world.agrees();
  for (const [i, path] of paths.entries()) {
    const { page } = visitors[i]!;
    const fresh = await open(path);
    let texts: string[] = [];
    const isSame = async () => {
      texts = await Promise.all([page, fresh.page].map((each) => each.evaluate<string>(CONTENT)));
      return texts[0] === texts[1];
    };
    await until(isSame, `${path} is as when it is opened now`, { withinMs: 20_000, explain: () => texts.join('\n\n') });
    await visitors[i]!.isSound();
    await fresh.page.close();
    await page.close();
  }
});

/** Everything of a page but how long ago something was, and what shows that it is new. */
const CONTENT = `(() => {
  const body = document.body.cloneNode(true);
  for (const time of body.querySelectorAll('time')) time.textContent = '';
  for (const row of body.querySelectorAll('tr.new')) {
    row.classList.remove('new');
    if (row.className === '') row.removeAttribute('class');
  }
  return document.title + document.documentElement.dataset.tip + body.innerHTML;
})()`;

it('focus, selection, places of scroll bars and what was opened stay when a block comes', { skip }, async () => {
  const visitor = await open('/blocks');
  const { page } = visitor;
  await page.evaluate(`(() => {
    const row = document.querySelector('tbody tr:nth-child(12)');
    globalThis.kept = { row, link: row.querySelector('a') };
    kept.link.focus({ preventScroll: true });
    getSelection().selectAllChildren(row.querySelector('th'));
    scrollTo(0, 200);
  })()`);
  const selected = await page.evaluate<string>('getSelection().toString()');
  await grow();
  await waitForText(page, 'tbody tr:first-child', `${world.node.tip().height}`);
  assert.equal(await page.evaluate('kept.row.isConnected && document.activeElement === kept.link'), true);
  assert.equal(await page.evaluate('getSelection().toString()'), selected);
  assert.ok((await page.evaluate<number>('scrollY')) >= 200);
  await visitor.isSound();

  const owner = ownerOf((await pay(5)).payment);
  const other = await open(`/address/${destinationAddress(world.network, owner)}`);
  await other.page.click('details.qr summary');
  await grow();
  await waitForText(other.page, ...tipShown());
  assert.equal(await other.page.evaluate('document.querySelector("details.qr").open'), true);
  await other.isSound();
});

it('the page of an address follows its activity, and not that of others', { skip }, async (t) => {
  world.node.emptyMempool();
  await grow();
  world.node.emptyMempool();
  await world.agrees();
  const payment = paymentOf(world.node);
  const address = destinationAddress(world.network, ownerOf(payment));
  const visitor = await open(`/address/${address}`);
  const readings = await countRequests(visitor.page);
  await until(() => readings() === 1, 'what was pending before the stream is known');
  const foreign = [1, 2, 3, 4, 5, 6]
    .map((rank) => paymentOf(world.node, rank))
    .find((each) => ownerOf(each) !== ownerOf(payment));
  world.receive(foreign!);
  await world.agrees();
  await followsWithinASecond(t, visitor.page, async () => {
    world.receive(payment);
    await world.agrees();
    return ['main', transactionId(payment.transaction)];
  });
  assert.equal(readings(), 2);
  await visitor.isSound();
});

/** Counts how often the page is read again. */
async function countRequests(page: Page): Promise<() => number> {
  let count = 0;
  page.on('request', (request) => {
    if (request.url() === page.url()) count++;
  });
  return () => count;
}

it('a switch keeps the page as it is, until it is switched on again', { skip }, async () => {
  const visitor = await open('/');
  const { page } = visitor;
  await page.click('button.live');
  assert.equal(await textOf(page, 'button.live'), 'Live: off');
  await until(async () => (await openStreams()) === 0, 'the stream is closed');
  const readings = await countRequests(page);
  const { height } = world.node.tip();
  await grow();
  assert.ok((await textOf(page, 'footer')).includes(`block ${height}`));
  await visitor.open(`${world.server.url}/blocks`);
  assert.equal(await textOf(page, 'button.live'), 'Live: off', 'the browser remembers it');
  await page.click('button.live');
  await grow();
  await waitForText(page, ...tipShown());
  assert.ok(readings() > 0);
  await visitor.isSound();
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
  await grow();
  assert.ok((await textOf(page, 'footer')).includes(`block ${height}`));
  await setVisibility('visible');
  await waitForText(page, ...tipShown());
  await visitor.isSound();
});

it('a page shows the progress of a sync, and itself when the sync is over, without a reload', { skip }, async () => {
  const setReady = (isReady: boolean) =>
    world.index.query(`update chain_tip set revision = revision + 1, is_ready = ${isReady}`);
  await setReady(false);
  await until(async () => (await world.server.get('/block')).status === 503, 'the server is not ready');
  const visitor = await Visitor.open(browser, WIDE, world.server.url);
  const { page } = visitor;
  await visitor.open(`${world.server.url}/blocks`, { status: 503 });
  const { rows } = await world.index.query<{ count: string }>('select transaction_count as count from chain_tip');
  await world.index.query('update chain_tip set revision = revision + 1, transaction_count = transaction_count + 1');
  await waitForText(page, '.facts', `${Number(rows[0]!.count) + 1}`);
  await world.index.query('update chain_tip set revision = revision + 1, transaction_count = transaction_count - 1');
  await setReady(true);
  await waitForText(page, 'h1', 'Blocks');
  await isLive(page);
  await grow();
  await waitForText(page, ...tipShown());
  await visitor.isSound();
});

/** What a browser says by itself when it cannot reach the server. */
const NETWORK_FAULTS = /net::ERR_|the console has: error Failed to load resource/;

it('a page follows a server that was restarted', { skip }, async (t) => {
  const visitor = await open('/');
  await world.server.stop();
  await waitForText(visitor.page, 'button.live', 'Live: waiting');
  await world.serveAgain();
  await waitForText(visitor.page, 'button.live', 'Live: on');
  await followsWithinASecond(t, visitor.page, grow);
  await visitor.isSound({ allowed: NETWORK_FAULTS });
});

it('a page follows when the network was away, with what was missed', { skip }, async (t) => {
  const proxy = await TcpProxy.start(t, { host: '127.0.0.1', port: world.server.port });
  const visitor = await open('/blocks', `http://127.0.0.1:${proxy.address.port}`);
  await proxy.close();
  await waitForText(visitor.page, 'button.live', 'Live: waiting');
  for (let i = 0; i < 3; i++) await grow();
  await sleep(AWAY_SECONDS * 1_000);
  assert.equal(await textOf(visitor.page, 'button.live'), 'Live: waiting');
  await proxy.reopen();
  await waitForText(visitor.page, 'tbody tr:nth-child(3)', `${world.node.tip().height - 2}`);
  await followsWithinASecond(t, visitor.page, grow);
  await visitor.isSound({ allowed: NETWORK_FAULTS });
});

it('in a browser that has no locks each page has a stream of its own, and follows', { skip }, async () => {
  await until(async () => (await openStreams()) === 0, 'no other page is open');
  const context = await browser.newContext();
  await context.addInitScript('delete Navigator.prototype.locks');
  const pages = await Promise.all([context.newPage(), context.newPage()]);
  for (const page of pages) await page.goto(`${world.server.url}/blocks`);
  await until(async () => (await openStreams()) === 2, 'each has a stream');
  await grow();
  for (const page of pages) await waitForText(page, ...tipShown());
});

it('fifty pages of a browser have one stream and share what they read, and the last one follows within a second', {
  skip,
}, async (t) => {
  await until(async () => (await openStreams()) === 0, 'no other page is open');
  const visitor = await open('/blocks');
  const context = visitor.page.context();
  const pages = [visitor.page];
  while (pages.length < 50) {
    const page = await context.newPage();
    await page.goto(`${world.server.url}${['/blocks', '/txs', '/pools', '/tokens'][pages.length % 4]}`);
    pages.push(page);
  }
  for (const page of pages) await isLive(page);
  assert.equal(await openStreams(), 1);
  const counts = await Promise.all(pages.map(countRequests));
  const requests = () => counts.map((count) => count());
  await until(async () => {
    const before = requests();
    world.node.grow();
    const shown = pages.map((page) => waitForText(page, ...tipShown()));
    await world.indexIsSeen();
    const since = Date.now();
    const times = (await Promise.all(shown)).map((at) => at - since);
    const made = requests().map((count, i) => count - before[i]!);
    const all = made.reduce((sum, count) => sum + count, 0);
    t.diagnostic(
      `the first of fifty followed after ${Math.round(Math.min(...times))} ms, the last after ${Math.round(Math.max(...times))} ms, with ${all} requests`,
    );
    assert.ok(Math.max(...made) <= 1, 'no page asks twice');
    assert.ok(all >= 4 && all <= 25, `${all} requests for four pages`);
    return Math.max(...times) < 1_000;
  }, 'the last of fifty follows within a second');
  await visitor.page.close();
  await until(async () => (await openStreams()) === 1, 'another page has the stream');
  await grow();
  await Promise.all(pages.slice(1).map((page) => waitForText(page, ...tipShown())));
  await context.close();
});
