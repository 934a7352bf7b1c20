/** Pages that stay open while the chain moves. With `$BROWSER_MOMENTS` pictures are kept of what they show before and after. */
import assert from 'node:assert/strict';
import { afterEach, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { destinationAddress } from '../../src/chain/address.ts';
import { transactionId } from '../../src/chain/derive-ids.ts';
import type { SignedTransaction } from '../../src/chain/types.ts';
import { TRADING } from '../sim/history.ts';
import { EventStream } from '../support/event-stream.ts';
import { ownerOf, paymentOf } from '../support/payments.ts';
import { PendingWorld } from '../support/pending-world.ts';
import { until } from '../support/until.ts';
import { beforeInBrowser } from './chromium.ts';
import {
  countRequests,
  followsWithinASecond,
  grow,
  openLive,
  type Shown,
  textOf,
  tipShown,
  waitForText,
} from './live-page.ts';
import { NARROW, SETTLED, type View, type Visitor, WIDE } from './visitor.ts';

let world: PendingWorld;
let browser: Browser;
let isNodeAway = false;
const skip = beforeInBrowser(async (started, scope) => {
  browser = started;
  world = await PendingWorld.start(scope, {
    ...{ seed: 'live', blocks: 60, mix: TRADING, isPresent: true },
    rpc: { faults: ({ transport }) => (isNodeAway && transport === 'http' ? { type: 'drop' } : undefined) },
  });
});

afterEach(async () => {
  isNodeAway = false;
  for (const context of browser?.contexts() ?? []) await context.close();
});

const open = (path: string, view?: View): Promise<Visitor> => openLive(browser, world.server.url + path, view);
const isKnown = async (id: string) => (await world.server.get(`/transaction/${id}`)).status === 200;

/** Hands a payment to the node, and waits until the server shows it. */
async function pay(rank = 0): Promise<{ readonly id: string; readonly payment: SignedTransaction }> {
  const payment = paymentOf(world.node, rank);
  const id = transactionId(payment.transaction);
  world.receive(payment);
  await until(() => isKnown(id), 'the server knows the payment');
  return { id, payment };
}

it('the first page shows a block and a pending transaction within a second, without a reload', { skip }, async (t) => {
  world.node.emptyMempool();
  await world.agrees();
  const visitor = await open('/');
  const { page } = visitor;
  const newest = '#newest-transactions tbody tr:first-child';
  await visitor.isSound({ name: 'home-1-before' });
  await followsWithinASecond(t, page, async () => {
    await grow(world);
    return ['#newest-blocks li:nth-child(2)', `${world.node.tip().height}`];
  });
  await visitor.isSound({ name: 'home-2-block' });
  let paid = '';
  await followsWithinASecond(t, page, async () => {
    paid = (await pay()).id;
    return [newest, paid];
  });
  assert.match(await textOf(page, newest), /pending/);
  await visitor.isSound({ name: 'home-3-pending' });
  await followsWithinASecond(t, page, async () => {
    await grow(world);
    const { block_id: block } = await world.server.json(`/transaction/${paid}`);
    assert.ok(block);
    return tipShown(world);
  });
  assert.doesNotMatch(await textOf(page, `#newest-transactions tr:has(a[href="/tx/${paid}"])`), /pending/);
  await visitor.isSound({ name: 'home-4-confirmed' });
});

it('the age of the newest block counts up', { skip }, async () => {
  await grow(world);
  const { page } = await open('/');
  const seconds = async () =>
    Number(/^(\d+) seconds? ago$/.exec(await textOf(page, '#newest-blocks time'))?.[1] ?? Number.NaN);
  await until(async () => (await seconds()) >= 1, 'the newest block is seconds old');
  const before = await seconds();
  await until(async () => (await seconds()) > before, 'it is older');
});

it('only rows of their own list move when blocks and pending transactions come', { skip }, async () => {
  const pages = await Promise.all(['/', '/blocks', '/txs'].map(watchMoves));
  const kinds = new Set<string>();
  for (let i = 0; i < 8 || kinds.size < 3; i++) {
    assert.ok(i < 40, 'the list has sentences of three kinds');
    await pay();
    await grow(world);
    for (const { page } of pages.flat()) await waitForText(page, ...tipShown(world));
    const { page } = pages[0]![0]!;
    for (const verb of await page.evaluate<string[]>(VERBS_OF_ROWS)) kinds.add(verb);
  }
  for (const each of pages.flat()) await each.nothingElseMoved();
});

/** The first words of the sentences of the newest transactions. */
const VERBS_OF_ROWS = `[...document.querySelectorAll('#newest-transactions .summary')].map((each) => each.textContent.split(' ')[0])`;

/** Opens a page in windows of several widths, so high that all of it is seen, and notes what moves. */
function watchMoves(path: string): Promise<readonly Watched[]> {
  const watch = async (width: number): Promise<Watched> => {
    const { page } = await open(path, { width, hasScript: true });
    await page.setViewportSize({ width, height: 6_000 });
    await page.evaluate(SETTLED);
    await page.evaluate(NOTE_MOVES);
    const nothingElseMoved = async () => {
      await page.evaluate(SETTLED);
      const { count, moved } = await page.evaluate<{ count: number; moved: string[] }>('noted()');
      assert.deepEqual(moved, [], `on ${path} at ${width} px`);
      assert.ok(count > 0, `on ${path} at ${width} px moves are noted`);
    };
    return { page, nothingElseMoved };
  };
  return Promise.all([WIDE.width, 1_280, NARROW.width, NARROW.width - SCROLL_BAR].map(watch));
}

/** What a scroll bar takes of a window, in pixels. */
const SCROLL_BAR = 15;

interface Watched {
  readonly page: Page;
  /** Fails if anything but rows of lists has moved. */
  readonly nothingElseMoved: () => Promise<void>;
}

/** Notes the sources of layout shifts that are not in a row of a list whose rows come and go. */
const NOTE_MOVES = `(() => {
  const moved = [];
  let count = 0;
  const note = (entries) => {
    for (const { node, previousRect: from, currentRect: to } of entries.flatMap(({ sources }) => sources)) {
      count++;
      const element = node instanceof Element ? node : node?.parentElement;
      if (!element || element.closest('.steady :is(tr, li)')) continue;
      // On a phone sentences are whole, so what is below a list moves with its height.
      const list = [...document.querySelectorAll('table.steady')].at(-1);
      if (innerWidth < 641 && list && list.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) continue;
      // An age that counts up, and the pace, may change their width in their place.
      const isInPlace = Math.abs(from.x - to.x) <= 1 && Math.round(from.y) === Math.round(to.y);
      if (isInPlace && element.matches('time[data-relative], #pace, #pace *')) continue;
      const place = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ');
      // Less than a pixel, which nobody sees.
      if (place(from) === place(to)) continue;
      moved.push((element.outerHTML).slice(0, 120) + ': ' + place(from) + ' → ' + place(to));
    }
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ type: 'layout-shift' });
  globalThis.noted = () => {
    note(observer.takeRecords());
    return { count, moved };
  };
})()`;

it('the first page says that its index is behind, and that its node is away, within a second after the server knows', {
  skip,
}, async (t) => {
  const visitor = await open('/');
  const { page } = visitor;
  const watched = await watchMoves('/');
  const pages = [page, ...watched.map((each) => each.page)];
  const allShow = (...shown: Shown) => Promise.all(pages.map((each) => waitForText(each, ...shown)));
  for (let i = 0; i < 3; i++) world.node.grow();
  await allShow('.banner', 'blocks behind its node');
  await visitor.isSound({ name: 'banner-1-behind' });
  await world.indexIsSeen();
  await allShow('.state', 'up to date');
  const events = await EventStream.during(t, { port: world.server.port, query: 'types=status' });
  const seen: string[] = [];
  /** Until the page has followed within a second once, in both directions. */
  const turn = async (isAway: boolean, shown: Shown) => {
    const from = Date.now();
    const count = events.events.length;
    isNodeAway = isAway;
    const isTold = () =>
      events.events.slice(count).some(({ data }) => data.content.conditions.includes('node_away') === isAway);
    const [told, at] = await Promise.all([
      until(isTold, 'the server knows').then(() => Date.now()),
      waitForText(page, ...shown),
    ]);
    seen.push(`${isAway ? 'away' : 'back'}: told after ${told - from} ms, shown ${at - told} ms later`);
    return at - told < 1_000;
  };
  await until(async () => {
    const isAwaySeen = await turn(true, ['.banner', 'The node is not reachable']);
    await visitor.isSound({ name: 'banner-2-node-away' });
    const isBackSeen = await turn(false, ['.state', 'up to date']);
    return isAwaySeen && isBackSeen;
  }, 'the banner comes and goes within a second');
  t.diagnostic(seen.join('; '));
  await visitor.isSound({ name: 'banner-3-all-is-well' });
  for (const each of watched) await each.nothingElseMoved();
});

it('the page of a transaction follows it: pending, confirmed, more and more confirmations', { skip }, async (t) => {
  const { id } = await pay(1);
  const visitor = await open(`/tx/${id}`);
  const { page } = visitor;
  assert.match(await textOf(page, 'h1'), /pending/);
  await visitor.isSound({ name: 'transaction-1-pending' });
  await followsWithinASecond(t, page, async () => {
    await grow(world);
    const { block_id: block } = await world.server.json(`/transaction/${id}`);
    return ['.facts', block];
  });
  await visitor.isSound({ name: 'transaction-2-confirmed' });
  await followsWithinASecond(t, page, async () => {
    await grow(world);
    const { confirmations } = await world.server.json(`/transaction/${id}`);
    return ['.facts div:nth-child(3) dd span', `${confirmations}`];
  });
  await visitor.isSound({ name: 'transaction-3-more-confirmations' });
});

it('the page of a transaction says that it was dropped, and that it came again', { skip }, async (t) => {
  const { id, payment } = await pay(2);
  const visitor = await open(`/tx/${id}`);
  await visitor.isSound({ name: 'dropped-1-pending' });
  await followsWithinASecond(t, visitor.page, async () => {
    world.node.evict([id]);
    await until(async () => !(await isKnown(id)), 'the server has dropped it');
    return ['.banner', 'left the mempool without being confirmed'];
  });
  await visitor.isSound({ name: 'dropped-2-gone' });
  await followsWithinASecond(t, visitor.page, async () => {
    world.receive(payment);
    await until(() => isKnown(id), 'the server knows it again');
    return ['h1', 'pending'];
  });
  await visitor.isSound({ name: 'dropped-3-again' });
});

it('the page of a transaction says that a reorganisation removed it, and where it is then', { skip }, async (t) => {
  for (let rank = 0; !(await leavesAndComesBack(t, rank)); rank++) assert.ok(rank < 20, 'its input was always spent');
});

/** False if the new branch spends what the transaction spent, so that it cannot come back. */
async function leavesAndComesBack(t: TestContext, rank: number): Promise<boolean> {
  const { node } = world;
  node.emptyMempool();
  const { id, payment } = await pay(rank);
  await grow(world);
  const visitor = await open(`/tx/${id}`);
  const { page } = visitor;
  await visitor.isSound({ name: 'reorganisation-1-confirmed' });
  await followsWithinASecond(t, page, async () => {
    node.reorganise(1, 2, { shared: 0 });
    await world.indexIsSeen();
    return ['.banner', 'a reorganisation removed the block'];
  });
  await waitForText(page, '.banner', 'It is no longer in any block');
  await visitor.isSound({ name: 'reorganisation-2-nowhere' });
  node.emptyMempool();
  await world.agrees();
  world.receive(payment);
  if (!world.pendingIds.includes(id)) return false;
  await waitForText(page, '.banner', 'It is pending again');
  await visitor.isSound({ name: 'reorganisation-3-pending' });
  await grow(world);
  await waitForText(page, '.banner', 'It is now in another block');
  await visitor.isSound({ name: 'reorganisation-4-another-block' });
  return true;
}

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
  for (let i = 0; i < 3; i++) await grow(world);
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

/** Everything of a page but how long ago something was, what shows that it is new, and what stands open, which is the visitor's. */
const CONTENT = `(() => {
  const body = document.body.cloneNode(true);
  for (const time of body.querySelectorAll('time')) time.textContent = '';
  for (const details of body.querySelectorAll('details')) details.removeAttribute('open');
  for (const row of body.querySelectorAll('tr.new')) {
    row.classList.remove('new');
    if (row.className === '') row.removeAttribute('class');
  }
  return document.title + document.documentElement.dataset.tip + body.innerHTML;
})()`;

/** So far down that rows are at the top: Chromium keeps in place what it finds there, which may be the form above the list. */
const IN_LIST = 320;

it('focus, selection, places of scroll bars and what was opened stay when a block comes', { skip }, async () => {
  const visitor = await open('/blocks');
  const { page } = visitor;
  await page.evaluate(`(() => {
    const row = document.querySelector('tbody tr:nth-child(12)');
    globalThis.kept = { row, link: row.querySelector('a') };
    kept.link.focus({ preventScroll: true });
    getSelection().selectAllChildren(row.querySelector('th'));
    scrollTo(0, ${IN_LIST});
  })()`);
  const selected = await page.evaluate<string>('getSelection().toString()');
  await visitor.isSound({ name: 'kept-1-before', isWhole: false });
  await page.evaluate(`scrollTo(0, ${IN_LIST})`);
  const place = await page.evaluate<number>('kept.row.getBoundingClientRect().top');
  await grow(world);
  await waitForText(page, 'tbody tr:first-child', `${world.node.tip().height}`);
  // Chromium moves the scroll position with the next frame.
  await page.evaluate(SETTLED);
  assert.equal(await page.evaluate('kept.row.isConnected && document.activeElement === kept.link'), true);
  assert.equal(await page.evaluate('getSelection().toString()'), selected);
  const move = (await page.evaluate<number>('kept.row.getBoundingClientRect().top')) - place;
  assert.ok(Math.abs(move) <= 1, `what is read moves by ${move} px`);
  await visitor.isSound({ name: 'kept-2-after', isWhole: false });

  const owner = ownerOf((await pay(5)).payment);
  const other = await open(`/address/${destinationAddress(world.network, owner)}`);
  const below = () => other.page.evaluate<number>('document.querySelector(".glance").getBoundingClientRect().top');
  const closed = await below();
  await other.page.click('details.qr summary');
  assert.equal(await below(), closed, 'the QR code lies over the page');
  await grow(world);
  await waitForText(other.page, ...tipShown(world));
  assert.equal(await other.page.evaluate('document.querySelector("details.qr").open'), true);
  await other.isSound({ name: 'opened-after' });
});

it('what a phone shows of the lists below stays where it is when a block comes', { skip }, async () => {
  const { page } = await open('/', NARROW);
  const place = () => page.evaluate<number>('document.querySelector("#transactions").getBoundingClientRect().top');
  await page.evaluate('document.querySelector("#transactions").scrollIntoView()');
  const before = await place();
  assert.ok(Math.abs(before) < 100, `${before}`);
  for (let i = 0; i < 4; i++) {
    await grow(world);
    await waitForText(page, ...tipShown(world));
    await page.evaluate(SETTLED);
    assert.ok(Math.abs((await place()) - before) <= 1, `it moves by ${(await place()) - before} px`);
  }
});

const AIMED = '#newest-blocks li:nth-child(5) a:first-child';

/** Lets a page be read again, and takes a pointer to a link before the response comes. */
async function aimWhileItIsRead(page: Page): Promise<void> {
  // What is read again comes while the pointer comes.
  let aim = () => {};
  const aimed = new Promise<void>((resolve) => {
    aim = resolve;
  });
  await page.route(page.url(), async (route) => {
    await aimed;
    await route.continue();
  });
  const requested = page.waitForRequest(page.url());
  await grow(world);
  await requested;
  await page.hover(AIMED);
  aim();
}

it('a link does not move away under a pointer that has just come to it', { skip }, async () => {
  const { page } = await open('/');
  const href = await page.getAttribute(AIMED, 'href');
  await aimWhileItIsRead(page);
  const since = Date.now();
  const shownAt = waitForText(page, ...tipShown(world));
  assert.equal(await page.getAttribute(`${AIMED}:hover`, 'href'), href);
  assert.ok((await shownAt) - since > 2_500, 'time to click');
});

it('a link does not move away under a pointer that is pressed late', { skip }, async () => {
  const { page } = await open('/');
  const href = await page.getAttribute(AIMED, 'href');
  await aimWhileItIsRead(page);
  // The response is there now, and waits.
  await sleep(500);
  await page.mouse.down();
  await sleep(1_500);
  assert.equal(await page.getAttribute(`${AIMED}:hover`, 'href'), href);
  await Promise.all([page.waitForURL(`**${href}`), page.mouse.up()]);
});

it('a page follows also after a right click, whose release the menu takes', { skip }, async () => {
  const { page } = await open('/');
  await page.hover('footer');
  await page.mouse.down({ button: 'right' });
  await grow(world);
  await waitForText(page, ...tipShown(world));
});

it('the menu of a phone stays open when a block comes', { skip }, async () => {
  const visitor = await open('/', NARROW);
  const { page } = visitor;
  await page.getByText('Menu', { exact: true }).tap();
  const link = page.getByRole('link', { name: 'Statement' });
  assert.equal(await link.isVisible(), true);
  // The menu's edge may cross a link below it.
  const allowed = /partially obscured/;
  await visitor.isSound({ name: 'menu-1-before', isWhole: false, allowed });
  await grow(world);
  await waitForText(page, ...tipShown(world));
  assert.equal(await link.isVisible(), true);
  await visitor.isSound({ name: 'menu-2-after', isWhole: false, allowed });
});

it('suggestions stay when a block comes, with the one that was chosen', { skip }, async () => {
  const visitor = await open('/blocks');
  const { page } = visitor;
  const [{ id }] = await world.server.json('/transaction?items=1');
  await page.keyboard.press('/');
  await page.keyboard.type(id.slice(0, 12));
  await page.waitForSelector('[role="option"]');
  await page.keyboard.press('ArrowDown');
  const chosen = await page.textContent('[role="option"][aria-selected="true"]');
  await grow(world);
  await waitForText(page, ...tipShown(world));
  assert.equal(await page.textContent('[role="option"][aria-selected="true"]'), chosen);
  assert.equal(await page.inputValue('form.search input'), id.slice(0, 12));
  await visitor.isSound({ name: 'suggestions-after', isWhole: false });
  await Promise.all([page.waitForURL(`**/tx/${id}`), page.keyboard.press('Enter')]);
});

it('the page of an address follows its activity, and not that of others', { skip }, async (t) => {
  world.node.emptyMempool();
  await grow(world);
  world.node.emptyMempool();
  await world.agrees();
  const payment = paymentOf(world.node);
  const address = destinationAddress(world.network, ownerOf(payment));
  const visitor = await open(`/address/${address}`);
  const readings = countRequests(visitor.page);
  await until(() => readings() === 1, 'what was pending before the stream is known');
  await visitor.isSound({ name: 'address-1-before' });
  const foreign = [1, 2, 3, 4, 5, 6]
    .map((rank) => paymentOf(world.node, rank))
    .find((each) => ownerOf(each) !== ownerOf(payment));
  world.receive(foreign!);
  await world.agrees();
  const id = transactionId(payment.transaction);
  await followsWithinASecond(t, visitor.page, async (): Promise<Shown> => {
    world.receive(payment);
    await world.agrees();
    return ['main', id];
  });
  assert.equal(readings(), 2);
  await visitor.isSound({ name: 'address-2-pending' });
  await grow(world);
  await waitForText(visitor.page, ...tipShown(world));
  assert.equal(await visitor.page.locator('section[aria-labelledby="pending-list"]', { hasText: id }).count(), 0);
  assert.ok((await textOf(visitor.page, 'main')).includes(id));
  await visitor.isSound({ name: 'address-3-confirmed' });
});

it('the page of a market follows its trades and its book', { skip }, async (t) => {
  const { items: markets } = await world.server.json('/market?items=100&cursor=');
  const newest = async (pair: string) => {
    const { items } = await world.server.json(`/order/pair/${pair}/trades?items=1`);
    return items[0] as { readonly tx_id: string; readonly height: number } | undefined;
  };
  const counts: number[] = await Promise.all(
    markets.map(async ({ pair }: { pair: string }) => {
      return (await world.server.json(`/order/pair/${pair}/trades?items=100`)).items.length;
    }),
  );
  const { pair } = markets[counts.indexOf(Math.max(...counts))];
  const visitor = await open(`/market/${pair}`);
  const { page } = visitor;
  await visitor.isSound({ name: 'market-1-before' });
  await followsWithinASecond(t, page, async () => {
    let trade: Awaited<ReturnType<typeof newest>>;
    await until(async () => {
      await grow(world);
      trade = await newest(pair);
      return trade?.height === world.node.tip().height;
    }, 'there is a trade');
    return ['#trades tbody tr:first-child', trade!.tx_id];
  });
  await visitor.isSound({ name: 'market-2-trade' });
  // Of the best levels only: the page shows no more than 15 of each side.
  const prices = async (): Promise<string[]> => {
    const sides = ['ask', 'bid'].map((side) =>
      world.server.json(`/order/pair/${pair}/book?side=${side}&order=best&items=10`),
    );
    return (await Promise.all(sides)).flatMap(({ items }) =>
      items.map((level: { price: { decimal: string } }) => level.price.decimal),
    );
  };
  await followsWithinASecond(t, page, async () => {
    const before = new Set(await prices());
    let price: string | undefined;
    await until(async () => {
      await grow(world);
      // Levels that are equal when rounded are one row, which shows the first of them.
      const rounded = new Set([...before].map((each) => Number(each).toPrecision(3)));
      price = (await prices()).find((each) => !before.has(each) && !rounded.has(Number(each).toPrecision(3)));
      return price !== undefined;
    }, 'the book has another price');
    return ['#buys tr, #sells tr', price!];
  });
  await visitor.isSound({ name: 'market-3-book' });
});
