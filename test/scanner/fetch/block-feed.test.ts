/** The node's blocks in batches, ahead of their use. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IdentifiedBlock } from '../../../src/chain/types.ts';
import { batchBySize } from '../../../src/scanner/fetch/block-feed.ts';
import { ChainMovedError } from '../../../src/scanner/fetch/verify-blocks.ts';

const BLOCK_BYTES = 20 * 1024;
const idAt = (height: number): string => height.toString(16).padStart(64, '0');

/** Pages of blocks from height 1 on; that at `strange` has another parent. */
async function* pages(count: number, blocks: number, strange?: number): AsyncGenerator<IdentifiedBlock[]> {
  const blockAt = (height: number) => ({
    id: idAt(height),
    block: { header: { prevBlockId: idAt(height === strange ? 7_777 : height - 1) } },
    size: BLOCK_BYTES,
  });
  for (let page = 0; page < count; page++) {
    await sleep(0);
    yield Array.from({ length: blocks }, (_, i) => blockAt(page * blocks + i + 1) as IdentifiedBlock);
  }
}

it('the feed of blocks gives every block once, in batches that begin small', async () => {
  const sizes: number[] = [];
  const ids: string[] = [];
  for await (const batch of batchBySize(pages(30, 10), idAt(0))) {
    sizes.push(batch.length);
    ids.push(...batch.map(({ id }) => id));
  }
  const expected = Array.from({ length: 300 }, (_, i) => idAt(i + 1));
  assert.deepEqual(ids, expected);
  assert.deepEqual(sizes.slice(0, 6), [4, 7, 13, 26, 26, 26]);
});

it('the feed of blocks fails at a block that does not follow the one before, after all that do', async () => {
  const feed = batchBySize(pages(2, 10, 12), idAt(0));
  assert.equal((await feed.next()).value?.length, 4);
  assert.equal((await feed.next()).value?.length, 7);
  await assert.rejects(feed.next(), ChainMovedError);
});
