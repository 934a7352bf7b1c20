/** Pages for a client that has too much in progress. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { filledIndex } from '../support/filled-servers.ts';
import { getPage } from '../support/html-page.ts';
import { Scrape } from '../support/prometheus.ts';
import { until } from '../support/until.ts';

const index = filledIndex({ blocks: 10, transactionsPerBlock: 1 });

it('a page that is refused because its client has too much in progress says so, and is tried again', async (t) => {
  const server = await index().serve(t, { totals: { requests: 1 }, statementTimeoutMs: 30_000 });
  const { release } = await index().holdStatistics(t);
  const held = server.get('/statistics/coin');
  const used = async () => (await Scrape.of(server.port)).value('chain_indexer_resource_used{resource="requests"}');
  await until(async () => (await used()) === 1, 'the request that fills the part of the client');
  const { main, whole, headers } = await getPage(server, '/blocks?items=5', 429);
  assert.equal(main.one('h1').text, 'Too many requests at a time');
  assert.doesNotMatch(main.text, /copied completely/);
  assert.ok(main.links().includes('/blocks?items=5'));
  assert.equal(whole.attribute('data-refresh'), '2');
  assert.equal(headers.get('retry-after'), '1');
  await release();
  assert.equal((await held).status, 200);
});
