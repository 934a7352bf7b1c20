/** Events of the mempool on the stream, as whoever keeps a copy of it hands them in. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type {
  MempoolStreamEvent,
  MempoolStreamEvents,
  StreamedTransaction,
} from '../../../src/api/stream/stream-event.ts';
import { readPendingSubjects } from '../../../src/api/stream/touched-subjects.ts';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../../src/chain/address.ts';
import type { QueryRunner } from '../../../src/store/read/query.ts';
import { upgrading as network } from '../../devnet/sim/networks.ts';
import { simulatedHistory } from '../../sim/history.ts';
import { seesTip } from '../../sim/patient-answers.ts';
import { EventStream } from '../../support/event-stream.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { until } from '../../support/until.ts';
import type { TestServerOptions } from '../../support/web-server.ts';

class FakeMempool implements MempoolStreamEvents {
  readonly #listeners = new Set<(event: MempoolStreamEvent) => void>();
  #sequence = 0;

  get listeners(): number {
    return this.#listeners.size;
  }

  listen(listener: (event: MempoolStreamEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(event: MempoolStreamEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  see(id: string, more: Partial<StreamedTransaction> = {}): void {
    this.tell({ type: 'seen', transaction: { ...usual(id), ...more }, sequence: ++this.#sequence });
  }

  drop(id: string, more: Partial<StreamedTransaction> = {}): void {
    this.tell({ type: 'dropped', id, transaction: { ...usual(id), ...more }, sequence: ++this.#sequence });
  }
}

const usual = (id: string): StreamedTransaction => {
  return { id, origin: 'local', addresses: [], tokens: [], text: () => '{"inputs":[],"outputs":[]}' };
};
const idOf = (number: number) => number.toString(16).padStart(64, '0');
const OWNER = `01${'ab'.repeat(20)}`;

const history = simulatedHistory({ network, blocks: 12, seed: 'pending', reorganisationProbability: 0 });

async function start(t: TestContext, options: Partial<TestServerOptions> = {}) {
  const index = await TestIndex.create(t, network);
  await index.follow(history.mainChain, 20);
  const mempool = new FakeMempool();
  const server = await index.serve(t, { pendingEvents: mempool, ...options });
  await seesTip(server, history.mainChain.at(-1)!.id);
  const open = async (query = '') => {
    const stream = await EventStream.during(t, { port: server.port, query });
    await until(() => stream.position !== undefined, 'the beginning');
    return stream;
  };
  return { index, mempool, server, open };
}

for (const contract of ['described', 'mintlayer-core'] as const) {
  it(`events of the mempool are told in the shapes of ${contract}`, async (t) => {
    const { mempool, open } = await start(t, { contract });
    const all = await open();
    const named = await open('types=tx_dropped,lag');
    mempool.see(idOf(1));
    mempool.see(idOf(2), { origin: 'remote' });
    mempool.tell({ type: 'dropped', id: idOf(2), transaction: null, sequence: 3 });
    mempool.tell({ type: 'lost' });
    await all.sees('the last', ({ name }) => name === 'lag');
    await named.sees('the last', ({ name }) => name === 'lag');
    const isCore = contract === 'mintlayer-core';
    const type = isCore ? 'TxSeen' : 'tx_seen';
    const numbered = (sequence: number) => (isCore ? {} : { mempool_sequence: sequence });
    const dropped = {
      name: 'tx_dropped',
      data: { type: 'tx_dropped', content: { tx_id: idOf(2), ...numbered(3) } },
      id: undefined,
    };
    const lost = { name: 'lag', data: { type: isCore ? 'Lag' : 'lag', content: { skipped: 0 } }, id: undefined };
    const seen = (number: number, origin: string) => ({
      name: 'tx_seen',
      data: { type, content: { tx_id: idOf(number), origin, ...numbered(number) } },
      id: undefined,
    });
    assert.deepEqual(all.events, [
      seen(1, isCore ? 'Local' : 'local'),
      seen(2, isCore ? 'Remote' : 'remote'),
      ...(isCore ? [] : [dropped]),
      lost,
    ]);
    assert.deepEqual(named.events, [dropped, lost]);
  });
}

it('events of the mempool are listened to only while there are streams', async (t) => {
  const { mempool, open } = await start(t);
  assert.equal(mempool.listeners, 0);
  const stream = await open();
  const other = await open();
  assert.equal(mempool.listeners, 1);
  stream.close();
  other.close();
  await until(() => mempool.listeners === 0, 'nobody');
});

it('events of the mempool tell who asks for an address of its transactions alone, when they are seen and when they are dropped', async (t) => {
  const { mempool, open } = await start(t);
  const address = destinationAddress(network, OWNER);
  const stream = await open(`address=${address}`);
  mempool.see(idOf(1), { addresses: [OWNER] });
  mempool.see(idOf(2), { addresses: [`01${'cd'.repeat(20)}`] });
  await stream.sees('the first', ({ data }) => data.content.tx_id === idOf(1));
  mempool.drop(idOf(2), { addresses: [`01${'cd'.repeat(20)}`] });
  // Was seen before the stream began.
  mempool.drop(idOf(3), { addresses: [OWNER] });
  mempool.drop(idOf(1), { addresses: [OWNER] });
  await stream.sees('the drop', ({ data }) => data.type === 'tx_dropped' && data.content.tx_id === idOf(1));
  assert.deepEqual(
    stream.events.map(({ data }) => data),
    [
      { type: 'activity', content: { tx_id: idOf(1), block_id: null, subjects: [address] } },
      { type: 'tx_dropped', content: { tx_id: idOf(3), mempool_sequence: 4 } },
      { type: 'tx_dropped', content: { tx_id: idOf(1), mempool_sequence: 5 } },
    ],
  );
});

it('events of the mempool tell of pools, orders, pairs and tokens that a transaction uses or makes', async (t) => {
  const { index, mempool, open } = await start(t);
  const one = async (sql: string) => (await index.query(sql)).rows[0];
  const delegation = await one('select delegation_id, pool_id from delegations limit 1');
  const order = await one(`select order_id, ask_currency as ask, give_currency as give from orders limit 1`);
  const side = (currency: string) => (currency === '' ? network.coinTicker : tokenAddress(network, currency));
  const pair = `${side(order.give)}_${side(order.ask)}`;
  const pool = poolAddress(network, delegation.pool_id);
  const stream = await open(
    `pool=${pool}&order=${orderAddress(network, order.order_id)}&pair=${pair}&token=${tokenAddress(network, idOf(9))}`,
  );
  const fill = {
    input_type: 'OrderAccountCommand',
    command: 'FillOrder',
    order_id: orderAddress(network, order.order_id),
  };
  const withdrawal = { input_type: 'Account', delegation_id: delegationAddress(network, delegation.delegation_id) };
  const uses = {
    tokens: [idOf(9)],
    text: () => JSON.stringify({ inputs: [fill, withdrawal].map((input) => ({ input, utxo: null })), outputs: [] }),
  };
  mempool.see(idOf(1), uses);
  // Drops do not overtake what is still being read of their transactions.
  mempool.drop(idOf(1), { ...uses, tokens: [] });
  mempool.drop(idOf(2));
  mempool.drop(idOf(3), uses);
  await stream.sees('the last', ({ data }) => data.content.tx_id === idOf(3));
  const expected = [pool, orderAddress(network, order.order_id), pair, tokenAddress(network, idOf(9))];
  assert.deepEqual(
    stream.events.map(({ data: { type, content } }) => [type, content.tx_id, content.subjects]),
    [
      ['activity', idOf(1), expected.sort()],
      ['tx_dropped', idOf(1), undefined],
      ['tx_dropped', idOf(3), undefined],
    ],
  );
});

it('the subjects of a transaction with many inputs and outputs are found in a time that grows with both, not with their product', async () => {
  const store = { query: async () => ({ tip: null, rows: [] }) } as never as QueryRunner;
  const input = { input: { input_type: 'UTXO', source_id: idOf(1), source_type: 'Transaction', index: 0 }, utxo: null };
  const outputs = [{ type: 'CreateDelegationId' }, ...Array(40_000).fill({ type: 'Transfer' })];
  const text = JSON.stringify({ inputs: Array(10_000).fill(input), outputs });
  const transaction = { ...usual(idOf(1)), text: () => text };
  const before = process.cpuUsage();
  const { subjects } = await readPendingSubjects(network, store, transaction, true);
  const { user } = process.cpuUsage(before);
  assert.equal(subjects.size, 1);
  assert.ok(user < 1_500_000, `${user / 1_000} ms`);
});

it('events of the mempool come when many come at once, all of them and in order', async (t) => {
  const { mempool, open } = await start(t);
  const stream = await open('types=tx_seen');
  for (let i = 0; i < 5_000; i++) mempool.see(idOf(i));
  await until(() => stream.events.length === 5_000, 'all', { explain: () => `${stream.events.length}` });
  assert.ok(stream.events.every(({ data }, i) => data.content.tx_id === idOf(i)));
});
