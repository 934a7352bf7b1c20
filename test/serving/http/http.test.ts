/** The protocol around the answers: methods, headers, refusals, ETags, compression. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { builtBefore } from '../../support/file-scope.ts';
import { filledIndex } from '../../support/filled-servers.ts';
import { answersIn, exchange, type RawAnswer, RawClient } from '../../support/raw-http.ts';
import { until } from '../../support/until.ts';

const index = filledIndex({ blocks: 40, transactionsPerBlock: 5, pools: 3 });
const server = builtBefore((scope) => index().serve(scope));
const client = builtBefore(async (scope) => {
  const opened = new RawClient(server().port);
  scope.after(() => opened.close());
  return opened;
});

/** A request as it is given, nothing added and nothing decoded. */
const raw = (method: string, path: string, headers: Record<string, string> = {}): Promise<RawAnswer> =>
  client().send({ method, path, headers });

/** Bytes on a connection, and everything that comes back until it is closed. */
const bytes = async (text: string): Promise<string> =>
  (await exchange(server().port, [text], { quietMs: 30_000 })).text;

function assertCors({ headers }: RawAnswer): void {
  assert.equal(headers['access-control-allow-origin'], '*');
  assert.match(
    String(headers.vary),
    /^(accept, )?origin, access-control-request-method, access-control-request-headers/,
  );
}

it('every response is open to all origins, errors and refusals too', async () => {
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/api/v2/chain/tip'],
    ['GET', '/api/v2/block/xyz'],
    ['GET', '/nothing/here'],
    ['PUT', '/api/v2/chain/tip'],
    ['OPTIONS', '/anything'],
    ['POST', '/api/v2/transaction'],
    ['GET', '/docs/'],
    ['GET', '/api/v2/openapi.json'],
    ['GET', '/health'],
    ['GET', '/metrics'],
  ]) {
    assertCors(await raw(method!, path!));
  }
});

it('every response lets scripts of other origins read the cursor and the link', async () => {
  const { headers } = await raw('GET', '/api/v2/transaction?items=1');
  assert.match(String(headers['access-control-expose-headers']), /x-next-cursor, link/);
  assert.ok(headers['x-next-cursor']);
});

it('an unknown path is a bad request, whatever the method', async () => {
  for (const path of [
    '/nope',
    '/api',
    '/api/v2',
    '/api/v2/',
    '/api/v2/nope',
    '/api/v2/chain/tip/',
    '/api/v1/chain/tip',
    '/api/v2/block/',
    '/api/v2/token/ticker/',
  ]) {
    for (const method of ['GET', 'POST', 'DELETE', 'PATCH']) {
      const { status, body } = await raw(method, path);
      assert.deepEqual([status, body.toString()], [400, '{"error":"Bad request"}'], `${method} ${path}`);
    }
  }
});

it('a documentation file that does not exist is an unknown path', async () => {
  for (const path of ['/docs/static/nope', '/docs/static/__proto__', '/docs/static/..%2fpackage.json']) {
    for (const method of ['GET', 'POST']) assert.equal((await raw(method, path)).status, 400, path);
  }
});

it('a known path with a wrong method says which are allowed, and nothing else', async () => {
  for (const [method, path, allow] of [
    ['POST', '/api/v2/chain/tip', 'GET,HEAD'],
    ['DELETE', '/api/v2/transaction', 'GET,HEAD,POST'],
    ['PUT', `/api/v2/block/${'ab'.repeat(32)}/header`, 'GET,HEAD'],
    ['PROPFIND', '/api/v2/pool', 'GET,HEAD'],
    ['POST', '/', 'GET,HEAD'],
    ['POST', 'http://localhost/api/v2/chain/tip', 'GET,HEAD'],
  ] as const) {
    const { status, headers, body } = await raw(method, path);
    assert.deepEqual([status, headers.allow, body.length], [405, allow, 0], `${method} ${path}`);
  }
});

it('a known path answers HEAD like GET without the body', async () => {
  for (const path of ['/', '/api/v2/chain/tip', '/api/v2/transaction?items=100', '/api/v2/block/xyz']) {
    const get = await raw('GET', path);
    const head = await raw('HEAD', path);
    assert.equal(head.status, get.status);
    assert.equal(head.headers['content-length'], get.headers['content-length']);
    assert.equal(head.headers.etag, get.headers.etag);
    assert.equal(head.body.length, 0);
  }
});

it('JSON of a URL that is a page for browsers says that it depends on what the client accepts', async () => {
  for (const path of ['/', '/block/1', '/nothing/here']) {
    const { headers } = await raw('GET', path, { accept: 'application/json' });
    assert.match(String(headers.vary), /^accept, /, path);
  }
});

it('OPTIONS is answered on any path, empty, with what is allowed', async () => {
  for (const path of ['/', '/nope', '/api/v2/transaction', '*']) {
    const { status, headers, body } = await raw('OPTIONS', path);
    assert.equal(headers['access-control-max-age'], '86400');
    assert.deepEqual([status, body.length], [200, 0]);
    assert.equal(headers['access-control-allow-methods'], 'GET,POST');
    assert.equal(headers['access-control-allow-headers'], '*');
  }
});

it('a parameter that is not UTF-8 is named in the error, unless the path is unknown anyway', async () => {
  for (const [path, error] of [
    ['/api/v2/token/ticker/%ff', 'Invalid URL: Invalid UTF-8 in `ticker`'],
    ['/api/v2/chain/%C3%28', 'Invalid URL: Invalid UTF-8 in `height`'],
    [`/api/v2/transaction/${'ab'.repeat(32)}/output/%ff`, 'Invalid URL: Invalid UTF-8 in `index`'],
    ['/%c3%28', 'Bad request'],
  ] as const) {
    const { status, headers, body } = await raw('GET', path);
    assert.equal(status, 400, path);
    assert.equal(headers['content-type'], 'application/json');
    assert.deepEqual(JSON.parse(body.toString()), { error }, path);
  }
});

it('a % that begins no percent-encoding stands for itself', async () => {
  for (const path of ['/api/v2/token/ticker/%', '/api/v2/token/ticker/50%', '/api/v2/token/ticker/%zz']) {
    const { status, body } = await raw('GET', path);
    assert.deepEqual([status, body.toString()], [200, '[]'], path);
  }
});

it('a damaged percent-encoding in the query is refused by the rule of its parameter', async () => {
  assert.equal((await raw('GET', '/api/v2/transaction?items=%zz')).status, 400);
  assert.equal((await raw('GET', '/api/v2/transaction?other=%zz&items=1')).status, 200);
  assert.equal((await raw('GET', '/api/v2/transaction?__proto__=1&constructor=2&items=1')).status, 200);
});

for (const [what, request, status, error] of [
  [
    'whose headers are too long',
    `GET / HTTP/1.1\r\nx-long: ${'a'.repeat(40_000)}\r\n\r\n`,
    431,
    'header fields too large',
  ],
  [
    'with an unsupported Expect header',
    'GET / HTTP/1.1\r\nhost: x\r\nexpect: miracles\r\nconnection: close\r\n\r\n',
    417,
    '',
  ],
  ['that is not HTTP', 'HELLO\r\n\r\n', 400, 'Bad request'],
] as const) {
  it(`a request ${what} is refused in JSON, and the server goes on`, async () => {
    const answer = await bytes(request);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    assert.match(answer, new RegExp(`\\{"error":"[^"]*${error}"\\}$`));
    assert.match(answer, /access-control-allow-origin: \*/);
    assert.equal((await raw('GET', '/')).status, 200);
  });
}

it('a malformed request does not lose the response to the one before it on the connection', async () => {
  const good = 'GET /api/v2/transaction?items=2 HTTP/1.1\r\nhost: x\r\n\r\n';
  const { body } = await raw('GET', '/api/v2/transaction?items=2');
  for (const bad of [
    'HELLO\r\n\r\n',
    `GET / HTTP/1.1\r\nx: ${'a'.repeat(40_000)}\r\n\r\n`,
    'POST /api/v2/transaction HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nnonsense\r\n',
  ]) {
    const answers = answersIn(await bytes(good + bad));
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual(statuses, [200], bad.slice(0, 20));
    assert.equal(answers[0]!.body, body.toString());
  }
});

it('a number that is too large is refused wherever it stands', async () => {
  const large = '9223372036854775808';
  for (const [path, error] of [
    [`/chain/${large}`, 'Invalid block height'],
    [`/transaction?offset=${large}`, 'Invalid offset'],
    [`/pool?items=${large}`, 'Invalid number of items'],
    [`/feerate?in_top_x_mb=${large}`, 'Invalid in top X MB query parameter'],
  ] as const) {
    await server().refuses(path, 400, error);
  }
});

it('a response about the chain has an ETag, and is not sent again to a client that names it', async () => {
  const path = '/api/v2/transaction?items=3';
  const first = await raw('GET', path);
  const etag = String(first.headers.etag);
  for (const names of [etag, `"other", ${etag}`, etag.replace('W/', ''), '*']) {
    const again = await raw('GET', path, { 'if-none-match': names });
    assert.deepEqual([again.status, again.body.length, again.headers.etag], [304, 0, etag]);
    assertCors(again);
  }
  assert.equal((await raw('GET', path, { 'if-none-match': '"other"' })).status, 200);
});

it('an ETag to which a proxy has added the name of its compression is recognised, on every kind of response', async () => {
  for (const path of ['/api/v2/transaction?items=3', '/api/v2/openapi.json', '/docs/static/page.css', '/favicon.ico']) {
    const etag = String((await raw('GET', path)).headers.etag);
    for (const suffix of ['-gzip', '-br', '-zstd', '-deflate']) {
      const changed = etag.replace(/"$/, `${suffix}"`);
      for (const names of [changed, changed.replace('W/', ''), `"other", ${changed}`]) {
        assert.equal((await raw('GET', path, { 'if-none-match': names })).status, 304, `${path}: ${names}`);
      }
    }
    for (const changed of [etag.replace(/"$/, '-x"'), etag.replace(/"$/, 'gzip"'), etag.replace(/..$/, '-gzip"')]) {
      assert.equal((await raw('GET', path, { 'if-none-match': changed })).status, 200, `${path}: ${changed}`);
    }
  }
});

it('a request has one valid host, or none in HTTP/1.0', async () => {
  const statusesOf = async (text: string) => answersIn(await bytes(text)).map(({ status }) => status);
  const get = (hosts: string, version = '1.1') =>
    `GET /api/v2/chain/tip HTTP/${version}\r\n${hosts}connection: close\r\n\r\n`;
  const valid = ['a', 'a.example:8080', '127.0.0.1:3000', '[::1]', '[::ffff:127.0.0.1]:80', 'a_b', '%41', '', 'a:'];
  for (const host of valid) assert.deepEqual(await statusesOf(get(`host: ${host}\r\n`)), [200], host);
  assert.deepEqual(await statusesOf(get('', '1.0')), [200]);
  const invalid = ['a b', 'a/b', 'a@b', '[::1', '::1', 'a:b', 'http://a', 'a?', '%4', '\xe4', 'a, b'];
  for (const host of invalid) {
    for (const version of ['1.0', '1.1']) {
      const answer = await bytes(get(`host: ${host}\r\n`, version));
      assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*\{"error":"Invalid Host header"\}$/, host);
    }
  }
  for (const hosts of ['', 'host: a\r\nHost: b\r\n', 'host: a\r\nhost: a\r\n']) {
    assert.deepEqual(await statusesOf(get(hosts)), [400], hosts);
  }
  for (const method of ['OPTIONS', 'HEAD', 'DELETE']) {
    assert.match(await bytes(get('host: a b\r\n').replace('GET', method)), /^HTTP\/1\.1 400 /, method);
  }
});

it('a request with an invalid host does not lose the one before it on the connection', async () => {
  const [good, bad] = ['host: a\r\n', 'host: a b\r\n'];
  const get = (host: string) => `GET /api/v2/chain/tip HTTP/1.1\r\n${host}\r\n`;
  const { text } = await exchange(server().port, [get(good), get(bad)], { pauseMs: 200, quietMs: 1_000 });
  assert.deepEqual(
    answersIn(text).map(({ status }) => status),
    [200, 400],
  );
});

it('the icon that browsers ask for is there, for responses that are no pages, too', async () => {
  for (const accept of ['image/avif,image/webp,*/*;q=0.8', 'text/html']) {
    const { status, headers, body } = await raw('GET', '/favicon.ico', { accept });
    assert.deepEqual([status, headers['content-type']], [200, 'image/x-icon']);
    // One image, of 32 by 32 pixels, which is a PNG.
    assert.deepEqual([...body.subarray(0, 8)], [0, 0, 1, 0, 1, 0, 32, 32]);
    assert.equal(body.toString('latin1', body.readUInt32LE(18) + 1, body.readUInt32LE(18) + 4), 'PNG');
  }
});

it('a response with an ETag may be cached and revalidated; one without may not be cached; neither may be sniffed', async () => {
  for (const [path, control] of [
    ['/api/v2/transaction?items=3', 'no-cache'],
    ['/api/v2/chain/tip', 'no-cache'],
    ['/docs/static/page.css', 'no-cache'],
    ['/api/v2/openapi.json', 'no-cache'],
    ['/api/v2/feerate', 'no-store'],
    ['/api/v2/block/x', 'no-store'],
    ['/health', 'no-store'],
    ['/metrics', 'no-store'],
    ['/nope', 'no-store'],
  ] as const) {
    const { headers } = await raw('GET', path);
    assert.deepEqual([headers['cache-control'], headers['x-content-type-options']], [control, 'nosniff'], path);
    if (headers.etag === undefined) continue;
    const again = await raw('GET', path, { 'if-none-match': String(headers.etag) });
    assert.deepEqual([again.status, again.headers['cache-control']], [304, control], path);
  }
});

it('an ETag issued by another server is answered with 304', async (t) => {
  const path = '/transaction?items=9&x=1';
  const other = await index().serve(t);
  await until(() => other.isReady(), 'readiness');
  const etag = (await other.get(path)).headers.get('etag')!;
  assert.equal((await server().get(path, { 'if-none-match': etag })).status, 304);
});

it('a client that names the ETag of another resource, or any for what does not exist, gets the whole response', async () => {
  const etag = String((await raw('GET', '/api/v2/chain/tip')).headers.etag);
  for (const [path, status] of [
    ['/transaction?items=8', 200],
    ['/transaction?items=x', 400],
    [`/transaction/${'00'.repeat(32)}`, 404],
    [`/block/${'00'.repeat(32)}`, 404],
  ] as const) {
    for (const named of status === 404 ? [etag, '*'] : [etag]) {
      assert.equal((await raw('GET', `/api/v2${path}`, { 'if-none-match': named })).status, status, path);
    }
  }
});

it('the ETag changes when the tip moves, and differs between the contracts', async (t) => {
  const core = await index().serve(t, { contract: 'mintlayer-core' });
  const path = '/transaction?items=2';
  const etag = (await server().get(path)).headers.get('etag')!;
  assert.notEqual((await core.get(path)).headers.get('etag'), etag);
  await index().query(`update chain_tip set revision = revision + 1, block_id = sha256('another'::bytea)`);
  const moved = async () => (await server().get(path, { 'if-none-match': etag })).status === 200;
  await until(moved, 'the new tip has another ETag');
});

it('a response to a URL with a host repeats neither that host nor unknown parameters', async () => {
  for (const target of [
    'http://evil.example/api/v2/transaction?items=1',
    '/api/v2/transaction?junk=evil&items=1&__proto__=evil',
    'HTTPS://evil.example:1/api/v2/transaction?items=1&offset=0',
  ]) {
    const { status, headers } = await raw('GET', target);
    assert.equal(status, 200);
    assert.match(String(headers.link), /^<\/api\/v2\/transaction\?items=1&cursor=[\w-]+>; rel="next"$/);
  }
  assert.equal((await raw('GET', 'http://evil.example')).status, 200);
  assert.equal((await raw('GET', 'http://evil.example?a=b')).status, 200);
});

const path = '/api/v2/transaction?items=100';

it('a large answer is compressed for a client that reads it, with the same content', async () => {
  const plain = await raw('GET', path);
  assert.equal(plain.headers['content-encoding'], undefined);
  const br = await raw('GET', path, { 'accept-encoding': 'gzip, deflate, br' });
  assert.equal(br.headers['content-encoding'], 'br');
  assert.ok(br.body.length < plain.body.length / 2);
  assert.deepEqual(brotliDecompressSync(br.body), plain.body);
  const gzip = await raw('GET', path, { 'accept-encoding': 'gzip;q=0.5, br;q=0' });
  assert.equal(gzip.headers['content-encoding'], 'gzip');
  assert.deepEqual(gunzipSync(gzip.body), plain.body);
  for (const any of ['*', 'zstd, *;q=0.1']) {
    assert.equal((await raw('GET', path, { 'accept-encoding': any })).headers['content-encoding'], 'gzip');
  }
  for (const answer of [plain, br, gzip]) assert.match(String(answer.headers.vary), /accept-encoding$/);
});

it('a large answer is sent as it is to a client that reads nothing else, a small one to all', async () => {
  for (const accepted of ['identity', 'gzip;q=0', 'zstd', 'gzip;q=0, *', '*, gzip;q=0.0', '*;q=0', 'br;q=0']) {
    assert.equal((await raw('GET', path, { 'accept-encoding': accepted })).headers['content-encoding'], undefined);
  }
  const { headers } = await raw('GET', '/api/v2/chain/tip', { 'accept-encoding': 'br' });
  assert.equal(headers['content-encoding'], undefined);
});

it('a large answer has no body for HEAD, compressed or not', async () => {
  const head = await raw('HEAD', path, { 'accept-encoding': 'br' });
  assert.equal(head.headers['content-encoding'], 'br');
  assert.equal(head.body.length, 0);
});
