import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import { transactionId } from '../../src/chain/derive-ids.ts';
import { ReplayNode } from '../../src/devnet/replay-node.ts';
import { type RpcServerOptions, serveRpc } from '../../src/devnet/rpc-server.ts';
import { chainFile, deposit, SmallChain } from '../support/small-chain.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

async function serve(t: TestContext, chain = new SmallChain().grow(4), options: RpcServerOptions = {}) {
  const node = await ReplayNode.open(await chainFile(t, chain));
  const server = await serveRpc(node, options);
  t.after(async () => {
    await server.close();
    await node.close();
  });
  const url = `http://${server.address}/`;
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
  const call = async (method: string, params?: unknown) => {
    const response = await post(JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }));
    return (await response.json()) as { id: unknown; result?: unknown; error?: { code: number; data?: string } };
  };
  return { chain, node, server, url, post, call };
}

/** A WebSocket whose incoming messages can be awaited one by one. */
async function listen(t: TestContext, address: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(`ws://${address}/`, { headers });
  t.after(() => socket.terminate());
  const messages: unknown[] = [];
  const waiting: ((message: unknown) => void)[] = [];
  socket.on('message', (data) => {
    const message: unknown = JSON.parse(String(data));
    const next = waiting.shift();
    if (next === undefined) messages.push(message);
    else next(message);
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    socket,
    send: (method: string, params: unknown = []) =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })),
    next: () =>
      messages.length > 0
        ? Promise.resolve(messages.shift())
        : new Promise<unknown>((resolve) => void waiting.push(resolve)),
  };
}

it('the RPC server takes parameters by position, and by name in snake and camel case', async (t) => {
  const { call, node, chain } = await serve(t);
  await node.replay();
  const [first, second] = chain.blocks;
  for (const params of [
    [first!.id, second!.id],
    { first_block: first!.id, second_block: second!.id },
    { firstBlock: first!.id, secondBlock: second!.id.toUpperCase() },
    { firstBlock: `0x${first!.id}`, second_block: second!.id },
  ])
    assert.deepEqual((await call('chainstate_last_common_ancestor_by_id', params)).result, [first!.id, 1]);
});

it('the RPC server serves blocks, heights and checkpoints of the main chain', async (t) => {
  const { call, node, chain } = await serve(t);
  await node.replay();
  const hexes = chain.blocks.map(({ bytes }) => bytes.toString('hex'));
  assert.deepEqual((await call('chainstate_get_mainchain_blocks', [2, 2])).result, hexes.slice(1, 3));
  assert.deepEqual((await call('chainstate_get_mainchain_blocks', [4, 99])).result, hexes.slice(3));
  assert.deepEqual((await call('chainstate_get_mainchain_blocks', [1, 0])).result, []);
  assert.equal((await call('chainstate_block_height_in_main_chain', [chain.blocks[2]!.id])).result, 3);
  assert.equal((await call('chainstate_block_height_in_main_chain', ['0'.repeat(64)])).result, null);
  assert.deepEqual((await call('chainstate_get_block_ids_as_checkpoints', [0, 4, 2])).result, [
    [0, chain.genesisId],
    [2, chain.blocks[1]!.id],
  ]);
  assert.deepEqual((await call('chainstate_get_block_ids_as_checkpoints', [9, 20, 1])).result, []);
  assert.equal((await call('chainstate_get_block_ids_as_checkpoints', [4, 0, 1])).error?.code, -32000);
  assert.equal((await call('chainstate_get_block_ids_as_checkpoints', [0, 4, 0])).error?.code, -32602);
});

it('the RPC server tells what is wrong with parameters', async (t) => {
  const { call } = await serve(t);
  for (const [method, params, data] of [
    ['chainstate_block_id_at_height', [], /missing field `height`/],
    ['chainstate_block_id_at_height', undefined, /missing field `height`/],
    ['chainstate_block_id_at_height', [-1], /expected u64/],
    ['chainstate_block_id_at_height', ['1'], /expected u64/],
    ['chainstate_block_id_at_height', [1.5], /expected u64/],
    ['chainstate_get_block', { id: 'ab' }, /invalid length.* at line 1 column 10/],
    ['chainstate_get_block', { id: 5 }, /expected a string/],
    ['chainstate_get_block', 'text', /expected an array or an object/],
    ['p2p_submit_transaction', ['abc', {}], /Hex decode error: Odd number of digits/],
    ['p2p_submit_transaction', [encodeSignedTransaction(deposit(1)).toString('hex')], /missing field `options`/],
    ['p2p_submit_transaction', [encodeSignedTransaction(deposit(1)).toString('hex'), { trust_policy: 1 }], /variant/],
  ] as const) {
    const { error } = await call(method, params);
    assert.equal(error?.code, -32602, method);
    assert.match(error?.data ?? '', data);
  }
});

it('the RPC server answers batches, and leaves notifications unanswered', async (t) => {
  const { post } = await serve(t);
  const height = { jsonrpc: '2.0', method: 'chainstate_best_block_height' };
  const batch = await post(JSON.stringify([{ ...height, id: 'a' }, height, 5, { ...height, id: 2, method: 'x' }]));
  assert.deepEqual(await batch.json(), [
    { jsonrpc: '2.0', id: 'a', result: 0 },
    { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid request' } },
    { jsonrpc: '2.0', id: 2, error: { code: -32601, message: 'Method not found' } },
  ]);
  assert.equal(await (await post(JSON.stringify(height))).text(), '');
  for (const invalid of ['[]', '5', 'null', '{}', '{"jsonrpc":"1.0","id":1,"method":"node_version"}'])
    assert.equal(((await (await post(invalid)).json()) as { error: { code: number } }).error.code, -32600, invalid);
});

it('the RPC server has no method that a JavaScript object would have by itself', async (t) => {
  const { call } = await serve(t);
  for (const method of ['constructor', 'toString', '__proto__', 'hasOwnProperty'])
    assert.equal((await call(method)).error?.code, -32601, method);
});

it('the RPC server refuses requests and answers that are too large', async (t) => {
  const chain = new SmallChain().grow(3, { dataBytes: 1000 });
  const { call, post, node } = await serve(t, chain, { maxRequestBytes: 1000, maxResponseBytes: 5000 });
  await node.replay();
  const data = 'Exceeded max limit of 5000';
  const { error } = await call('chainstate_get_mainchain_blocks', [1, 3]);
  assert.deepEqual(error, { code: -32008, message: 'Response is too big', data });
  assert.equal(((await call('chainstate_get_mainchain_blocks', [1, 2])).result as []).length, 2);
  const get = (id: number) => ({ jsonrpc: '2.0', id, method: 'chainstate_get_mainchain_blocks', params: [1, 2] });
  const batch = await post(JSON.stringify([get(1), get(2)]));
  assert.equal(((await batch.json()) as { error: { code: number } }).error.code, -32008);
  const large = await post(`"${'x'.repeat(2000)}"`);
  assert.equal(large.status, 413);
  assert.equal(((await large.json()) as { error: { code: number } }).error.code, -32007);
});

it('the RPC server serves POST with JSON only', async (t) => {
  const { url, post } = await serve(t);
  const get = await fetch(url);
  assert.equal(get.status, 405);
  assert.equal((await post('{}', { 'content-type': 'text/plain' })).status, 415);
  for (const type of ['application/json; charset=utf-8', 'application/json-rpc', 'application/json;charset=UTF-8'])
    assert.equal((await post('{}', { 'content-type': type })).status, 200, type);
});

it('the RPC server asks for the user name and the password', async (t) => {
  const auth = { type: 'password', username: 'ann', password: 'a:b' } as const;
  const { post, server } = await serve(t, undefined, { auth });
  const status = async (authorization?: string) =>
    (await post('{}', authorization === undefined ? {} : { authorization })).status;
  assert.equal(await status(), 401);
  assert.equal(await status(`Basic ${btoa('ann:a:c')}`), 401);
  assert.equal(await status(`Basic ${btoa('ann:a:b')}`), 200);
  assert.equal(await status('Bearer x'), 400);
  assert.equal(await status('Basic ???'), 400);
  assert.equal((await post('{}')).headers.get('www-authenticate'), 'Basic');
  await assert.rejects(listen(t, server.address), /401/);
  const { send, next } = await listen(t, server.address, { authorization: `Basic ${btoa('ann:a:b')}` });
  send('chainstate_best_block_height');
  assert.deepEqual(await next(), { jsonrpc: '2.0', id: 1, result: 0 });
});

it('the RPC server writes a cookie for its owner only, a new one at each start, and removes it at the end', async (t) => {
  const file = join(await temporaryDirectory(t), '.cookie');
  const node = await ReplayNode.open(await chainFile(t, new SmallChain()));
  t.after(() => node.close());
  const server = await serveRpc(node, { auth: { type: 'cookie', file } });
  const first = await readFile(file, 'utf8');
  assert.match(first, /^__cookie__:[A-Za-z0-9]{32}$/);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const status = async (cookie: string) =>
    (
      await fetch(`http://${server.address}/`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(cookie)}`, 'content-type': 'application/json' },
        body: '{}',
      })
    ).status;
  assert.equal(await status(first), 200);
  await server.restart();
  assert.notEqual(await readFile(file, 'utf8'), first);
  assert.equal(await status(first), 401);
  assert.equal(await status(await readFile(file, 'utf8')), 200);
  await server.close();
  await assert.rejects(stat(file), /ENOENT/);

  const other = await serveRpc(node, { auth: { type: 'cookie', file } });
  await writeFile(file, '__cookie__:of another node');
  await other.close();
  assert.equal(await readFile(file, 'utf8'), '__cookie__:of another node', 'not ours to remove');
  await assert.rejects(
    serveRpc(node, { auth: { type: 'cookie', file: join(file, 'x') } }),
    /cookie file .* cannot be written/,
  );
});

it('the RPC server says so when the port is taken', async (t) => {
  const { node, server } = await serve(t);
  const port = Number(server.address.split(':')[1]);
  await assert.rejects(serveRpc(node, { port }), /127\.0\.0\.1:\d+ is in use already.*--rpc-bind-address/s);
});

it('the RPC server tells new tips to those who subscribed, until they unsubscribe', async (t) => {
  const { node, chain, server } = await serve(t);
  const { send, next } = await listen(t, server.address);
  await node.step();
  send('chainstate_subscribe_to_events');
  const { result: subscription } = (await next()) as { result: number };
  assert.ok(Number.isSafeInteger(subscription));
  await node.step();
  const { id, height } = chain.blocks[1]!;
  assert.deepEqual(await next(), {
    jsonrpc: '2.0',
    method: 'chainstate_subscribe_to_events',
    params: { subscription, result: { type: 'NewTip', content: { id, height } } },
  });
  send('mempool_unsubscribe_to_events', [subscription]);
  assert.deepEqual(await next(), { jsonrpc: '2.0', id: 1, result: false });
  send('chainstate_unsubscribe_to_events', [subscription]);
  assert.deepEqual(await next(), { jsonrpc: '2.0', id: 1, result: true });
  await node.step();
  send('chainstate_best_block_height');
  assert.deepEqual(await next(), { jsonrpc: '2.0', id: 1, result: 3 }, 'and nothing in between');
});

it('the RPC server takes transactions into the mempool and tells of them', async (t) => {
  const { call, server } = await serve(t);
  const { send, next } = await listen(t, server.address);
  send('mempool_subscribe_to_events');
  const { result: subscription } = (await next()) as { result: number };
  const transaction = deposit(30);
  const id = transactionId(transaction.transaction);
  const hex = encodeSignedTransaction(transaction).toString('hex');
  assert.equal((await call('mempool_contains_tx', [id])).result, false);
  assert.equal((await call('mempool_get_transaction', [id])).result, null);
  assert.deepEqual(await call('p2p_submit_transaction', { tx: hex, options: { trust_policy: 'Untrusted' } }), {
    jsonrpc: '2.0',
    id: 7,
    result: null,
  });
  assert.deepEqual(await next(), {
    jsonrpc: '2.0',
    method: 'mempool_subscribe_to_events',
    params: {
      subscription,
      result: {
        type: 'TransactionProcessed',
        content: {
          tx_id: id,
          origin: { type: 'Local', content: { origin: { type: 'P2p' } } },
          relay: { type: 'DoRelay' },
          successful: true,
        },
      },
    },
  });
  assert.deepEqual((await call('mempool_transactions')).result, [hex]);
  assert.equal((await call('mempool_contains_tx', [id])).result, true);
  assert.deepEqual((await call('mempool_get_transaction', [id])).result, {
    id,
    status: 'InMempool',
    transaction: hex,
  });
  assert.equal((await call('mempool_memory_usage')).result, hex.length / 2);
  assert.deepEqual((await call('mempool_get_fee_rate', [5])).result, { amount_per_kb: { atoms: '100000000000' } });
});

it('the RPC server has no subscriptions over HTTP', async (t) => {
  const { call } = await serve(t);
  assert.equal((await call('chainstate_subscribe_to_events')).error?.code, -32601);
});

it('the RPC server survives clients that send rubbish or go away', async (t) => {
  const { call, node, server } = await serve(t);
  const [host, port] = server.address.split(':');
  for (const rubbish of ['\0\0\0\0\r\n\r\n', 'POST / HTTP/1.1\r\nContent-Length: 99\r\n\r\n{', 'GET / HTTP/1.1\r\n']) {
    const socket = connect(Number(port), host!);
    // The server may hang up first.
    socket.on('error', () => undefined);
    await new Promise<void>((resolve) => socket.write(rubbish, () => resolve()));
    socket.destroy();
  }
  const { socket, send, next } = await listen(t, server.address);
  send('chainstate_subscribe_to_events');
  await next();
  socket.send('{bad');
  assert.deepEqual(await next(), { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } });
  socket.terminate();
  await node.replay();
  assert.equal((await call('chainstate_best_block_height')).result, 4);
});
