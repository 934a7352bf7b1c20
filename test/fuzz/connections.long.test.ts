/** Whatever comes over a connection: it is refused politely or cut, and everybody else is served. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { builtBefore } from '../support/file-scope.ts';
import { answersIn, exchange, RawClient } from '../support/raw-http.ts';
import { eventually } from '../support/until.ts';
import { WholeStack } from '../support/whole-stack.ts';
import { answerOf } from './answer-of.ts';
import { fuzz } from './property.ts';

const stack = builtBefore((scope) => WholeStack.start(scope, { seed: 'connections', blocks: 40 }));
const server = () => stack().servers.described;
const tip = builtBefore(async () => (await server().get('/chain/tip')).text);
const neighbour = builtBefore(async (scope) => {
  const client = new RawClient(server().port);
  scope.after(() => client.close());
  return client;
});

const neighbourGets = (path: string) => answerOf(neighbour(), { method: 'GET', path });

async function assertOthersAreServed(): Promise<void> {
  const { status, body } = await neighbourGets('/api/v2/chain/tip');
  assert.deepEqual([status, body.toString()], [200, tip()]);
}

/** The status lines in what came back, whether a body follows or not. */
function statusesIn(text: string): number[] {
  const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
  assert.ok(text === '' || text.startsWith('HTTP/1.1 '), `not an answer: ${text.slice(0, 300)}`);
  return statuses;
}

const target = fc.constantFrom('/api/v2/chain/tip', '/api/v2/transaction?items=2', '/', '/nope', '*', 'http://x/', '');
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'CONNECT', 'get', 'G E T', '', 'PRI', 'TRACE');
const version = fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/9', 'http/1.1', '', 'HTTP/1.1 ');
const header = fc.constantFrom(
  'host: a',
  'Host: a',
  'host: ',
  'host: a\r\nhost: b',
  'content-length: 0',
  'content-length: 3',
  'content-length: -1',
  'content-length: 99999999999999999999',
  'content-length: 3\r\ncontent-length: 4',
  'content-length: 3\r\ntransfer-encoding: chunked',
  'transfer-encoding: chunked',
  'transfer-encoding: gzip, chunked',
  'transfer-encoding: nonsense',
  'connection: close',
  'connection: keep-alive',
  'connection: upgrade\r\nupgrade: websocket',
  'upgrade: h2c',
  'expect: 100-continue',
  'expect: miracles',
  'if-none-match: *',
  'x: \x00',
  'x\x01: y',
  ' folded: yes',
  'no colon here',
  ': empty',
  'x: caf\u00e9',
  `long: ${'x'.repeat(17_000)}`,
  ...[50, 300, 3_000].map((count) => Array.from({ length: count }, (_, i) => `h${i}: v`).join('\r\n')),
);
const lineEnd = fc.constantFrom('\r\n', '\r\n', '\r\n', '\n', '\r', '\r\r\n', '');
const body = fc.constantFrom(
  '',
  'abc',
  '3\r\nabc\r\n0\r\n\r\n',
  'zz\r\n',
  'ffffffffffffffff\r\nabc',
  '0\r\n\r\n',
  '{}',
  '\x00\xff',
);

const message = fc
  .tuple(method, target, version, fc.array(header, { maxLength: 4 }), lineEnd, lineEnd, body)
  .map(([verb, path, protocol, headers, end, last, content]) =>
    [`${verb} ${path} ${protocol}`, ...headers].join(end).concat(end, last, content),
  );

const noise = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  fc.constantFrom(
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    '\r\n\r\n',
    'GET',
    'GET /',
  ),
);

/** A message whole, or with a byte gone or changed. */
const altered = fc
  .tuple(fc.oneof({ weight: 4, arbitrary: message }, noise), fc.nat(), fc.constantFrom('', 'cut', 'drop', 'change'))
  .map(([text, at, how]) => {
    const place = at % Math.max(1, text.length);
    if (how === 'cut') return text.slice(0, place);
    if (how === 'drop') return text.slice(0, place) + text.slice(place + 1);
    return how === 'change' ? `${text.slice(0, place)}\x7f${text.slice(place + 1)}` : text;
  });

fuzz(
  'a connection may carry anything',
  () => fc.array(altered, { minLength: 1, maxLength: 4 }),
  async (messages) => {
    const pieces = messages.map((text) => Buffer.from(text, 'latin1'));
    const text = await eventually('answers without 503', async () => {
      const said = await exchange(server().port, pieces, { quietMs: 40 });
      return statusesIn(said.text).includes(503) ? undefined : said.text;
    });
    for (const status of statusesIn(text)) {
      assert.ok([100, 200, 304, 400, 403, 405, 408, 413, 417, 431].includes(status), text);
    }
    await assertOthersAreServed();
  },
);

fuzz(
  'a connection may bring its requests in pieces of any size; without waiting, only the first ones are answered',
  () =>
    fc.tuple(
      fc.array(fc.constantFrom('/api/v2/chain/tip', '/', '/nope', '/api/v2/transaction?items=3'), {
        minLength: 1,
        maxLength: 12,
      }),
      fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 20 }),
    ),
  async ([paths, sizes]) => {
    const requests = paths.map((path, i) => {
      const last = i === paths.length - 1 ? 'connection: close\r\n' : '';
      return `GET ${path} HTTP/1.1\r\nhost: a\r\n${last}\r\n`;
    });
    const pieces: string[] = [];
    let text = requests.join('');
    for (let i = 0; text !== ''; i++) {
      const size = sizes[i % sizes.length]!;
      pieces.push(text.slice(0, size));
      text = text.slice(size);
    }
    const { answers, hasHungUp } = await eventually('answers without 503', async () => {
      const said = await exchange(server().port, pieces);
      const answers = answersIn(said.text);
      return answers.some(({ status }) => status === 503) ? undefined : { answers, hasHungUp: said.hasHungUp };
    });
    assert.ok(hasHungUp && answers.length >= 1 && answers.length <= paths.length, `${answers.length}`);
    for (const [i, path] of paths.slice(0, answers.length).entries()) {
      const expected = await neighbourGets(path);
      assert.deepEqual([answers[i]!.status, answers[i]!.body], [expected.status, expected.body.toString('latin1')]);
    }
  },
);
