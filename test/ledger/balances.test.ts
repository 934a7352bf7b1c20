import assert from 'node:assert/strict';
import { it } from 'node:test';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import { newBlockContext } from '../../src/ledger/apply-block.ts';
import { settleBalances } from '../../src/ledger/balance-changes.ts';
import { changeBalance } from '../../src/ledger/balances-and-statistics.ts';
import type { BlockContext } from '../../src/ledger/block-context.ts';
import { balanceKey } from '../../src/ledger/rows.ts';
import { LedgerState } from '../../src/ledger/state.ts';

const OWNER = `01${'11'.repeat(20)}`;
const TOKEN = '22'.repeat(32);

/** A block being applied to a state that knows nothing. */
function emptyBlock(state: LedgerState): BlockContext {
  const place = { height: 1, blockId: '33'.repeat(32), timestamp: 0, medianTime: 0, identified: null };
  return newBlockContext(state, networkByName('regtest'), place);
}

/** Changes a balance as a transaction of its own. */
function change(block: BlockContext, amounts: { amount?: bigint; locked?: bigint }): void {
  changeBalance(block, OWNER, TOKEN, amounts);
  settleBalances(block, 0, 0);
}

// The lock of an output of amount zero may end when its owner's balance was never there, or is not known any more.
it('a balance is not even looked at when it changes by nothing', () => {
  const state = new LedgerState();
  change(emptyBlock(state), { amount: 0n, locked: -0n });
  assert.equal(state.balances.peek(balanceKey(OWNER, TOKEN)), undefined);
  assert.throws(() => change(emptyBlock(state), { amount: 1n }), /was not collected/);
});

it('a balance goes away when nothing is left of it', () => {
  const state = new LedgerState({ isWhole: true });
  const block = emptyBlock(state);
  change(block, { amount: 5n, locked: 2n });
  change(block, { amount: -5n });
  assert.deepEqual(state.balances.peek(balanceKey(OWNER, TOKEN)), {
    owner: OWNER,
    currency: TOKEN,
    amount: 0n,
    locked: 2n,
  });
  change(block, { locked: -2n });
  assert.equal(state.balances.peek(balanceKey(OWNER, TOKEN)), null);
});

it('a balance is not limited to 128 bits, free or locked', () => {
  const state = new LedgerState({ isWhole: true });
  const block = emptyBlock(state);
  const most = (1n << 128n) - 1n;
  for (let i = 0; i < 3; i++) change(block, { amount: most, locked: most });
  const { amount, locked } = state.balances.get(balanceKey(OWNER, TOKEN))!;
  assert.deepEqual([amount, locked], [3n * most, 3n * most]);
});

it('a balance never falls below zero', () => {
  const state = new LedgerState({ isWhole: true });
  const block = emptyBlock(state);
  change(block, { amount: 5n });
  assert.throws(() => change(block, { amount: -6n }), {
    name: 'LedgerError',
    message: new RegExp(`^block ${'33'.repeat(32)} at height 1: the balance of ${OWNER} would fall below zero: 5 − 6$`),
  });
});

it('what a transaction takes and gives back is one change of a balance', () => {
  const state = new LedgerState({ isWhole: true });
  const block = emptyBlock(state);
  change(block, { amount: 5n });
  changeBalance(block, OWNER, TOKEN, { amount: -5n });
  changeBalance(block, OWNER, TOKEN, { amount: 3n, locked: 1n });
  const { balanceChanges } = block;
  assert.equal(balanceChanges.length, 1);
  settleBalances(block, 1, 0);
  const { position, change: sum, balance, locked } = balanceChanges.at(-1)!;
  assert.deepEqual([position, sum, balance, locked], [1, -1n, 4n, 1n]);
  assert.equal(block.holders.get(TOKEN), 1);
});
