/** Recorded chains of a real node, indexed: every way to the same chain ends in the same tables. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { take } from '../sim/history.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { goldenChain } from '../support/recorded-chain.ts';

it('a recorded chain with eight reorganisations ends in the same tables as its final branch alone', async (t) => {
  const chain = await goldenChain('regtest-8-reorganisations');
  const history = await TestIndex.create(t, chain.network);
  for (const step of chain.steps) await take(history, step);
  const straight = await TestIndex.create(t, chain.network);
  await straight.follow(chain.mainChain, 7);
  assert.deepEqual(await history.dump(), await straight.dump());
});

it('a recorded chain with eight reorganisations ends in the same tables in bulk, in batches of any size, cached or not', async (t) => {
  const chain = await goldenChain('regtest-8-reorganisations');
  const oneByOne = await TestIndex.create(t, chain.network);
  for (const block of chain.mainChain) {
    await oneByOne.reopen();
    await oneByOne.bulk([block], 1);
  }
  const atOnce = await TestIndex.create(t, chain.network);
  await atOnce.bulk(chain.mainChain, 1000);
  assert.deepEqual(await oneByOne.dump(), await atOnce.dump());
  const forgetful = await TestIndex.create(t, chain.network, { isWhole: true, cacheBytes: 10_000 });
  await forgetful.bulk(chain.mainChain, 20, 3);
  assert.deepEqual(await forgetful.dump(), await atOnce.dump());
});

it('a recorded chain with eight reorganisations can be undone to its genesis and beyond no record', async (t) => {
  const chain = await goldenChain('regtest-8-reorganisations');
  const index = await TestIndex.create(t, chain.network);
  const genesis = await index.dump({ undo: true });
  await index.follow(chain.mainChain, 50);
  const tip = await index.dump({ undo: true });
  await index.reorganise(0, chain.mainChain.slice(0, 1));
  await index.reorganise(0, []);
  assert.deepEqual(await index.dump({ undo: true }), genesis);
  await index.follow(chain.mainChain, 50);
  assert.deepEqual(await index.dump({ undo: true }), tip);
});
