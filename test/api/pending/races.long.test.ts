/** What happens at the same time: submissions, blocks, reorganisations, a node that goes and comes back. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../../src/devnet/sim/random.ts';
import { paymentOf } from '../../support/payments.ts';
import { listAll, PendingWorld } from '../../support/pending-world.ts';
import { until } from '../../support/until.ts';
import { idOf, isListed, stateOf } from './transaction-state.ts';

describe('a transaction on its way into a block', () => {
  it('is pending again, in another block, or dropped after a reorganisation, as the node has it', async (t) => {
    const world = await PendingWorld.start(t);
    const random = new Random('branches');
    const seen = new Set<string>();
    for (let round = 0; round < 12; round++) {
      const ids = [0, 1, 2].map((rank) => world.receive(paymentOf(world.node, rank)));
      await world.agrees();
      world.node.grow();
      await world.indexIsSeen();
      if (round % 3 === 0) world.node.invalidateBlock(world.node.tip().id);
      else world.node.reorganise(random.between(1, 2), random.between(1, 3), { shared: random.unit() });
      await world.indexIsSeen();
      await world.agrees();
      for (const id of ids) {
        const isPending = world.pendingIds.includes(id);
        for (const server of world.servers) {
          const settled = async () => {
            const state = await stateOf(server, id);
            return isPending ? state === 'pending' : state !== 'pending';
          };
          await until(settled, `${id} is pending: ${isPending}`, { withinMs: 5_000 });
        }
        const state = await stateOf(world.server, id);
        seen.add(typeof state === 'string' ? state : Object.keys(state as object).join());
      }
    }
    assert.ok(seen.has('pending') && seen.has('confirmed'), [...seen].join());
  });

  it('is at each moment in one of both, whatever the blocks do, and never pending at a tip that has it', async (t) => {
    const world = await PendingWorld.start(t);
    const { node, server } = world;
    const tracked = new Set<string>();
    const isOver = { now: false };
    let answers = 0;
    const watch = async () => {
      while (!isOver.now) {
        for (const id of tracked) {
          const state = await stateOf(server, id);
          assert.equal(typeof state, 'string', `${id}: ${JSON.stringify(state)}`);
          answers++;
          // A client knows the block from now on.
          if (state === 'confirmed') assert.ok(!(await isListed(server, id)), `${id} is confirmed, and listed`);
        }
        await sleep(1);
      }
    };
    const watchTip = async () => {
      while (!isOver.now) {
        const [{ block_id: tip }] = [await server.json('/chain/tip')];
        const ids: string[] = await server.json(`/block/${tip}/transaction-ids`);
        const listed = await listAll(server);
        for (const { id } of listed) assert.ok(!ids.includes(id), `${id} is in the tip ${tip}, and listed`);
      }
    };
    const watching = Promise.all([watch(), watch(), watchTip(), watchTip()]);
    // Fails at once, not only at the end.
    let failure: unknown;
    watching.catch((error) => {
      failure = error;
    });
    const random = new Random('blocks');
    for (let round = 0; round < 40 && failure === undefined; round++) {
      for (const rank of [0, 1]) {
        const signed = paymentOf(node, rank);
        assert.equal((await world.submit(signed)).status, 200);
        tracked.add(idOf(signed));
      }
      if (tracked.size > 20) for (const id of [...tracked].slice(0, 10)) tracked.delete(id);
      await sleep(random.between(0, 20));
      node.grow();
      if (random.chance(0.5)) await sleep(random.between(0, 20));
      await world.indexFollows();
    }
    isOver.now = true;
    await watching;
    assert.ok(answers > 200, `${answers} answers`);
  });
});
