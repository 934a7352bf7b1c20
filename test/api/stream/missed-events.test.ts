/** The telling of the past: read once for all who ask for the same, in turns of clients, and not ahead of who does not take it. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DESCRIBED_PROFILE } from '../../../src/api/response-profile/described-profile.ts';
import { parseEventFilter } from '../../../src/api/stream/event-filter.ts';
import { MAX_MISSED_BLOCKS } from '../../../src/api/stream/event-publisher.ts';
import type { MempoolStreamEvent, MempoolStreamEvents } from '../../../src/api/stream/stream-event.ts';
import { StreamService, type StreamServiceOptions } from '../../../src/api/stream/stream-service.ts';
import { networkByName } from '../../../src/chain/networks/known-networks.ts';
import { internalCaller } from '../../../src/serving/resources/caller.ts';
import { Holdings } from '../../../src/serving/resources/reclaimable-holdings.ts';
import { Slots } from '../../../src/serving/resources/slots.ts';
import type { ChainBlockRow } from '../../../src/store/queries/blocks/blocks-since.ts';
import { FakeStreamResponse } from '../../support/fake-stream-response.ts';
import { until } from '../../support/until.ts';
import { SILENT } from '../../support/web-server.ts';

const network = networkByName('regtest');
const idOf = (height: number) => height.toString(16).padStart(64, '0');
const HEIGHT = 200;
/** Of a block, each with transactions of some kB. */
const TX_IDS = Array.from({ length: 100 }, (_, i) => `"${idOf(i)}"`).join(',');

const UNSENT_BYTES = 4 * 1024 * 1024;

/** A chain of blocks behind a store that counts how often it is asked. */
function start(t: TestContext, txIds = TX_IDS) {
  let asked = 0;
  let tip = { height: HEIGHT, id: idOf(HEIGHT), revision: 1, isReady: true, genesisId: network.genesisId };
  const query = async (query: { readonly name: string }, height: number, _id: string, maxBlocks: number) => {
    assert.equal(query.name, 'blocks_after');
    asked++;
    await sleep(5);
    const count = Math.min(maxBlocks, tip.height - height);
    const rows = Array.from({ length: count }, (_, i): ChainBlockRow => {
      return { height: height + 1 + i, block_id: idOf(height + 1 + i), timestamp: 0, tx_ids: txIds };
    });
    return { tip, rows };
  };
  const onChange: (() => void)[] = [];
  const tipWatch = {
    get tip() {
      return tip;
    },
    onChange: (call: () => void) => onChange.push(call),
    pollNow() {},
    noteRequest() {},
  };
  let tellMempool: (event: MempoolStreamEvent) => void = () => {};
  const listen: MempoolStreamEvents['listen'] = (listener) => {
    tellMempool = listener;
    return () => {};
  };
  const options = { weightOf: () => 1, onRefused() {} };
  const slots = { total: 2, perClient: 1, maxWaitMs: 60_000 };
  const streams = new StreamService({
    replays: new Slots({ resource: 'replays', ...slots, ...options }),
    unsent: new Holdings({ resource: 'unsent_bytes', total: UNSENT_BYTES, ...options }),
    streams: new Holdings({ resource: 'streams', total: 1_000, ...options }),
    network,
    store: { query },
    tipWatch,
    pending: { listen },
    logger: SILENT,
    profile: DESCRIBED_PROFILE,
    limits: { maxSubscribersPerClient: 1_000 },
  } as unknown as StreamServiceOptions);
  const responses: FakeStreamResponse[] = [];
  t.after(() => {
    for (const response of responses) response.emit('close');
  });
  const comeBack = (height: number, { takes = true, address = 'a', types = 'block,lag' } = {}) => {
    const response = new FakeStreamResponse();
    response.isBlocked = !takes;
    responses.push(response);
    const client = streams.hub.add(
      response.asResponse,
      internalCaller(address),
      parseEventFilter(network, DESCRIBED_PROFILE, { types }),
    );
    void streams.missedEvents.resume(client, { height, id: idOf(height) });
    return response;
  };
  const growTo = (height: number) => {
    tip = { ...tip, height, id: idOf(height), revision: tip.revision + 1 };
    for (const call of onChange) call();
  };
  const see = (id: string) => {
    const text = () => '{"inputs":[],"outputs":[]}';
    tellMempool({ type: 'seen', transaction: { id, origin: 'local', addresses: [], tokens: [], text }, sequence: 1 });
  };
  const drop = (id: string) => tellMempool({ type: 'dropped', id, transaction: null, sequence: 2 });
  return { comeBack, asked: () => asked, growTo, see, drop };
}

/** The names and transactions or heights of the events that a client was sent. */
function eventsOf({ text }: FakeStreamResponse): string[] {
  return [...text.matchAll(/event: (\w+)\ndata: (.*)/g)].map(([, name, data]) => {
    const { content = {}, skipped } = JSON.parse(data!);
    return `${name} ${content.height ?? Number.parseInt(content.tx_id ?? skipped, content.tx_id ? 16 : 10)}`;
  });
}

const isWhole = ({ chunks }: FakeStreamResponse) => chunks.at(-1)?.includes(`id: ${HEIGHT}-${idOf(HEIGHT)}\n`) ?? false;

it('what clients missed is read once for all who come back with the same block', async (t) => {
  const { comeBack, asked } = start(t);
  const alone = comeBack(10);
  await until(() => isWhole(alone), 'all blocks');
  const forOne = asked();
  assert.ok(forOne >= 2, `${forOne}`);
  const many = Array.from({ length: 50 }, () => comeBack(20));
  await until(() => many.every(isWhole), 'all blocks of all');
  assert.ok(asked() - forOne <= forOne, `${asked() - forOne} for fifty, ${forOne} for one`);
  assert.ok(many.every(({ text }) => text === many[0]!.text));
});

it('what clients missed is read in parts that those share who come back with different blocks', async (t) => {
  const { comeBack, asked } = start(t);
  const first = comeBack(10);
  await until(() => isWhole(first), 'all blocks');
  const forOne = asked();
  const second = comeBack(20);
  await until(() => isWhole(second), 'all blocks');
  assert.equal(asked(), forOne + 1);
  assert.ok(first.text.endsWith(second.text));
});

it('what clients missed is kept for others as long as it is not too large', async (t) => {
  for (const [txIds, isKept] of [
    [TX_IDS, true],
    [`"${'x'.repeat(100_000)}"`, false],
  ] as const) {
    const { comeBack, asked } = start(t, txIds);
    for (const again of [false, true]) {
      const before = asked();
      const client = comeBack(0);
      await until(() => isWhole(client), 'all blocks');
      assert.equal(asked() - before, again && isKept ? 0 : HEIGHT / 50);
    }
  }
});

it('what clients missed is read in turns: who comes back with many streams does not hold up another', async (t) => {
  const { comeBack } = start(t);
  const many = Array.from({ length: 40 }, (_, i) => comeBack(i));
  const other = comeBack(45, { address: 'b' });
  await until(() => isWhole(other), 'all blocks of the other');
  const done = many.filter(isWhole).length;
  assert.ok(done < many.length / 2, `${done} of the many`);
  await until(() => many.every(isWhole), 'all blocks of all');
});

it('what clients missed is told without a gap: who falls too far behind meanwhile is told that events were lost', async (t) => {
  const { comeBack, growTo } = start(t);
  const client = comeBack(0, { takes: false });
  await until(() => client.chunks.length > 0, 'the first part');
  growTo(60 + MAX_MISSED_BLOCKS);
  client.drain();
  await until(() => client.text.includes('event: lag\n'), 'the loss');
  const [before] = client.text.split('event: lag\n');
  assert.equal(before!.match(/event: block\n/g)?.length, 50);
});

it('what clients missed of the mempool meanwhile is told after the blocks, without what these have', async (t) => {
  const { comeBack, see, drop, growTo } = start(t);
  const client = comeBack(HEIGHT - 1, { takes: false, types: 'block,tx_seen,tx_dropped,lag' });
  await until(() => client.chunks.length > 0, 'the first part');
  // The next block has the first of them, which was dropped and seen again.
  for (const id of [1, 0x101]) see(idOf(id));
  drop(idOf(1));
  see(idOf(1));
  await until(() => client.text.includes(idOf(HEIGHT)), 'the last block');
  await sleep(50);
  growTo(HEIGHT + 1);
  await sleep(50);
  client.drain();
  await until(() => client.text.includes(idOf(0x101)), 'what is pending');
  see(idOf(0x102));
  await until(() => client.text.includes(idOf(0x102)), 'a fresh one');
  assert.deepEqual(eventsOf(client), [
    `block ${HEIGHT}`,
    `block ${HEIGHT + 1}`,
    `tx_seen ${0x101}`,
    `tx_seen ${0x102}`,
  ]);
});

it('what clients missed of the mempool meanwhile, if it was too much, is counted in a lag', async (t) => {
  const { comeBack, see } = start(t);
  const client = comeBack(HEIGHT - 1, { takes: false, types: 'block,tx_seen' });
  const other = comeBack(HEIGHT - 1, { takes: false });
  await until(() => client.chunks.length > 0 && other.chunks.length > 0, 'the first part');
  for (let n = 1; n <= 3_000; n++) {
    see(idOf(n));
    if (n % 100 === 0) await sleep(1);
  }
  await sleep(500);
  client.drain();
  other.drain();
  await until(() => client.text.includes(`tx_id":"${idOf(3_000)}`), 'the newest');
  const [block, lag, ...seen] = eventsOf(client);
  assert.equal(block, `block ${HEIGHT}`);
  assert.equal(lag, `lag ${3_000 - seen.length}`);
  assert.ok(seen.length < 1_100 && seen.every((event) => event.startsWith('tx_seen')), `${seen.length}`);
  // Who does not ask for events of the mempool has lost none.
  assert.deepEqual(eventsOf(other), [`block ${HEIGHT}`]);
});

it('what happens in the mempool while blocks are read is told after them, without what these have', async (t) => {
  const { comeBack, see, growTo } = start(t);
  const client = comeBack(HEIGHT, { types: 'block,tx_seen' });
  await sleep(50);
  growTo(HEIGHT + 1);
  for (const id of [1, 0x101]) see(idOf(id));
  await until(() => client.text.includes(idOf(0x101)), 'what is pending');
  assert.deepEqual(eventsOf(client), [`block ${HEIGHT + 1}`, `tx_seen ${0x101}`]);
});

it('what clients missed is read no further for a client that has gone', async (t) => {
  const { comeBack, asked } = start(t);
  const client = comeBack(10);
  await until(() => client.chunks.length > 0, 'the first part');
  client.emit('close');
  const read = asked();
  await sleep(100);
  assert.ok(asked() <= read + 1, `${asked()} parts`);
});

it('what clients missed and do not take is taken back from the client with most of it, whose streams are cut', async (t) => {
  const { comeBack } = start(t);
  const small = comeBack(10, { takes: false });
  const many = Array.from({ length: 40 }, () => comeBack(0, { takes: false, address: 'b' }));
  let cut = 0;
  for (const each of [...many]) each.on('close', () => cut++);
  small.on('close', () => assert.fail('cut'));
  await until(() => many.every(({ text }) => text.length > 100_000), 'the first part of each');
  const most = Math.floor((UNSENT_BYTES - small.text.length) / many[0]!.text.length);
  await until(() => many.length - cut <= most, 'those that are too many');
  assert.ok(many.length - cut >= most - 1, `${cut} of ${many.length}`);
  small.drain();
  await until(() => isWhole(small), 'the rest');
  small.removeAllListeners('close');
});

it('what clients missed is not read ahead of a client that does not take it, and goes on when it does', async (t) => {
  const { comeBack, asked } = start(t);
  const slow = comeBack(10, { takes: false });
  await until(() => slow.chunks.length > 0, 'the first part');
  await sleep(100);
  const [read, sent] = [asked(), slow.text.length];
  assert.equal(read, 1);
  await sleep(100);
  assert.deepEqual([asked(), slow.text.length], [read, sent]);
  slow.drain();
  await until(() => isWhole(slow), 'the rest');
  assert.equal(slow.text.match(/event: block\n/g)?.length, HEIGHT - 10);
});
