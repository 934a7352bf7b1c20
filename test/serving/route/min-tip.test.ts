/** The tips that responses name, and requests that name the oldest tip that they accept. */

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { CreateBrowserPages } from '../../../src/answers/answers-context.ts';
import { destinationAddress, poolAddress, tokenAddress } from '../../../src/chain/address.ts';
import { identifyBlock } from '../../../src/chain/codec/block.ts';
import { regtest } from '../../../src/chain/networks/known-networks.ts';
import { addPostRoute } from '../../../src/serving/route/post-route.ts';
import { encodeGenesis } from '../../support/encode-blocks.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { Scrape } from '../../support/prometheus.ts';
import { type SmallBlock, SmallChain } from '../../support/small-chain.ts';
import { eventually, takesLessThan, until } from '../../support/until.ts';
import {
  Notebook,
  serveIndex,
  type TestAnswer,
  type TestServer,
  type TestServerOptions,
} from '../../support/web-server.ts';

const chain = new SmallChain().grow(5);
const [, , third, fourth, fifth] = chain.blocks as [SmallBlock, SmallBlock, SmallBlock, SmallBlock, SmallBlock];
const otherFourth = chain.block({ parent: third, tip: false });
const network = {
  ...regtest,
  genesis: encodeGenesis(chain.genesis).toString('hex'),
  genesisId: chain.genesisId,
};

const blocksOf = (...blocks: readonly SmallBlock[]) => blocks.map(({ bytes }) => identifyBlock(bytes));
const tipOf = ({ height, id }: Pick<SmallBlock, 'height' | 'id'>) => `${height}-${id}`;
const tipsOf = (answers: readonly TestAnswer[]) => answers.map(({ headers }) => headers.get('x-chain-tip'));

/** A web server over an index that ends at the third block. */
async function serve(t: TestContext, options: Partial<TestServerOptions> = {}) {
  const index = await TestIndex.create(t, network);
  await index.follow(blocksOf(...chain.blocks.slice(0, 3)));
  const { server } = await serveIndex(t, network, { index, ...options });
  await until(async () => (await server.get('/chain/tip')).body.block_height === 3, 'the third block');
  return { index, server };
}

const HEADER_OF_BLOCK = `/block/${third.id}/header`;
const ask = (server: TestServer, minTip: string, path = HEADER_OF_BLOCK) => server.get(path, { 'x-min-tip': minTip });
const waiting = async (server: TestServer) =>
  new Scrape((await server.request('/metrics')).text).value('chain_indexer_resource_used{resource="tip_waits"}');

it('each response names the tip that it shows: new, cached, compressed, 304, 404, of a batch, and a page', async (t) => {
  const { server } = await serve(t);
  const path = HEADER_OF_BLOCK;
  const plain = [await server.get(path), await server.get(path), await server.get(path), await server.get(path)];
  const etag = { 'if-none-match': plain[0]!.headers.get('etag')! };
  const list = '/transaction?items=100';
  const others = [
    await server.get(path, etag),
    await server.get('/chain/2', { 'if-none-match': (await server.get('/chain/2')).headers.get('etag')! }),
    await server.get(`/block/${'ab'.repeat(32)}`),
    await server.get(list, { 'accept-encoding': 'gzip' }),
    await server.batch({ type: '/chain/:address', ids: [1, 2] }),
    await server.request('/blocks', { headers: { accept: 'text/html' } }),
    await server.request(`/api/v2${path}`, { method: 'HEAD' }),
  ];
  assert.deepEqual(
    others.map(({ status }) => status),
    [304, 304, 404, 200, 200, 200, 200],
  );
  const all = [...plain, ...others];
  assert.deepEqual(tipsOf(all), Array(all.length).fill(tipOf(third)));
  assert.match(plain[0]!.headers.get('access-control-expose-headers')!, /x-chain-tip/);
  assert.deepEqual(tipsOf([await server.get('/block/x'), await server.request('/health')]), [null, null]);
});

it('a response 404 names the tip at which there was nothing, wherever that was noticed', async (t) => {
  const { server } = await serve(t);
  const none = 'ab'.repeat(32);
  const addresses = [destinationAddress(network, `01${'0a'.repeat(20)}`)];
  const [pool, token] = [poolAddress(network, none), tokenAddress(network, none)];
  const post = (path: string, fields: object) =>
    server.request(`/api/v2${path}`, { method: 'POST', body: JSON.stringify({ addresses, ...fields }) });
  const answers = [
    await server.get(`/transaction/${none}`),
    await server.get(`/transaction/${none}/merkle-path`),
    await server.get(`/block/${none}/raw`),
    await server.get('/statistics/coin/holders?height=9'),
    await server.get('/statistics/coin/holders?height=9&format=csv'),
    await server.get(`/statistics/token/${token}/holders?height=2&format=csv`),
    await server.get(`/token/${token}/events?format=csv`),
    await server.get(`/pool/${pool}/history?format=csv`),
    await post('/balances', { height: 9 }),
    await post('/balances', { height: 9, format: 'csv' }),
    await post('/wallet/sync', { cursor: { height: 2, block_id: none } }),
    await server.request(`/block/${none}`, { headers: { accept: 'text/html' } }),
  ];
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers.get('x-chain-tip')]),
    answers.map(() => [404, tipOf(third)]),
  );
});

it('an export names the tip whose snapshot it shows, by GET and by POST', async (t) => {
  const { server } = await serve(t);
  const address = destinationAddress(network, `01${'0a'.repeat(20)}`);
  const answers = [
    await server.get(`/address/${address}/history?format=csv`),
    await server.get(`/address/${address}/history?format=ndjson`),
    await server.get('/statistics/series/blocks?format=csv'),
    await server.get('/statistics/coin/holders?height=2&format=csv'),
    await server.request('/api/v2/history', {
      method: 'POST',
      body: JSON.stringify({ addresses: [address], format: 'csv' }),
    }),
    await server.request(`/api/v2/address/${address}/history?format=csv`, { method: 'HEAD' }),
  ];
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers.get('content-disposition') !== null]),
    answers.map(() => [200, true]),
  );
  assert.deepEqual(tipsOf(answers), Array(answers.length).fill(tipOf(third)));
});

it('a request that names a tip is served at once at its height or above it', async (t) => {
  const { server } = await serve(t);
  for (const block of chain.blocks.slice(0, 3)) assert.equal((await ask(server, tipOf(block))).status, 200);
  assert.equal((await ask(server, `2-${'ab'.repeat(32)}`)).status, 200);
  assert.equal(await waiting(server), 0);
});

it('a request that names a higher tip waits for it, and its response is not an older one from the cache', async (t) => {
  const { index, server } = await serve(t);
  for (let i = 0; i < 3; i++) await server.get(HEADER_OF_BLOCK);
  const answer = ask(server, tipOf(fifth));
  await until(async () => (await waiting(server)) === 1, 'a waiting request');
  await index.follow(blocksOf(fourth));
  await index.follow(blocksOf(fifth));
  const { status, headers } = await answer;
  assert.deepEqual([status, headers.get('x-chain-tip')], [200, tipOf(fifth)]);
  await until(async () => (await waiting(server)) === 0, 'nobody waits');
});

it('the body of a request that waits for a tip counts meanwhile', async (t) => {
  const { index, server } = await serve(t);
  const body = JSON.stringify({ type: '/chain/:address', ids: [4] });
  const answer = server.request('/api/v2/batch', { method: 'POST', body, headers: { 'x-min-tip': tipOf(fourth) } });
  await until(async () => (await waiting(server)) === 1, 'a waiting request');
  const metrics = new Scrape((await server.request('/metrics')).text);
  assert.equal(metrics.value('chain_indexer_resource_used{resource="body_bytes"}'), body.length);
  await index.follow(blocksOf(fourth));
  const { status, headers } = await answer;
  assert.deepEqual([status, headers.get('x-chain-tip')], [200, tipOf(fourth)]);
});

it('a POST that waited for a tip and cannot be answered closes its connection, and the server goes on', async (t) => {
  const log = new Notebook();
  const pages: CreateBrowserPages = (routes, context) => {
    const fail = () => {
      throw new TypeError('a defect');
    };
    addPostRoute(routes, context, { path: '/defect', bodyLimit: 10, respond: fail, fail });
    return { take: () => false, close: () => {} };
  };
  const { index, server } = await serve(t, { pages, logger: log });
  const answer = server.request('/defect', { method: 'POST', headers: { 'x-min-tip': tipOf(fourth) } });
  const closed = assert.rejects(answer, /socket hang up/);
  await until(async () => (await waiting(server)) === 1, 'a waiting request');
  await index.follow(blocksOf(fourth));
  await closed;
  assert.equal(log.of(/^error An answer could not be sent; the connection was closed\./).length, 1);
  assert.equal((await ask(server, tipOf(fourth))).status, 200);
});

it('a request whose tip does not come within two seconds is refused, and one far above the tip at once', async (t) => {
  const { server } = await serve(t);
  const refused: TestAnswer[] = [];
  const askFar = async () => refused.push(await ask(server, `7-${'ab'.repeat(32)}`));
  await takesLessThan(1_500, 'the refusal of one far above', askFar);
  const began = performance.now();
  refused.push(await ask(server, `6-${'ab'.repeat(32)}`));
  assert.ok(performance.now() - began >= 1_990, 'after two seconds');
  for (const { status, headers } of refused) {
    assert.equal(status, 503);
    assert.equal(headers.get('retry-after'), '1');
    assert.equal(headers.get('x-chain-tip'), null);
  }
});

it('a request that names a block which the index has left is served, also if it waits when that happens', async (t) => {
  const { index, server } = await serve(t);
  await index.follow(blocksOf(fourth));
  const early = ask(server, tipOf(otherFourth));
  await until(async () => (await waiting(server)) === 1, 'a waiting request');
  await index.reorganise(3, blocksOf(otherFourth));
  assert.equal((await early).headers.get('x-chain-tip'), tipOf(otherFourth));

  // One that saw the removed block, and one that saw a higher block on top of it.
  assert.equal((await ask(server, tipOf(fourth))).headers.get('x-chain-tip'), tipOf(otherFourth));
  const higher = ask(server, tipOf(fifth));
  await until(async () => (await waiting(server)) === 1, 'a waiting request');
  await index.reorganise(3, blocksOf(fourth, fifth));
  await index.reorganise(3, blocksOf(otherFourth));
  assert.equal((await higher).status, 200);
  await until(async () => tipsOf([await server.get('/chain/tip')])[0] === tipOf(otherFourth), 'the last branch');
  assert.equal((await ask(server, tipOf(fifth))).headers.get('x-chain-tip'), tipOf(otherFourth));
});

it('a request whose tip is malformed gets 400', async (t) => {
  const { server } = await serve(t);
  for (const text of ['', '3', 'x', `-${third.id}`, `3-${third.id}0`, `3 ${third.id}`, `99999999999-${third.id}`]) {
    const { status, body } = await ask(server, text);
    assert.deepEqual([status, body], [400, { error: 'Invalid x-min-tip: HEIGHT-ID is expected' }], text);
  }
  assert.equal((await server.request('/ready', { headers: { 'x-min-tip': 'x' } })).status, 200);
});

it('a request that waits no longer counts when its client has gone', async (t) => {
  const { server } = await serve(t);
  const leaving = new AbortController();
  const headers = { 'x-min-tip': `4-${'ab'.repeat(32)}` };
  const left = fetch(`${server.url}/api/v2${HEADER_OF_BLOCK}`, { headers, signal: leaving.signal });
  await until(async () => (await waiting(server)) === 1, 'a waiting request');
  leaving.abort();
  await assert.rejects(left);
  await until(async () => (await waiting(server)) === 0, 'nobody waits');
});

it('when too many requests wait, the newest of the client with most of them gets 429', async (t) => {
  const { server } = await serve(t, { totals: { tip_waits: 3 }, trustedProxies: 1 });
  const wait = (client: string) =>
    server.get(HEADER_OF_BLOCK, { 'x-min-tip': `4-${'ab'.repeat(32)}`, 'x-forwarded-for': client });
  const answers = await eventually('a refusal while all four wait', async () => {
    let areOver = false;
    const ofOne = Promise.all([wait('192.0.2.1'), wait('192.0.2.1'), wait('192.0.2.1')]).finally(() => {
      areOver = true;
    });
    await until(async () => areOver || (await waiting(server)) === 3, 'three waiting requests');
    const ofOther = wait('192.0.2.2');
    const ended = await ofOne;
    assert.equal((await ofOther).status, 503);
    // On a machine that stands still for two seconds they have waited long enough before the fourth comes.
    return ended.some(({ status }) => status === 429) ? ended : undefined;
  });
  assert.deepEqual(answers.map(({ status }) => status).sort(), [429, 503, 503]);
  assert.match(answers.find(({ status }) => status === 429)!.body.error, /^Too much of this client.*tip_waits/);
});
