/** Compression in turns of clients, through real sockets. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { it, type TestContext } from 'node:test';
import { PreparedResponse } from '../../../src/serving/http/prepared-response.ts';
import { internalCaller } from '../../../src/serving/resources/caller.ts';
import { startRespondingServer } from '../../support/http-layer-server.ts';

const MIB = 1024 * 1024;

async function serve(t: TestContext, answer: (request: IncomingMessage) => PreparedResponse) {
  const { port, resources } = await startRespondingServer(t, answer, { trustedProxies: 1 });
  const get = (path: string, client = '192.0.2.1', encoding = 'br') =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'accept-encoding': encoding, 'x-forwarded-for': client } });
  return { get, resources };
}

const text = (megabytes: number) =>
  Array.from({ length: megabytes * 16_384 }, (_, i) => `${i} `.padEnd(64, 'x')).join('');

it('one client has one compression at a time, whoever waits too long gets the plain form, and nobody is refused', async (t) => {
  const bodies = Array.from({ length: 6 }, () => new PreparedResponse(text(1)));
  const { get, resources } = await serve(t, ({ url }) => bodies[Number(url!.slice(1))]!);
  const slow = internalCaller('192.0.2.1');
  await resources.compressions.acquire(slow);
  const [other, ...waiting] = await Promise.all([
    get('/0', '192.0.2.2'),
    ...[1, 2, 3, 4, 5].map((i) => get(`/${i}`, slow.client)),
  ]);
  assert.equal(other.headers.get('content-encoding'), 'br');
  const encodings = waiting.map(({ headers }) => headers.get('content-encoding'));
  assert.deepEqual(encodings, [null, null, null, null, null]);
  const texts = await Promise.all([other, ...waiting].map((response) => response.text()));
  assert.equal(new Set(texts).size, 1);
  resources.compressions.release(slow.client);
  assert.equal((await get('/1', slow.client)).headers.get('content-encoding'), 'br');
  assert.equal(resources.compressions.used, 0);
  assert.equal(resources.unsent_bytes.used, 0);
});

it('a client whose response is small does not wait for those of another', async (t) => {
  const large = Array.from({ length: 30 }, () => new PreparedResponse(text(3)));
  const { get } = await serve(t, ({ url }) =>
    url === '/small' ? new PreparedResponse(text(1)) : large[Number(url!.slice(1))]!,
  );
  const attack = large.map((_, i) => get(`/${i}`));
  const small = await get('/small', '192.0.2.2');
  assert.equal(small.headers.get('content-encoding'), 'br');
  await Promise.all(attack);
});

it('a body arrives as UTF-8, short or long, plain or compressed, however often it is sent', async (t) => {
  for (const letter of ['a', 'é', '…', '𝄞']) {
    for (const length of [1, 100, 3_000, 20_000]) {
      const expected = letter.repeat(length);
      const body = new PreparedResponse(expected, { contentType: 'text/plain; charset=utf-8' });
      const { get } = await serve(t, () => body);
      for (const encoding of ['identity', 'gzip', 'br', 'gzip', 'br', 'identity']) {
        const reply = await get('/', '192.0.2.1', encoding);
        const isCompressed = encoding !== 'identity' && Buffer.byteLength(expected) >= 4_096;
        assert.equal(reply.headers.get('content-encoding'), isCompressed ? encoding : null);
        assert.equal(await reply.text(), expected, `${length} × ${letter}, ${encoding}`);
      }
    }
  }
});

it('the compressed form is kept, and tells by how much the response has grown', async (t) => {
  const body = new PreparedResponse(text(1));
  const grown: number[] = [];
  body.onGrow = (bytes) => grown.push(bytes);
  const { get } = await serve(t, () => body);
  const before = body.size;
  for (let i = 0; i < 3; i++) assert.equal((await get('/')).headers.get('content-encoding'), 'br');
  assert.equal(grown.length, 1);
  assert.equal(body.size, before + grown[0]!);
});

it('what is very large is sent as it is', async (t) => {
  const body = new PreparedResponse(text(5));
  const { get } = await serve(t, () => body);
  const response = await get('/');
  assert.equal(response.headers.get('content-encoding'), null);
  assert.equal((await response.text()).length, 5 * MIB);
});
