/** What happens at the same time: submissions, blocks, reorganisations, a node that goes and comes back. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../../src/devnet/sim/random.ts';
import { EventStream } from '../../support/event-stream.ts';
import { idOf } from '../../support/fake-mempool.ts';
import { paymentOf } from '../../support/payments.ts';
import { listAll, PendingWorld } from '../../support/pending-world.ts';
import type { TestServer } from '../../support/web-server.ts';

/** `pending`, `confirmed`, or the body of the error. */
async function stateOf(server: TestServer, id: string): Promise<unknown> {
  const { status, body } = await server.get(`/transaction/${id}`);
  if (status !== 200) return body;
  return body.block_id === null ? 'pending' : 'confirmed';
}

const isListed = async (server: TestServer, id: string) => (await listAll(server)).some((each) => each.id === id);

it('a submission that was answered is pending in the very next answers, and repeated it is the same success', async (t) => {
  const world = await PendingWorld.start(t);
  for (let round = 0; round < 8; round++) {
    const signed = paymentOf(world.node);
    const id = idOf(signed);
    const asked = Promise.all(Array.from({ length: 5 }, () => world.server.get(`/transaction/${id}`)));
    assert.deepEqual((await world.submit(signed)).body, { tx_id: id });
    // Whoever asks now does not get what was found before.
    assert.equal(await stateOf(world.server, id), 'pending');
    assert.ok(await isListed(world.server, id));
    assert.equal((await world.server.json('/mempool')).count, world.pendingIds.length);
    await asked;
    for (let i = 0; i < 2; i++) assert.deepEqual((await world.submit(signed)).body, { tx_id: id });
    assert.equal((await listAll(world.server)).filter((each) => each.id === id).length, 1);
  }
});

it('a submission of what a block has is the same success, also where the index does not have that block yet', async (t) => {
  const world = await PendingWorld.start(t);
  const signed = paymentOf(world.node);
  const id = idOf(signed);
  await world.submit(signed);
  await world.agrees();
  world.node.grow();
  assert.ok(!world.pendingIds.includes(id));
  assert.deepEqual((await world.submit(signed)).body, { tx_id: id });
  await world.indexIsSeen();
  await world.rpc.close();
  // The node is not even asked.
  for (const server of world.servers) assert.deepEqual((await world.submit(signed, server)).body, { tx_id: id });
});

it('a transaction on its way into a block is at each moment in one of both, whatever the blocks do, and never pending at a tip that has it', async (t) => {
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

it('a node that is away is remembered for 30 seconds; then the index alone answers', async (t) => {
  const world = await PendingWorld.start(t, { mirror: { now: () => Date.now() } });
  const signed = paymentOf(world.node);
  const id = world.receive(signed);
  await world.agrees();
  const { id: confirmed } = (await world.server.json('/transaction?items=1'))[0];
  const streams = await Promise.all(
    world.servers.map(({ port }) => EventStream.during(t, { port, query: 'types=lag' })),
  );
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  await world.rpc.close();
  // Each has noticed it at this moment of the clock.
  for (const stream of streams) await stream.sees('that events are lost', ({ name }) => name === 'lag');
  t.mock.timers.tick(25_000);
  for (const server of world.servers) {
    assert.equal(await stateOf(server, id), 'pending');
    assert.ok(await isListed(server, id));
  }
  t.mock.timers.tick(10_000);
  const address = (await world.server.json(`/transaction/${confirmed}`)).outputs.find(
    ({ destination }: { destination?: string }) => destination !== undefined,
  ).destination;
  for (const server of world.servers) {
    for (const path of [
      '/mempool',
      '/mempool/transactions',
      `/mempool/address/${address}`,
      `/address/${address}/spendable-utxos?pending=exclude`,
      `/address/${address}/spendable-utxos?pending=exclude&cursor=`,
    ]) {
      const { status, body, headers } = await server.get(path);
      assert.equal(status, 503, path);
      assert.match(body.error, /^Pending transactions are not known at the moment: the node cannot be followed/);
      assert.ok(headers.get('retry-after'));
    }
    assert.equal(await stateOf(server, confirmed), 'confirmed');
    assert.equal((await server.get(`/address/${address}/spendable-utxos`)).status, 200);
  }
  const unknown = '00'.repeat(32);
  assert.deepEqual(await stateOf(world.server, unknown), { error: 'Transaction not found', mempool: 'unavailable' });
  assert.deepEqual(await stateOf(world.core, unknown), { error: 'Transaction not found' });
  assert.deepEqual(await stateOf(world.server, id), { error: 'Transaction not found', mempool: 'unavailable' });
});
