/** What the access log has of each request. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { it } from 'node:test';
import { networkByName } from '../../../src/chain/networks/known-networks.ts';
import type { LoggedRequest } from '../../../src/serving/http/access-log.ts';
import { until } from '../../support/until.ts';
import { serveIndex } from '../../support/web-server.ts';

const network = networkByName('regtest');
const FORWARDED = { 'x-forwarded-for': '198.51.100.1, [2001:db8::7]:443' };

it('the access log has each request once: of routes and pages, from the cache, refused, not valid, and cut off', async (t) => {
  const logged: LoggedRequest[] = [];
  const { server } = await serveIndex(t, network, { trustedProxies: 1, accessLog: (request) => logged.push(request) });
  logged.length = 0;

  const sizes = new Map<string, number>();
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { ...init, headers: FORWARDED });
    sizes.set(path, (await response.arrayBuffer()).byteLength);
  };
  await ask('/api/v2/chain/tip');
  // A second time it comes from the cache.
  await ask('/api/v2/chain/tip');
  await ask('/api/v2/nothing?q=1');
  await ask('/api/v2/transaction', { method: 'POST', body: 'zz' });
  await ask('/api/v2/chain/tip', { method: 'OPTIONS' });
  await ask('/docs');

  const garbage = connect(server.port, '127.0.0.1');
  garbage.end('no request\r\n\r\n').resume();
  await once(garbage, 'close');
  const stream = connect(server.port, '127.0.0.1');
  stream.write('GET /api/v2/stream HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(stream, 'data');
  stream.destroy();
  await until(() => logged.length === 8, 'all are logged', { explain: () => JSON.stringify(logged) });

  assert.deepEqual(
    logged.map(({ method, path, status, client, aborted = false }) => [method, path, status, client, aborted]),
    [
      ['GET', '/api/v2/chain/tip', 200, '2001:db8::7', false],
      ['GET', '/api/v2/chain/tip', 200, '2001:db8::7', false],
      ['GET', '/api/v2/nothing?q=1', 400, '2001:db8::7', false],
      ['POST', '/api/v2/transaction', 403, '2001:db8::7', false],
      ['OPTIONS', '/api/v2/chain/tip', 200, '2001:db8::7', false],
      ['GET', '/docs', 200, '2001:db8::7', false],
      [null, null, 400, '127.0.0.1', false],
      ['GET', '/api/v2/stream', 200, '127.0.0.1', true],
    ],
  );
  for (const { path, ms, bytes } of logged) {
    assert.ok(ms >= 0 && ms < 60_000, `${path}: ${ms} ms`);
    assert.ok(bytes >= (sizes.get(path ?? '') ?? 1), `${path}: ${bytes} bytes`);
  }
});
