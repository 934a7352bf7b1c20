/** Clients that ask for what is expensive, or very often: others get their turn, and a limit can be set. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import { clientKeyOf } from '../../src/serving/http/client-key.ts';
import { RateLimit } from '../../src/serving/http/rate-limit.ts';
import { ThrottledLog } from '../../src/serving/logging/throttled-log.ts';
import { builtBefore } from '../support/file-scope.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { eventually, until } from '../support/until.ts';
import { Notebook, serveIndex, type TestServerOptions } from '../support/web-server.ts';

const network = networkByName('regtest');
const index = builtBefore((scope) => TestIndex.create(scope, network));

const serve = async (t: TestContext, options: Partial<TestServerOptions> = {}) =>
  (await serveIndex(t, network, { index: index(), ...options })).server;

it('a limit of requests a second is for each client, counts what comes from memory, and says when to come back', async (t) => {
  const server = await serve(t, { rateLimit: 10, trustedProxies: 1 });
  const ask = (from: string) => server.get('/chain/tip', { 'x-forwarded-for': `9.9.9.9, ${from}` });
  const since = performance.now();
  let given = 0;
  const refused = await eventually('a refusal', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask('1.2.3.4')));
    given += answers.filter(({ status }) => status === 200).length;
    return answers.find(({ status }) => status === 429);
  });
  const seconds = (performance.now() - since) / 1_000;
  assert.ok(given >= 10 && given <= Math.ceil(10 + 10 * seconds), `${given} answers in ${seconds} s`);
  assert.equal(refused.headers.get('retry-after'), '1');
  assert.match(refused.body.error, /Too many requests from this address/);
  assert.equal((await ask('1.2.3.5')).status, 200);
  assert.equal((await server.request('/health', { headers: { 'x-forwarded-for': '1.2.3.4' } })).status, 200);
  await sleep(250);
  assert.equal((await ask('1.2.3.4')).status, 200);
});

it('requests for /health and /ready do not count for the limit of requests a second', async (t) => {
  const server = await serve(t, { rateLimit: 5 });
  const probes = await Promise.all(Array.from({ length: 20 }, (_, i) => server.request(i % 2 ? '/health' : '/ready')));
  assert.ok(probes.every(({ status }) => status === 200));
  const asked = await Promise.all(Array.from({ length: 5 }, () => server.get('/chain/tip')));
  assert.deepEqual(
    asked.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  );
});

it('a limit of requests a second goes by the address of the connection unless the proxy is trusted', async (t) => {
  const server = await serve(t, { rateLimit: 5 });
  const refusedOf20 = async () => {
    const asked = Array.from({ length: 20 }, (_, i) => server.get('/chain/tip', { 'x-forwarded-for': `1.2.3.${i}` }));
    return (await Promise.all(asked)).filter(({ status }) => status === 429).length;
  };
  await until(async () => (await refusedOf20()) >= 10, 'refusals');
});

it('a limit of requests a second is there only when it is asked for', async (t) => {
  const server = await serve(t);
  const asked = await Promise.all(Array.from({ length: 300 }, () => server.get('/chain/tip')));
  assert.ok(asked.every(({ status }) => status === 200));
});

it('a limit of requests a second lets a client do a second’s worth at once, and then one at a time', () => {
  const limit = new RateLimit(4);
  const waits = Array.from({ length: 6 }, () => limit.count('a', 0));
  assert.deepEqual(waits, [0, 0, 0, 0, 1, 1]);
  assert.equal(limit.count('a', 249), 1);
  assert.equal(limit.count('a', 250), 0);
  assert.equal(limit.count('a', 251), 1);
  assert.equal(limit.count('b', 251), 0);
});

it('a limit of requests a second remembers no more clients than it has room for', () => {
  const limit = new RateLimit(1);
  for (let i = 0; i < 200_000; i++) assert.equal(limit.count(`client ${i}`, 0), 0);
  assert.equal(limit.count('client 199999', 0), 1);
  assert.equal(limit.count('client 0', 0), 0);
});

it('a client is an address; of IPv6, the network of 64 bits', () => {
  for (const [address, client] of [
    ['1.2.3.4', '1.2.3.4'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
    ['2001:db8:0:1::7', '2001:db8:0:1::/64'],
    ['2001:0DB8::1', '2001:db8:0:0::/64'],
    ['[2001:db8::1]:443', '2001:db8:0:0::/64'],
    ['"[2001:db8::1]:443"', '2001:db8:0:0::/64'],
    ['1.2.3.4:5678', '1.2.3.4'],
    ['"1.2.3.4:5678"', '1.2.3.4'],
    ['"1.2.3.4"', '1.2.3.4'],
    ['[::ffff:1.2.3.4]:443', '1.2.3.4'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['nonsense', 'nonsense'],
  ] as const) {
    assert.equal(clientKeyOf({ rawHeaders: [] }, address, 0), client, address);
  }
});

it('a client is the entry that the outermost trusted proxy has appended', () => {
  const rawHeaders = ['X-Forwarded-For', '9.9.9.9, 1.1.1.1', 'host', 'x', 'x-forwarded-for', '2.2.2.2,2001:db8::1'];
  const clients = [0, 1, 2, 3, 4, 5].map((proxies) => clientKeyOf({ rawHeaders }, '10.0.0.1', proxies));
  assert.deepEqual(clients, ['10.0.0.1', '2001:db8:0:0::/64', '2.2.2.2', '1.1.1.1', '9.9.9.9', '9.9.9.9']);
  assert.equal(clientKeyOf({ rawHeaders: [] }, '10.0.0.1', 2), '10.0.0.1');
  assert.equal(clientKeyOf({ rawHeaders: ['x-forwarded-for', ' '] }, '10.0.0.1', 1), '10.0.0.1');
});

it('an error that recurs with each request is logged at once, and later with a count', async () => {
  const log = new Notebook();
  const repeated = new ThrottledLog(log, 500);
  for (let i = 0; i < 1_000; i++) repeated.error('fault', new Error(`number ${i}`), 'A request failed.');
  repeated.warn('too slow', new Error('slow'), 'A read took too long.');
  assert.equal(log.lines.length, 2);
  await sleep(520);
  repeated.error('fault', new Error('later'), 'A request failed.');
  assert.match(log.lines[2]!, /^error A request failed\..*"count":999/);
});
