import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import { withRetry } from '../../src/errors/retry.ts';
import { NodeClient } from '../../src/node/client.ts';
import { isResponseTooLarge, NodeError, type NodeErrorKind } from '../../src/node/node-error.ts';
import { parseMainchainBlocks } from '../../src/node/result-parsers.ts';
import type { Fault } from '../support/faulty-rpc-server.ts';
import { collectAll } from '../support/garbage-collection.ts';
import { replayingNode } from '../support/replaying-node.ts';
import { deposit, SmallChain } from '../support/small-chain.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

async function fails(
  call: Promise<unknown>,
  kind: NodeErrorKind,
  text: RegExp,
  retryable?: boolean,
): Promise<NodeError> {
  const error = await call.then(
    () => assert.fail('no failure'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof NodeError, String(error));
  assert.equal(error.kind, kind, error.message);
  assert.match(error.message, text);
  if (retryable !== undefined) assert.equal(error.retryable, retryable);
  return error;
}

/** Blocks of an untouched answer. */
const parsedRaw = async (client: NodeClient, from: number, count: number) =>
  parseMainchainBlocks(await client.mainchainBlocksRaw(from, count));

/** The given faults, one a message, then none. */
const once = (...faults: Fault[]) => ({ faults: () => faults.shift() });

/** A client of a TCP server that says the same whatever it is asked. */
async function clientOfBareServer(t: TestContext, answer: string, options: { idleTimeoutMs?: number } = {}) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.write(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const client = new NodeClient({ address: `127.0.0.1:${port}`, auth: { type: 'none' }, ...options });
  t.after(() => client.close());
  return client;
}

function httpAnswer(body: string, status = '200 OK'): string {
  return `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

it('the node client reads the state of the chain', async (t) => {
  const chain = new SmallChain().grow(3);
  const { client, node } = await replayingNode(t, { chain });
  await node.replay();
  const { id, height } = chain.blocks[2]!;
  assert.deepEqual(await client.chainInfo(), { bestBlock: { id, height } });
  assert.equal(await client.blockIdAtHeight(0), chain.genesisId);
  assert.equal(await client.blockIdAtHeight(4), null);
  assert.equal(await client.blockIdAtHeight(3), id);
  assert.deepEqual(await client.feeRatePoints(), [{ sizeBytes: 1, atomsPerKilobyte: 100_000_000_000n }]);
  assert.equal(await client.leastRelayFeeRate(), 100_000_000_000n);
});

it('the node client reads blocks by height, as bytes and as untouched answers', async (t) => {
  const chain = new SmallChain().grow(2).grow(3, { dataBytes: 5_000 });
  const { client, node } = await replayingNode(t, { chain });
  await node.replay();
  const bytes = chain.blocks.map((block) => block.bytes);
  assert.deepEqual(await client.mainchainBlocks(2, 100), bytes.slice(1));
  assert.deepEqual(await client.mainchainBlocks(9, 100), []);
  const raw = await client.mainchainBlocksRaw(1, 100);
  assert.equal(raw.byteLength, raw.buffer.byteLength, 'in a buffer of its own');
  assert.deepEqual(parseMainchainBlocks(raw), bytes);
  assert.deepEqual(await parsedRaw(client, 9, 100), []);
});

it('the node client has several requests in flight', async (t) => {
  const { client } = await replayingNode(t, { faults: () => ({ type: 'delay', ms: 1_000 }) });
  const start = performance.now();
  await Promise.all(Array.from({ length: 8 }, () => client.chainInfo()));
  assert.ok(performance.now() - start < 8_000, 'eight at a time, not one after the other');
});

it('the node client asks in halves for what is too large for one answer', async (t) => {
  const chain = new SmallChain().grow(7, { dataBytes: 1_000 }).grow(5);
  const { client, node, server } = await replayingNode(t, { chain, server: { maxResponseBytes: 5_000 } });
  await node.replay();
  const bytes = chain.blocks.map((block) => block.bytes);
  assert.deepEqual(await client.mainchainBlocks(1, 12), bytes);
  assert.ok(server.messages > 4);
  const raw = await fails(parsedRaw(client, 1, 12), 'rpc', /too big/i, false);
  assert.ok(isResponseTooLarge(raw));
});

it('the node client does the same with answers above its own limit, and gives up at a single block', async (t) => {
  const chain = new SmallChain().grow(4, { dataBytes: 1_000 });
  const { client, node } = await replayingNode(t, { chain, client: { maxResponseBytes: 5_000 } });
  await node.replay();
  assert.equal((await client.mainchainBlocks(1, 4)).length, 4);
  const narrow = new NodeClient({
    address: `127.0.0.1:${client.address.port}`,
    auth: { type: 'none' },
    maxResponseBytes: 999,
  });
  t.after(() => narrow.close());
  await fails(narrow.mainchainBlocks(1, 4), 'rpc', /more than 999 bytes, the limit set here/);
});

it('an answer in tiny chunks takes the memory of its bytes, not that of a buffer for each', async (t) => {
  const CHUNKS = 100_000;
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  const client = await clientOfBareServer(t, head + '1\r\n \r\n'.repeat(CHUNKS), { idleTimeoutMs: 600 });
  collectAll();
  const before = process.memoryUsage();
  const asked = fails(client.chainInfo(), 'timeout', /did not answer/);
  await sleep(400);
  collectAll();
  const { heapUsed, external } = process.memoryUsage();
  const bytesPerChunk = (heapUsed - before.heapUsed + external - before.external) / CHUNKS;
  await asked;
  assert.ok(bytesPerChunk < 50, `${bytesPerChunk} bytes of memory for each chunk`);
});

it('the node client hands on the errors of the node with their texts', async (t) => {
  const { client } = await replayingNode(t);
  const height = await fails(
    client.mainchainBlocks(0, 1),
    'rpc',
    /refused chainstate_get_mainchain_blocks: .*height: 0/,
    false,
  );
  assert.deepEqual(height.rpc, { code: -32000, message: 'Property read error: `Invalid starting block height: 0`' });
  const raw = await fails(parsedRaw(client, 0, 1), 'rpc', /height: 0/);
  assert.equal(raw.rpc?.code, -32000);
  const decoding = await fails(client.submitTransaction('00'), 'rpc', /Scale codec decode error/);
  assert.equal(decoding.rpc?.code, -32602);
  assert.equal(decoding.rpc?.message, 'Invalid params');
});

it('the node client submits transactions', async (t) => {
  const { client, node } = await replayingNode(t);
  const bytes = encodeSignedTransaction(deposit(5));
  await client.submitTransaction(bytes.toString('hex'));
  assert.deepEqual(node.mempoolTransactions()[0]?.bytes, bytes);
});

it('the node client reads the cookie again when the node has restarted', async (t) => {
  const file = join(await temporaryDirectory(t), '.cookie');
  const auth = { type: 'cookie', file } as const;
  const { client, server } = await replayingNode(t, { server: { auth }, client: { auth } });
  const first = await readFile(file, 'utf8');
  await client.chainInfo();
  await server.restart();
  assert.notEqual(await readFile(file, 'utf8'), first);
  await Promise.all([client.blockIdAtHeight(0), client.chainInfo(), client.feeRatePoints()]);
});

it('the node client asks once more at most when the cookie is refused', async (t) => {
  const file = join(await temporaryDirectory(t), '.cookie');
  const auth = { type: 'cookie', file } as const;
  const refusing = { faults: () => ({ type: 'unauthorized' }) as const };
  const { client, server } = await replayingNode(t, { server: { auth }, client: { auth }, ...refusing });
  await fails(client.chainInfo(), 'unauthorized', /refused the cookie in .*\.cookie, which was read again/, true);
  assert.equal(server.messages, 1, 'the same cookie is not sent twice');
});

it('the node client says who was refused', async (t) => {
  const auth = { type: 'password', username: 'ann', password: 'right' } as const;
  const { server } = await replayingNode(t, { server: { auth } });
  const asking = (auth: ConstructorParameters<typeof NodeClient>[0]['auth']) => {
    const client = new NodeClient({ address: server.address, auth });
    t.after(() => client.close());
    return client.chainInfo();
  };
  await asking(auth);
  await fails(
    asking({ ...auth, password: 'wrong' }),
    'unauthorized',
    /user name and password.*--node-rpc-password/,
    false,
  );
  await fails(asking({ type: 'none' }), 'unauthorized', /asks for credentials.*--node-rpc-cookie-file/, false);
});

it('the node client tells breaks of the connection, delays and rubbish apart', async (t) => {
  const { client } = await replayingNode(t, {
    ...once(
      { type: 'drop' },
      { type: 'truncate' },
      { type: 'status', status: 503 },
      { type: 'status', status: 404 },
      { type: 'garbage', text: '<html>Welcome</html>' },
      { type: 'garbage', text: '"text"' },
      { type: 'garbage', text: '{"jsonrpc":"2.0","id":1}' },
      { type: 'garbage', text: '{"jsonrpc":"2.0","id":1,"result":{"height":5}}' },
      { type: 'rpc', code: -32603, message: 'Internal error' },
      { type: 'delay', ms: 20_000 },
    ),
    client: { idleTimeoutMs: 2_000 },
  });
  await fails(client.chainInfo(), 'unreachable', /closed the connection in the middle/, true);
  await fails(client.chainInfo(), 'unreachable', /closed the connection|could not be asked/, true);
  await fails(client.chainInfo(), 'unreachable', /HTTP status 503/, true);
  await fails(client.chainInfo(), 'malformed', /HTTP status 404.*RPC port/);
  await fails(client.chainInfo(), 'malformed', /something else than JSON: <html>Welcome/);
  await fails(client.chainInfo(), 'malformed', /something else than a JSON-RPC answer: text/);
  await fails(client.chainInfo(), 'malformed', /something else than a JSON-RPC answer/);
  await fails(client.chainInfo(), 'malformed', /something else than the state of the chain: \{"height":5\}/);
  await fails(client.chainInfo(), 'rpc', /Internal error \(code -32603\)/, true);
  await fails(client.chainInfo(), 'timeout', /did not answer chainstate_info within 2 s/, true);
  const isBack = () =>
    client.chainInfo().then(
      ({ bestBlock }) => bestBlock.height === 0,
      () => false,
    );
  await until(isBack, 'that it works again after all that');
});

it('the node client does not wait longer for a whole answer than allowed', async (t) => {
  const { client } = await replayingNode(t, {
    ...once({ type: 'delay', ms: 1_000 }),
    client: { totalTimeoutMs: 50 },
  });
  await fails(client.chainInfo(), 'timeout', /within 0\.05 s/);
});

it('the node client gets through faults that pass with retries', async (t) => {
  const { client, server } = await replayingNode(t, {
    ...once({ type: 'drop' }, { type: 'garbage', text: '' }, { type: 'truncate' }, { type: 'status', status: 502 }),
  });
  const info = await withRetry(() => client.chainInfo(), {
    firstMs: 1,
    maxMs: 2,
    retryable: (error) => error instanceof NodeError && error.retryable,
  });
  assert.equal(info.bestBlock.height, 0);
  assert.equal(server.messages, 5);
});

it('the node client checks every kind of answer', async (t) => {
  for (const [result, call] of [
    ['5', (client: NodeClient) => client.blockIdAtHeight(1)],
    ['"0x12"', (client: NodeClient) => client.blockIdAtHeight(1)],
    ['{}', (client: NodeClient) => client.mainchainBlocks(1, 1)],
    ['["01zz"]', (client: NodeClient) => client.mainchainBlocks(1, 1)],
    ['["012"]', (client: NodeClient) => client.mainchainBlocks(1, 1)],
    ['[1]', (client: NodeClient) => parsedRaw(client, 1, 1)],
    ['{"a":1}', (client: NodeClient) => parsedRaw(client, 1, 1)],
    ['[]', (client: NodeClient) => client.feeRatePoints()],
    ['[[1,{"amount_per_kb":{"atoms":"-1"}}]]', (client: NodeClient) => client.feeRatePoints()],
    ['{"min_tx_relay_fee_rate":1}', (client: NodeClient) => client.leastRelayFeeRate()],
    ['true', (client: NodeClient) => client.submitTransaction('00')],
  ] as const) {
    const text = `{"jsonrpc":"2.0","id":1,"result":${result}}`;
    const { client } = await replayingNode(t, { faults: () => ({ type: 'garbage', text }) });
    await fails(call(client), 'malformed', /something else than/);
  }
});

it('the node client is not kept waiting by a server that trickles, and not filled up by one that never ends', async (t) => {
  const trickle = await clientOfBareServer(t, 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{', {
    idleTimeoutMs: 100,
  });
  await fails(trickle.chainInfo(), 'timeout', /within 0\.1 s/);
  const huge = await clientOfBareServer(t, 'HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n{');
  await fails(huge.chainInfo(), 'rpc', /more than \d+ bytes/);
});

it('the node client does not wait for a server that changes the protocol', async (t) => {
  const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: foo\r\n\r\n';
  const client = await clientOfBareServer(t, switching);
  await fails(client.chainInfo(), 'malformed', /changing the protocol/);
});

it('the node client says of errors and answers that are nested too deeply to be shown that they are', async (t) => {
  const deep = `${'['.repeat(100_000)}{"1":1}${']'.repeat(100_000)}`;
  for (const [answer, kind] of [
    [`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no","data":${deep}}}`, 'rpc'],
    [`{"jsonrpc":"2.0","id":1,"result":${deep}}`, 'malformed'],
  ] as const) {
    const client = await clientOfBareServer(t, httpAnswer(answer));
    await fails(client.chainInfo(), kind, /something that cannot be shown/);
  }
});

it('the node client survives what is no HTTP, and errors without the usual shape', async (t) => {
  for (const [answer, kind] of [
    ['SSH-2.0-OpenSSH\r\n', 'unreachable'],
    [httpAnswer('{"jsonrpc":"2.0","id":1,"error":"no"}'), 'malformed'],
    [httpAnswer('{"jsonrpc":"2.0","id":null,"error":{"code":-32007,"message":"too big"}}', '413 Too Large'), 'rpc'],
    [httpAnswer('not json', '500 Oops'), 'unreachable'],
  ] as const) {
    const client = await clientOfBareServer(t, answer);
    await fails(client.chainInfo(), kind, /./);
  }
});

it('the node client says that nothing listens there', async (t) => {
  const { client, server } = await replayingNode(t);
  await client.chainInfo();
  await server.close();
  await fails(client.chainInfo(), 'unreachable', /nothing listens there.*--node-rpc-address/, true);
  const nowhere = new NodeClient({ address: 'no-such-host.invalid:1', auth: { type: 'none' } });
  await fails(nowhere.chainInfo(), 'unreachable', /host name is not known/, true);
});

it('the node client does not mistake a kept connection that was closed for a node that is away', async (t) => {
  const { client, server } = await replayingNode(t);
  await Promise.all(Array.from({ length: 5 }, () => client.chainInfo()));
  server.dropConnections();
  await Promise.all(Array.from({ length: 5 }, () => client.chainInfo()));
});

it('the node client ends calls that are aborted, with the reason', async (t) => {
  const { client } = await replayingNode(t, { faults: () => ({ type: 'delay', ms: 300 }) });
  const abort = new AbortController();
  const call = client.chainInfo({ signal: abort.signal });
  setTimeout(() => abort.abort(new Error('stopping')), 20);
  await assert.rejects(call, /stopping/);
  await assert.rejects(client.chainInfo({ signal: abort.signal }), /stopping/);
});

/** A node whose connection number `n` is answered as `answer` says: with a result, or not at all (null: the connection breaks). */
async function networkClient(t: TestContext, answer: (n: number, height: number) => unknown) {
  let connections = 0;
  const server = createHttpServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const result = await answer(numbers.get(request.socket)!, JSON.parse(body).params[0]);
    if (result === null) return request.socket.destroy();
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  });
  const numbers = new WeakMap<object, number>();
  server.on('connection', (socket) => numbers.set(socket, connections++));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const network = { name: 'ours', genesisId: OURS };
  const client = new NodeClient({ address: `127.0.0.1:${port}`, auth: { type: 'none' }, network });
  t.after(() => client.close());
  return client;
}

const OURS = '11'.repeat(32);
const THEIRS = '22'.repeat(32);

it('a connection that replaced a broken one in the middle of a call is asked for its genesis alone', async (t) => {
  let breaks = false;
  const client = await networkClient(t, (n, height) => {
    if (height === 0) return n === 0 ? OURS : THEIRS;
    assert.equal(n, 0, 'nothing else is asked of the other network');
    return breaks ? null : '33'.repeat(32);
  });
  const ask = () => client.blockIdAtHeight(7);
  assert.equal(await ask(), '33'.repeat(32));
  breaks = true;
  await fails(ask(), 'other network', /expected ours/);
});

it('a caller that gives up while the genesis is asked does not end the calls of others', async (t) => {
  const asked = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  const client = await networkClient(t, async (_, height) => {
    if (height !== 0) return '33'.repeat(32);
    asked.resolve();
    await told.promise;
    return OURS;
  });
  const given = new AbortController();
  const first = client.blockIdAtHeight(7, { signal: given.signal });
  const second = client.blockIdAtHeight(7);
  await asked.promise;
  given.abort(new Error('gone'));
  await assert.rejects(first, /gone/);
  told.resolve();
  assert.equal(await second, '33'.repeat(32));
});
