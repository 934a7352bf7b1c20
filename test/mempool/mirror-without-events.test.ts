/** The node answers, but its events are away for long: the mempool is listed instead, and nothing is missed in the end. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { SignedTransaction } from '../../src/chain/types.ts';
import { idOf, MirrorWorld, spending } from '../support/fake-mempool.ts';

const source = (n: number) => n.toString(16).padStart(64, '0');
const payments = (count: number) => Array.from({ length: count }, (_, i) => spending([[source(i + 1), 0]]));

/** Whatever is to be done without the clock is done. */
async function turns(): Promise<void> {
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
}

it('while the event socket is away for a minute, each second shows what the node has, says that it is not followed, and no stay is missed or told twice', async (t) => {
  let now = 1_000_000;
  const all = payments(62);
  const world = await MirrorWorld.start(t, { now: () => now }, ({ index }) => {
    for (let i = 1; i <= all.length; i++) index.has(source(i));
    index.has(source(1_000));
  });
  const { node, mirror } = world;
  const { pool } = mirror;
  const states = () => world.changes.flatMap((change) => (change.type === 'State' ? [change.state] : []));
  await world.accepts(all[0]!);
  assert.equal(states().at(-1)!.staleSince, null);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { lists } = node;
  const before = states().length;
  node.goAway(false);

  let mined: SignedTransaction[] = [];
  let dropped = 0;
  for (let second = 1; second <= 60; second++) {
    // One comes; of those before it one goes every third second, and a block takes some each twenty seconds.
    node.put(all[second]!);
    if (second % 3 === 0) {
      node.evict(all[second - 1]!);
      dropped++;
    }
    if (second % 20 === 0) {
      mined = all.filter((signed) => node.ids.includes(idOf(signed))).slice(0, 5);
      world.mines(10 + second / 20, ...mined);
    }
    now += 1_000;
    t.mock.timers.tick(1_000);
    await turns();
    assert.deepEqual(world.ids, node.ids, `after ${second} s`);
    assert.ok(pool.isAvailable, 'answers go on');
    assert.ok(pool.isComplete);
    for (const signed of mined) assert.equal(world.state(idOf(signed)), 'Confirmed');
  }
  assert.ok(node.lists - lists >= 58 && node.lists - lists <= 70, `${node.lists - lists} lists in a minute`);
  const during = states().slice(before);
  assert.ok(during.every(({ staleSince }) => staleSince !== null && now - staleSince <= 61_000));
  assert.equal(world.logs.filter((line) => /events of the mempool ended/.test(line)).length, 1);

  // What comes just before it is back, and is told of by nobody.
  node.put(all[61]!);
  node.comeBack();
  await turns();
  assert.deepEqual(world.ids, node.ids);
  assert.equal(states().at(-1)!.staleSince, null);
  const seen = world.news.filter((line) => line.startsWith('seen'));
  const seenIds = seen.map((line) => line.split(' ').at(-1));
  assert.deepEqual(seenIds, all.map(idOf));
  assert.equal(world.news.length - seen.length, dropped);
  // And from now on by its events again.
  const listed = node.lists;
  const last = spending([[source(1_000), 0]]);
  node.accept(last);
  await turns();
  assert.deepEqual([world.ids.at(-1), node.lists], [idOf(last), listed]);
});
