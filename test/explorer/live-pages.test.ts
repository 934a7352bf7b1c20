/** What the server gives to open pages that are read again: the same for all who look, made once for each change. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { CreateBrowserPages } from '../../src/answers/answers-context.ts';
import { destinationAddress } from '../../src/chain/address.ts';
import { transactionId } from '../../src/chain/derive-ids.ts';
import { createExplorer } from '../../src/explorer/explorer.ts';
import { fileScope } from '../support/file-scope.ts';
import { getPage } from '../support/html-page.ts';
import { ownerOf, paymentOf } from '../support/payments.ts';
import { PendingWorld } from '../support/pending-world.ts';
import { Scrape } from '../support/prometheus.ts';
import { until } from '../support/until.ts';

const MAX_PAYMENTS = 5;

const scope = fileScope();
let world: PendingWorld;

/** How many responses that depend on the mempool were made, by all servers. */
let responsesMade = 0;

const counted: CreateBrowserPages = (app, api, statusEvents) => {
  const { cache } = api;
  const put = cache.put.bind(cache);
  cache.put = (key, url, response, hash) => {
    if (response.etag === undefined) responsesMade++;
    put(key, url, response, hash);
  };
  return createExplorer({ origin: 'http://127.0.0.1:3000' })(app, api, statusEvents);
};

before(async () => {
  world = await PendingWorld.start(scope, { seed: 'live pages', blocks: 30, pages: counted });
});

/** A payment that is pending, and its owner's address. */
async function pay(rank: number): Promise<{ readonly id: string; readonly address: string }> {
  const payment = paymentOf(world.node, rank);
  const id = transactionId(payment.transaction);
  world.receive(payment);
  await until(async () => (await world.server.get(`/transaction/${id}`)).status === 200, 'the server knows it');
  return { id, address: destinationAddress(world.network, ownerOf(payment)) };
}

/** How often each page was made. */
async function timesMade(routes: readonly string[]): Promise<number[]> {
  const { text } = await Scrape.fresh(world.server.port);
  return routes.map((route) => {
    const line = text.split('\n').find((each) => each.includes(`route="page ${route}",status="200"`));
    return line === undefined ? 0 : Number(line.split(' ').at(-1));
  });
}

it('a page is made once after a block and once after a change of the mempool, however many read it', async () => {
  const { id, address } = await pay(0);
  const pages = [
    ['/', '/'],
    ['/mempool', '/mempool'],
    ['/address/:address', `/address/${address}`],
    ['/tx/:id', `/tx/${id}`],
    ['/blocks', '/blocks'],
  ] as const;
  const routes = pages.map(([route]) => route);
  const readAll = async () => {
    for (const [, path] of pages) for (let i = 0; i < 10; i++) await getPage(world.server, path);
  };
  await readAll();
  let rank = 1;
  const grow = async () => {
    world.node.grow();
    world.node.emptyMempool();
    rank = 1;
    await world.indexIsSeen();
    await world.agrees();
  };
  const changes = {
    pending: async () => {
      // Further payments would spend what these have spent.
      if (rank > MAX_PAYMENTS) await grow();
      await pay(rank++);
    },
    block: grow,
  };
  for (const [what, change] of Object.entries(changes)) {
    let times: number[] = [];
    // The mirror of the mempool, or the state of the node, may change once more while the pages are read.
    const isMadeOnce = async () => {
      const made = await timesMade(routes);
      await change();
      await readAll();
      times = (await timesMade(routes)).map((now, i) => now - made[i]!);
      return times.every((each) => each <= 1) && times.reduce((sum, each) => sum + each, 0) > 0;
    };
    await until(isMadeOnce, `each page is made once after ${what}`, { explain: () => times.join() });
  }
});

it('a page names its tip as events do, and the events after which it must be read again', async () => {
  const { id, address } = await pay(2);
  const { block_id, block_height } = await world.server.json('/chain/tip');
  const unknown = '0f'.repeat(32);
  const expected: readonly (readonly [path: string, live: string | undefined, status?: number])[] = [
    ['/', 'all'],
    ['/fees', 'status'],
    ['/blocks', 'blocks'],
    [`/tx/${id}`, `transaction=${id}`],
    [`/tx/${unknown}`, `awaited=${unknown}`, 404],
    [`/address/${address}`, `address=${address}`],
    ['/nope/nope', undefined, 404],
    ['/search?q=nothing-has-this-name', undefined, 404],
    ['/decode', undefined],
    ['/watch', undefined],
  ];
  for (const [path, live, status = 200] of expected) {
    const { whole } = await getPage(world.server, path, status);
    assert.equal(whole.attribute('data-live'), live, path);
    if (live !== undefined) assert.equal(whole.attribute('data-tip'), `${block_height}-${block_id}`, path);
  }
  const { whole } = await getPage(world.server, '/mempool');
  assert.equal(whole.attribute('data-live'), 'mempool');
});

it('each of many pages is made a few times for hundreds who ask at the same moment and wait for their turn', async () => {
  const { rows } = await world.index.query<{ owner: string }>(
    `select encode(owner, 'hex') as owner from address_transactions group by owner order by count(*) desc, owner limit 16`,
  );
  const paths = rows.map(({ owner }) => `/address/${destinationAddress(world.network, owner)}`);
  assert.equal(paths.length, 16);
  let made = 0;
  const isMadeSeldom = async () => {
    world.node.grow();
    await world.indexIsSeen();
    await world.agrees();
    const before = responsesMade;
    await Promise.all(
      Array.from({ length: 400 }, (_, i) =>
        world.server.request(paths[i % paths.length]!, { headers: { accept: 'text/html' } }),
      ),
    );
    made = responsesMade - before;
    // The mempool may change once more meanwhile, and who comes while a page is made gets the next one.
    return made >= paths.length && made <= 2 * paths.length;
  };
  await until(isMadeSeldom, 'they are made seldom', { explain: () => `${made} times` });
});
