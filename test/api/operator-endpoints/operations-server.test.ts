/** The endpoints for operators: an address of their own, a stop that is announced, URLs behind a proxy. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultMemory, maxClientConnections } from '../../../src/config/process-limits.ts';
import { readWebServerConfig } from '../../../src/config/web-server.ts';
import { resourceTotals } from '../../../src/serving/resources/create-resources.ts';
import { filledIndex, network } from '../../support/filled-servers.ts';
import { serveIndex, type TestServerOptions } from '../../support/web-server.ts';

const GIB = 1024 ** 3;
const index = filledIndex({ blocks: 5, transactionsPerBlock: 2 });

const serve = async (t: TestContext, options: Partial<TestServerOptions> = {}) =>
  (await serveIndex(t, network, { index: index(), ...options })).server;

const ANYWHERE = { host: '127.0.0.1', port: 0 };

it('metrics with a separate address are served only there, together with health and readiness', async (t) => {
  const server = await serve(t, { metricsAddress: ANYWHERE });
  const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${server.metricsPort}${path}`, init);
  assert.equal((await server.request('/metrics')).status, 400);
  for (const path of ['/health', '/ready']) {
    assert.equal((await server.request(path)).status, 200);
    assert.equal((await ask(path)).status, 200);
  }
  const metrics = await ask('/metrics');
  assert.equal(metrics.status, 200);
  assert.match(metrics.headers.get('content-type')!, /^text\/plain/);
  assert.match(await metrics.text(), /chain_indexer_tip_height_blocks 5/);
  assert.equal((await ask('/metrics', { method: 'HEAD' })).status, 200);
  assert.equal((await ask('/metrics', { method: 'POST' })).status, 405);
  assert.equal((await ask('/api/v2/chain/tip')).status, 404);
});

it('a metrics address that is in use is refused with the name of the option', async (t) => {
  const other = await serve(t);
  const start = serve(t, { metricsAddress: { host: '127.0.0.1', port: other.port } });
  await assert.rejects(start, { name: 'OperatorError', message: /--metrics-address/ });
});

it('the paths for operators are known by exactly their letters, so that a proxy hides them with one rule', async (t) => {
  const server = await serve(t);
  for (const path of ['/metrics', '/metrics?x=1', '/health', '/ready'])
    assert.equal((await server.request(path)).status, 200, path);
  const unknown = await server.request('/metric');
  for (const path of ['/%6detrics', '/metric%73?x=1', '/he%61lth', '/%72eady', '/metrics/', '//metrics']) {
    const { status, text } = await server.request(path);
    assert.deepEqual({ status, text }, { status: unknown.status, text: unknown.text }, path);
  }
});

it('a server that stops tells load balancers so while it goes on responding, and then closes its port', async (t) => {
  const server = await serve(t, { shutdownDelayMs: 3_000 });
  const status = async (path: string) =>
    (await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { connection: 'close' } })).status;
  const stopped = server.stop();
  assert.equal(await status('/ready'), 503);
  await sleep(300);
  assert.deepEqual(
    [await status('/ready'), await status('/api/v2/chain/tip'), await status('/health')],
    [503, 200, 200],
  );
  await stopped;
  await assert.rejects(status('/health'));
});

it('a server behind a proxy gives its public URL in links, in the OpenAPI document and on its page', async (t) => {
  const server = await serve(t, { publicUrl: 'https://example.org/indexer' });
  const { headers } = await server.get('/transaction?items=1');
  assert.match(headers.get('link')!, /^<https:\/\/example\.org\/indexer\/api\/v2\/transaction\?items=1&cursor=/);
  assert.deepEqual((await server.document()).servers, [{ url: 'https://example.org/indexer' }]);
  const page = await server.request('/docs');
  assert.match(page.text, /src="docs\/static\/swagger-ui-bundle\.js"/);
  assert.match(page.headers.get('content-security-policy')!, /connect-src 'self' https:\/\/example\.org/);
  assert.match((await server.request('/docs/')).text, /src="static\/swagger-ui-bundle\.js"/);
});

it('the public URL of a server behind a proxy must be a URL', () => {
  const read = (url: string) => readWebServerConfig(['--public-url', url], {}).publicUrl;
  assert.equal(read('https://example.org'), 'https://example.org');
  assert.equal(read('http://example.org:8080/a/b//'), 'http://example.org:8080/a/b');
  for (const url of ['example.org', 'ftp://x', 'https://x/?a', 'https://x/#a', 'https://me:pw@x']) {
    assert.throws(() => read(url), /must be a URL like/, url);
  }
});

it('the OpenAPI document is made once for concurrent requests', async (t) => {
  const server = await serve(t);
  await index().query('update chain_tip set revision = revision + 1');
  const asked = await Promise.all(Array.from({ length: 30 }, () => server.get('/openapi.json')));
  const etags = new Set(asked.map(({ headers }) => headers.get('etag')));
  assert.equal(etags.size, 1);
  const again = await server.get('/openapi.json', { 'if-none-match': [...etags][0]! });
  assert.equal(again.status, 304);
});

it('the default memory limit is a quarter of the machine, three quarters of a container, and at most 2 GiB', () => {
  assert.equal(defaultMemory(4 * GIB, 0), GIB);
  assert.equal(defaultMemory(64 * GIB, 0), 2 * GIB);
  assert.equal(defaultMemory(64 * GIB, GIB), 0.75 * GIB);
  assert.equal(defaultMemory(64 * GIB, 2 ** 63), 2 * GIB);
  assert.equal(defaultMemory(GIB / 4, 0), GIB / 4);
});

it('the memory limit is given in bytes or with a unit, and must be enough for each worker', () => {
  const read = (...args: string[]) => readWebServerConfig(args, {}).maxMemory;
  assert.equal(read('--max-memory', '512M'), GIB / 2);
  assert.equal(read('--max-memory', '2g'), 2 * GIB);
  assert.equal(read('--max-memory', '1GiB', '--workers', '4'), GIB);
  assert.equal(read('--max-memory', '536870912'), GIB / 2);
  assert.throws(() => read('--max-memory', '100M'), /at least 256M/);
  assert.throws(() => read('--max-memory', 'much'), /at least 256M/);
  assert.throws(() => read('--max-memory', '512M', '--workers', '4'), /too little for 4 workers: give at least 1024M/);
  assert.ok(read('--workers', '16', '--postgres-max-connections', '48') >= 16 * 256 * 1024 ** 2);
});

it('the parts of the memory limit are together not more than the whole', () => {
  for (const bytes of [GIB / 4, GIB, 8 * GIB]) {
    const totals = resourceTotals(bytes, { connections: 1e6, streams: 10 });
    const { cache_bytes, unsent_bytes, body_bytes, connections } = totals;
    const sum = cache_bytes + unsent_bytes + 4 * body_bytes + 32_768 * connections;
    assert.ok(sum <= bytes, `${sum} of ${bytes}`);
    assert.ok(cache_bytes > 6e6 && unsent_bytes > 3e7 && body_bytes > 2.2e6 && connections > 1_400);
  }
});

it('the limit of connections follows from the limit of open files', () => {
  const limits = (most: string) =>
    `Limit\nMax processes   1   1\nMax open files            1024                 ${most}  files\n`;
  assert.equal(maxClientConnections(limits('1024')), 768);
  assert.equal(maxClientConnections('Max open files            20000                20000   files'), 19_744);
  assert.equal(maxClientConnections('Max open files            100                100   files'), 50);
  assert.equal(maxClientConnections('Max open files            unlimited            unlimited   files'), 65_536);
  assert.equal(maxClientConnections(''), 10_000);
});
