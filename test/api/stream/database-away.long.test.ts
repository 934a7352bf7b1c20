/** Streams while their database is away, or is built anew under them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createGenesisIndex, prepareNewIndex } from '../../../src/scanner/database/database-state.ts';
import { BatchApplier } from '../../../src/scanner/sync/apply-batches.ts';
import { dropTables } from '../../../src/store/schema/create-and-drop-tables.ts';
import { MAX_REMOVED_BLOCKS } from '../../../src/store/write/reorganisation-log.ts';
import { upgrading as network } from '../../devnet/sim/networks.ts';
import { simulatedHistory, take } from '../../sim/history.ts';
import { seesTip } from '../../sim/patient-answers.ts';
import { EventStream } from '../../support/event-stream.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { Scrape } from '../../support/prometheus.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import { startTestWebServer } from '../../support/web-server.ts';

const history = simulatedHistory({ network, blocks: 24, seed: 'stream6', reorganisationProbability: 0.3 });

it('a stream of events goes on without a gap when the database was away', async (t) => {
  const index = await TestIndex.create(t, network);
  const proxy = await TcpProxy.start(t, index.postgres);
  const postgres = { ...index.postgres, ...proxy.address };
  const server = await startTestWebServer(t, { network, postgres });
  await seesTip(server, network.genesisId);
  const stream = await EventStream.during(t, { port: server.port });
  const rest = [...history.steps];
  for (const step of rest.splice(0, 3)) await take(index, step);
  await stream.sees('the first blocks', ({ data }) => data.content.height === 3);
  await proxy.close();
  for (const step of rest.splice(0, 6)) await take(index, step);
  await until(async () => !(await server.isReady()), 'the loss');
  const refused = await server.get('/stream');
  assert.equal(refused.status, 503);
  await proxy.reopen();
  for (const step of rest) await take(index, step);
  await stream.sees('the tip', ({ data }) => data.content.block_id === history.mainChain.at(-1)!.id);
  const chain: string[] = [];
  for (const { name, data } of stream.events) {
    const { content } = data;
    if (name === 'reorg') {
      assert.deepEqual(chain.slice(content.common_ancestor_height), content.removed_block_ids);
      chain.length = content.common_ancestor_height;
    } else {
      assert.equal(content.height, chain.length + 1);
      chain.push(content.block_id);
    }
  }
  const mainIds = history.mainChain.map(({ id }) => id);
  assert.deepEqual(chain, mainIds);
  assert.equal(stream.isEnded, false);
});

it('a stream of events goes on where it was when the index is built anew', async (t) => {
  const index = await TestIndex.create(t, network);
  const server = await index.serve(t);
  await seesTip(server, network.genesisId);
  const { session } = index;
  const half = history.mainChain.slice(0, 10);
  await index.follow(half);
  await seesTip(server, half.at(-1)!.id);
  const stream = await EventStream.during(t, { port: server.port, lastEventId: `4-${half[3]!.id}` });
  await stream.sees('the tip', ({ data }) => data.content.height === 10);

  await dropTables(session.writer);
  const applier = new BatchApplier(network, {});
  await createGenesisIndex(session, await prepareNewIndex(applier));
  await session.writer.query('update chain_tip set is_ready = false');
  const anew = new TestIndex(index.postgres, session, applier);
  await anew.follow(history.mainChain.slice(0, 12), 4);
  assert.equal(stream.events.at(-1)!.data.content.height, 10);
  await session.writer.query('update chain_tip set is_ready = true, revision = revision + 1');
  await anew.follow(history.mainChain.slice(12));
  await stream.sees('the tip', ({ data }) => data.content.block_id === history.mainChain.at(-1)!.id);
  assert.deepEqual(
    stream.events.map(({ data }) => data.content.block_id),
    history.mainChain.slice(4).map(({ id }) => id),
  );
});

it('a stream of events is counted: who listens, who came back, and what was told of the past', async (t) => {
  const index = await TestIndex.create(t, network);
  await index.follow(history.mainChain, 30);
  const server = await index.serve(t, { streams: { maxSubscribers: 2 } });
  await seesTip(server, history.mainChain.at(-1)!.id);
  const value = async (name: string) => (await Scrape.fresh(server.port)).value(`chain_indexer_${name}`);
  assert.equal(await value('streams_open'), 0);
  const { length } = history.mainChain;
  const streams = await Promise.all(
    [1, 5].map((missed) => {
      const height = length - missed;
      return EventStream.open({ port: server.port, lastEventId: `${height}-${history.mainChain[height - 1]!.id}` });
    }),
  );
  for (const stream of streams) await stream.sees('the tip', ({ data }) => data.content.height === length);
  assert.equal((await server.get('/stream')).status, 429);
  assert.equal(await value('streams_open'), 2);
  await until(async () => (await value('streams_resumed_total')) === 2, 'both');
  assert.equal(await value('stream_replayed_events_total'), 6);
  assert.equal(await value('streams_refused_total'), 1);
  assert.equal(await value('requests_in_flight'), 0);
  for (const stream of streams) stream.close();
  await until(async () => (await value('streams_open')) === 0, 'their end');
});

it('the blocks that were left are remembered with their parents, once each, and only the newest of them', async (t) => {
  const index = await TestIndex.create(t, network);
  for (const step of history.steps) await take(index, step);
  const main = new Set(history.mainChain.map(({ id }) => id));
  const left = history.steps
    .flatMap(({ blocks }) => blocks)
    .filter(({ id }) => !main.has(id))
    .map(({ id, block }) => `${id} ${block.header.prevBlockId}`);
  const stored = async () => {
    const { rows } = await index.query('select block_id, parent_id from removed_blocks order by removal_order');
    return rows.map(({ block_id, parent_id }) => `${block_id} ${parent_id}`);
  };
  const rows = await stored();
  assert.deepEqual(new Set(left).difference(new Set(rows)), new Set());
  assert.equal(new Set(rows).size, rows.length);
  await index.query(
    `insert into removed_blocks (block_id, height, parent_id)
     select int4send(n), 1, '\\x' from generate_series(1, ${MAX_REMOVED_BLOCKS}) n`,
  );
  await index.reorganise(history.mainChain.length - 1, history.mainChain.slice(-1));
  const kept = await stored();
  assert.equal(kept.length, MAX_REMOVED_BLOCKS);
  assert.equal(kept.at(-1)!.slice(0, 64), history.mainChain.at(-1)!.id);
});
