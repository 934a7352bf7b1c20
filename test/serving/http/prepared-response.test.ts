/** A prepared response, sent again and again. */
import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { it, type TestContext } from 'node:test';
import { COMMON_HEADERS, VARY, VARY_COMPRESSED } from '../../../src/serving/http/headers.ts';
import { joinBodyTexts, PreparedResponse } from '../../../src/serving/http/prepared-response.ts';
import { startHttpServer } from '../../support/http-server.ts';

const serve = async (t: TestContext, listener: RequestListener) => (await startHttpServer(t, listener)).port;

/** What comes back for these bytes, the date left out; the connection must be closed by the last request. */
async function received(port: number, requests: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(requests, 'latin1');
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks)
    .toString('latin1')
    .replaceAll(/\r\nDate: [^\r]+ GMT/g, '\r\nDate: …');
}

const LAST = 'GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n';
const PLAIN = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
const again = (count: number, request = PLAIN) => request.repeat(count) + LAST;

it('a prepared response of JSON has the headers of its kind, whatever the client', async (t) => {
  for (const length of [10, 5_000, 20_000]) {
    const text = JSON.stringify('x'.repeat(length));
    const etag = `W/"${length}"`;
    const more = length === 10 ? [] : ['x-next-cursor', 'abc', 'link', '</api?cursor=abc>; rel="next"'];
    const prepared = new PreparedResponse(text, { etag, headers: more });
    const taking = await serve(t, (request, reply) => prepared.send(request, reply));
    const vary = text.length < 4_096 ? VARY : VARY_COMPRESSED;
    const headers = ['content-length', String(text.length), 'content-type', 'application/json', ...COMMON_HEADERS];
    const making = await serve(t, (_, reply) => {
      reply.writeHead(200, [...headers, 'cache-control', 'no-cache', 'etag', etag, 'vary', vary, ...more]);
      reply.end(text);
    });
    for (const requests of [again(3), again(3, 'HEAD / HTTP/1.1\r\nhost: a\r\n\r\n'), 'GET / HTTP/1.0\r\n\r\n']) {
      assert.equal(await received(taking, requests), await received(making, requests), `${length}: ${requests}`);
    }
  }
});

it('the body of a prepared response takes as much memory as it has bytes', () => {
  const texts = Array.from({ length: 300 }, (_, i) => `${i % 10}`.repeat(20_000 + i));
  const before = process.memoryUsage().arrayBuffers;
  const prepared = texts.map((text) => new PreparedResponse(text));
  const bytes = texts.reduce((sum, { length }) => sum + length, 0);
  const taken = process.memoryUsage().arrayBuffers - before;
  assert.ok(taken <= 1.02 * bytes, `${taken} bytes for ${bytes}`);
  assert.equal(prepared.length, 300);
});

it('a content in pieces is that of the text, whatever its letters and its size', async (t) => {
  for (const piece of ['{"a":1}', '{"ä":"€"}', '🦀']) {
    for (const times of [1, 3_000]) {
      const pieces = Array<string>(times).fill(piece);
      const whole = new PreparedResponse(pieces.join(''));
      const joined = new PreparedResponse(joinBodyTexts(pieces));
      const [expected, actual] = await Promise.all(
        [whole, joined].map(async (prepared) =>
          received(await serve(t, (request, reply) => prepared.send(request, reply)), LAST),
        ),
      );
      assert.equal(actual, expected);
    }
  }
});

it('the response 304 is the one that Node makes, however often it is sent', async (t) => {
  const prepared = new PreparedResponse('{"a":1}', { etag: 'W/"1"' });
  const taking = await serve(t, (request, reply) => prepared.send(request, reply));
  const making = await serve(t, (request, reply) =>
    new PreparedResponse('{"a":1}', { etag: 'W/"1"' }).send(request, reply),
  );
  const conditional = (version: string) => `GET / HTTP/${version}\r\nhost: a\r\nif-none-match: W/"1"\r\n\r\n`;
  for (const requests of [again(4, conditional('1.1')), again(3, PLAIN + conditional('1.1')), conditional('1.0')]) {
    const answers = await received(taking, requests);
    assert.equal(answers, await received(making, requests), requests);
    assert.match(answers, /HTTP\/1.1 304 Not Modified\r\n/);
  }
});
