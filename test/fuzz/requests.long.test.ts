/** Whatever is asked: no fault, no undocumented status, no answer that breaks its schema, nothing right refused. */
import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { builtBefore } from '../support/file-scope.ts';
import { type RawAnswer, RawClient } from '../support/raw-http.ts';
import type { TestServer } from '../support/web-server.ts';
import { WholeStack } from '../support/whole-stack.ts';
import { answerOf } from './answer-of.ts';
import { type KnownIds, knownIds } from './known-ids.ts';
import { fuzz } from './property.ts';
import { anyRequest, documentedRequest, type FuzzedRequest } from './request-arbitrary.ts';

const stack = builtBefore((scope) => WholeStack.start(scope, { seed: 'fuzz' }));
const ids = builtBefore(async (): Promise<KnownIds> => {
  const known = await knownIds(stack().servers.described, stack().network.coinTicker);
  const formats = 'address block-id nft-id order-id pair pool-id ticker token-id cursor'.split(' ');
  for (const format of formats) assert.ok(known[format]?.length, `nothing known for ${format}`);
  return known;
});

/** Not of the API: the page, what supervisors ask, and pages with forms that are posted. */
const OTHER_PATHS = /^\/(docs|health|ready|metrics|decode|verify-message)\b|^\/api\/v2\/openapi\.json/;

function bodyOf({ headers, body }: RawAnswer): string {
  switch (headers['content-encoding']) {
    case undefined:
      return body.toString('utf8');
    case 'gzip':
      return gunzipSync(body).toString('utf8');
    case 'br':
      return brotliDecompressSync(body).toString('utf8');
    default:
      throw new Error(`an encoding that nobody asked for: ${headers['content-encoding']}`);
  }
}

/** Does the explorer answer it? */
function isForPage({ method, path, headers }: FuzzedRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return (
    isRead && headers.accept === 'text/html' && !/^\/(?:api|docs|health|ready|metrics|status)(?:[/?]|$)/.test(path)
  );
}

function judge(server: TestServer, request: FuzzedRequest, answer: RawAnswer): void {
  const { method, path } = request;
  const { status, headers } = answer;
  assert.ok(status < 500, `status ${status}`);
  assert.equal(headers['access-control-allow-origin'], '*');
  if (OTHER_PATHS.test(path)) return;
  if (method === 'OPTIONS') {
    assert.deepEqual([status, answer.body.length], [200, 0]);
    return;
  }
  if (isForPage(request)) {
    assert.ok(
      status === 303 || status === 304 || headers['content-type'] === 'text/html; charset=utf-8',
      `status ${status}`,
    );
    return;
  }
  const operation = server.operation(method, path);
  if (operation === undefined) {
    const isKnown = server.operation('GET', path) !== undefined;
    assert.equal(status, isKnown ? 405 : 400);
    if (isKnown) assert.match(String(headers.allow), /GET,HEAD/);
    return;
  }
  assert.ok(String(status) in operation.responses, `${operation.path} does not document the status ${status}`);
  const isStream = status === 200 && operation.path.endsWith('/stream');
  if (isStream) assert.equal(headers['content-type'], 'text/event-stream');
  // Lines of JSON are empty where there is nothing.
  if (status === 200 && method === 'GET' && EXPORT.test(String(headers['content-type'])))
    return assert.match(path, /format=/);
  const isEmpty = method === 'HEAD' || status === 304 || isStream;
  assert.equal(answer.body.length === 0, isEmpty);
  if (status === 304) assert.ok(request.headers['if-none-match'] !== undefined);
  if (isEmpty) return;
  const [mediaType = 'application/json'] = mediaTypesOf(operation.responses[status]);
  assert.equal(String(headers['content-type']).split(';')[0], mediaType);
  if (mediaType !== 'application/json') return;
  assert.equal(Number(headers['content-length']), answer.body.length);
  server.check(operation, path, { status, body: JSON.parse(bodyOf(answer)) });
  // mintlayer-core ignores what it does not know: a wrong value of ours may change nothing.
  const isIgnored = server === stack().servers['mintlayer-core'] && request.queryVerdict === 'wrong';
  judgeStatus(isIgnored ? { ...request, queryVerdict: 'either' } : request, status, bodyOf(answer));
}

/** The media types that a response documents, JSON first. */
function mediaTypesOf(response: { readonly content?: object } | undefined): string[] {
  return Object.keys(response?.content ?? {}).sort();
}

/** What is right is not refused as malformed, and what is wrong is. */
function judgeStatus({ method, pathVerdict, queryVerdict }: FuzzedRequest, status: number, text: string): void {
  if (method === 'POST') return;
  if (pathVerdict === 'right' && queryVerdict === 'right') assert.notEqual(status, 400, text);
  if (pathVerdict === 'wrong' || queryVerdict === 'wrong') assert.equal(status, 400, text);
}

for (const contract of ['described', 'mintlayer-core'] as const) {
  describe(`the web server in the ${contract} contract`, () => {
    let client: RawClient;
    const server = () => stack().servers[contract];
    const check = async (request: FuzzedRequest) => judge(server(), request, await answerOf(client, request));
    before(() => {
      client = new RawClient(server().port);
    });
    after(() => client.close());

    fuzz(
      `the web server in the ${contract} contract answers every request for a documented path as documented in ${contract}`,
      () => documentedRequest(server().operations, ids()),
      check,
    );
    fuzz(
      `the web server in the ${contract} contract refuses unknown paths politely in ${contract}`,
      () => anyRequest(server().operations),
      check,
    );
  });
}

describe('the web server', () => {
  const clients: RawClient[] = [];
  after(() => {
    for (const client of clients) client.close();
  });

  fuzz(
    'the web server gives the same facts in both contracts',
    () => {
      for (const { port } of Object.values(stack().servers)) clients.push(new RawClient(port));
      const both = stack().servers.described.operations.filter(({ path }) => SAME_IN_BOTH.test(path));
      return fc.tuple(documentedRequest(both, ids()), fc.constant('GET'));
    },
    async ([request, method]) => {
      // Whole transactions have the shape of the profile.
      if (/transactions\?.*expand=true/.test(request.path)) return;
      const [one, other] = await Promise.all(
        clients.map((client) => answerOf(client, { ...request, method, headers: {} })),
      );
      // A wrong value of ours changes nothing in mintlayer-core's contract.
      if (one!.status === 400 && request.pathVerdict !== 'wrong') return;
      assert.deepEqual([other!.status, other!.body.toString()], [one!.status, one!.body.toString()]);
    },
  );
});

const EXPORT = /^(text\/csv|application\/x-ndjson)/;

/** Resources that have one shape. */
const SAME_IN_BOTH =
  /^\/api\/v2\/(block(?!\/\{id\}$)|pool(?!\/\{id\}\/delegations)|order(?!.*\/book)|statistics\/coin$|chain\/(tip|genesis)|token\/ticker|token$|feerate|address\/\{address\}\/transactions)/;
