/** Pages of blocks: in order, ahead of their use, bounded, and nothing left behind. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { NodeClient } from '../../../src/node/client.ts';
import { NodeError, RPC_RESPONSE_TOO_LARGE } from '../../../src/node/node-error.ts';
import { prefetchBlocks } from '../../../src/scanner/fetch/prefetch-blocks.ts';

/** The body of an answer is the list of its heights here. */
type Answer = (from: number, count: number) => Promise<Buffer> | Buffer;

class FakeNode extends NodeClient {
  readonly asked: [number, number][] = [];
  inFlight = 0;
  mostInFlight = 0;
  readonly #answer: Answer;

  constructor(answer: Answer) {
    super({ address: '127.0.0.1:1', auth: { type: 'none' } });
    this.#answer = answer;
  }

  override async mainchainBlocksRaw(from: number, count: number, options: { signal?: AbortSignal } = {}) {
    this.asked.push([from, count]);
    this.mostInFlight = Math.max(this.mostInFlight, ++this.inFlight);
    try {
      await sleep(1, undefined, { signal: options.signal });
      return await this.#answer(from, count);
    } finally {
      this.inFlight--;
    }
  }
}

const heights = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);
/** As many bytes as blocks of that size would have. */
const body = (from: number, count: number, bytesPerBlock: number): Buffer => {
  const buffer = Buffer.alloc(Math.max(count * bytesPerBlock, 8));
  buffer.writeUInt32LE(from, 0);
  buffer.writeUInt32LE(count, 4);
  return buffer;
};

interface Page {
  readonly count: number;
  readonly heights: readonly number[];
}

async function read(buffer: Buffer): Promise<Page> {
  const count = buffer.readUInt32LE(4);
  return { count, heights: heights(buffer.readUInt32LE(0), count) };
}

async function collect(pages: AsyncIterable<Page>): Promise<number[]> {
  const all: number[] = [];
  for await (const page of pages) all.push(...page.heights);
  return all;
}

const signal = new AbortController().signal;

it('pages of blocks come in order of heights, four requests in flight, as large as their bytes allow', async () => {
  const node = new FakeNode(async (from, count) => {
    await sleep(Math.random() * 5);
    return body(from, count, 8_000);
  });
  assert.deepEqual(await collect(prefetchBlocks({ node, from: 5, to: 3_000, signal }, read)), heights(5, 2_996));
  assert.equal(node.mostInFlight, 4);
  assert.deepEqual(node.asked.slice(0, 2), [
    [5, 1],
    [6, 1],
  ]);
  const counts = node.asked.map(([, count]) => count);
  assert.ok(Math.max(...counts) * 8_000 <= 1024 * 1024 && Math.max(...counts) > 100, `${Math.max(...counts)}`);
});

it('pages of blocks never hold more than a few answers, even where tiny blocks are followed by huge ones', async () => {
  const limit = 10 * 1024 * 1024;
  let held = 0;
  let mostHeld = 0;
  const sizeAt = (height: number): number => (height <= 3_000 ? 100 : 1_900_000);
  const node = new FakeNode((from, count) => {
    const bytes = heights(from, count).reduce((sum, height) => sum + sizeAt(height), 0);
    if (bytes > limit) {
      throw new NodeError('rpc', 'too big', {
        rpc: { code: RPC_RESPONSE_TOO_LARGE, message: 'Response is too big' },
      });
    }
    held += bytes;
    mostHeld = Math.max(mostHeld, held);
    const buffer = body(from, count, 1);
    Object.defineProperty(buffer, 'length', { value: bytes });
    return buffer;
  });
  const all: number[] = [];
  for await (const page of prefetchBlocks({ node, from: 1, to: 4_200, signal }, read)) {
    all.push(...page.heights);
    for (const height of page.heights) held -= sizeAt(height);
    await sleep(1);
  }
  assert.deepEqual(all, heights(1, 4_200));
  assert.ok(mostHeld < 6 * limit, `${mostHeld} bytes were held`);
  assert.ok(node.asked.length < 4_000, `${node.asked.length} requests`);
});

it('pages of blocks end where the chain ends, however far it was said to reach', async () => {
  const node = new FakeNode((from, count) => body(from, Math.max(Math.min(count, 251 - from), 0), 8_000));
  const pages = prefetchBlocks({ node, from: 1, to: Number.MAX_SAFE_INTEGER, signal }, read);
  assert.deepEqual(await collect(pages), heights(1, 250));
  const asked = node.asked.length;
  assert.ok(asked < 30, `${asked} requests`);
  await sleep(50);
  assert.deepEqual([node.asked.length, node.inFlight], [asked, 0]);
});

it('pages of blocks are asked for again when the node is away', async () => {
  let failures = 0;
  const node = new FakeNode((from, count) => {
    if (failures < 3 && from > 20) {
      failures++;
      throw new NodeError('unreachable', 'away');
    }
    return body(from, count, 100_000);
  });
  assert.deepEqual(await collect(prefetchBlocks({ node, from: 1, to: 100, signal }, read)), heights(1, 100));
  assert.equal(failures, 3);
});

it('pages of blocks are asked for again when an answer is no page', async () => {
  let isMalformed = true;
  const node = new FakeNode((from, count) => {
    if (from <= 20 || !isMalformed) return body(from, count, 100_000);
    isMalformed = false;
    return Buffer.from('no page');
  });
  const readPage = async (buffer: Buffer): Promise<Page> => {
    if (buffer.length < 8) throw NodeError.malformed('blocks', 'a page', buffer.toString());
    return read(buffer);
  };
  assert.deepEqual(await collect(prefetchBlocks({ node, from: 1, to: 100, signal }, readPage)), heights(1, 100));
  assert.equal(isMalformed, false);
});

it('pages of blocks end with the first failure that does not pass, and nothing goes on behind it', async () => {
  const node = new FakeNode((from, count) => {
    if (from > 60) throw new NodeError('unreachable', 'away for ever');
    if (from > 20) throw new NodeError('rpc', 'no such block', { rpc: { code: -32000, message: 'no such block' } });
    return body(from, count, 100_000);
  });
  await assert.rejects(collect(prefetchBlocks({ node, from: 1, to: 100, signal }, read)), /no such block/);
  const asked = node.asked.length;
  await sleep(400);
  assert.equal(node.asked.length, asked);
  assert.equal(node.inFlight, 0);
});

it('pages of blocks end when a page cannot be read, or is no longer wanted, or all is to stop', async () => {
  const node = new FakeNode((from, count) => body(from, count, 100_000));
  const unreadable = prefetchBlocks(
    { node, from: 1, to: 1_000, signal },
    (): Promise<Page> => Promise.reject(new Error('damaged')),
  );
  await assert.rejects(collect(unreadable), /damaged/);
  for await (const _page of prefetchBlocks({ node, from: 1, to: 1_000, signal }, read)) break;
  const stopping = new AbortController();
  const stopped = collect(
    prefetchBlocks({ node, from: 1, to: 1_000_000, signal: stopping.signal }, async (buffer) => {
      setTimeout(() => stopping.abort(new Error('stop')), 5);
      return read(buffer);
    }),
  );
  await assert.rejects(stopped, /stop/);
  const asked = node.asked.length;
  await sleep(100);
  assert.equal(node.asked.length, asked);
});
