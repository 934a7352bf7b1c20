/** The proxies of deploy before two web servers that answer what the test says: who gets what, how often, and who is refused. */
import assert from 'node:assert/strict';
import { chmod } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { MAX_SUBMISSION_BYTES } from '../../src/answers/pending/submit-transaction.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { installedProxies, type ProxyName, startProxy, withAddresses } from '../package/proxies.ts';
import { startHttpServer } from '../support/http-server.ts';
import { answersIn, exchange, RawClient } from '../support/raw-http.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

interface Received {
  readonly server: number;
  readonly method: string;
  readonly url: string;
  readonly forwardedFor: string | undefined;
}

type Respond = (request: IncomingMessage, response: ServerResponse, received: Received) => void;

interface Installation {
  readonly port: number;
  /** Where each connection begins with a line of the PROXY protocol: clients with any address. */
  readonly portForAddresses: number;
  /** What the web servers received, but for `/ready`. */
  readonly received: Received[];
}

/** A proxy before two web servers that are ready, whatever else they answer. */
async function install(
  t: TestContext,
  proxy: ProxyName,
  respond: Respond,
  change: (configuration: string) => string = (configuration) => configuration,
): Promise<Installation> {
  const home = await temporaryDirectory(t);
  await chmod(home, 0o755);
  const received: Received[] = [];
  const ports = await Promise.all(
    [1, 2].map(async (number) => {
      const { port } = await startHttpServer(t, async (request, response) => {
        if (request.url === '/ready') return response.end('{}');
        for await (const part of request) void part;
        const headers = request.headers['x-forwarded-for'];
        const one = { server: number, method: request.method!, url: request.url!, forwardedFor: String(headers) };
        received.push(one);
        respond(request, response, one);
      });
      return port;
    }),
  );
  const portForAddresses = await freePort();
  const port = await startProxy(t, proxy, {
    home,
    ports,
    change: (configuration) => withAddresses(change(configuration), portForAddresses),
  });
  return { port, portForAddresses, received };
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '7' }).end(`{"error":"${status}"}`);
}

/** The statuses of so many requests over one connection of a client with this address; one that is refused has none. */
async function statuses(port: number, address: string, count: number, path = '/x'): Promise<number[]> {
  const family = address.includes(':') ? 'TCP6' : 'TCP4';
  const own = family === 'TCP6' ? '::1' : '127.0.0.1';
  const request = `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
  const last = request.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n');
  const { text } = await exchange(port, [
    `PROXY ${family} ${address} ${own} 1000 80\r\n`,
    request.repeat(count - 1) + last,
  ]);
  return answersIn(text).map(({ status }) => status);
}

for (const proxy of ['haproxy', 'nginx'] as const) {
  const skip = !installedProxies.includes(proxy) && `${proxy} is not installed (apt-get install ${proxy})`;
  describe(`requests through ${proxy}`, { skip }, () => {
    it(`through ${proxy} a request that both web servers refuse with 503 takes neither of them from others`, async (t) => {
      const { port, received } = await install(t, proxy, ({ url }, response) => {
        if (url === '/unavailable') refuse(response, 503);
        else response.end('fine');
      });
      const client = new RawClient(port, { connections: 20 });
      t.after(() => client.close());
      for (let round = 0; round < 10; round++) {
        const asked = ['/unavailable', '/unavailable', '/a', '/b', '/c', '/d'];
        const answers = await Promise.all(asked.map((path) => client.send({ method: 'GET', path })));
        const answered = answers.map(({ status }) => status);
        assert.deepEqual(answered, [503, 503, 200, 200, 200, 200]);
        // The web server's own words.
        assert.deepEqual([answers[0]!.headers['retry-after'], String(answers[0]!.body)], ['7', '{"error":"503"}']);
      }
      const refused = received.filter(({ url }) => url === '/unavailable');
      const refusedBy = [1, 2].map((number) => refused.filter(({ server }) => server === number).length);
      assert.deepEqual(refusedBy, [20, 20], 'once at each server');
    });

    it(`through ${proxy} what reads is tried once at the other web server after 503, submissions and 429 are not`, async (t) => {
      const { port, received } = await install(t, proxy, ({ url }, response, { server }) => {
        const isFirst = received.filter((each) => each.url === url).length === 1;
        if (url!.endsWith('?429')) refuse(response, 429);
        else if (isFirst) refuse(response, 503);
        else response.end(String(server));
      });
      const client = new RawClient(port);
      t.after(() => client.close());
      const tried = async (method: string, path: string) => {
        const { status } = await client.send({ method, path, ...(method === 'POST' ? { body: 'text' } : {}) });
        const servers = received.filter(({ url }) => url === path).map(({ server }) => server);
        return { status, times: servers.length, differ: new Set(servers).size === servers.length };
      };
      for (const [method, path] of [
        ['GET', '/api/v2/chain/tip'],
        ['HEAD', '/api/v2/chain/genesis'],
        ['POST', '/api/v2/batch'],
        ['POST', '/api/v2/wallet/sync'],
        ['POST', '/decode'],
      ] as const) {
        assert.deepEqual(await tried(method, path), { status: 200, times: 2, differ: true }, path);
        assert.deepEqual(await tried(method, `${path}?429`), { status: 429, times: 1, differ: true }, path);
      }
      for (const path of ['/api/v2/transaction', '/decode/send'])
        assert.deepEqual(await tried('POST', path), { status: 503, times: 1, differ: true }, path);
      const { headers, body } = await client.send({ method: 'GET', path: '/again?429' });
      assert.deepEqual([headers['retry-after'], String(body)], ['7', '{"error":"429"}'], 'as the web server said it');
    });

    it(`through ${proxy} /metrics is hidden and streams are streams, also when letters of the path are encoded`, async (t) => {
      const open: ServerResponse[] = [];
      const { port, received } = await install(t, proxy, ({ url }, response) => {
        response.writeHead(200, { 'content-type': url!.includes('/stre') ? 'text/event-stream' : 'text/plain' });
        response.write('id: 1\ndata: {"height":1}\n\n');
        if (url!.includes('/stre')) open.push(response);
        else response.end();
      });
      const client = new RawClient(port);
      t.after(() => client.close());
      for (const path of ['/metrics', '/%6detrics', '/metrics?x', '/%6D%65trics?x=1']) {
        assert.equal((await client.send({ method: 'GET', path })).status, 404, path);
        assert.deepEqual(received, [], path);
      }
      assert.equal((await client.send({ method: 'GET', path: '/metric' })).status, 200);
      const paths = ['/api/v2/strea%6d', '/api/v2/%73tream?x', '/api/v2/strea%6d', '/api/v2/stream'];
      const streams = paths.map((path) =>
        exchange(port, [`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`], { quietMs: 1_000 }),
      );
      for (const { text } of await Promise.all(streams)) assert.match(text, /data: \{"height":1\}/, 'it comes at once');
      // Other requests of a client go to one server; HAProxy gives streams to the server with the fewest.
      const servers = received.filter(({ url }) => url.startsWith('/api/v2/')).map(({ server }) => server);
      assert.equal(new Set(servers).size, proxy === 'haproxy' ? 2 : 1);
      for (const response of open) response.end();
    });

    it(`through ${proxy} the last address of X-Forwarded-For is the client's, whatever the client wrote there`, async (t) => {
      const { port, portForAddresses, received } = await install(t, proxy, (_request, response) => response.end());
      const client = new RawClient(port);
      t.after(() => client.close());
      await client.send({ method: 'GET', path: '/', headers: { 'x-forwarded-for': '6.6.6.6, 7.7.7.7' } });
      await client.send({ method: 'GET', path: '/' });
      await statuses(portForAddresses, '2001:db8::5', 1);
      const forwarded = received.map(({ forwardedFor }) => forwardedFor);
      assert.deepEqual(forwarded, ['6.6.6.6, 7.7.7.7, 127.0.0.1', '127.0.0.1', '2001:db8::5']);
    });

    it(`${proxy} may be told whose X-Forwarded-For it believes: then the client of a CDN is the client`, async (t) => {
      // As deploy/README.md says.
      const knowsItsCdn = (configuration: string) =>
        proxy === 'nginx'
          ? configuration.replace(
              'client_body_timeout',
              'set_real_ip_from 127.0.0.1; real_ip_header X-Forwarded-For; client_body_timeout',
            )
          : configuration
              .replaceAll(/^ *tcp-request .*\n/gm, '')
              .replace(
                /^ *stick-table .*\n/m,
                (own) =>
                  `${own}    http-request set-src hdr_ip(x-forwarded-for,-1)\n    http-request track-sc0 src,ipmask(32,64)\n`,
              );
      const respond: Respond = (_request, response) => response.end();
      const { port, received } = await install(t, proxy, respond, knowsItsCdn);
      const client = new RawClient(port, { connections: 20 });
      t.after(() => client.close());
      const ask = async (forwardedFor: string) =>
        (await client.send({ method: 'GET', path: '/', headers: { 'x-forwarded-for': forwardedFor } })).status;
      assert.equal(await ask('6.6.6.6, 2001:db8:0:1::7'), 200);
      assert.equal(received[0]!.forwardedFor!.split(', ').at(-1), '2001:db8:0:1::7');
      const many = await Promise.all(Array.from({ length: 2_000 }, (_, i) => ask(`2001:db8:0:1::${i.toString(16)}`)));
      assert.ok(many.filter((status) => status === 429).length > 100);
      assert.equal(await ask('2001:db8:0:2::7'), 200);
    });

    it(`${proxy} limits the requests of a client, who is an IPv4 address or 64 bits of an IPv6 address`, async (t) => {
      const { portForAddresses: port } = await install(t, proxy, (_request, response) => response.end());
      // Twice what docs/operation.md allows at once; nginx lets in one more every 10 ms.
      const refusedOf = async (addresses: readonly string[]) => {
        const asked = await Promise.all(addresses.map((address) => statuses(port, address, 100)));
        return asked.flat().filter((status) => status === 429).length;
      };
      const within = Array.from({ length: 20 }, (_, i) => `2001:db8:0:1:${i.toString(16)}::${i}`);
      assert.ok((await refusedOf(within)) > 100, 'one network');
      assert.deepEqual(await statuses(port, '2001:db8:0:2::', 1), [200], 'the network beside it');
      assert.deepEqual(await statuses(port, '10.0.0.1', 1), [200]);
      const apart = Array.from({ length: 20 }, (_, i) => `10.0.1.${i}`);
      assert.equal(await refusedOf(apart), 0, 'IPv4 addresses');
      const mapped = Array.from({ length: 20 }, (_, i) => `::ffff:10.0.2.${i}`);
      assert.equal(await refusedOf(mapped), 0, 'IPv4 addresses in the form of IPv6');
      assert.ok((await refusedOf(Array.from({ length: 20 }, () => '10.0.3.1'))) > 100, 'one IPv4 address');
    });

    it(`${proxy} limits the connections that a client has at a time to 100`, async (t) => {
      const waiting: ServerResponse[] = [];
      const { portForAddresses: port } = await install(t, proxy, ({ url }, response) => {
        if (url === '/slow') waiting.push(response);
        else response.end();
      });
      const addresses = Array.from({ length: 120 }, (_, i) => `2001:db8:0:1::${i.toString(16)}`);
      const slow = addresses.map((address) => statuses(port, address, 1, '/slow'));
      await until(() => waiting.length >= 100, 'all that are let in');
      assert.deepEqual(await statuses(port, '2001:db8:0:2::', 1), [200], 'another client');
      const one = await statuses(port, '2001:db8:0:1::ffff', 1);
      assert.deepEqual(one, proxy === 'haproxy' ? [] : [429]);
      assert.equal(waiting.length, 100);
      for (const response of waiting) response.end();
      assert.equal((await Promise.all(slow)).flat().filter((status) => status === 200).length, 100);
    });
  });
}

describe('submissions through nginx', { skip: !installedProxies.includes('nginx') && 'nginx is not installed' }, () => {
  it('nginx takes the longest body that a web server takes, and none that is longer', async (t) => {
    const { port } = await install(t, 'nginx', (_request, response) => response.end());
    const client = new RawClient(port);
    t.after(() => client.close());
    const post = (bytes: number) =>
      client.send({ method: 'POST', path: '/api/v2/transaction', body: Buffer.alloc(bytes, '0') });
    assert.equal((await post(MAX_SUBMISSION_BYTES)).status, 200);
    assert.equal((await post(MAX_SUBMISSION_BYTES + 1)).status, 413);
  });
});
