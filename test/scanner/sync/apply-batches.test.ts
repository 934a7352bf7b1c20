/** The steps of a block through the applier: each gives the next, and no other order compiles or runs. */
import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { identifyBlock } from '../../../src/chain/codec/block.ts';
import type { IdentifiedBlock } from '../../../src/chain/types.ts';
import { type MissingStateKeys, noMissingKeys } from '../../../src/ledger/collect-keys.ts';
import { StateTable, UnreadRowError } from '../../../src/ledger/state-table.ts';
import type { PreparedBlocks } from '../../../src/scanner/sync/apply-batches.ts';
import { writeBlocks } from '../../../src/store/write/block-batch.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { lightSimulation, SIMULATED_NETWORK } from '../../support/simulated-chain.ts';

const blocks = lightSimulation('indexer')
  .mine(4)
  .map(({ bytes }) => identifyBlock(bytes));
const [first, second] = [blocks.slice(0, 2), blocks.slice(2)] as [IdentifiedBlock[], IdentifiedBlock[]];

it('blocks on their way through the applier cannot be applied before they are prepared, nor taken before they are applied, nor committed before they are taken', async (t) => {
  const { applier, session } = await TestIndex.create(t, SIMULATED_NETWORK);
  const prepared = await applier.prepare(session.reader, first);
  const applied = prepared.apply();
  const state = applied.takeState();
  // @ts-expect-error the applier only prepares
  assert.equal(applier.apply, undefined);
  // @ts-expect-error prepared blocks have no state
  assert.equal(prepared.takeState, undefined);
  // @ts-expect-error applied blocks are not written
  assert.equal(applied.committed, undefined);
  await writeBlocks(session.writer, applied.records, state);
  state.committed();
});

it('blocks on their way through the applier are refused when they were applied before, or come before those that they follow', async (t) => {
  const { applier, session } = await TestIndex.create(t, SIMULATED_NETWORK);
  const prepared = await applier.prepare(session.reader, first);
  const next = await prepared.prepareNext(session.reader, second);
  const refusal = (tip: number, now: number) => ({ message: `blocks were prepared for the tip ${tip}, not ${now}` });
  const applyTwice = (twice: PreparedBlocks) => void twice.apply();
  assert.throws(() => applyTwice(next), refusal(2, 0));
  prepared.apply();
  assert.throws(() => applyTwice(prepared), refusal(0, 2));
  next.apply();
  assert.equal(applier.chain.blockId, second.at(-1)!.id);
});

it('blocks on their way through the applier are refused when they are committed before those that were taken before them', async (t) => {
  const { applier, session } = await TestIndex.create(t, SIMULATED_NETWORK);
  const prepared = await applier.prepare(session.reader, first);
  const next = await prepared.prepareNext(session.reader, second);
  prepared.apply().takeState();
  const state = next.apply().takeState();
  assert.throws(() => state.committed(), { message: 'a state was committed before the one taken before it' });
});

it('blocks that need a row of any table that was not collected are applied at the second attempt, with this row', async (t) => {
  const many = lightSimulation('unread')
    .mine(64)
    .map(({ bytes }) => identifyBlock(bytes));
  const [before, after] = [many.slice(0, 60), many.slice(60)];
  const whole = await TestIndex.create(t, SIMULATED_NETWORK);
  await whole.follow(many, 30);
  const missed = new Set<string>();
  for (const table of Object.keys(noMissingKeys()) as (keyof MissingStateKeys)[]) {
    // Inputs name their outputs. One that is not there may be spent, which a block is refused for.
    if (table === 'utxos') continue;
    const index = await TestIndex.create(t, SIMULATED_NETWORK);
    await index.follow(before, 60);
    await index.reopen();
    // The collector takes the rows of this table for known.
    const { isKnown } = StateTable.prototype;
    const known = mock.method(StateTable.prototype, 'isKnown', function (this: StateTable<object>, key: string) {
      return this.name === table || isKnown.call(this, key);
    });
    for (let attempt = 0; ; attempt++) {
      try {
        await index.follow(after, 4);
        break;
      } catch (error) {
        assert.ok(error instanceof UnreadRowError && attempt < 200, String(error));
        missed.add(error.table);
        await index.reopen();
      }
    }
    known.mock.restore();
    assert.deepEqual(await index.dump(), await whole.dump(), table);
  }
  assert.deepEqual([...missed].sort(), ['balances', 'delegations', 'hours', 'pools', 'statistics']);
});
