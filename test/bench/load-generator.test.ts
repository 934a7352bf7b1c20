import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import type { RequestListener } from 'node:http';
import { type TestContext, test } from 'node:test';
import { BareServer } from '../../bench/bare-server.ts';
import { ask } from '../../bench/endpoint-throughput.ts';
import { type Generator, type Load, LoadGenerator } from '../../bench/load-generator.ts';
import { startHttpServer } from '../support/http-server.ts';

const serve = async (t: TestContext, listener: RequestListener) => (await startHttpServer(t, listener)).port;

function measure(t: TestContext, load: Pick<Load, 'port'> & Partial<Load>, kind: Generator = 'own') {
  const generator = new LoadGenerator(kind, () => Number.NaN);
  t.after(() => generator.close());
  const usual = { connections: 4, paths: ['/'], unique: false, status: 200, warmUpSeconds: 0.05, seconds: 0.1 };
  return generator.measure({ ...usual, ...load }, process.pid);
}

test('every answer is counted, whatever pieces it comes in', async (t) => {
  let served = 0;
  const body = 'x'.repeat(300_000);
  const port = await serve(t, (_, response) => {
    served++;
    response.writeHead(200, { 'content-length': body.length });
    response.write(body.slice(0, 7));
    setImmediate(() => response.end(body.slice(7)));
  });
  const result = await measure(t, { port, seconds: 1 });
  assert.ok(result.answers > 4, `${result.answers} answers`);
  assert.ok(served - result.answers <= 4, 'all but those under way at the end');
  assert.equal(result.bytesPerAnswer, body.length);
  assert.equal(result.wrong, null);
  assert.ok(result.p50Ms > 0 && result.p50Ms <= result.p99Ms);
});

test('a unique load asks for another URL each time, of all paths in turn', async (t) => {
  const urls: string[] = [];
  const port = await serve(t, (request, response) => {
    urls.push(request.url!);
    response.end('answer');
  });
  await measure(t, { port, paths: ['/a', '/b?items=1'], unique: true });
  assert.equal(new Set(urls).size, urls.length);
  const ofFirst = urls.filter((url) => url.startsWith('/a?')).length;
  assert.ok(Math.abs(urls.length - 2 * ofFirst) <= 1, `${ofFirst} of ${urls.length}`);
});

test('an answer with another status is told', async (t) => {
  const port = await serve(t, (_, response) => {
    response.writeHead(404, { 'content-length': 2 });
    response.end('no');
  });
  assert.equal((await measure(t, { port, paths: ['/gone'] })).wrong, '404 for /gone');
});

test('a server that hangs up is a failure, not a result', async (t) => {
  const port = await serve(t, (request) => request.socket.destroy());
  await assert.rejects(measure(t, { port }), /closed a connection|ECONNRESET/);
});

const withoutWrk = spawnSync('wrk', ['-v']).error !== undefined && 'wrk is not installed';

test('wrk, too, asks for another URL each time, of all paths in turn, and tells refusals', {
  skip: withoutWrk,
}, async (t) => {
  const urls: string[] = [];
  let status = 200;
  const port = await serve(t, (request, response) => {
    urls.push(request.url!);
    response.writeHead(status, { 'content-length': 6 });
    response.end('answer');
  });
  const load = { port, paths: ['/a', '/b?items=1'], unique: true };
  const result = await measure(t, load, 'wrk');
  assert.equal(result.wrong, null);
  assert.ok(result.answers > 4 && result.answers <= urls.length, `${result.answers} of ${urls.length}`);
  const perPath = new Map<string, number>();
  for (const url of urls) perPath.set(url.slice(0, 3), (perPath.get(url.slice(0, 3)) ?? 0) + 1);
  assert.deepEqual([...perPath.keys()].sort(), ['/a?', '/b?']);
  assert.ok(Math.abs(perPath.get('/a?')! - perPath.get('/b?')!) <= 2, 'in turn');
  assert.equal(new Set(urls).size, urls.length);
  status = 404;
  assert.match((await measure(t, { ...load, warmUpSeconds: 0 }, 'wrk')).wrong ?? '', /^\d+ refusals/);
});

test('the bare server sends the same bytes and headers as the server that it stands for', async (t) => {
  const port = await serve(t, (_, response) => {
    response.writeHead(200, ['content-length', '7', 'content-type', 'application/json', 'etag', 'W/"1"']);
    response.end('{"a":1}');
  });
  const answer = await ask(port, '/', {});
  const bare = await BareServer.start();
  t.after(() => bare.close());
  await bare.use(answer);
  assert.deepEqual(await ask(bare.port, '/', {}), answer);
  assert.equal(answer.body, '{"a":1}');
  assert.deepEqual(answer.headers.slice(2), ['content-type', 'application/json', 'etag', 'W/"1"']);
});
