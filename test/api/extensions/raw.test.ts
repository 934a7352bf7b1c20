/** Encoded blocks and transactions from a simulated node: their bytes hash to their ids; what the node cannot give is 503. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeBlock, encodedTransactionAt, identifyBlock } from '../../../src/chain/codec/block.ts';
import { decodeSignedTransaction, encodeSignedTransaction } from '../../../src/chain/codec/transaction.ts';
import { transactionId } from '../../../src/chain/derive-ids.ts';
import { EncodedBlocks } from '../../../src/serving/cache/encoded-blocks.ts';
import { SLOT_LIMITS } from '../../../src/serving/resources/shared-resources.ts';
import { builtBefore, fileScope } from '../../support/file-scope.ts';
import { paymentOf } from '../../support/payments.ts';
import { Scrape } from '../../support/prometheus.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import { startTestWebServer } from '../../support/web-server.ts';
import { WholeStack } from '../../support/whole-stack.ts';

const scope = fileScope();
const stack = builtBefore((scope) => WholeStack.start(scope, { seed: 'raw', blocks: 40 }));
const server = () => stack().servers.described;
const UNKNOWN = 'ab'.repeat(32);

/** The block at a height as the node has it. */
function blockAt(height: number): Buffer {
  return Buffer.from(stack().node.blockBytes(stack().node.mainChainId(height)!)!);
}

/** A payment that the node has just taken. */
async function submitted(): Promise<{ readonly id: string; readonly hex: string }> {
  const signed = paymentOf(stack().node);
  const hex = encodeSignedTransaction(signed).toString('hex');
  const { status, text } = await server().request('/api/v2/transaction', { method: 'POST', body: hex });
  assert.equal(status, 200, text);
  return { id: transactionId(signed.transaction), hex };
}

it("the encoded block is the node's, and hashes to its id", async () => {
  for (const height of [1, 20, 40]) {
    const id = stack().node.mainChainId(height)!;
    for (const each of Object.values(stack().servers)) {
      const hex = await each.json(`/block/${id}/raw`);
      assert.equal(hex, blockAt(height).toString('hex'));
      assert.equal(identifyBlock(Buffer.from(hex, 'hex')).id, id);
    }
  }
});

it('the encoded block has an ETag, and is not sent again to who has it', async () => {
  const path = `/block/${stack().node.mainChainId(5)}/raw`;
  const etag = (await server().get(path)).headers.get('etag')!;
  assert.equal((await server().get(path, { 'if-none-match': etag })).status, 304);
});

it('the encoded block is the error 404 for what is no block of the main chain, and 400 for what is no id', async () => {
  assert.deepEqual((await server().get(`/block/${UNKNOWN}/raw`)).body, { error: 'Block not found' });
  assert.equal((await server().get(`/block/${UNKNOWN}/raw`)).status, 404);
  assert.equal((await server().get(`/block/${stack().network.genesisId}/raw`)).status, 404);
  assert.deepEqual((await server().get('/block/12/raw')).body, { error: 'Invalid block Id' });
});

it('the encoded transaction is cut out of its block with its signatures, wherever it stands there', async () => {
  let last = 0;
  for (let height = 1; height <= 40; height += 3) {
    const { block, transactionIds } = identifyBlock(blockAt(height));
    for (const [position, id] of transactionIds.entries()) {
      const hex = await server().json(`/transaction/${id}/raw`);
      assert.equal(hex, encodeSignedTransaction(block.transactions[position]!).toString('hex'));
      assert.equal(transactionId(decodeSignedTransaction(Buffer.from(hex, 'hex')).transaction), id);
      assert.equal(hex.length / 2, (await server().json(`/transaction/${id}`)).size);
      last = Math.max(last, position);
    }
  }
  assert.ok(last > 2);
});

it('the encoded transaction is there while it waits for a block, with its size and fee rate in the transaction itself', async () => {
  const pending = await submitted();
  const hex = await server().json(`/transaction/${pending.id}/raw`);
  assert.equal(hex, pending.hex);
  const answer = await server().get(`/transaction/${pending.id}/raw`);
  assert.equal(answer.headers.get('etag'), null, 'it may be gone before the tip changes');
  const transaction = await server().json(`/transaction/${pending.id}`);
  assert.equal(transaction.block_id, null);
  assert.equal(transaction.size, hex.length / 2);
  assert.equal(transaction.fee_rate, String((BigInt(transaction.fee.atoms) * 1_000n) / BigInt(transaction.size)));
  const [listed] = (await server().json('/mempool/transactions?items=100')).filter(
    ({ id }: { id: string }) => id === pending.id,
  );
  assert.deepEqual([listed.size, listed.fee_rate], [transaction.size, transaction.fee_rate]);
  const { items } = await server().json(`/search?q=${pending.id}`);
  assert.deepEqual(items, [{ type: 'transaction', id: pending.id, label: 'Transaction', detail: 'Pending' }]);
  assert.ok(!('size' in (await stack().servers['mintlayer-core'].json(`/transaction/${pending.id}`))));
});

it('the encoded transaction is the error 404 for what is nowhere, and 400 for what is no id', async () => {
  await server().refuses(`/transaction/${UNKNOWN}/raw`, 404, 'Transaction not found');
  assert.deepEqual((await server().get('/transaction/12/raw')).body, { error: 'Invalid transaction Id' });
});

it('without the node encoded blocks and transactions are the error 503, and everything else is there', async () => {
  const { network, postgres } = stack();
  const away = { address: '127.0.0.1:9', auth: { type: 'none' } } as const;
  for (const node of [undefined, away]) {
    const alone = await startTestWebServer(scope, { network, postgres, ...(node && { node }) });
    const id = stack().node.mainChainId(20)!;
    const [transaction] = identifyBlock(blockAt(20)).transactionIds;
    for (const path of [`/block/${id}/raw`, `/transaction/${transaction}/raw`, `/transaction/${UNKNOWN}/raw`]) {
      const { status, headers, body } = await alone.get(path);
      assert.equal(status, 503, path);
      assert.ok(headers.has('retry-after'));
      assert.match(body.error, /node/);
    }
    assert.equal((await alone.get(`/block/${UNKNOWN}/raw`)).status, 404, 'what is no block needs no node');
    assert.equal((await alone.json('/block')).items.length, 10);
  }
});

const id = () => stack().node.mainChainId(7)!;

it('the block of a node is asked for once by all who wait for it', async (t) => {
  const block = t.mock.fn(async () => blockAt(7));
  const blocks = new EncodedBlocks({ block });
  const same = await Promise.all([blocks.get(id()), blocks.get(id()), blocks.get(id())]);
  assert.deepEqual(same, [blockAt(7), blockAt(7), blockAt(7)]);
  assert.equal(block.mock.callCount(), 1);
});

it('clients that wait for a silent node hold up no other requests', async (t) => {
  const [host, port] = stack().nodeAddress.split(':');
  const proxy = await TcpProxy.start(t, { host: host!, port: Number(port) });
  const node = { address: `127.0.0.1:${proxy.address.port}`, auth: { type: 'none' } } as const;
  const { network, postgres } = stack();
  const server = await startTestWebServer(t, { network, postgres, node, trustedProxies: 1 });
  proxy.freeze();
  const ids = Array.from({ length: 40 }, (_, i) => identifyBlock(blockAt(1 + i)).transactionIds).flat();
  assert.ok(ids.length > SLOT_LIMITS.requests.total + 20);
  const raws = ids.map((id, i) =>
    server.get(`/transaction/${id}/raw`, { 'x-forwarded-for': `192.0.2.${i % 5}` }).catch(() => null),
  );
  const waiting = async () =>
    (await Scrape.of(server.port)).value('chain_indexer_resource_waiting{resource="node_calls"}')!;
  await until(async () => (await waiting()) > SLOT_LIMITS.requests.total, 'requests for the node');
  for (let height = 1; height <= 40; height++) assert.equal((await server.get(`/chain/${height}`)).status, 200);
  await proxy.close();
  await Promise.all(raws);
});

it('the blocks of a node that are others than was asked for, no blocks, or not there are the error 503', async () => {
  for (const answer of [blockAt(8), Buffer.from('00', 'hex'), null]) {
    await assert.rejects(new EncodedBlocks({ block: async () => answer }).get(id()), { status: 503 });
  }
  const failing = new EncodedBlocks({ block: () => Promise.reject(new Error('away')) });
  await assert.rejects(failing.get(id()), { status: 503 });
});

it('cutting a transaction gives the bytes that stand in the block, and refuses positions that it does not have', () => {
  const bytes = blockAt(20);
  const { transactions } = decodeBlock(bytes);
  for (const [position, signed] of transactions.entries()) {
    const cut = encodedTransactionAt(bytes, position);
    assert.ok(bytes.includes(cut.bytes));
    assert.deepEqual(cut.bytes, encodeSignedTransaction(signed));
    assert.equal(cut.id, transactionId(signed.transaction));
  }
  assert.throws(() => encodedTransactionAt(bytes, transactions.length), { name: 'DecodeError' });
});
