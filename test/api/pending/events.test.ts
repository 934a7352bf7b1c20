/** What streams tell of pending transactions, from the node's event on: who is told something finds it so. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { mempoolStreamEvents } from '../../../src/api/pending/mempool-stream-events.ts';
import { destinationAddress } from '../../../src/chain/address.ts';
import type { MempoolListener } from '../../../src/mempool/mirror.ts';
import { EventStream } from '../../support/event-stream.ts';
import { idOf, NETWORK } from '../../support/fake-mempool.ts';
import type { Scope } from '../../support/file-scope.ts';
import { HandmadePending } from '../../support/handmade-pending.ts';
import { chained, ownerOf, paymentOf } from '../../support/payments.ts';
import { PendingWorld } from '../../support/pending-world.ts';
import { runWebServer } from '../../support/running-web-server.ts';
import { until } from '../../support/until.ts';

/** Another worker may not know the tip yet. */
async function listen(t: Scope, port: number, query = '') {
  for (let tries = 1; ; tries++) {
    const stream = await EventStream.during(t, { port, query });
    if (stream.status === 503 && tries < 100) {
      await sleep(50);
      continue;
    }
    assert.equal(stream.status, 200);
    return stream;
  }
}

it('a stream tells each stay of a transaction once, from its first sight to its end', async (t) => {
  const world = await PendingWorld.start(t);
  const { node, server } = world;
  const stream = await listen(t, server.port);
  const core = await listen(t, world.core.port);

  // Handed in, and handed in again: the node tells of it each time.
  const first = paymentOf(node);
  const wallet = await listen(t, server.port, `address=${destinationAddress(world.network, ownerOf(first))}`);
  for (let i = 0; i < 3; i++) assert.equal((await world.submit(first)).status, 200);
  await stream.sees('the first', ({ name }) => name === 'tx_seen');
  const child = chained(node, first);
  world.receive(child);
  // Each server asks the node for it by itself.
  for (const each of [stream, core]) await each.sees('its child', ({ data }) => data.content.tx_id === idOf(child));
  // Leaves without an event.
  node.evict([idOf(child)]);
  await stream.sees('that it left', ({ name }) => name === 'tx_dropped');
  // A block takes the other.
  node.grow();
  await world.indexIsSeen();
  const { id: tip } = node.tip();
  for (const each of [stream, core, wallet]) {
    await each.sees('the block', ({ data }) => data.content.block_id === tip);
  }
  await sleep(100);
  const ofThese = ({ events }: EventStream) =>
    events
      .filter(({ data }) => [idOf(first), idOf(child)].includes(data.content.tx_id))
      .map(({ name, data: { content } }) => [name, content.tx_id, content.origin ?? content.block_id]);
  assert.deepEqual(ofThese(stream), [
    ['tx_seen', idOf(first), 'local'],
    ['tx_seen', idOf(child), 'remote'],
    ['tx_dropped', idOf(child), undefined],
  ]);
  // Where it is from is not known to a server that lists it before the node's event comes.
  const namesOf = (stream: EventStream) => ofThese(stream).map(([name, id]) => [name, id]);
  assert.deepEqual(namesOf(core), [
    ['tx_seen', idOf(first)],
    ['tx_seen', idOf(child)],
  ]);
  assert.deepEqual(ofThese(wallet), [
    ['activity', idOf(first), null],
    ['activity', idOf(child), null],
    ['tx_dropped', idOf(child), undefined],
    ['activity', idOf(first), tip],
  ]);

  // The block is left: what it held is pending once more, which is another stay.
  node.invalidateBlock(tip);
  await world.indexIsSeen();
  await until(
    () => stream.of('tx_seen').filter(({ content }) => content.tx_id === idOf(first)).length === 2,
    'that it is back',
  );
  await stream.sees('the reorganisation', ({ name, data }) => {
    return name === 'reorg' && data.content.removed_block_ids.includes(tip);
  });
  for (const each of [stream, wallet]) {
    const since = () => each.events.slice(each.events.findIndex(({ name }) => name === 'reorg'));
    const isBack = () => since().some(({ name, data }) => name !== 'reorg' && data.content.tx_id === idOf(first));
    await until(isBack, 'that it is back, after the reorganisation', { explain: () => each.text });
  }
});

it('a stream tells that events of the mempool are lost at each outage of the node, also of one after outages that nobody heard of', () => {
  const pending = new HandmadePending([]);
  const listeners = new Set<MempoolListener>();
  pending.listen = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const node = (staleSince: number | null) => {
    const change = { type: 'State', state: { isComplete: true, staleSince } } as const;
    pending.pool.apply(change);
    for (const listener of listeners) listener(change, undefined);
  };
  const events = mempoolStreamEvents(NETWORK, pending);
  const heard: string[] = [];
  const stop = events.listen(({ type }) => heard.push(`first: ${type}`));
  node(1);
  stop();
  node(null);
  events.listen(({ type }) => heard.push(`second: ${type}`));
  node(2);
  assert.deepEqual(heard, ['first: lost', 'second: lost']);
});

it('a stream that tells of a transaction before its submission is answered tells the truth: it is there', async (t) => {
  const world = await PendingWorld.start(t);
  const stream = await listen(t, world.server.port, 'types=tx_seen');
  for (let round = 0; round < 5; round++) {
    const signed = paymentOf(world.node, round % 3);
    let isAnswered = false;
    const answered = world.submit(signed).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await stream.sees('it', ({ data }) => data.content.tx_id === idOf(signed));
    const found = await world.server.get(`/transaction/${idOf(signed)}`);
    assert.deepEqual([found.status, found.body.block_id], [200, null], `answered: ${isAnswered}`);
    assert.deepEqual((await answered).body, { tx_id: idOf(signed) });
  }
});

it('a stream of one worker tells of nothing that another worker does not find', async (t) => {
  const world = await PendingWorld.start(t);
  const { port } = await runWebServer(t, {
    network: world.network.name,
    node: world.rpc.address,
    postgres: world.index.postgres,
    workers: 2,
  });
  const ask = async (id: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v2/transaction/${id}`, {
      headers: { connection: 'close' },
    });
    return { status: response.status, text: await response.text() };
  };
  // One at each of them: connections go to the workers in turns.
  const streams = [await listen(t, port), await listen(t, port)];
  for (let round = 0; round < 6; round++) {
    const signed = paymentOf(world.node, round % 3);
    const id = world.receive(signed);
    await Promise.race(streams.map((stream) => stream.sees('it', ({ data }) => data.content.tx_id === id)));
    for (const { status, text } of await Promise.all([1, 2, 3, 4].map(() => ask(id)))) assert.equal(status, 200, text);
    world.node.grow();
    const { id: tip } = world.node.tip();
    await world.indexFollows();
    await Promise.race(streams.map((stream) => stream.sees('its block', ({ data }) => data.content.block_id === tip)));
    for (const { status, text } of await Promise.all([1, 2, 3, 4].map(() => ask(id)))) assert.equal(status, 200, text);
  }
  for (const stream of streams) {
    const { height } = world.node.tip();
    await stream.sees('the last block', ({ data }) => data.content.height === height);
  }
});
