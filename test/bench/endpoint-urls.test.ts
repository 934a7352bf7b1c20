/** What is asked of a measured web server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpoints, endpointsAndLists, list } from '../../bench/endpoint-urls.ts';
import type { SampleIds } from '../../bench/sample-ids.ts';
import { servers, serveSimulatedChain } from '../support/simulated-chain-servers.ts';

serveSimulatedChain();

const ids = ['id1', 'id2'];
const samples = new Proxy({} as SampleIds, {
  get: (_, name: string) => {
    if (/^(busiestAddress|usualAddress|busiestPool|busiestToken|coin)$/.test(name)) return 'id';
    return /^(height|transactions|living|all|busiest|open)/.test(name) ? 100 : ids;
  },
});

test('a long list is measured at its first page and deep in it, a short one only at its first', () => {
  assert.deepEqual(list('/token', '/token?items=10', 20).length, 1);
  const [first, deep] = list('/token', '/token?items=10', 1_000);
  assert.equal(first!.hot, '/token?items=10');
  assert.equal(deep!.name, '/token, entry 700');
  const areDeep = deep!.cold.every((path) => /offset=(6\d\d|700)$/.test(path));
  assert.ok(areDeep, deep!.cold.join(' '));
});

test('every endpoint has something to ask for, hot and cold', () => {
  const all = endpoints(samples);
  assert.equal(new Set(all.map(({ name }) => name)).size, all.length, 'names are unique');
  for (const { name, hot, cold } of all) {
    for (const path of [hot, ...cold]) assert.match(path, /^\/[a-z]/, name);
    assert.doesNotMatch([hot, ...cold].join(' '), /undefined|NaN/, name);
  }
});

test('every list is measured, also one that no table names', async () => {
  const server = servers[0]!;
  const all = await endpointsAndLists(samples, server.port);
  const measured = all.map(({ hot }) => server.operation('GET', `/api/v2${hot.split('?')[0]}`));
  const missing = server.operations.filter(
    (each) => each.parameters.some(({ name }) => name === 'cursor') && !measured.includes(each),
  );
  const paths = missing.map(({ path }) => path);
  assert.deepEqual(paths, ['/api/v2/mempool/transactions']);
  const others = all.slice(endpoints(samples).length);
  assert.ok(others.length > 0);
  for (const { hot } of others) assert.equal((await server.get(hot)).status, 200, hot);
});
