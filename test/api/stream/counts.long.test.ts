/** What is counted of the streams of events. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { upgrading as network } from '../../devnet/sim/networks.ts';
import { simulatedHistory } from '../../sim/history.ts';
import { seesTip } from '../../sim/patient-answers.ts';
import { EventStream } from '../../support/event-stream.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { Scrape } from '../../support/prometheus.ts';
import { until } from '../../support/until.ts';

const history = simulatedHistory({ network, blocks: 24, seed: 'stream6', reorganisationProbability: 0.3 });

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
