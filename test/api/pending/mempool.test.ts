/** Pending transactions by HTTP, in both contracts: a devnet's mempool, its mirror, and an index. */

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { destinationAddress } from '../../../src/chain/address.ts';
import type { SignedTransaction } from '../../../src/chain/types.ts';
import { outpointKey } from '../../../src/ledger/state-rows.ts';
import { NOTHING_CONFIRMED } from '../../../src/mempool/confirmed-index-interface.ts';
import { Slots } from '../../../src/serving/resources/slots.ts';
import { idOf, NETWORK, spending, transfer } from '../../support/fake-mempool.ts';
import { fileScope } from '../../support/file-scope.ts';
import { HandmadePending } from '../../support/handmade-pending.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { chained, FEE_ATOMS, paymentOf } from '../../support/payments.ts';
import { listAll, PendingWorld, withoutBlock } from '../../support/pending-world.ts';

const scope = fileScope();
let world: PendingWorld;

before(async () => {
  world = await PendingWorld.start(scope, { isQuiet: false });
  await world.agrees();
});

function ownerOf(signed: SignedTransaction): string {
  const [output] = signed.transaction.outputs;
  assert.ok(output?.type === 'Transfer');
  return destinationAddress(world.network, output.destination);
}

it('a pending transaction is shown as the block will have it, but for what only the block can say', async () => {
  const ids = world.pendingIds;
  assert.ok(ids.length >= 8);
  const shown = new Map<string, Record<string, unknown>[]>();
  for (const id of ids) {
    const answers = await Promise.all(world.servers.map((server) => server.json(`/transaction/${id}?expand=true`)));
    for (const [i, answer] of answers.entries()) {
      const server = world.servers[i]!;
      const listed = await server.json('/mempool/transactions?expand=true&items=100');
      assert.deepEqual(
        listed.filter((each: { id: string }) => each.id === id),
        [answer],
      );
      assert.deepEqual(await server.json(`/mempool/transaction/${id}?expand=true`), answer);
      assert.ok(answer.actions.length > 0 && answer.net_changes.length > 0);
      assert.deepEqual([answer.block_id, answer.timestamp, answer.confirmations], [null, null, null]);
      assert.ok(!('tx_global_index' in answer));
      assert.match(answer.fee.decimal, /^\d/);
      for (const { input, utxo } of answer.inputs) assert.equal(utxo !== null, input.input_type === 'UTXO');
    }
    shown.set(id, answers);
  }
  world.node.grow();
  await world.indexIsSeen();
  for (const [id, pending] of shown) {
    for (const [i, server] of world.servers.entries()) {
      const confirmed = await server.json(`/transaction/${id}?expand=true`);
      assert.notEqual(confirmed.block_id, null);
      assert.deepEqual(withoutBlock(pending[i]!), withoutBlock(confirmed));
    }
  }
  await world.agrees();
});

it('a pending transaction is not kept, neither here nor by clients: it has no ETag, nor has the error for an unknown one', async () => {
  const signed = paymentOf(world.node);
  const id = idOf(signed);
  for (const server of world.servers) {
    for (let i = 0; i < 3; i++) {
      const { status, body, headers } = await server.get(`/transaction/${id}`);
      assert.deepEqual([status, body, headers.get('etag')], [404, { error: 'Transaction not found' }, null]);
    }
  }
  world.receive(signed);
  await world.agrees();
  for (const server of world.servers) {
    const answer = await server.get(`/transaction/${id}`);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('etag'), null);
  }
  world.node.evict([id]);
  await world.agrees();
  for (const server of world.servers) assert.equal((await server.get(`/transaction/${id}`)).status, 404);
});

it('a pending transaction is in batches, too', async () => {
  const [pending] = world.pendingIds;
  const [confirmed] = await world.server.json('/transaction?items=1');
  for (const server of world.servers) {
    const ids = [pending!, confirmed.id, '00'.repeat(32)];
    const { body } = await server.batch({ type: '/transaction/:txid', ids });
    assert.deepEqual(body.results, [
      await server.json(`/transaction/${pending}`),
      await server.json(`/transaction/${confirmed.id}`),
      { error: 'Transaction not found', id: '00'.repeat(32) },
    ]);
  }
});

it('a pending transaction has no proof, no outputs and no place in lists yet', async () => {
  const [id] = world.pendingIds;
  for (const server of world.servers) {
    assert.equal((await server.get(`/transaction/${id}/merkle-path`)).status, 404);
    assert.equal((await server.get(`/transaction/${id}/output/0`)).status, 404);
    const listed = await server.json('/transaction?items=100');
    assert.ok(listed.every((each: { id: string }) => each.id !== id));
  }
});

it('a pending transaction that was dropped says when, in the contract that has words for it', async () => {
  const signed = paymentOf(world.node);
  const id = world.receive(signed);
  await world.agrees();
  const before = Math.floor(Date.now() / 1_000);
  world.node.evict([id]);
  await world.agrees();
  const { status, body } = await world.server.get(`/transaction/${id}`);
  assert.deepEqual([status, body.error], [404, 'Transaction not found']);
  assert.ok(body.dropped_at >= before && body.dropped_at <= Date.now() / 1_000, JSON.stringify(body));
  assert.deepEqual((await world.core.get(`/transaction/${id}`)).body, { error: 'Transaction not found' });
});

it('a pending transaction of a server without a node may be pending for all that it knows', async (t) => {
  const server = await world.index.serve(t);
  const { status, body } = await server.get(`/transaction/${world.pendingIds[0]}`);
  assert.deepEqual([status, body], [404, { error: 'Transaction not found', mempool: 'unavailable' }]);
  for (const path of ['', '/transactions', `/address/${ownerOf(paymentOf(world.node))}`]) {
    assert.equal((await server.get(`/mempool${path}`)).status, 503);
  }
});

it('the list of pending transactions is in the order of the node, or parents first, and says which', async () => {
  const first = paymentOf(world.node);
  const second = chained(world.node, first);
  for (const signed of [first, second]) world.receive(signed);
  await world.agrees();
  for (const server of world.servers) {
    const answer = await server.get('/mempool/transactions?items=100');
    assert.equal(answer.headers.get('x-mempool-ordering'), 'insertion');
    assert.match(answer.headers.get('access-control-expose-headers')!, /x-mempool-ordering/);
    assert.equal(answer.headers.get('etag'), null);
    for (const each of answer.body) assert.deepEqual(each, await server.json(`/transaction/${each.id}`));
    const ordered = await server.get('/mempool/transactions?order=dependency&items=100');
    assert.equal(ordered.headers.get('x-mempool-ordering'), 'dependency');
    const ids: string[] = ordered.body.map(({ id }: { id: string }) => id);
    assert.deepEqual([...ids].sort(), [...world.pendingIds].sort());
    assert.ok(ids.indexOf(idOf(first)) < ids.indexOf(idOf(second)));
    const child = ordered.body[ids.indexOf(idOf(second))];
    assert.equal(child.inputs[0].utxo.destination, ownerOf(first));
    assert.equal(child.fee.atoms, `${FEE_ATOMS}`);
  }
});

it('the list of pending transactions comes in pages by offset', async () => {
  const ids = world.pendingIds;
  for (const server of world.servers) {
    const [all, two] = await Promise.all(
      ['?items=100', '?offset=1&items=2'].map((query) => server.json(`/mempool/transactions${query}`)),
    );
    assert.equal(all.length, ids.length);
    assert.deepEqual(two, all.slice(1, 3));
    assert.deepEqual(await server.json('/mempool/transactions?offset=9999999999999'), []);
  }
});

it('the list of pending transactions of an unknown order is refused before the page is looked at', async () => {
  for (const server of world.servers) {
    const refused = async (query: string, error: string) => {
      await server.refuses(`/mempool/transactions?${query}`, 400, error);
    };
    await refused('order=fee&items=0', 'Invalid transaction ordering');
    await refused('order=', 'Invalid transaction ordering');
    await refused('offset=x&items=0', 'Invalid offset');
    await refused('items=0', 'Invalid number of items');
  }
});

it('a list of pending transactions counts by the size of those that it shows', async (t) => {
  const outputs = Array.from({ length: 2_048 }, () => ({ type: 'Burn', value: { type: 'Coin', amount: 1n } }) as const);
  const many = [0, 1, 2].map((i) => spending([['aa'.repeat(32), i]], i === 2 ? [transfer(1n)] : outputs));
  const index = await TestIndex.create(t, NETWORK);
  const spent = new Map([0, 1, 2].map((i) => [outpointKey('aa'.repeat(32), i), transfer(10n ** 12n)]));
  const pending = new HandmadePending(many, { ...NOTHING_CONFIRMED, outputs: spent });
  const server = await index.serve(t, { pending });
  const acquire = t.mock.method(Slots.prototype, 'tryAcquire');
  for (const [query, units] of [
    ['items=1&offset=2', 1],
    ['items=100&offset=1', 5],
    ['items=100', 9],
    ['items=100&offset=3', 1],
  ] as const) {
    acquire.mock.resetCalls();
    assert.equal((await server.get(`/mempool/transactions?${query}`)).status, 200);
    assert.deepEqual(
      acquire.mock.calls.map(({ arguments: [, taken] }) => taken),
      [units],
    );
  }
});

it('the statistics of the mempool add up what is listed', async () => {
  for (const server of world.servers) {
    const listed = await listAll(server);
    const fee = listed.reduce((sum, { fee: { atoms } }) => sum + BigInt(atoms), 0n);
    const figures = await server.json('/mempool');
    assert.equal(figures.count, listed.length);
    assert.equal(figures.total_fee.atoms, `${fee}`);
    assert.equal(figures.complete, true);
    const sizes = world.node.mempoolTransactions().reduce((sum, { bytes }) => sum + bytes.length, 0);
    assert.equal(figures.bytes, sizes);
    const histogram: [string, number][] = figures.fee_histogram;
    const inHistogram = histogram.reduce((sum, [, bytes]) => sum + bytes, 0);
    assert.equal(inHistogram, sizes);
    const rates = histogram.map(([rate]) => BigInt(rate));
    const highestFirst = [...rates].sort((a, b) => (a < b ? 1 : -1));
    assert.deepEqual(rates, highestFirst);
  }
});

it('the next blocks have all that is pending, and each transaction has its place in them', async () => {
  const before = Math.floor(Date.now() / 1_000);
  const signed = paymentOf(world.node);
  world.receive(signed);
  await world.agrees();
  for (const server of world.servers) {
    const { count, bytes, total_fee } = await server.json('/mempool');
    const { blocks, more, max_block_bytes, complete } = await server.json('/mempool/blocks');
    const [block, ...others] = blocks;
    assert.deepEqual([others, complete, max_block_bytes], [[], true, 1_048_576]);
    assert.deepEqual([block.count, block.bytes, block.total_fee], [count, bytes, total_fee]);
    assert.deepEqual(more, { blocks: 0, count: 0, bytes: 0, total_fee: { atoms: '0', decimal: '0' } });
    const places = await Promise.all(world.pendingIds.map((id) => server.json(`/mempool/transaction/${id}/place`)));
    const positions = places.map(({ position }) => position).sort((a, b) => a - b);
    assert.deepEqual(
      positions,
      positions.map((_, i) => i + 1),
    );
    const rates = places.map(({ fee_rate }) => BigInt(fee_rate)).sort((a, b) => (a < b ? -1 : 1));
    assert.deepEqual([block.lowest_fee_rate, block.highest_fee_rate], [`${rates[0]}`, `${rates.at(-1)}`]);
    const {
      first_seen,
      block: number,
      next_block_fee_rate,
    } = await server.json(`/mempool/transaction/${idOf(signed)}/place`);
    assert.ok(first_seen >= before && first_seen <= Date.now() / 1_000);
    assert.deepEqual([number, next_block_fee_rate], [1, null]);
    await server.refuses(`/mempool/transaction/${'a'.repeat(64)}/place`, 404, 'Transaction not found');
    await server.refuses('/mempool/transaction/x/place', 400, 'Invalid transaction Id');
  }
});

it('the wallet of an address learns what it must not spend again, and what it will have', async () => {
  world.node.emptyMempool();
  const first = paymentOf(world.node);
  const second = chained(world.node, first);
  for (const signed of [first, second]) world.receive(signed);
  await world.agrees();
  const owner = ownerOf(first);
  const amountOf = (signed: SignedTransaction) => {
    const [output] = signed.transaction.outputs;
    assert.ok(output?.type === 'Transfer' && output.value.type === 'Coin');
    return output.value.amount;
  };
  for (const server of world.servers) {
    const view = await server.json(`/mempool/address/${owner}`);
    const incoming = amountOf(first) + amountOf(second);
    assert.equal(view.coin.incoming.atoms, `${incoming}`);
    assert.equal(view.coin.outgoing.atoms, `${incoming + 2n * FEE_ATOMS}`);
    assert.deepEqual(view.transactions, [idOf(first), idOf(second)]);
    assert.equal(view.spent_outpoints.length, 2);
    assert.deepEqual(view.spent_outpoints[1], { source_type: 'Transaction', source_id: idOf(first), index: 0 });
    assert.equal(view.new_utxos.length, 1);
    const [{ outpoint, utxo }] = view.new_utxos;
    assert.deepEqual(outpoint, { source_type: 'Transaction', source_id: idOf(second), index: 0 });
    assert.deepEqual(utxo, (await server.json(`/transaction/${idOf(second)}`)).outputs[0]);
    assert.deepEqual([view.tokens, view.next_nonces], [[], []]);
  }
});

it('the wallet of an address has zeros where nothing is pending for it, and none without an address', async () => {
  const stranger = destinationAddress(world.network, `01${'5a'.repeat(20)}`);
  const none = { atoms: '0', decimal: '0' };
  for (const server of world.servers) {
    assert.deepEqual(await server.json(`/mempool/address/${stranger}`), {
      coin: { incoming: none, outgoing: none },
      tokens: [],
      spent_outpoints: [],
      new_utxos: [],
      next_nonces: [],
      transactions: [],
      complete: true,
    });
    assert.deepEqual((await server.get('/mempool/address/x')).body, { error: 'Invalid address' });
  }
});

it('the wallet of an address gets its spendable outputs without those that are spent, as a list and in pages', async () => {
  const owner = ownerOf(paymentOf(world.node));
  const path = `/address/${owner}/spendable-utxos`;
  const key = ({ outpoint }: { outpoint: object }) => JSON.stringify(outpoint);
  for (const server of world.servers) {
    const view = await server.json(`/mempool/address/${owner}`);
    const spent = new Set(view.spent_outpoints.map((outpoint: object) => key({ outpoint })));
    const whole = await server.json(path);
    const left = whole.filter((entry: { outpoint: object }) => !spent.has(key(entry)));
    assert.ok(left.length < whole.length && left.length > 0, `${left.length} of ${whole.length}`);
    const answer = await server.get(`${path}?pending=exclude`);
    assert.deepEqual(answer.body, left);
    assert.equal(answer.headers.get('etag'), null);
    for (const items of [1, 2, 100]) {
      const pages = await server.pages(`${path}?pending=exclude&items=${items}`);
      assert.deepEqual(pages.flat(), left);
      const areFull = pages.slice(0, -1).every((page) => page.length === items);
      assert.ok(areFull, 'each page but the last is full');
    }
    assert.deepEqual(await server.json(`${path}?pending=`), whole);
    for (const other of ['include', 'EXCLUDE', '1']) {
      await server.refuses(`${path}?pending=${other}`, 400, 'Invalid pending: only `exclude` is known');
    }
  }
});
