/** The first page against the API's answers, with a node and without, while the chain moves. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { paceText } from '../../src/explorer/parts/chain-pace.ts';
import { durationText } from '../../src/explorer/words/formats.ts';
import type { ListedBlockRow } from '../../src/store/queries/blocks/block-lists.ts';
import { fileScope } from '../support/file-scope.ts';
import { getPage, type PageElement } from '../support/html-page.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { paymentOf, submit } from '../support/payments.ts';
import { PendingWorld } from '../support/pending-world.ts';
import { eventually, until } from '../support/until.ts';
import { startTestWebServer } from '../support/web-server.ts';
import { sharedStack } from '../support/whole-stack.ts';
import { checkBlockPage } from './check-block-page.ts';
import { percent } from './page-values.ts';

const scope = fileScope();
const stack = sharedStack();

const server = () => stack().servers.described;

/** The values of a sparkline: its title, and how many points its line has. */
function sparkline(tile: PageElement): { title: string; points: number } {
  const picture = tile.one('.sparkline');
  const line = picture.one('path.line').attribute('d')!;
  return { title: picture.one('title').text, points: line.split('L').length };
}

async function checkHome(): Promise<void> {
  const tip = await server().json('/chain/tip');
  const [statistics, blocks, [newest]] = await Promise.all([
    server().json('/statistics/coin'),
    server().json('/block?items=10'),
    server().json('/transaction?items=1'),
  ]);
  const { main } = await getPage(server(), '/');
  assert.equal(main.fact('Transactions').one('.number').text, `${newest.tx_global_index + 1}`);
  assert.deepEqual(main.fact('Circulating supply').atoms(), [BigInt(statistics.circulating_supply.atoms)]);
  assert.deepEqual(main.fact('Staked').atoms(), [BigInt(statistics.staked.atoms)]);
  const pages = ['/txs', '/statistics', '/pools', '/fees'];
  assert.deepEqual(
    main
      .one('.tiles')
      .links()
      .filter((link) => pages.includes(link)),
    pages,
  );
  const share = percent(BigInt(statistics.staked.atoms), BigInt(statistics.circulating_supply.atoms));
  assert.ok(main.fact('Staked').text.includes(`${share} of supply`));
  const newestBlocks = (await server().json('/block?items=60')).items;
  const [last] = newestBlocks;
  const ofLastHour = newestBlocks.filter(({ timestamp }: { timestamp: number }) => last.timestamp - timestamp <= 3_600);
  const counted = ofLastHour.length < 10 ? newestBlocks : ofLastHour;
  const pace = Math.round((last.timestamp - counted.at(-1).timestamp) / (counted.length - 1));
  const of = counted.length < newestBlocks.length ? 'last hour' : `last ${newestBlocks.length} blocks`;
  const said = `Average block time: ${durationText(pace)} (${of})`;
  assert.ok(main.one('.state').text.includes(said), main.one('.state').text);
  assert.equal(blocks.items[0].height, tip.block_height);
  assert.deepEqual(
    main.items('block').map((item) => [item.one('a').text, item.one('span').text, item.one('svg').attribute('width')]),
    blocks.items.map(({ height, transaction_count: count }: { height: number; transaction_count: number }) => [
      `${height}`,
      `${count} tx`,
      `${count * 10}`,
    ]),
  );
}

it('the first page shows what the API answers, standing, growing and after reorganisations', async () => {
  await checkHome();
  await stack().grow();
  await checkHome();
  await stack().reorganise(2, 3);
  await checkHome();
  const { items } = await server().json('/block?items=5');
  for (const block of items) await checkBlockPage(server(), block);
  const counts = items.map((block: { transaction_count: number }) => block.transaction_count);
  assert.ok(Math.max(...counts) > 25, 'a list of transactions has several pages');
});

it('the first page shows the fee rate and the pending transactions of the node, pending ones first', async () => {
  // Both have fee rates that are at most 30 seconds old, but the page may have been made before the newest ones came.
  const { main } = await eventually('a page with the newest fee rate', async () => {
    const page = await getPage(server(), '/');
    if (page.main.fact('Fee rate').atoms()[0] === BigInt(await server().json('/feerate'))) return page;
    await stack().grow();
    return undefined;
  });
  const mempool = await server().json('/mempool');
  assert.equal(main.one('.next').one('.number').text, `${mempool.transaction_count ?? mempool.count}`);
  const pending: { id: string }[] = await server().json('/mempool/transactions?items=100');
  const said = (await getPage(server(), '/mempool')).main.text.match(/Average block time: [\w ]+ \([\w ]+\)/)?.[0];
  if (pending.length > 0) assert.ok(said !== undefined && main.one('.state').text.includes(said), 'the same pace');
  const rows = main.table('newest-transactions');
  assert.equal(rows.length, 10);
  const shown = pending.slice(-5).reverse();
  assert.deepEqual(
    rows.slice(0, shown.length).map(([id]) => id!.text),
    shown.map(({ id }) => id),
  );
  for (const [i, [id, block]] of rows.entries()) {
    assert.equal(block!.text === 'pending', i < shown.length);
    const path = i < shown.length ? '/mempool/transaction' : '/transaction';
    assert.equal((await server().get(`${path}/${id!.text}`)).status, 200);
  }
});

it('the first page changes with the mempool, before a block comes', async () => {
  const pending = async () => Number((await getPage(server(), '/')).main.one('.next').one('.number').text);
  const before = await pending();
  const payment = paymentOf(stack().node);
  submit(stack().node, payment);
  await until(async () => (await pending()) === before + 1, 'one more is pending');
});

it('the first page without a node shows what the chain says, and that the rest is unknown', async () => {
  const alone = await startTestWebServer(scope, { network: stack().network, postgres: stack().postgres });
  const { main } = await getPage(alone, '/');
  assert.match(main.fact('Fee rate').text, /^unknown/);
  assert.equal(main.one('.next').text, 'Next blockunknown');
  assert.doesNotMatch(main.one('.state').text, /up to date/);
  assert.equal(main.all('.banner').length, 0);
});

it('the first page says that the node is away, or that the index is behind it', async () => {
  const auth = { type: 'none' } as const;
  const { network } = stack();
  const away = await startTestWebServer(scope, {
    network,
    postgres: stack().postgres,
    node: { address: '127.0.0.1:9', auth },
  });
  assert.match((await getPage(away, '/')).main.one('.banner').text, /^The node is not reachable/);
  const index = await TestIndex.create(scope, network);
  const node = { address: stack().nodeAddress, auth };
  const behind = await index.serve(scope, { node });
  const { height } = stack().node.tip();
  assert.match(
    (await getPage(behind, '/')).main.one('.banner').text,
    new RegExp(`^This index is ${height} blocks behind`),
  );
});

it('the first page while the index is being built says how far it is, and what the node has', async () => {
  const { network } = stack();
  const index = await TestIndex.create(scope, network);
  await index.query('update chain_tip set revision = revision + 1, is_ready = false');
  const node = { address: stack().nodeAddress, auth: { type: 'none' } } as const;
  const server = await index.serve(scope, { node });
  await until(async () => {
    const { main, headers } = await getPage(server, '/', 503);
    assert.equal(main.one('h1').text, 'The index is being built');
    assert.equal(main.fact('Blocks indexed').text, '0');
    assert.equal(headers.get('retry-after'), '5');
    return main.facts().get('Blocks of the node')?.text === `${stack().node.tip().height}`;
  }, 'the height of the node is shown');
});

it('the first page of a chain of 30 days has sparklines of its days and of the fees of its blocks', async (t) => {
  const world = await PendingWorld.start(t, { seed: 'sparklines', blocks: 60, isPresent: true });
  const { main } = await getPage(world.server, '/');
  const days = sparkline(main.fact('Transactions'));
  assert.match(days.title, /^Transactions in each of the last \d+ days: /);
  assert.ok(days.points >= 10, `${days.points} days`);
  assert.match(sparkline(main.fact('Fee rate')).title, /^Fees per kB of the newest \d+ blocks with transactions: /);
});

it('a pause of the chain is no part of the average block time', () => {
  const said = (...times: number[]) => {
    const blocks = times.map((timestamp) => ({ timestamp }) as ListedBlockRow);
    return paceText(blocks)?.text.replaceAll(/<[^>]*>/g, '');
  };
  assert.equal(said(90_240, 90_120, 90_000, 1_200, 1_080), 'Average block time: 2 minutes (last 5 blocks)');
  assert.equal(said(3_600, 1_200, 0), 'Average block time: 30 minutes (last 3 blocks)', 'a slow block is no pause');
  assert.equal(said(5, 5, 5), 'Average block time: 0 seconds (last 3 blocks)');
  assert.equal(said(5), undefined);
});
