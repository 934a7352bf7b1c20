/** Handing transactions to the node, and its fee rates, through the web server. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import { transactionId } from '../../src/chain/derive-ids.ts';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import { DecodingThread } from '../../src/serving/decoding/decoding-thread.ts';
import { AnsweringNode, type PendingLookupResult } from '../support/answering-node.ts';
import { builtBefore } from '../support/file-scope.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { Scrape } from '../support/prometheus.ts';
import { deposit } from '../support/small-chain.ts';
import { until } from '../support/until.ts';
import type { TestServer, TestServerOptions } from '../support/web-server.ts';

const network = networkByName('regtest');
const index = builtBefore((scope) => TestIndex.create(scope, network));

async function serve(
  t: Pick<TestContext, 'after'>,
  options: Partial<TestServerOptions> = {},
): Promise<[TestServer, AnsweringNode]> {
  const node = await AnsweringNode.start(t);
  const server = await index().serve(t, {
    enablePostRoutes: true,
    node: { address: node.address, auth: { type: 'none' } },
    ...options,
  });
  return [server, node];
}

const submit = (server: TestServer, body: string | Buffer, headers: Record<string, string> = {}) =>
  server.request('/api/v2/transaction', { method: 'POST', body, headers });

const signed = deposit(100);
const hex = encodeSignedTransaction(signed).toString('hex');
const id = transactionId(signed.transaction);

it('a submission is refused unless the operator allows it', async (t) => {
  const [server, node] = await serve(t, { enablePostRoutes: false });
  const answer = await submit(server, hex);
  assert.deepEqual([answer.status, answer.body], [403, { error: 'Forbidden endpoint' }]);
  for (const body of ['', 'x', 'aa'.repeat(6_000), 'aa'.repeat(3_000_000)]) {
    assert.equal((await submit(server, body)).status, 403, `${body.length} characters`);
  }
  assert.equal(node.calls.length, 0);
});

it('a submission goes to the node as hex, and its id comes back', async (t) => {
  const [server, node] = await serve(t);
  const answer = await submit(server, hex);
  assert.deepEqual([answer.status, answer.body], [200, { tx_id: id }]);
  assert.equal(node.calls[0]!.method, 'p2p_submit_transaction');
  assert.equal(node.calls[0]!.params[0], hex);
});

it('a submission may have any content type, upper-case digits, or be JSON', async (t) => {
  const [server] = await serve(t);
  for (const type of ['text/plain', 'application/octet-stream', 'application/json', 'nonsense', '']) {
    assert.equal((await submit(server, hex, { 'content-type': type })).status, 200, type);
  }
  assert.equal((await submit(server, hex.toUpperCase())).status, 200);
  const json = JSON.stringify({ transaction: hex });
  assert.deepEqual((await submit(server, json, { 'content-type': 'application/json' })).body, { tx_id: id });
});

it('a submission that is no transaction does not reach the node', async (t) => {
  const [server, node] = await serve(t);
  const bodies = [
    '',
    'xyz',
    hex.slice(2),
    hex.slice(1),
    `${hex}00`,
    ` ${hex}`,
    `"${hex}"`,
    '{',
    '{}',
    '{"transaction":7}',
    'null',
  ];
  for (const body of bodies) {
    const answer = await submit(server, body);
    assert.deepEqual([answer.status, answer.body], [400, { error: 'Invalid signed transaction' }], body);
  }
  assert.equal((await submit(server, Buffer.from([0xff, 0xfe, 0x00]))).status, 400);
  assert.equal(node.calls.length, 0);
});

it('a submission may be as long as a transaction can be, and not longer', async (t) => {
  const [server] = await serve(t);
  const long = encodeSignedTransaction(deposit(1024 * 1024 - 100)).toString('hex');
  assert.equal((await submit(server, long)).status, 200);
  const answer = await submit(server, 'aa'.repeat(1024 * 1024 + 10_000));
  assert.deepEqual([answer.status, typeof answer.body.error], [413, 'string']);
});

it('a submission is decoded where long ones are kept off the event loop, from a page as well', async (t) => {
  const [server] = await serve(t);
  const { mock } = t.mock.method(DecodingThread.prototype, 'decode');
  assert.equal((await submit(server, hex)).status, 200);
  for (const path of ['/decode', '/decode/send']) {
    assert.equal((await server.request(path, { method: 'POST', body: `hex=${hex}` })).status, 200);
  }
  const tasks = mock.calls.map(({ arguments: [task, body] }) => [task, String(body)]);
  assert.deepEqual(tasks, [
    ['submission', hex],
    ['pastedForm', `hex=${hex}`],
    ['submissionForm', `hex=${hex}`],
  ]);
});

it('a submission that is long and no transaction is too long for mintlayer-core, and just wrong for us', async (t) => {
  const [server] = await serve(t);
  const [core] = await serve(t, { contract: 'mintlayer-core' });
  assert.equal((await submit(server, 'aa'.repeat(6_000))).status, 400);
  assert.equal((await submit(core, 'aa'.repeat(6_000))).status, 413);
});

it('a submission that the node refuses is refused in its words', async (t) => {
  const [server, node] = await serve(t);
  node.answer = { error: { code: -32000, message: 'Mempool error: the "fee" is too low' } };
  const answer = await submit(server, hex);
  assert.deepEqual([answer.status, answer.body], [500, { error: 'RPC error: Mempool error: the "fee" is too low' }]);
});

it('a submission that the node refuses is refused as mintlayer-core prints it, which wallets take apart', async (t) => {
  const [core, node] = await serve(t, { contract: 'mintlayer-core' });
  for (const [error, text] of [
    [{ code: -32000, message: 'Fee too low' }, 'ServerError(-32000), message: "Fee too low", data: None'],
    [
      { code: -32602, message: 'Invalid params', data: 'not hex' },
      'InvalidParams, message: "Invalid params", data: Some(RawValue("not hex"))',
    ],
  ] as const) {
    node.answer = { error };
    const answer = await submit(core, hex);
    const expected = `RPC error: Response error: ErrorObject { code: ${text} }`;
    assert.deepEqual([answer.status, answer.body], [500, { error: expected }]);
  }
});

it('a submission while the node is away can be tried again', async (t) => {
  const [server] = await serve(t, { node: { address: '127.0.0.1:1', auth: { type: 'none' } } });
  const answer = await submit(server, hex);
  assert.equal(answer.status, 503);
  assert.match(answer.body.error, /node/);
});

it('the metrics count the submissions that the node took and refused, and those for which it was away', async (t) => {
  const [server, node] = await serve(t);
  await submit(server, hex);
  node.answer = { error: { code: -32000, message: 'Fee too low' } };
  const other = encodeSignedTransaction(deposit(101)).toString('hex');
  for (let i = 0; i < 2; i++) await submit(server, other);
  const [alone] = await serve(t, { node: { address: '127.0.0.1:1', auth: { type: 'none' } } });
  await submit(alone, hex);
  const counted = async ({ port }: TestServer) =>
    [...(await Scrape.of(port)).samples('chain_indexer_submissions_total')].map(([name, value]) => [
      /"(\w+)"/.exec(name)![1],
      value,
    ]);
  const zero = { taken: 0, refused: 0, failed: 0 };
  assert.deepEqual(Object.fromEntries(await counted(server)), { ...zero, taken: 1, refused: 2 });
  assert.deepEqual(Object.fromEntries(await counted(alone)), { ...zero, failed: 1 });
});

const points = (...pairs: [number, string][]): PendingLookupResult => ({
  result: pairs.map(([size, atoms]) => [size, { amount_per_kb: { atoms } }]),
});

it('the fee rate is a text of atoms per kilobyte from the points of the node, which is asked once', async (t) => {
  const [server, node] = await serve(t);
  node.answer = points([1, '300'], [2_000_000, '100']);
  assert.equal(await server.json('/feerate?in_top_x_mb=0'), '300');
  assert.equal(await server.json('/feerate?in_top_x_mb=1'), '200');
  assert.equal(await server.json('/feerate'), '100');
  assert.equal(node.calls.length, 1);
});

it('the fee rate is an error that passes when the node was never there', async (t) => {
  const [server, node] = await serve(t);
  node.answer = { result: 'nonsense' };
  assert.equal((await server.get('/feerate')).status, 503);
  const { length } = node.calls;
  for (let mb = 0; mb < 10; mb++) assert.equal((await server.get(`/feerate?in_top_x_mb=${mb}`)).status, 503);
  assert.equal(node.calls.length, length, 'the node is left alone after it has failed');
  node.answer = points([1, '5']);
  await until(async () => (await server.get('/feerate')).status === 200, 'the fee rate');
  assert.equal(await server.json('/feerate'), '5');
});

it('the fee rate needs a node', async (t) => {
  const server = await index().serve(t);
  assert.equal((await server.get('/feerate')).status, 503);
});
