/** The page of the mempool, and what needs a node, when there is nothing, and when there is no node. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FILL_BYTES, minimumFee } from '../../src/answers/fee-examples.ts';
import { parseDestination, parsePoolId } from '../../src/chain/address.ts';
import { keyOfOutpoint } from '../../src/ledger/state-rows.ts';
import { NOTHING_CONFIRMED } from '../../src/mempool/confirmed-index-interface.ts';
import { COIN, idOf, owner, transfer, unsigned } from '../support/fake-mempool.ts';
import { builtBefore, fileScope } from '../support/file-scope.ts';
import { HandmadePending } from '../support/handmade-pending.ts';
import { getPage } from '../support/html-page.ts';
import { PendingWorld } from '../support/pending-world.ts';
import type { TestServer } from '../support/web-server.ts';
import { checkFees, checkMempool } from './check-chain-pages.ts';

const scope = fileScope();
const world = builtBefore((scope) => PendingWorld.start(scope, { seed: 'mempool page', blocks: 60 }));
/** A web server without a node over the same index. */
const alone = builtBefore((scope) => world().index.serve(scope));

it('the page of the mempool says that nothing is pending', async () => {
  assert.equal(await checkMempool(world().server, 5), 0);
  const { main } = await getPage(world().server, '/mempool');
  assert.match(main.one('.empty').text, /There are no pending transactions: the mempool is empty/);
  assert.equal(main.all('svg').length, 0);
});

it('the page of the mempool shows what comes, highest fee rate first, on every page of the list', async () => {
  await world().node.grow();
  await world().indexIsSeen();
  await world().agrees();
  assert.ok(world().pendingIds.length > 3);
  assert.equal(await checkMempool(world().server, 2), world().pendingIds.length);
  assert.equal(await checkMempool(world().server, 100), world().pendingIds.length);
});

it('the page of the mempool goes on after a place whose transaction has left, and refuses any other cursor', async () => {
  const first = await getPage(world().server, '/mempool?items=2');
  const next = first.main.links().find((link) => link.includes('cursor='))!;
  world().node.emptyMempool();
  await world().agrees();
  const { main } = await getPage(world().server, next);
  assert.match(main.one('.empty').text, /There are no more transactions on this page/);
  assert.match((await getPage(world().server, '/mempool?cursor=x', 400)).main.text, /Invalid cursor/);
});

it('the page of fees shows what the API answers', async () => {
  await checkFees(world().server);
});

it('the calculator of a market tells the fee of a transaction that fills an order, if there is a node', async () => {
  const { items } = await alone().json('/market?items=100');
  const { pair, ask } = items.find(
    ({ bid, ask, frozen_since }: Record<string, unknown>) => (bid || ask) && !frozen_since,
  );
  const { fastest } = await world().server.json('/feerate/recommended');
  const fee = minimumFee(FILL_BYTES, BigInt(fastest));
  const [without, withNode] = await Promise.all(
    [alone(), world().server].map(async (server) =>
      (await getPage(server, `/market/${pair}?side=${ask ? 'buy' : 'sell'}&amount=1`)).main.one('#size'),
    ),
  );
  assert.match(withNode!.text, /Plus a fee of about [\d.]+ RML for each order filled\./);
  assert.ok(withNode!.atoms().includes(fee));
  assert.doesNotMatch(without!.text, /fee/);
});

it('without a node the mempool and fees say that only a node knows them', async () => {
  for (const [path, words] of [
    ['/mempool', /started without a node, which knows the pending transactions/],
    ['/fees', /started without a node, which alone knows fee rates/],
  ] as const) {
    assert.match((await getPage(alone(), path, 503)).main.text, words);
  }
});

it('without a node an address is shown, without a word on what is pending, and is cached until the next block', async () => {
  const { items } = await alone().json('/statistics/coin/holders?items=1');
  const { main, headers } = await getPage(alone(), `/address/${items[0].address}`);
  assert.doesNotMatch(main.text, /pending/i);
  assert.ok(headers.get('etag'));
  const withNode = await getPage(world().server, `/address/${items[0].address}`);
  assert.equal(withNode.headers.get('etag'), null);
  assert.deepEqual(withNode.main.fact('Coins').atoms(), main.fact('Coins').atoms());
});

/** A web server beside a mempool that has nothing; `revision` says which tip it knows. */
function startBeside(revision: () => number, staleSince: number | null): Promise<TestServer> {
  const pending = new HandmadePending([]);
  pending.pool.apply({ type: 'State', state: { isComplete: true, staleSince } });
  Object.defineProperty(pending, 'revision', { get: revision });
  return world().index.serve(scope, { pending });
}
const richest = async (server: TestServer): Promise<string> =>
  (await server.json('/statistics/coin/holders?items=1')).items[0].address;

it('an address is shown while the node is away, which is said, and is not cached until the next block', async () => {
  const server = await startBeside(() => Number.MAX_SAFE_INTEGER, Number.NEGATIVE_INFINITY);
  const { main, headers } = await getPage(server, `/address/${await richest(server)}`);
  assert.equal(main.fact('Pending').text, 'unknown');
  assert.equal(headers.get('etag'), null);
});

it('an address is read again where the mempool knows a later block than what was read', async () => {
  const { rows } = await world().index.query('select revision from chain_tip');
  const tip = Number(rows[0].revision);
  let asked = 0;
  const server = await startBeside(() => (asked++ < 6 ? tip + 1 : tip), null);
  const { main } = await getPage(server, `/address/${await richest(server)}`);
  assert.ok(asked > 6, 'it was read until both were of one block');
  assert.ok(!/unknown at the moment/.test(main.text));
});

it('a pool that a pending transaction decommissions says so, until the transaction has left', async () => {
  const [pool] = await alone().json('/pool?items=1');
  const id = parsePoolId(world().network, pool.pool_id);
  const decommissionDestination = parseDestination(world().network, pool.decommission_destination);
  const outpoint = { sourceType: 'BlockReward', sourceId: 'ab'.repeat(32), index: 0 } as const;
  const end = unsigned([{ type: 'Utxo', outpoint }], [transfer(COIN)]);
  const pending = new HandmadePending([end], {
    ...NOTHING_CONFIRMED,
    outputs: new Map([[keyOfOutpoint(outpoint), { type: 'ProduceBlockFromStake', destination: owner(1), poolId: id }]]),
    pools: new Map([[id, { stakerBalance: 9n * COIN, decommissionDestination }]]),
  });
  const { rows } = await world().index.query('select revision from chain_tip');
  pending.revision = Number(rows[0].revision);
  const server = await world().index.serve(scope, { pending });
  const read = async () => (await getPage(server, `/pool/${pool.pool_id}`)).main;
  const main = await read();
  assert.match(main.one('h1').text, / decommissioning pending$/);
  assert.deepEqual(main.one('.banner').links(), [`/tx/${idOf(end)}`]);
  pending.pool.apply(pending.pool.dropped(idOf(end), 0));
  assert.doesNotMatch((await read()).text, /decommission[^ ]* (pending|this pool)/);
});
