/** The node's blocks in batches, ahead of their use. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IdentifiedBlock } from '../../src/chain/types.ts';
import { NodeClient } from '../../src/node/client.ts';
import { NodeError } from '../../src/node/error.ts';
import type { BlockReader } from '../../src/scanner/block-reader.ts';
import { ChainMovedError } from '../../src/scanner/blocks.ts';
import { BlockFeed } from '../../src/scanner/feed.ts';

const BLOCK_BYTES = 20 * 1024;
const idAt = (height: number): string => height.toString(16).padStart(64, '0');

/** Answers with the heights that were asked for. */
class FakeNode extends NodeClient {
  readonly #isAway: (from: number) => boolean;

  constructor(isAway: (from: number) => boolean = () => false) {
    super({ address: '127.0.0.1:1', auth: { type: 'none' } });
    this.#isAway = isAway;
  }

  override async mainchainBlocksRaw(from: number, count: number) {
    if (this.#isAway(from)) throw new NodeError('unreachable', 'away');
    return Buffer.from(JSON.stringify({ from, count }).padEnd(2 * count * BLOCK_BYTES));
  }
}

/** Makes blocks of a fake node's answers; that of `strange` has another parent. */
function readerOf(strange?: number): BlockReader {
  const blockAt = (height: number) => ({
    id: idAt(height),
    block: { header: { prevBlockId: idAt(height === strange ? 7_777 : height - 1) } },
    size: BLOCK_BYTES,
  });
  const read = async (body: Buffer): Promise<IdentifiedBlock[]> => {
    const { from, count } = JSON.parse(body.toString()) as { from: number; count: number };
    return Array.from({ length: count }, (_, i) => blockAt(from + i) as IdentifiedBlock);
  };
  return { read } as BlockReader;
}

function feedOf(options: { isAway?: (from: number) => boolean; strange?: number; to: number }): BlockFeed {
  const { signal } = new AbortController();
  const node = new FakeNode(options.isAway);
  return new BlockFeed({ node, reader: readerOf(options.strange), from: 1, parent: idAt(0), to: options.to, signal });
}

describe('the feed of blocks', () => {
  it('gives every block once, in batches that begin small', async () => {
    const feed = feedOf({ to: 300 });
    const sizes: number[] = [];
    const ids: string[] = [];
    for (let batch = await feed.next(); batch !== null; batch = await feed.next()) {
      sizes.push(batch.length);
      ids.push(...batch.map(({ id }) => id));
    }
    assert.deepEqual(
      ids,
      Array.from({ length: 300 }, (_, i) => idAt(i + 1)),
    );
    assert.deepEqual(sizes.slice(0, 6), [4, 7, 13, 26, 26, 26]);
    assert.equal(await feed.next(), null);
    await feed.close();
  });

  it('fails at a block that does not follow the one before, after all that do', async () => {
    const feed = feedOf({ to: 20, strange: 12 });
    assert.equal((await feed.next())?.length, 4);
    assert.equal((await feed.next())?.length, 7);
    await assert.rejects(feed.next(), ChainMovedError);
    await feed.close();
  });

  it('closes at once while it waits for a node that is away', async () => {
    const feed = feedOf({ to: 300, isAway: (from) => from > 4 });
    assert.equal((await feed.next())?.length, 4);
    const waiting = feed.next();
    waiting.catch(() => {});
    await sleep(50);
    const start = performance.now();
    await feed.close();
    await assert.rejects(waiting);
    assert.ok(performance.now() - start < 5_000);
  });
});
