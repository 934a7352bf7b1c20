/** What the mirror of a mempool makes of what the node and the index say, whatever the order in which they say it. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import type { SignedTransaction, TxOutput } from '../../src/chain/types.ts';
import { MempoolFetcher } from '../../src/mempool/mempool-fetcher.ts';
import { mempoolTotals } from '../../src/mempool/mempool-totals.ts';
import type { MirrorOptions } from '../../src/mempool/mirror.ts';
import type { MirroredNode } from '../../src/mempool/mirrored-node-interface.ts';
import { silentLogger } from '../../src/node/logger-interface.ts';
import {
  COIN,
  Halt,
  idOf,
  LESS_THAN_LISTING_MS,
  MirrorWorld,
  spending,
  transfer,
  unsigned,
} from '../support/fake-mempool.ts';
import { until } from '../support/until.ts';

const A = 'aa'.repeat(32);
const B = 'bb'.repeat(32);
const a = spending([[A, 0]]);
const b = spending([[B, 0]]);
/** Spends the output of the first. */
const child = spending([[idOf(a), 0]], [transfer(8n * COIN)]);
const both = ({ index }: MirrorWorld) => void index.has(A).has(B);

/** A mirror that shows these transactions as pending. */
async function worldOf(t: TestContext, options: Partial<MirrorOptions>, ...pending: SignedTransaction[]) {
  const world = await MirrorWorld.start(t, options, both);
  await world.accepts(...pending);
  return world;
}

it('the mirror of a mempool has at its start what the node lists, in its order, resolved, and tells nobody', async (t) => {
  const world = await MirrorWorld.start(t, {}, (it) => {
    both(it);
    it.node.put(b, a, child);
  });
  await world.shows(b, a, child);
  const fees = [...world.mirror.pool.transactions()].map(({ fee }) => fee);
  assert.deepEqual(fees, [COIN, COIN, COIN]);
  assert.deepEqual(world.news, []);
  assert.ok(world.mirror.pool.isComplete);
});

it('the mirror of a mempool takes in what events tell, once, however often the node repeats them', async (t) => {
  const world = await MirrorWorld.start(t, { listEveryMs: 50 }, both);
  world.node.put(a);
  world.node.tell(a, 'local');
  await world.shows(a);
  for (const origin of ['local', 'remote', 'local'] as const) world.node.tell(a, origin);
  world.node.accept(b);
  await world.shows(a, b);
  await world.listed();
  assert.deepEqual(world.news, [`seen local ${idOf(a)}`, `seen remote ${idOf(b)}`]);
});

it('the mirror of a mempool takes in what was submitted without asking the node, once, though a list was on its way', async (t) => {
  const world = await MirrorWorld.start(t, { listEveryMs: 10 }, both);
  const halt = new Halt();
  world.node.beforeList = () => halt.wait();
  await halt.reached();
  world.node.put(a);
  await world.mirror.submitted(encodeSignedTransaction(a), idOf(a));
  assert.equal(world.state(idOf(a)), 'Pending');
  world.node.tell(a, 'local');
  halt.end();
  await world.listed();
  await world.shows(a);
  assert.deepEqual([world.news, world.node.asked], [[`seen local ${idOf(a)}`], []]);
  await world.mirror.submitted(Buffer.from('00', 'hex'), idOf(b));
  assert.deepEqual(world.ids, [idOf(a)]);
});

it('the mirror of a mempool takes no notice of refusals, of orphans, and of what is gone when it is asked for', async (t) => {
  const world = await MirrorWorld.start(t, {}, both);
  world.node.tell(a, 'local', false);
  world.node.orphans.set(idOf(b), b);
  world.node.tell(b);
  world.node.tell(child);
  await until(() => world.node.asked.length === 2, 'two are asked for');
  assert.deepEqual(world.node.asked, [idOf(b), idOf(child)]);
  assert.equal(await world.mirror.find(idOf(b)), undefined);
  assert.deepEqual([world.ids, world.news], [[], []]);
});

it('the mirror of a mempool finds a transaction that was just accepted, before its event was worked off', async (t) => {
  const world = await MirrorWorld.start(t, {}, both);
  world.node.put(a);
  world.node.tell(a, 'local');
  const found = await world.mirror.find(idOf(a));
  assert.equal(found?.state, 'Pending');
  await world.shows(a);
  assert.deepEqual(world.news, [`seen local ${idOf(a)}`]);
});

it('the mirror of a mempool tells once of a transaction that only a list shows, as one of another node', async (t) => {
  const world = await MirrorWorld.start(t, { listEveryMs: 20 }, both);
  world.node.put(a);
  await world.shows(a);
  await world.listed();
  assert.deepEqual(world.news, [`seen remote ${idOf(a)}`]);
});

it('the mirror of a mempool asks for what is announced again while a list without it is on its way', async (t) => {
  const world = await MirrorWorld.start(t, { listEveryMs: 60_000 }, both);
  const halt = new Halt();
  world.node.beforeList = () => halt.wait();
  world.node.tell(a);
  // With so many, the whole list is asked for.
  for (let n = 0; n < 250; n++) world.node.tell(spending([[n.toString(16).padStart(64, '0'), 0]]));
  await halt.reached();
  world.node.put(a);
  world.node.tell(a);
  halt.end();
  await world.shows(a);
});

it('the mirror of a mempool takes over the order of the node', async (t) => {
  const world = await MirrorWorld.start(t, { listEveryMs: 20 }, (it) => {
    both(it);
    it.node.put(a);
  });
  world.node.putBack(b);
  await world.shows(b, a);
});

it('the mirror of a mempool knows more of a transaction when the index, which was behind the node, has come to what it spends', async (t) => {
  const world = await MirrorWorld.start(t);
  await world.accepts(a);
  assert.equal(world.state(idOf(a)), 'Pending');
  assert.deepEqual([world.ids, world.news, world.mirror.pool.isComplete], [[], [], false]);
  world.index.has(A);
  world.indexMoves(10, [11]);
  await until(() => world.mirror.pool.get(idOf(a))?.fee === COIN, 'the fee is known');
  assert.deepEqual(world.news, [`seen remote ${idOf(a)}`]);
});

it('the mirror of a mempool knows more of a transaction, though the index came to what it spends while it was asked about it', async (t) => {
  const world = await MirrorWorld.start(t);
  const halt = new Halt();
  world.index.beforeAnswer = () => halt.wait();
  world.node.accept(a);
  await halt.reached();
  world.index.has(A);
  world.indexMoves(10, [11]);
  halt.end();
  await until(() => world.mirror.pool.get(idOf(a))?.fee === COIN, 'the fee is known', {
    withinMs: LESS_THAN_LISTING_MS,
  });
});

it('the mirror of a mempool knows more of a transaction when the one that it spends comes later', async (t) => {
  const world = await worldOf(t, {}, child);
  assert.equal(world.mirror.pool.get(idOf(child))?.fee, null);
  world.node.accept(a);
  await until(() => world.mirror.pool.get(idOf(child))?.fee === COIN, 'the fee is known');
});

it('the mirror of a mempool knows what the conclusion of an order pays when the fill comes that the node has before it', async (t) => {
  const orderId = 'cc'.repeat(32);
  const world = await MirrorWorld.start(t, { listEveryMs: 20 }, ({ index }) => {
    const terms = { initiallyAsked: 100n, askBalance: 100n, initiallyGiven: 100n, giveBalance: 100n };
    index.orders.set(orderId, { ...terms, askCurrency: '', giveCurrency: A });
    index.has(B, 0, transfer(70n));
  });
  const command = (type: 'FillOrder' | 'ConcludeOrder') =>
    ({ type: 'OrderAccountCommand', command: { type, orderId, fillAmount: 60n } }) as const;
  const conclusion = unsigned([command('ConcludeOrder')], [transfer(50n)]);
  const [spend] = spending([[B, 0]]).transaction.inputs;
  const fill = unsigned([command('FillOrder'), spend!], [transfer(3n)]);
  await world.accepts(conclusion);
  assert.equal(world.mirror.pool.get(idOf(conclusion))?.fee, null, 'nobody has paid into the order');
  world.node.putBack(fill);
  await world.shows(fill, conclusion);
  await until(() => world.mirror.pool.get(idOf(conclusion))?.fee === 10n, 'the fee is known', {
    withinMs: LESS_THAN_LISTING_MS,
  });
  assert.equal(world.mirror.pool.get(idOf(fill))?.fee, 7n);
});

it('the mirror of a mempool goes on without the database, and catches up when it is back', async (t) => {
  const world = await MirrorWorld.start(t, {}, both);
  world.index.isAway = true;
  await world.accepts(a);
  world.index.isAway = false;
  world.indexMoves(10, [11]);
  await until(() => world.mirror.pool.get(idOf(a))?.fee === COIN, 'the fee is known');
  assert.equal(world.logs.filter((line) => /cannot be read/.test(line)).length, 1);
});

it('a transaction that a block has is not pending from the moment on that the index has it, though the node still lists it', async (t) => {
  const world = await worldOf(t, { listEveryMs: 10 }, a, b);
  world.indexMoves(10, [11, a]);
  assert.deepEqual([world.ids, world.state(idOf(a))], [[idOf(b)], 'Confirmed']);
  await world.listed();
  await world.listed();
  await world.shows(b);
  world.node.setTip(11, 11, a);
  await world.listed();
  await world.shows(b);
  assert.deepEqual(world.news, [`seen remote ${idOf(a)}`, `seen remote ${idOf(b)}`]);
});

it('a transaction that a block has is pending until the index has it, though the node lists it no longer', async (t) => {
  const world = await worldOf(t, { listEveryMs: 10 }, a);
  world.node.setTip(11, 11, a);
  await world.listed();
  await world.listed();
  assert.equal(world.state(idOf(a)), 'Pending');
  world.indexMoves(10, [11, a]);
  assert.equal(world.state(idOf(a)), 'Confirmed');
  assert.deepEqual(world.news, [`seen remote ${idOf(a)}`]);
});

it('a transaction that a block has is not pending either where the index has it, but has not told of its block yet', async (t) => {
  const world = await MirrorWorld.start(t, { listEveryMs: 50 }, both);
  const move = world.index.move(10, [11, a]);
  world.node.accept(a, b);
  await world.shows(b);
  world.mirror.indexMoved(move);
  await world.listed();
  assert.deepEqual(world.news, [`seen remote ${idOf(b)}`]);
});

it('a transaction that a block has is asked for in vain when its block came before the answer, and was never pending', async (t) => {
  const world = await MirrorWorld.start(t, {}, both);
  world.node.tell(a);
  world.indexMoves(10, [11, a]);
  await until(() => world.node.asked.length === 1, 'it is asked for');
  await sleep(10);
  assert.deepEqual([world.ids, world.news], [[], []]);
});

it('a transaction that a block has is not taken for pending when the block comes while the index is asked about it', async (t) => {
  const world = await MirrorWorld.start(t, {}, both);
  const halt = new Halt();
  world.index.beforeAnswer = () => halt.wait();
  world.node.accept(a);
  await halt.reached();
  world.indexMoves(10, [11, a]);
  halt.end();
  await sleep(20);
  assert.deepEqual([world.ids, world.news], [[], []]);
});

it('a transaction that a block has is not spoken of when it was never pending', async (t) => {
  const world = await MirrorWorld.start(t, {}, both);
  const before = world.changes.length;
  world.indexMoves(10, [11, a, b]);
  assert.equal(world.changes.length, before);
});

it('a transaction that a block has is told from one that is gone even when the mirror was not told of its block', async (t) => {
  const world = await worldOf(t, { listEveryMs: 10 }, a, b);
  // A jump of many blocks, of which only the newest are told.
  const { tip } = world.index.move(10, [11, a], [12], [13]);
  world.node.setTip(13, 13, a, b);
  world.mirror.indexMoved({ tip, commonHeight: 10, blocks: [{ ...tip, transactionIds: [] }] });
  await until(() => world.state(idOf(b)) === 'Dropped', 'the one that is in no block is dropped');
  assert.equal(world.state(idOf(a)), 'Confirmed');
  assert.deepEqual(world.news.slice(2), [`dropped ${idOf(b)}`]);
});

it('after a reorganisation, what comes back is pending at once, and was never away', async (t) => {
  const world = await worldOf(t, {}, a, b);
  world.mines(11, a);
  world.node.putBack(a);
  world.node.setTip('11b', 11);
  await world.listed();
  assert.equal(world.state(idOf(a)), 'Confirmed', 'the index has its block still');
  world.indexMoves(10, ['11b']);
  assert.equal(world.state(idOf(a)), 'Pending');
  await world.shows(a, b);
  await sleep(20);
  assert.deepEqual(world.news.slice(2), [`seen local ${idOf(a)}`]);
});

it('after a reorganisation, more is learned of what comes back, when it was confirmed before all was known of it', async (t) => {
  const world = await MirrorWorld.start(t);
  await world.accepts(a);
  world.indexMoves(10, [11, a]);
  world.index.has(A);
  world.indexMoves(10, ['11b']);
  await until(() => world.mirror.pool.get(idOf(a))?.fee === COIN, 'the fee is known', {
    withinMs: LESS_THAN_LISTING_MS,
  });
});

it('after a reorganisation, what does not come back is dropped', async (t) => {
  const world = await worldOf(t, {}, a);
  world.mines(11, a);
  world.node.setTip('11b', 11);
  world.indexMoves(10, ['11b']);
  await until(() => world.state(idOf(a)) === 'Dropped', 'it is dropped');
  assert.deepEqual(world.news.slice(1), [`seen local ${idOf(a)}`, `dropped ${idOf(a)}`]);
});

it('after a reorganisation, what comes again while the node is about to say that it does not have it stays pending', async (t) => {
  // No list corrects what the questions by id bring about.
  const world = await MirrorWorld.start(t, {}, (it) => {
    both(it);
    it.node.isListTooLong = true;
  });
  await world.accepts(a);
  world.mines(11, a);
  world.node.setTip('11b', 11);
  const halt = new Halt();
  world.node.beforeTransaction = () => halt.wait();
  world.indexMoves(10, ['11b']);
  await halt.reached();
  world.node.accept(a);
  halt.end();
  await sleep(30);
  assert.equal(world.state(idOf(a)), 'Pending');
  assert.deepEqual(world.news.slice(1), [`seen local ${idOf(a)}`]);
});

it('after a reorganisation, what the mirror had never seen pending comes back, or is dropped, as the node says', async (t) => {
  const world = await MirrorWorld.start(t, {}, both);
  world.node.setTip(11, 11);
  world.indexMoves(10, [11, a, b]);
  world.node.put(a);
  world.node.setTip('11b', 11);
  world.indexMoves(10, ['11b']);
  await world.shows(a);
  await until(() => world.state(idOf(b)) === 'Dropped', 'the other one is dropped');
  assert.deepEqual([...world.news].sort(), [`dropped ${idOf(b)}`, `seen local ${idOf(a)}`]);
});

it('after a reorganisation, what the new branch has as well stays confirmed', async (t) => {
  const world = await worldOf(t, {}, a);
  world.mines(11, a);
  world.node.setTip('12b', 12);
  world.indexMoves(10, ['11b'], ['12b', a]);
  await sleep(20);
  assert.equal(world.state(idOf(a)), 'Confirmed');
  assert.equal(world.news.length, 1);
});

it('after a reorganisation, an answer of the index from before it does not make a transaction confirmed that is in no block now', async (t) => {
  const world = await MirrorWorld.start(t, {}, both);
  world.index.move(10, [11, a]);
  const halt = new Halt();
  world.index.beforeAnswer = () => halt.wait();
  world.node.accept(a);
  await halt.reached();
  world.indexMoves(10, ['11b']);
  halt.end();
  await world.shows(a);
});

it('after a reorganisation, the tip may go down by one and up again: what its block holds is confirmed all the time', async (t) => {
  const world = await worldOf(t, {}, a);
  world.mines(11, a);
  world.node.putBack(a);
  world.node.setTip(10, 10);
  await world.listed();
  assert.equal(world.state(idOf(a)), 'Confirmed', 'the index waits for a node that is behind');
  world.node.setTip(11, 11, a);
  await world.listed();
  assert.equal(world.state(idOf(a)), 'Confirmed');
  assert.equal(world.news.length, 1);
});

it('after a reorganisation, the tip may go down by one, and the index with it: what its block held is pending again', async (t) => {
  const world = await worldOf(t, {}, a);
  world.mines(11, a);
  world.node.putBack(a);
  world.node.setTip(10, 10);
  world.indexMoves(10);
  assert.equal(world.state(idOf(a)), 'Pending');
  world.mines(11, a);
  await world.listed();
  assert.equal(world.state(idOf(a)), 'Confirmed');
  assert.deepEqual(world.news.slice(1), [`seen local ${idOf(a)}`]);
});

it('what leaves without an event is dropped with the next list, its descendants with it, and remembered for an hour', async (t) => {
  let ahead = 0;
  const now = () => performance.now() + ahead;
  const world = await worldOf(t, { now, listEveryMs: 20 }, a, child, b);
  world.node.evict(a, child);
  await world.shows(b);
  assert.deepEqual(world.news.slice(3), [`dropped ${idOf(a)}`, `dropped ${idOf(child)}`]);
  ahead = 59 * 60_000;
  assert.equal(world.state(idOf(a)), 'Dropped');
  ahead = 61 * 60_000;
  assert.equal(world.state(idOf(a)), undefined);
});

it('a transaction that comes again after it was dropped is pending anew', async (t) => {
  const world = await worldOf(t, { listEveryMs: 20 }, a);
  world.node.evict(a);
  await world.shows();
  await world.accepts(a);
  assert.deepEqual(world.news, [`seen remote ${idOf(a)}`, `dropped ${idOf(a)}`, `seen remote ${idOf(a)}`]);
});

it('what leaves without an event is not dropped while the index has not come to the node’s tip: a block may have it', async (t) => {
  const world = await worldOf(t, { listEveryMs: 10 }, a);
  world.node.evict(a);
  world.node.setTip(12, 12);
  await world.listed();
  await world.listed();
  world.indexMoves(10, [11]);
  await world.listed();
  assert.equal(world.state(idOf(a)), 'Pending');
  world.indexMoves(11, [12]);
  await until(() => world.state(idOf(a)) === 'Dropped', 'it is dropped');
});

it('what leaves without an event is not dropped by an index that is higher than the node, or passes it, on another branch', async (t) => {
  const world = await MirrorWorld.start(t, { listEveryMs: 10 }, both);
  world.indexMoves(10, ['11 of one branch'], ['12 of one branch']);
  await world.accepts(a);
  // A heavier branch that is shorter, with the transaction in its block.
  world.node.setTip('11 of another', 11, a);
  await world.listed();
  await world.listed();
  assert.equal(world.state(idOf(a)), 'Pending');
  // It was left again before the index had seen it: there it waits for a block.
  const halt = new Halt();
  world.node.beforeList = () => halt.wait();
  world.node.setTip('12 of the third', 12);
  world.node.put(a);
  await halt.reached();
  world.indexMoves(10, ['11 of the third'], ['12 of the third']);
  await sleep(30);
  assert.equal(world.state(idOf(a)), 'Pending');
  halt.end();
  await world.listed();
  assert.deepEqual(world.news, [`seen remote ${idOf(a)}`]);
});

it('what leaves without an event is not dropped while the database cannot be read', async (t) => {
  const world = await worldOf(t, { listEveryMs: 10 }, a);
  world.index.isAway = true;
  world.node.evict(a);
  await world.listed();
  assert.equal(world.state(idOf(a)), 'Pending');
  world.index.isAway = false;
  await until(() => world.state(idOf(a)) === 'Dropped', 'it is dropped');
});

it('a transaction that came, or came again, while the list was on its way is not dropped', async (t) => {
  const world = await worldOf(t, { listEveryMs: 10 }, a);
  const halt = new Halt();
  world.node.beforeList = () => halt.wait();
  world.node.evict(a);
  await halt.reached();
  world.node.accept(a, b);
  world.node.beforeList = () => {};
  halt.end();
  await world.shows(a, b);
  await world.listed();
  assert.deepEqual(world.news, [`seen remote ${idOf(a)}`, `seen remote ${idOf(b)}`]);
});

it('every pending transaction is dropped when the node was restarted, which keeps no mempool', async (t) => {
  const world = await worldOf(t, {}, a, b);
  world.node.goAway();
  world.node.empty();
  await sleep(10);
  assert.deepEqual(world.ids, [a, b].map(idOf), 'nobody knows yet');
  world.node.comeBack();
  await world.shows();
  assert.deepEqual(world.news.slice(2), [`dropped ${idOf(a)}`, `dropped ${idOf(b)}`]);
});

it('while the node is away, the mirror counts for 30 seconds', async (t) => {
  let ahead = 0;
  const world = await worldOf(t, { now: () => performance.now() + ahead }, a);
  world.node.goAway();
  ahead = 29_000;
  assert.ok(world.isFollowing);
  ahead = 31_000;
  assert.ok(!world.isFollowing);
  ahead = 0;
  await sleep(20);
  assert.deepEqual(world.ids, [idOf(a)]);
  const failures = world.logs.filter((line) => /mempool of the node cannot be read/.test(line)).length;
  assert.equal(failures, 0, 'it was not asked yet');
  world.node.comeBack();
  ahead = 3_600_000;
  await until(() => world.isFollowing, 'the mirror follows again');
});

it('while the node is on another branch, the mirror counts for 10 seconds, which a pause without the node does not use up', async (t) => {
  let now = 1_000_000;
  const world = await MirrorWorld.start(t, { now: () => now, listEveryMs: 10 }, both);
  const lists = async () => {
    now += 4_000;
    await world.listed();
  };
  world.node.hasOurTip = false;
  await lists();
  world.node.goAway();
  now += 4_000;
  await until(() => world.logs.some((line) => /cannot be read/.test(line)), 'a list has failed');
  world.node.comeBack();
  await lists();
  await lists();
  assert.ok(world.isFollowing);
  const laterIs = (isFollowing: boolean) => () => {
    now += 1_000;
    return world.isFollowing === isFollowing;
  };
  await until(laterIs(false), 'the mirror does not count any more');
  world.node.hasOurTip = true;
  await until(laterIs(true), 'the mirror follows again');
});

it('while the node is away, nobody says of an unknown transaction that it is not pending', async (t) => {
  let now = 1_000_000;
  const world = await MirrorWorld.start(t, { now: () => now }, ({ node }) => {
    node.isAway = true;
  });
  assert.deepEqual(await world.mirror.find(A), { state: 'Unavailable' });
  await until(
    () => world.logs.some((line) => /mempool of the node cannot be read/.test(line)),
    'the first list has failed',
  );
  world.node.comeBack();
  await until(() => world.isFollowing, 'the first list');
  world.node.goAway();
  now += 31_000;
  assert.deepEqual(await world.mirror.find(A), { state: 'Unavailable' });
});

it('while the node is away, what came while the event socket was away is found, and told as of other nodes', async (t) => {
  const world = await worldOf(t, {}, a);
  world.node.goAway();
  world.node.evict(a);
  world.node.put(b);
  world.node.comeBack();
  await world.shows(b);
  assert.deepEqual([...world.news.slice(1)].sort(), [`dropped ${idOf(a)}`, `seen remote ${idOf(b)}`]);
});

it('while the node is away, the mempool is listed every second where only the events are away', async (t) => {
  const world = await MirrorWorld.start(t, {}, both);
  world.node.goAway(false);
  world.node.put(a);
  await world.shows(a);
  assert.ok(world.isFollowing);
});

it('a mempool that is too large to be listed is followed by its events, said once in the log, until it is small enough again', async (t) => {
  const world = await MirrorWorld.start(t, { longListPauseMs: 20 }, (it) => {
    both(it);
    it.node.isListTooLong = true;
    it.node.put(b);
  });
  const { pool } = world.mirror;
  assert.ok(!pool.isComplete);
  await world.accepts(a);
  await world.listed();
  assert.ok(world.isFollowing);
  assert.equal(world.logs.filter((line) => /larger than the node tells/.test(line)).length, 1);
  assert.equal((await world.mirror.find(idOf(b)))?.state, 'Pending', 'one that is not known is asked for');
  world.node.evict(a);
  await until(() => world.state(idOf(a)) === 'Dropped', 'what is gone is found out by its id');
  world.node.isListTooLong = false;
  await until(() => pool.isComplete, 'the list is whole again');
  await world.shows(b);
});

const manyOutputs = ({ index }: MirrorWorld) => {
  for (let i = 0; i < 20; i++) index.has(A, i);
};

it('a mempool that is too large to be kept is known by its newest transactions; the others are looked up', async (t) => {
  const many = Array.from({ length: 5 }, (_, i) => spending([[A, i]]));
  const world = await MirrorWorld.start(t, { maxTransactions: 3, listEveryMs: 10 }, ({ index }) => {
    for (let i = 0; i < 5; i++) index.has(A, i);
  });
  const { pool } = world.mirror;
  world.node.accept(...many);
  await world.shows(...many.slice(2));
  await until(() => !pool.isComplete, 'it is said that some are missing');
  await world.listed();
  assert.equal(world.news.length, 5, 'each was told once');
  const found = await world.mirror.find(idOf(many[0]!));
  assert.ok(found?.state === 'Pending' && found.transaction.fee === COIN);
  assert.equal(pool.size, 3);
  world.node.evict(...many.slice(0, 2));
  await until(() => pool.isComplete, 'all that are pending are here');
});

it('a mempool that is too large to be kept is incomplete from the moment when one is removed until no block can have it', async (t) => {
  const many = Array.from({ length: 4 }, (_, i) => spending([[A, i]]));
  const world = await MirrorWorld.start(t, { maxTransactions: 3, listEveryMs: 10 }, manyOutputs);
  const { pool } = world.mirror;
  const wasComplete: boolean[] = [];
  world.mirror.listen(({ type }) => {
    if (type === 'Forgotten') setImmediate(() => wasComplete.push(pool.isComplete));
  });
  for (const each of many) await world.mirror.submitted(encodeSignedTransaction(each), idOf(each));
  world.node.put(...many);
  await until(() => wasComplete.length > 0, 'the removal');
  assert.deepEqual(wasComplete, [false]);
  // The node has a block with it, the index does not yet.
  world.node.setTip(11, 11, many[0]!);
  await world.listed();
  await world.listed();
  assert.equal(pool.isComplete, false);
  world.indexMoves(10, [11, many[0]!]);
  await until(() => pool.isComplete, 'all that are pending are here');
  assert.ok(!world.news.includes(`dropped ${idOf(many[0]!)}`));
});

it('a mempool that is too large is kept within its bytes', async (t) => {
  const many = Array.from({ length: 20 }, (_, i) => spending([[A, i]]));
  const world = await MirrorWorld.start(t, { maxBytes: 500 }, manyOutputs);
  world.node.accept(...many);
  await until(() => world.ids.at(-1) === idOf(many.at(-1)!), 'the newest is there');
  assert.ok(world.mirror.pool.countedBytes <= 500 && world.mirror.pool.size >= 4);
});

it('a mempool of tiny outputs is kept within its bytes as if they were of the usual size, and its figures have the encoded ones', async (t) => {
  const outputs = Array.from({ length: 100 }, (): TxOutput => ({ type: 'Burn', value: { type: 'Coin', amount: 1n } }));
  const many = Array.from({ length: 5 }, (_, i) => spending([[A, i]], outputs));
  const world = await MirrorWorld.start(t, { maxBytes: 5_000 }, manyOutputs);
  world.node.accept(...many);
  await until(() => world.ids.at(-1) === idOf(many.at(-1)!), 'the newest is there');
  assert.equal(world.mirror.pool.size, 3);
  assert.equal(mempoolTotals(world.mirror.pool).bytes, 3 * encodeSignedTransaction(many[0]!).length);
});

it('questions about transactions that nobody knows reach the node once a second for the same one', async (t) => {
  let now = 1_000_000;
  const { node, mirror } = await MirrorWorld.start(t, { now: () => now });
  await Promise.all(Array.from({ length: 50 }, (_, i) => mirror.find(A, `client ${i}`)));
  assert.equal(await mirror.find(A), undefined);
  assert.equal(node.asked.length, 1);
  now += 999;
  await mirror.find(A);
  assert.equal(node.asked.length, 1);
  now += 1;
  await mirror.find(A);
  assert.equal(node.asked.length, 2);
});

it('questions about transactions that nobody knows reach the node from all clients, five a second of each; whose is not asked is not told that there is none', async (t) => {
  let now = 1_000_000;
  const { node, mirror } = await MirrorWorld.start(t, { now: () => now });
  const ask = (client: string, count: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => mirror.find(idOf(spending([[A, i]], [])), client)));
  const one = await ask('one', 100);
  assert.deepEqual([one[4], one[5]], [undefined, { state: 'Unavailable' }]);
  assert.equal(node.asked.length, 5);
  node.put(b);
  assert.equal((await mirror.find(idOf(b), 'another'))?.state, 'Pending');
  for (let i = 0; i < 10; i++) await mirror.find(i.toString(16).padStart(64, '0'), `client ${i}`);
  for (let i = 10; i < 20; i++) await mirror.find(i.toString(16).padStart(64, '0'), `client ${i}`);
  assert.equal(node.asked.length, 20, 'of all clients');
  now += 1_000;
  assert.equal(await mirror.find(A, 'one'), undefined);
});

it('questions about transactions that nobody knows are not answered by no when the node fails', async (t) => {
  const { node, mirror } = await MirrorWorld.start(t);
  node.transaction = () => Promise.reject(new Error('too slow'));
  assert.deepEqual(await mirror.find(A), { state: 'Unavailable' });
});

it('questions about transactions that nobody knows wait for the answer that is on its way to somebody else', async (t) => {
  const world = await MirrorWorld.start(t, {}, both);
  const halt = new Halt();
  world.node.beforeTransaction = () => halt.wait();
  world.node.put(a);
  const found = Promise.all([world.mirror.find(idOf(a)), world.mirror.find(idOf(a))]);
  await halt.reached();
  halt.end();
  const states = (await found).map((each) => each?.state);
  assert.deepEqual(states, ['Pending', 'Pending']);
  assert.equal(world.node.asked.length, 1);
});

it('a node that talks nonsense does no harm: the transactions in its list are taken, the rest is said once in the log', async (t) => {
  const world = await MirrorWorld.start(t, { listEveryMs: 10 }, both);
  const bytes = encodeSignedTransaction(a);
  world.node.nonsense = [Buffer.from('00', 'hex'), bytes, bytes, Buffer.concat([bytes, bytes]), Buffer.alloc(0)];
  await world.shows(a);
  await world.listed();
  assert.equal(world.logs.filter((line) => /no transaction/.test(line)).length, 1);
});

it('a node that talks nonsense is not believed when it gives another transaction than it was asked for', async (t) => {
  const world = await MirrorWorld.start(t, {}, both);
  const { transaction } = world.node;
  world.node.transaction = async (id) => {
    await transaction.call(world.node, id);
    return { bytes: encodeSignedTransaction(b), pool: 'mempool' };
  };
  assert.equal(await world.mirror.find(idOf(a)), undefined);
  assert.deepEqual(world.ids, []);
});

it('the clock of the mirror is not the time of day, which somebody may set back', async (t) => {
  const world = await worldOf(t, { listEveryMs: 20 }, a, b);
  const hour = 3_600_000;
  const { now } = Date;
  t.mock.method(Date, 'now', () => now() - hour);
  world.node.evict(a);
  await world.shows(b);
  const found = world.mirror.pool.find(idOf(a));
  assert.ok(
    found?.state === 'Dropped' && Math.abs(found.at - (now() - hour)) < 60_000,
    'what is shown is the time of day',
  );
  assert.equal(await world.mirror.find(A), undefined);
});

it('the clock of the mirror never waits longer than a timer can', async (t) => {
  let asked = 0;
  const now = () => {
    asked++;
    return performance.now();
  };
  const world = await MirrorWorld.start(t, { now, listEveryMs: 2 ** 40 }, both);
  await world.shows();
  await sleep(20);
  const before = asked;
  await sleep(200);
  assert.ok(asked - before < 20, `${asked - before} looks at the clock within 200 ms`);
});

it('a node with something pending that is no transaction, and with a wrong transaction, is logged once for each', () => {
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (_: object, message: string) => void warnings.push(message) };
  const mempool = new MempoolFetcher({} as MirroredNode, logger, new AbortController().signal);
  for (let i = 0; i < 2; i++) {
    assert.equal(mempool.decode(Buffer.from('no transaction')), undefined);
    assert.equal(mempool.decode(encodeSignedTransaction(a), idOf(b)), undefined);
  }
  assert.deepEqual(warnings, [
    'the node has something pending that is no transaction',
    'the node gave another transaction than it was asked for',
  ]);
});
