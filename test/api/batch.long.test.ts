/** Batches while the chain changes. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { upgrading } from '../devnet/sim/networks.ts';
import { simulatedHistory, take } from '../sim/history.ts';
import { TestIndex } from '../support/indexed-database.ts';

it('all entries of a batch belong to one tip while the chain is reorganised', async (t) => {
  const options = { network: upgrading, blocks: 60, seed: 'batch', reorganisationProbability: 0.3 };
  const { steps, mainChain } = simulatedHistory(options);
  const index = await TestIndex.create(t, upgrading);
  const server = await index.serve(t);
  const heights = new Map(
    steps.flatMap(({ ancestor, blocks }) => blocks.map((block, i) => [block.id, ancestor + 1 + i] as const)),
  );
  const ids = mainChain.flatMap(({ transactionIds }) => transactionIds).slice(0, 300);
  let isOver = false;
  let asked = 0;
  let whole = 0;
  const reading = (async () => {
    // All work is this process's: without pauses the writer would hardly have a turn.
    for (; !isOver; await sleep(20)) {
      const { status, body } = await server.batch({ type: '/transaction/:txid', ids });
      asked++;
      if (status === 503) continue;
      const found = body.results.filter(({ error }: { error?: string }) => error === undefined);
      const tips = new Set(
        found.map(
          ({ block_id, confirmations }: { block_id: string; confirmations: string }) =>
            heights.get(block_id)! + Number(confirmations),
        ),
      );
      assert.ok(tips.size <= 1, `a batch of the tips ${[...tips]}`);
      if (found.length > 0) whole++;
    }
  })();
  const writing = (async () => {
    for (const [i, step] of steps.entries()) {
      const enough = asked + (i % 5 === 0 ? 1 : 0);
      while (asked < enough && !isOver) await sleep(1);
      await take(index, step);
    }
  })();
  await Promise.race([writing, reading]).finally(() => {
    isOver = true;
  });
  await Promise.all([writing, reading]);
  assert.ok(whole > 3, `${whole} batches`);
});
