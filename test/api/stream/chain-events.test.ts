/** What the stream of events tells of the chain: blocks and reorganisations, and the past to who comes back. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MAX_MISSED_BLOCKS } from '../../../src/api/stream/event-publisher.ts';
import { DEFAULT_STREAM_LIMITS } from '../../../src/api/stream/stream-service.ts';
import { upgrading as network } from '../../devnet/sim/networks.ts';
import { simulatedHistory, take } from '../../sim/history.ts';
import { seesTip } from '../../sim/patient-answers.ts';
import { EventStream } from '../../support/event-stream.ts';
import { builtBefore, type Scope } from '../../support/file-scope.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { Scrape } from '../../support/prometheus.ts';
import type { HistoryStep } from '../../support/recorded-chain.ts';
import { until } from '../../support/until.ts';
import type { TestServer, TestServerOptions } from '../../support/web-server.ts';

const heightAfter = ({ ancestor, blocks }: HistoryStep) => ancestor + blocks.length;
const tipOf = ({ blocks }: HistoryStep) => blocks.at(-1)!.id;

const history = simulatedHistory({ network, blocks: 24, seed: 'stream6', reorganisationProbability: 0.3 });
/** The first step that leaves blocks for others. */
const reorganising = history.steps.findIndex(
  ({ ancestor }, i) => i > 0 && ancestor < heightAfter(history.steps[i - 1]!),
);
assert.ok(reorganising > 2, `${reorganising}`);
/** Two servers that tests do not change: over an index with nothing but its genesis, and over one with all steps. */
const empty = builtBefore((scope) => serve(scope));
const whole = builtBefore((scope) => serve(scope, history.steps));

/** The id of the block at a height, as it is before the last step. */
function blockAt(steps: readonly HistoryStep[], height: number): string {
  const step = steps.slice(0, -1).findLast(({ ancestor }) => ancestor < height);
  return step === undefined ? network.genesisId : step.blocks[height - step.ancestor - 1]!.id;
}

async function takeAll(index: TestIndex, steps: readonly HistoryStep[]): Promise<void> {
  for (const step of steps) await take(index, step);
}

/** An index that has followed these steps, a web server that says so, and its streams, which end with the test. */
async function serve(t: Scope, steps: readonly HistoryStep[] = [], options: Partial<TestServerOptions> = {}) {
  const index = await TestIndex.create(t, network);
  await takeAll(index, steps);
  const server = await index.serve(t, { ...options });
  await seesTip(server, steps.length === 0 ? network.genesisId : tipOf(steps.at(-1)!));
  return { index, server, listen: (asked: Asked = {}) => listenTo(t, server, asked) };
}

interface Asked {
  readonly query?: string;
  readonly lastEventId?: string;
}

const listenTo = (t: Scope, { port }: TestServer, asked: Asked = {}) => EventStream.during(t, { port, ...asked });

for (const contract of ['described', 'mintlayer-core'] as const) {
  it(`a stream of events tells each block and each reorganisation in the shapes of ${contract}`, async (t) => {
    const { index, listen } = await serve(t, [], { contract });
    const stream = await listen();
    assert.equal(stream.status, 200);
    const { headers } = stream;
    assert.equal(headers['content-type'], 'text/event-stream');
    assert.equal(headers['cache-control'], 'no-cache, no-transform');
    assert.equal(headers['x-accel-buffering'], 'no');
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['content-encoding'], undefined);
    await until(() => stream.position !== undefined, 'the place where it begins');
    assert.ok(stream.text.startsWith('retry: 3000\n\n'), stream.text);
    assert.equal(stream.position, `0-${network.genesisId}`);

    const steps = history.steps.slice(0, reorganising + 1);
    await takeAll(index, steps);
    const last = steps.at(-1)!;
    await stream.sees('the new tip', ({ data }) => data.content.block_id === tipOf(last));

    const isCore = contract === 'mintlayer-core';
    const old = steps.at(-2)!;
    const removed = steps
      .slice(0, -1)
      .flatMap(({ ancestor, blocks }) => blocks.map(({ id }, i) => ({ height: ancestor + 1 + i, id })))
      .filter(({ height }) => height > last.ancestor && height <= heightAfter(old));
    const expected = steps.flatMap((step) => {
      const blocks = step.blocks.map(({ id, block, transactionIds }, i) => {
        const { timestamp } = block.header;
        return {
          name: 'block',
          data: {
            type: isCore ? 'Block' : 'block',
            content: {
              block_id: id,
              height: step.ancestor + 1 + i,
              timestamp: isCore ? { timestamp } : timestamp,
              tx_ids: transactionIds,
            },
          },
          id: `${step.ancestor + 1 + i}-${id}`,
        };
      });
      if (step !== last) return blocks;
      const content = {
        common_ancestor_height: step.ancestor,
        removed_block_ids: removed.map(({ id }) => id),
        new_tip_height: heightAfter(step),
      };
      const id = `${step.ancestor}-${blockAt(steps, step.ancestor)}`;
      return [{ name: 'reorg', data: { type: isCore ? 'Reorg' : 'reorg', content }, id }, ...blocks];
    });
    assert.deepEqual(stream.events, expected);
  });
}

it('a stream of events tells nothing before the API shows it', async (t) => {
  const { index, server, listen } = await serve(t);
  const stream = await listen({ query: 'types=block' });
  let told = 0;
  for (const step of history.steps.slice(0, 8)) {
    await take(index, step);
    while (stream.events.length === told) await new Promise((resolve) => setImmediate(resolve));
    told = stream.events.length;
    const { height } = stream.events.at(-1)!.data.content;
    assert.ok((await server.json('/chain/tip')).block_height >= height);
    await seesTip(server, tipOf(step));
    await stream.sees('the tip', ({ data }) => data.content.block_id === tipOf(step));
    told = stream.events.length;
  }
});

it('a stream of events tells who comes back what was missed, on every branch, from any server of the chain', async (t) => {
  // Everything in one batch, without what was left: an index that was built anew.
  const anew = await TestIndex.create(t, network);
  await anew.follow(history.mainChain, 100);
  const tip = history.mainChain.at(-1)!.id;
  const late = await anew.serve(t);
  await seesTip(late, tip);
  for (const [server, knowsBranches] of [
    [whole().server, true],
    [late, false],
  ] as const) {
    for (const step of history.steps) {
      const isLeft = history.mainChain[heightAfter(step) - 1]?.id !== tipOf(step);
      if (isLeft && !knowsBranches) continue;
      const stream = await listenTo(t, server, { lastEventId: `${heightAfter(step)}-${tipOf(step)}` });
      const isLast = tipOf(step) === tip;
      if (!isLast) await stream.sees('the tip', ({ id }) => id === `${history.mainChain.length}-${tip}`);
      const [first] = stream.events;
      const ancestor = isLeft ? first!.data.content.common_ancestor_height : heightAfter(step);
      if (isLeft) {
        assert.equal(first!.name, 'reorg');
        assert.equal(first!.data.content.removed_block_ids.at(-1), tipOf(step));
        assert.equal(first!.data.content.new_tip_height, history.mainChain.length);
        await stream.sees('all', ({ name, id }) => name === 'block' && id!.endsWith(tip));
      }
      assert.deepEqual(
        stream.of('block').map(({ content }) => content.block_id),
        history.mainChain.slice(ancestor).map(({ id }) => id),
      );
      stream.close();
    }
  }
});

it('a stream of events says that events were lost to who names a block that nobody knows, or one too long ago', async (t) => {
  const listen = (asked: Asked) => listenTo(t, whole().server, asked);
  const height = history.mainChain.length;
  const unknown = 'ab'.repeat(32);
  for (const lastEventId of [
    `3-${unknown}`,
    `${height + 5_000}-${unknown}`,
    'what is this',
    `4-${history.mainChain[4]!.id}`,
  ]) {
    const stream = await listen({ lastEventId });
    await stream.sees('the loss', ({ name }) => name === 'lag');
    assert.deepEqual(stream.events, [{ name: 'lag', data: { type: 'lag', content: { skipped: 0 } }, id: undefined }]);
    await until(() => stream.position === `${height}-${history.mainChain.at(-1)!.id}`, 'where it goes on');
  }
  const quiet = await listen({ query: 'types=block', lastEventId: `3-${unknown}` });
  await until(() => quiet.position?.startsWith(`${height}-`) === true, 'where it goes on');
  assert.deepEqual(quiet.events, []);
});

it('a stream of events tells the past of as many blocks as a reorganisation removes, and no more', async (t) => {
  const index = await TestIndex.create(t, network);
  const [first, second, third] = history.mainChain.slice(0, 3);
  await index.follow([first!, second!, third!]);
  const server = await index.serve(t);
  await seesTip(server, third!.id);
  await index.query('update chain_tip set height = $1, revision = revision + 1', [2 + MAX_MISSED_BLOCKS]);
  await until(async () => (await server.json('/chain/tip')).block_height === 2 + MAX_MISSED_BLOCKS, 'the height');
  const near = await listenTo(t, server, { lastEventId: `2-${second!.id}` });
  await near.sees('the third block', ({ data }) => data.content.block_id === third!.id);
  const far = await listenTo(t, server, { lastEventId: `1-${first!.id}` });
  await far.sees('the loss', ({ name }) => name === 'lag');
  assert.equal(far.events.length, 1);
});

it('a stream of events takes the last id from the query as well, where the header has none', async (t) => {
  const listen = (asked: Asked) => listenTo(t, whole().server, asked);
  const { length } = history.mainChain;
  const named = (height: number) => `${height}-${history.mainChain[height - 1]!.id}`;
  const stream = await listen({ query: `last_event_id=${named(length - 2)}` });
  await stream.sees('the tip', ({ id }) => id === named(length));
  assert.equal(stream.events.length, 2);
  const both = await listen({ query: `last_event_id=${named(1)}`, lastEventId: named(length - 1) });
  await both.sees('the tip', ({ id }) => id === named(length));
  assert.equal(both.events.length, 1);
});

it('a stream of events waits for a block that its database does not have yet', async (t) => {
  const behind = history.steps.slice(0, 3);
  const { index, server, listen } = await serve(t, behind);
  // The client heard two blocks more from another server.
  const ahead = history.steps.slice(0, reorganising).at(-1)!;
  const lastEventId = `${heightAfter(ahead)}-${tipOf(ahead)}`;
  const stream = await listen({ lastEventId });
  await takeAll(index, history.steps.slice(3, reorganising));
  await seesTip(server, tipOf(ahead));
  await take(index, history.steps[reorganising]!);
  await stream.sees(
    'the next tip',
    ({ name, id }) => name === 'block' && id!.endsWith(tipOf(history.steps[reorganising]!)),
  );
  assert.equal(stream.events[0]!.name, 'reorg');
  assert.deepEqual(
    stream.of('block').map(({ content }) => content.block_id),
    history.steps[reorganising]!.blocks.map(({ id }) => id),
  );
});

it('a stream of events has limits, in all and for each address', async (t) => {
  for (const streams of [{ maxSubscribers: 3 }, { maxSubscribersPerClient: 3 }]) {
    const { server, listen } = await serve(t, [], { streams });
    const [first] = await Promise.all([1, 2, 3].map(() => listen()));
    const refused = await server.get('/stream');
    assert.equal(refused.status, 429);
    assert.deepEqual(refused.body, { error: 'Too many concurrent stream connections' });
    first!.close();
    await until(async () => (await listen()).status === 200, 'a place that was left');
  }
  assert.equal(DEFAULT_STREAM_LIMITS.maxSubscribersPerClient, 20);
});

const KNOWN_TYPES = 'Invalid types: known are tx_seen, block, reorg, lag, tx_dropped, activity, status, keepalive';

it('a stream of events refuses what it does not understand, and names what it does', async (t) => {
  const { server } = empty();
  const token = 'pair=TML_x';
  for (const [query, error] of [
    ['types=', KNOWN_TYPES],
    ['types=block,blocks', KNOWN_TYPES],
    ['types=block,', KNOWN_TYPES],
    ['adress=x', 'Invalid parameter: known are types, address, token, pool, delegation, order, pair, last_event_id'],
    ['last_event_id=5', 'Bad request'],
    ['address=', 'Invalid address'],
    ['address=x', 'Invalid address'],
    ['token=x', 'Invalid token Id'],
    ['pool=x', 'Invalid pool Id'],
    ['delegation=x', 'Invalid delegation Id'],
    ['order=x', 'Invalid order Id'],
    ['pair=x', 'Invalid order trading pair'],
    [Array.from({ length: 101 }, () => token).join('&'), 'Too many subjects'],
  ] as const) {
    await server.refuses(`/stream?${query}`, 400, error);
  }
  const stream = await listenTo(t, server, { query: `types=${encodeURIComponent(' BLOCK , Tx_Seen')}` });
  assert.equal(stream.status, 200);
  const head = await fetch(`${server.url}/api/v2/stream`, { method: 'HEAD' });
  assert.equal(head.status, 200);
  assert.equal(head.headers.get('content-type'), 'text/event-stream');
});

it('a stream of events may be probed by who only wants to know that it is there, and hangs up', async () => {
  const { server } = empty();
  for (let i = 0; i < 5; i++) {
    const probe = await fetch(`${server.url}/api/v2/stream`, { headers: { accept: 'text/event-stream' } });
    assert.ok(probe.ok, `probe ${i}`);
    await probe.body!.cancel();
  }
  const isGone = async () => (await Scrape.fresh(server.port)).value('chain_indexer_streams_open') === 0;
  await until(isGone, 'nothing is left open');
});
