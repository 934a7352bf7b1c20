/** A prepared response sent again and again: each client gets the bytes that Node would have made. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { PreparedResponse } from '../../../src/api/http/prepared-response.ts';
import { ResponseHead } from '../../../src/api/http/response-head.ts';
import { COMMON_HEADERS, VARY, VARY_COMPRESSED } from '../../../src/api/http/response-headers.ts';

async function serve(t: TestContext, listener: RequestListener, keepAliveTimeout = 75_000): Promise<number> {
  const server = createServer({ keepAliveTimeout }, listener).listen(0, '127.0.0.1');
  t.after(() => server.close());
  t.after(() => server.closeAllConnections());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

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

describe('the head of a response', () => {
  it('the head of a response is the one that Node makes, however often and to whomever it is sent', async (t) => {
    const headers = ['content-length', '2', 'x-one', 'a, b', 'etag', 'W/"1"'];
    const head = new ResponseHead(200, headers);
    const taking = await serve(t, (_, response) => {
      head.write(response);
      response.end('{}', 'latin1');
    });
    const making = await serve(t, (_, response) => {
      response.writeHead(200, headers);
      response.end('{}', 'latin1');
    });
    for (const requests of [
      again(5),
      again(5, 'HEAD / HTTP/1.1\r\nhost: a\r\n\r\n'),
      'GET / HTTP/1.0\r\n\r\n',
      again(2, 'GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n'),
      again(3, 'POST / HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 1\r\n\r\nx'),
    ]) {
      assert.equal(await received(taking, requests), await received(making, requests), requests);
    }
  });

  it('the head of a response has the date of the second in which it is sent', async (t) => {
    const head = new ResponseHead(200, ['content-length', '0']);
    const port = await serve(t, (_, response) => {
      head.write(response);
      response.end();
    });
    const dates = new Set<string>();
    for (const end = Date.now() + 2_500; Date.now() < end; ) {
      const before = Math.floor(Date.now() / 1_000);
      const date = (await fetch(`http://127.0.0.1:${port}/`)).headers.get('date')!;
      const seconds = Date.parse(date) / 1_000;
      assert.ok(seconds >= before - 1 && seconds <= Date.now() / 1_000, `${date}, asked at ${before}`);
      dates.add(date);
    }
    assert.ok(dates.size >= 2);
  });

  it('the head of a response names the keep-alive timeout of its own server, when several send it', async (t) => {
    const head = new ResponseHead(200, ['content-length', '0']);
    const listener: RequestListener = (_, response) => {
      head.write(response);
      response.end();
    };
    const ports = { 75: await serve(t, listener, 75_000), 5: await serve(t, listener, 5_000) };
    for (const seconds of [75, 5, 75, 5] as const) {
      const answers = await received(ports[seconds], again(4));
      assert.equal(answers.match(new RegExp(`Keep-Alive: timeout=${seconds}\\r`, 'g'))?.length, 4, answers);
    }
  });

  it('the head of a response ends the connection where somebody has set that header before', async (t) => {
    const head = new ResponseHead(200, ['content-length', '0']);
    let count = 0;
    const port = await serve(t, (_, response) => {
      if (++count === 4) response.setHeader('connection', 'close');
      head.write(response);
      response.end();
    });
    const answers = await received(port, again(8));
    assert.equal(answers.match(/HTTP\/1.1 200/g)?.length, 4);
    assert.match(answers.slice(answers.lastIndexOf('HTTP/1.1')), /connection: close/i);
  });

  it('the head of a response is refused with a header that is not one', async (t) => {
    const port = await serve(t, (_, response) => {
      const head = new ResponseHead(200, ['x-bad', 'a\r\nx-injected: b']);
      for (let i = 0; i < 3; i++) assert.throws(() => head.write(response), { code: 'ERR_INVALID_CHAR' });
      response.end('refused');
    });
    assert.match(await received(port, LAST), /refused$/);
  });
});

describe('a prepared response', () => {
  it('a prepared response of JSON has the headers that Node would write, made as a text', async (t) => {
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
});

describe('the body of a prepared response', () => {
  it('the body of a prepared response takes as much memory as it has bytes', () => {
    const texts = Array.from({ length: 300 }, (_, i) => `${i % 10}`.repeat(20_000 + i));
    const before = process.memoryUsage().arrayBuffers;
    const prepared = texts.map((text) => new PreparedResponse(text));
    const bytes = texts.reduce((sum, { length }) => sum + length, 0);
    const taken = process.memoryUsage().arrayBuffers - before;
    assert.ok(taken <= 1.02 * bytes, `${taken} bytes for ${bytes}`);
    assert.equal(prepared.length, 300);
  });
});

describe('the response 304', () => {
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

  it('the response 304 to a client of HTTP/1.0 does not end the connections of others', async (t) => {
    const prepared = new PreparedResponse('{"a":1}', { etag: 'W/"1"' });
    const port = await serve(t, (request, reply) => prepared.send(request, reply));
    const old = 'GET / HTTP/1.0\r\nconnection: keep-alive\r\nif-none-match: W/"1"\r\n\r\n';
    for (let i = 0; i < 3; i++) await received(port, old);
    assert.equal((await received(port, again(5))).match(/Connection: keep-alive\r\nKeep-Alive: /g)?.length, 5);
  });
});

describe('the body of a prepared response', () => {
  it('the body of a prepared response arrives as UTF-8, short or long, plain or compressed', async (t) => {
    for (const letter of ['a', 'é', '…', '𝄞']) {
      for (const length of [1, 100, 3_000, 20_000]) {
        const text = letter.repeat(length);
        const response = new PreparedResponse(text, { contentType: 'text/plain; charset=utf-8' });
        const port = await serve(t, (request, reply) => response.send(request, reply));
        for (const encoding of ['identity', 'gzip', 'br', 'gzip', 'br', 'identity']) {
          const reply = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'accept-encoding': encoding } });
          assert.equal(await reply.text(), text, `${length} × ${letter}, ${encoding}`);
        }
      }
    }
  });
});
