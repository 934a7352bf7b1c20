/** Walks through the pending transactions while they come and go, and copies of them by ids and events. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { destinationAddress } from '../../../src/chain/address.ts';
import type { Id, SignedTransaction } from '../../../src/chain/types.ts';
import { Random } from '../../../src/devnet/sim/random.ts';
import { EventStream } from '../../support/event-stream.ts';
import { idOf } from '../../support/fake-mempool.ts';
import { fileScope } from '../../support/file-scope.ts';
import { chained, ownerOf, paymentOf } from '../../support/payments.ts';
import { PendingWorld, withoutBlock } from '../../support/pending-world.ts';
import { testOverSeeds } from '../../support/seeds.ts';
import { until } from '../../support/until.ts';

const scope = fileScope();
let world: PendingWorld;

before(async () => {
  world = await PendingWorld.start(scope, { seed: 'walks' });
});

/** Payments, each of another output. */
function receivePayments(count: number): Id[] {
  return Array.from({ length: count }, () => world.receive(paymentOf(world.node)));
}

async function change(random: Random): Promise<void> {
  const ids = world.pendingIds;
  const choice = random.unit();
  if (choice < 0.3) receivePayments(random.between(1, 3));
  else if (choice < 0.6) world.node.evict(ids.filter(() => random.chance(0.2)));
  else if (choice < 0.75) {
    world.node.grow();
    await world.indexIsSeen();
  }
  await world.agrees();
}

testOverSeeds('a walk by cursor meets everything that stays pending once, and nothing twice', async (seed) => {
  const random = new Random(`walk ${seed}`);
  receivePayments(15);
  await world.agrees();
  for (const server of world.servers) {
    let staying = new Set(world.pendingIds);
    const met: Id[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path: string = `/mempool/transactions?items=2&cursor=${cursor}`;
      const { body, headers } = await server.get(path);
      met.push(...body.items.map(({ id }: { id: Id }) => id));
      cursor = body.next_cursor;
      assert.equal(headers.get('x-next-cursor'), cursor);
      assert.equal(headers.get('x-mempool-ordering'), 'arrival');
      await change(random);
      const now = new Set(world.pendingIds);
      staying = new Set([...staying].filter((id) => now.has(id)));
    }
    assert.deepEqual(
      [...staying].filter((id) => !met.includes(id)),
      [],
    );
    assert.equal(new Set(met).size, met.length);
    receivePayments(5);
    await world.agrees();
  }
});

testOverSeeds('a copy by ids, events and blocks is that of the server', async (seed, scope) => {
  const random = new Random(`copy ${seed}`);
  receivePayments(5);
  await world.agrees();
  const stream = await EventStream.during(scope, { port: world.server.port });
  const { headers, body } = await world.server.get('/mempool/ids');
  assert.equal(headers.get('x-mempool'), stream.headers['x-mempool']);
  for (let i = 0; i < 12; i++) await change(random);
  receivePayments(1);
  await world.agrees();
  const last = await world.server.json('/mempool/ids');
  const copy = () => {
    const ids = new Set<Id>(body.ids);
    let sequence: number = body.sequence;
    for (const { name, data } of stream.events) {
      const { tx_id, tx_ids, mempool_sequence } = data.content;
      if (name === 'block') for (const id of tx_ids) ids.delete(id);
      if (mempool_sequence === undefined || mempool_sequence <= body.sequence) continue;
      assert.equal(mempool_sequence, ++sequence, 'no event is missing');
      if (name === 'tx_seen') ids.add(tx_id);
      else ids.delete(tx_id);
    }
    return { complete: true, sequence, ids: [...ids] };
  };
  await until(() => copy().sequence === last.sequence, 'the last event');
  assert.deepEqual(copy(), last);
});

it('a cursor of the pending transactions is refused by another process, and where it is damaged', async () => {
  receivePayments(3);
  await world.agrees();
  const { next_cursor: cursor } = await world.server.json('/mempool/transactions?cursor=&items=1');
  for (const path of [`cursor=${cursor}`, 'cursor=x']) {
    await world.core.refuses(`/mempool/transactions?${path}`, 400, 'Invalid cursor');
  }
});

it('a pending transaction is found by its id until a block has it', async () => {
  const [id] = receivePayments(1);
  await world.agrees();
  for (const server of world.servers) {
    const { body, headers } = await server.get(`/mempool/transaction/${id}`);
    assert.deepEqual(body, await server.json(`/transaction/${id}`));
    assert.equal(headers.get('etag'), null);
  }
  world.node.grow();
  await world.indexIsSeen();
  for (const server of world.servers) {
    await server.refuses(`/mempool/transaction/${id}`, 404, 'Transaction not found');
    await server.refuses('/mempool/transaction/x', 400, 'Invalid transaction Id');
    assert.notEqual(withoutBlock(await server.json(`/transaction/${id}`)), null);
  }
});

it('with_mempool adds the outputs of pending transactions to those of an address, and says what spends each', async () => {
  world.node.emptyMempool();
  await world.agrees();
  const first = paymentOf(world.node);
  const [input] = first.transaction.inputs;
  assert.ok(input?.type === 'Utxo');
  const { sourceId, index } = input.outpoint;
  const second = chained(world.node, first);
  const address = destinationAddress(world.network, ownerOf(first));
  const key = (outpoint: { source_id: string; index: number }) => `${outpoint.source_id}:${outpoint.index}`;
  const paths = ['spendable-utxos', 'all-utxos'].map((list) => `/address/${address}/${list}`);
  const before = await Promise.all(world.servers.map((server) => Promise.all(paths.map((path) => server.json(path)))));
  for (const signed of [first, second]) world.receive(signed);
  await world.agrees();
  for (const [s, server] of world.servers.entries()) {
    const [added] = await server.json(`/mempool/address/${address}/all-utxos`);
    assert.deepEqual(added.outpoint, { source_type: 'Transaction', source_id: idOf(second), index: 0 });
    for (const [p, path] of paths.entries()) {
      const { body, headers } = await server.get(`${path}?with_mempool=true`);
      assert.equal(headers.get('etag'), null);
      const spentBy = new Map([
        [`${sourceId}:${index}`, idOf(first)],
        [`${idOf(first)}:0`, idOf(second)],
      ]);
      const confirmed = before[s]![p]!.map((entry: { outpoint: { source_id: string; index: number } }) => ({
        ...entry,
        spent_in_mempool: spentBy.get(key(entry.outpoint)) ?? null,
      }));
      assert.deepEqual(body.slice(0, confirmed.length), confirmed);
      const pending = body.slice(confirmed.length);
      assert.deepEqual(
        pending.map((entry: { outpoint: { source_id: string; index: number } }) => key(entry.outpoint)),
        [`${idOf(first)}:0`, `${idOf(second)}:0`],
      );
      for (const { mempool, spent_in_mempool, outpoint } of pending) {
        assert.deepEqual([mempool, spent_in_mempool], [true, spentBy.get(key(outpoint)) ?? null]);
      }
      const { utxo } = pending[1];
      assert.deepEqual({ outpoint: pending[1].outpoint, utxo }, added);
      for (const items of [1, 3, 100]) {
        const pages = await server.pages(`${path}?with_mempool=true&items=${items}`);
        assert.deepEqual(pages.flat(), body);
      }
      await server.refuses(`${path}?with_mempool=1`, 400, 'Invalid with_mempool: `true` or `false` is expected');
    }
    const free = await server.json(`${paths[0]}?with_mempool=true&pending=exclude`);
    assert.deepEqual(free.at(-1).outpoint, added.outpoint);
    assert.ok(free.every((entry: { spent_in_mempool: null }) => entry.spent_in_mempool === null));
  }
});

it('with_mempool shows an output of a pending transaction, and what spends an output', async () => {
  world.node.emptyMempool();
  const outpointOf = ({ transaction: { inputs } }: SignedTransaction) =>
    inputs[0]?.type === 'Utxo' && inputs[0].outpoint.sourceType === 'Transaction' ? inputs[0].outpoint : undefined;
  const first = Array.from({ length: 20 }, (_, rank) => paymentOf(world.node, rank)).find(outpointOf)!;
  const { sourceId, index } = outpointOf(first)!;
  const second = chained(world.node, first);
  for (const signed of [first, second]) world.receive(signed);
  await world.agrees();
  for (const server of world.servers) {
    const path = `/transaction/${idOf(first)}/output/0`;
    const { outputs } = await server.json(`/transaction/${idOf(first)}`);
    assert.deepEqual(await server.json(`${path}?with_mempool=true`), {
      ...outputs[0],
      spent_at_block_height: null,
      mempool: true,
      spent_in_mempool: idOf(second),
    });
    await server.refuses(path, 404, 'Transaction output not found');
    await server.refuses(
      `/transaction/${idOf(second)}/output/1?with_mempool=true`,
      404,
      'Transaction output not found',
    );
    const spent: string = `/transaction/${sourceId}/output/${index}`;
    const confirmed: object = await server.json(spent);
    assert.deepEqual(await server.json(`${spent}?with_mempool=true`), { ...confirmed, spent_in_mempool: idOf(first) });
  }
});
