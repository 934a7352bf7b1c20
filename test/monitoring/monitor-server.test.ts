/** The HTTP server for monitoring: what it answers, and what it does not let clients do. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { idleConnection, serveMonitorForTests } from '../support/monitor-server.ts';
import { answersIn, exchange } from '../support/raw-http.ts';
import { takesLessThan, until } from '../support/until.ts';

const served = serveMonitorForTests();
const HOST = 'host: x\r\n\r\n';

/** The answers to what is written, after which the server has to hang up. */
async function answersTo(...pieces: string[]) {
  const { text, hasHungUp } = await exchange(served.port, pieces);
  assert.ok(hasHungUp, 'the connection stays open');
  return answersIn(text);
}

it('the monitoring server answers GET, and HEAD without a body, and is not to be kept by caches', async () => {
  const [got] = await answersTo(`GET /health HTTP/1.1\r\n${HOST}`);
  assert.equal(got?.status, 200);
  assert.equal(got.body, '{"status":"alive"}');
  assert.match(got.head, /^cache-control: no-store$/im);
  assert.match(got.head, /^x-content-type-options: nosniff$/im);
  const { text } = await exchange(served.port, [`HEAD /health HTTP/1.1\r\n${HOST}`]);
  assert.match(text, /^HTTP\/1\.1 200 OK\r\n[\s\S]*content-length: 18\r\n[\s\S]*\r\n\r\n$/i);
});

it('the monitoring server goes by the path alone', async () => {
  assert.equal((await answersTo('GET /health HTTP/1.0\r\n\r\n'))[0]?.status, 200);
  for (const target of ['/health?x=1', 'http://evil.example/health', '/health#there'])
    assert.equal((await answersTo(`GET ${target} HTTP/1.1\r\n${HOST}`))[0]?.status, 200, target);
  for (const target of ['/', '/health/', '//health', '/%68ealth', '/constructor', '*'])
    assert.equal((await answersTo(`GET ${target} HTTP/1.1\r\n${HOST}`))[0]?.status, 404, target);
});

it('the monitoring server refuses a request whose host is missing, malformed or given twice', async () => {
  for (const hosts of ['', 'host: a b\r\n', 'host: a\r\nhost: b\r\n']) {
    const [answer] = await answersTo(`GET /health HTTP/1.1\r\n${hosts}\r\n`);
    assert.deepEqual([answer?.status, answer?.body], [400, '{"error":"Invalid Host header"}'], hosts);
  }
});

it('the monitoring server refuses other methods, and does not wait for a body', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const [answer] = await answersTo(`${method} /health HTTP/1.1\r\ncontent-length: 1000000\r\n${HOST}`);
    assert.equal(answer?.status, 405, method);
    assert.match(answer.head, /^allow: GET, HEAD$/im);
  }
});

it('the monitoring server says that something went wrong, and serves on', async () => {
  const [answer] = await answersTo(`GET /broken HTTP/1.1\r\n${HOST}`);
  assert.equal(answer?.status, 500);
  assert.deepEqual(JSON.parse(answer.body), { error: 'There is no answer: no such thing' });
  assert.equal((await answersTo(`GET /health HTTP/1.1\r\n${HOST}`))[0]?.status, 200);
});

it('the monitoring server answers one request of a pipeline, and hangs up', async () => {
  const answers = await answersTo(`GET /health HTTP/1.1\r\n${HOST}`.repeat(1_000));
  const statuses = answers.map(({ status }) => status);
  assert.deepEqual(statuses, [200]);
});

it('the monitoring server hangs up on what is no HTTP, or has endless headers', async () => {
  assert.equal((await answersTo('\x16\x03\x01 hello\r\n\r\n'))[0]?.status, 400);
  const [tooLarge] = await answersTo(`GET /health HTTP/1.1\r\nx: ${'y'.repeat(9_000)}\r\n${HOST}`);
  assert.equal(tooLarge?.status, 431);
});

it('the monitoring server lets the oldest connections make room for those who ask', async (t) => {
  const sockets = Array.from({ length: 500 }, () => idleConnection(t, served.port));
  await until(() => sockets.filter(({ hasEnded }) => hasEnded).length >= 400, 'the end of the oldest');
  await takesLessThan(4_000, 'twenty answers', async () => {
    for (let i = 0; i < 20; i++) assert.equal((await answersTo(`GET /health HTTP/1.1\r\n${HOST}`))[0]?.status, 200);
  });
  assert.ok(sockets.filter(({ hasEnded }) => !hasEnded).length <= 64);
});
