/** The clients of the stream in one process: what they are told, what that costs, and how they end. */
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { it, type TestContext } from 'node:test';
import { DESCRIBED_PROFILE } from '../../../src/api/response-profile/described-profile.ts';
import { parseEventFilter, type SubjectKey, subjectKey } from '../../../src/api/stream/event-filter.ts';
import { EventFrames } from '../../../src/api/stream/event-frames.ts';
import { StreamHub, type StreamHubOptions } from '../../../src/api/stream/stream-hub.ts';
import { destinationAddress } from '../../../src/chain/address.ts';
import { networkByName } from '../../../src/chain/networks/known-networks.ts';
import { internalCaller } from '../../../src/serving/resources/caller.ts';
import { Holdings } from '../../../src/serving/resources/reclaimable-holdings.ts';
import { FakeStreamResponse } from '../../support/fake-stream-response.ts';
import { startHttpServer } from '../../support/http-server.ts';
import { until } from '../../support/until.ts';

const network = networkByName('regtest');
const idOf = (number: number) => number.toString(16).padStart(64, '0');

function startHub(t: TestContext, options: Partial<StreamHubOptions> = {}, total = 100_000) {
  const hub = new StreamHub({
    frames: new EventFrames(DESCRIBED_PROFILE),
    streams: new Holdings({ resource: 'streams', total, weightOf: () => 1, onRefused() {} }),
    maxStreamsPerClient: 100_000,
    maxEvents: 1_024,
    maxBytes: 1024 * 1024,
    keepaliveMs: 30_000,
    ...options,
  });
  t.after(() => hub.end());
  const add = (query: Record<string, string> = {}, address = '127.0.0.1') => {
    const response = new FakeStreamResponse();
    const filter = parseEventFilter(network, DESCRIBED_PROFILE, query);
    hub.attach(hub.add(response.asResponse, internalCaller(address), filter), hub.next);
    return response;
  };
  return { hub, add };
}

const OWNER = `01${'ab'.repeat(20)}`;

const seen = (number: number) => ({ type: 'seen', id: idOf(number), origin: 'local', sequence: 1 }) as const;
const block = (height: number, txIds = '') =>
  ({
    type: 'block',
    block: { height, id: idOf(height), timestamp: 0, txIds },
    parent: { height: height - 1, id: idOf(height - 1) },
    activities: null,
  }) as const;

/** A pending transaction that touches many subjects. */
const activity = (number: number) => {
  const others = Array.from({ length: 830 }, (_, i): SubjectKey => subjectKey.token(idOf(i)));
  const subjects = new Set([subjectKey.address(OWNER), ...others]);
  return { type: 'activity', activity: { txId: idOf(number), subjects } } as const;
};

it('the clients of the stream are sent the same bytes, made once', async (t) => {
  const { hub, add } = startHub(t);
  const all = Array.from({ length: 100 }, () => add());
  hub.publish(seen(1));
  await hub.delivered();
  assert.equal(new Set(all.map(({ chunks }) => chunks[0])).size, 1);
  assert.ok(all.every(({ chunks }) => chunks.length === 1));
});

it('the clients of the stream leave others their turn while thousands are told', async (t) => {
  const { hub, add } = startHub(t);
  for (let i = 0; i < 20_000; i++) add();
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const begun = process.cpuUsage();
  hub.publish(block(1, `"${idOf(7)}"`));
  await hub.delivered();
  isOver = true;
  // Of the processor: the machine may have others to serve.
  const { user, system } = process.cpuUsage(begun);
  const tookMs = (user + system) / 1_000;
  assert.ok(turns >= Math.floor(tookMs / 20), `${turns} turns in ${tookMs} ms`);
});

it('the clients of the stream are sent what they are told in the same turn, so that its time is that of the slice', async (t) => {
  const { hub } = startHub(t);
  const waiting = Promise.withResolvers<number>();
  const { port } = await startHttpServer(t, (_request, response) => {
    response.useChunkedEncodingByDefault = false;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    hub.attach(hub.add(response, internalCaller(), parseEventFilter(network, DESCRIBED_PROFILE, {})), hub.next);
    hub.publish(seen(1));
    waiting.resolve(response.socket!.writableLength);
  });
  const client = get({ port, host: '127.0.0.1', agent: false });
  t.after(() => client.destroy());
  client.on('error', () => {});
  assert.equal(await waiting.promise, 0);
});

it('the clients of the stream are told from a bounded memory: who is behind by more events, or by more bytes, lost the oldest', async (t) => {
  for (const [happening, kept] of [
    [(n: number) => seen(n), 1_024],
    [(n: number) => block(n, `"${'x'.repeat(100_000)}"`), 10],
    [activity, 10],
  ] as const) {
    const { hub, add } = startHub(t);
    const slow = add({ types: 'tx_seen,block', address: destinationAddress(network, OWNER) });
    slow.isBlocked = true;
    for (let n = 1; n <= 3_000; n++) {
      hub.publish(happening(n));
      if (n % 100 === 0) await hub.delivered();
    }
    await hub.delivered();
    // One write, that was not taken.
    assert.equal(slow.chunks.length, 1);
    slow.drain();
    const skipped = Number(/event: lag\ndata: \{"skipped":(\d+)\}/.exec(slow.chunks[1]!.toString())![1]);
    assert.equal(skipped + slow.chunks.length - 1, 3_000);
    assert.ok(Math.abs(slow.chunks.length - 2 - kept) <= 1, `${slow.chunks.length}`);
    assert.match(slow.text, new RegExp(`${idOf(3_000)}"`));
    assert.equal(hub.counts.lostEvents, skipped);
    assert.equal(hub.counts.lagged, 1);
  }
});

it('the clients of the stream are broken off when they take nothing for long, and only they', async (t) => {
  const { hub, add } = startHub(t, { silenceMs: 1_500 });
  const [dead, living] = [add(), add()];
  dead.isBlocked = true;
  hub.publish(seen(1));
  await until(() => dead.isDestroyed, 'its end');
  assert.equal(living.isDestroyed, false);
  assert.equal(hub.counts.cut, 1);
  assert.equal(hub.counts.open, 1);
});

it('the clients of the stream are kept alive when nothing was sent, and only then', async (t) => {
  const { hub, add } = startHub(t, { keepaliveMs: 1_500 });
  const quiet = add({ types: 'block' });
  const inBrowser = add({ types: 'block,keepalive' });
  const busy = add({ types: 'tx_seen,keepalive' });
  const telling = setInterval(() => hub.publish(seen(1)), 200);
  await until(() => quiet.text.includes(': keepalive\n\n'), 'a sign of life');
  await until(() => inBrowser.text !== '', 'a sign of life that a script sees');
  clearInterval(telling);
  assert.equal(inBrowser.text, 'event: keepalive\ndata: {"type":"keepalive","content":{}}\n\n');
  assert.equal(busy.text.includes('keepalive'), false);
});

it('the clients of the stream that ask for keepalives get them every 30 seconds, however rare the comments are', (t) => {
  const { hub } = startHub(t);
  const sentAfter = (ms: number, types: string) => {
    const response = new FakeStreamResponse();
    const filter = parseEventFilter(network, DESCRIBED_PROFILE, { types });
    hub.add(response.asResponse, internalCaller(), filter).keepAlive(performance.now() + ms, 120_000);
    return response.text.split('\n', 1)[0];
  };
  assert.deepEqual(
    [sentAfter(29_000, 'block,keepalive'), sentAfter(31_000, 'block,keepalive')],
    ['', 'event: keepalive'],
  );
  assert.deepEqual([sentAfter(119_000, 'block'), sentAfter(121_000, 'block')], ['', ': keepalive']);
});

it('the clients of the stream are bounded for each address; when all are in use, the address with most loses its newest', (t) => {
  const { hub, add } = startHub(t, { maxStreamsPerClient: 3 }, 4);
  const ofFirst = [add({}, 'a'), add({}, 'a'), add({}, 'a')];
  assert.equal(hub.hasRoomFor(internalCaller('a')), false);
  assert.equal(hub.hasRoomFor(internalCaller('b')), true);
  add({}, 'b');
  assert.equal(hub.hasRoomFor(internalCaller('a')), false);
  assert.equal(hub.hasRoomFor(internalCaller('c')), true);
  add({}, 'c');
  const areDestroyed = ofFirst.map(({ isDestroyed }) => isDestroyed);
  assert.deepEqual(areDestroyed, [false, false, true]);
  assert.equal(hub.counts.open, 4);
  // It would take from a client that has no more than itself.
  assert.equal(hub.hasRoomFor(internalCaller('b')), false);
  ofFirst[0]!.destroy();
  assert.equal(hub.hasRoomFor(internalCaller('b')), true);
  assert.equal(hub.counts.refused, 3);
});

it('the clients of the stream end one after the other when the server stops', async (t) => {
  const { hub, add } = startHub(t);
  const all = Array.from({ length: 1_000 }, () => add());
  const ending = hub.end();
  const endedBy = () => all.filter(({ isEnded }) => isEnded).length;
  await until(() => endedBy() > 300, 'some');
  assert.ok(endedBy() < 900, `${endedBy()}`);
  await ending;
  assert.equal(endedBy(), 1_000);
  assert.equal(hub.counts.open, 0);
});

it('the clients of the stream are told once that events of the mempool were not kept, though blocks come as well', async (t) => {
  const { hub, add } = startHub(t, { maxEvents: 100_000, maxBytes: 1e9 });
  const all = add({ types: 'tx_seen,block,lag' });
  for (let number = 1; number <= 20_000; number++) hub.publish(seen(number));
  hub.publish(block(1));
  for (let number = 1; number <= 3; number++) hub.publish(seen(30_000 + number));
  hub.publish({ type: 'lost' });
  await hub.delivered();
  assert.equal(all.text.match(/event: lag/g)?.length, 2);
  hub.publish(seen(40_000));
  await hub.delivered();
  assert.match(all.text, new RegExp(idOf(40_000)));
});

it('the clients of the stream that resume have lost only events of the mempool: a replay sends all others', async (t) => {
  const { hub, add } = startHub(t, { maxEvents: 10 });
  add();
  const resume = (publish: () => void) => {
    const response = new FakeStreamResponse();
    const client = hub.add(response.asResponse, internalCaller('b'), parseEventFilter(network, DESCRIBED_PROFILE, {}));
    const since = hub.next;
    publish();
    return { response, attach: () => hub.attach(client, since) };
  };
  const early = resume(() => hub.publish(seen(1)));
  const late = resume(() => {
    for (let height = 1; height <= 30; height++) hub.publish(block(height));
  });
  await hub.delivered();
  for (const { attach } of [early, late]) attach();
  assert.equal(early.response.text, 'event: lag\ndata: {"skipped":1}\n\n');
  assert.equal(late.response.text, '');
});

it('the clients of the stream that resume are told what is pending, unless a block has it that no reorganisation removed', async (t) => {
  const { hub } = startHub(t);
  const response = new FakeStreamResponse();
  const filter = parseEventFilter(network, DESCRIBED_PROFILE, { types: 'tx_seen' });
  const client = hub.add(response.asResponse, internalCaller(), filter);
  for (const number of [1, 2]) hub.publish(seen(number));
  for (const height of [1, 2]) hub.publish(block(height, `"${idOf(height)}"`));
  const [ancestor, removed, newTip] = [{ height: 1, id: idOf(1) }, [idOf(2)], { height: 2, id: idOf(3) }];
  hub.publish({ type: 'reorganisation', reorganisation: { ancestor, removed, newTip } });
  hub.attach(client, 0);
  assert.deepEqual(response.text.match(/(?<=tx_id":")\w+/g), [idOf(2)]);
});

it('the clients of the stream are told how far the chain is now and then, though nothing touches what they listen to', async (t) => {
  const { hub, add } = startHub(t);
  const quiet = add({ types: 'lag' });
  for (let height = 1; height <= 250; height++) hub.publish(block(height));
  await hub.delivered();
  assert.equal(quiet.text, `id: 100-${idOf(100)}\n\nid: 200-${idOf(200)}\n\n`);
});

it('the clients of the stream are told of the node’s state if they name it, and it is wanted as long as they are there', (t) => {
  const { hub, add } = startHub(t);
  const other = add();
  assert.equal(hub.wantsStatus, false);
  const response = add({ types: 'status' });
  assert.equal(hub.wantsStatus, true);
  response.emit('close');
  assert.equal(hub.wantsStatus, false);
  other.emit('close');
});
