import assert from 'node:assert/strict';
import { it } from 'node:test';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import { newBlockContext } from '../../src/ledger/apply-block.ts';
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

// The lock of an output of amount zero may end when its owner's balance was never there, or is not known any more.
it('a balance is not even looked at when it changes by nothing', () => {
  const state = new LedgerState();
  changeBalance(emptyBlock(state), OWNER, TOKEN, { amount: 0n, locked: -0n });
  assert.equal(state.balances.peek(balanceKey(OWNER, TOKEN)), undefined);
  assert.throws(() => changeBalance(emptyBlock(state), OWNER, TOKEN, { amount: 1n }), /was not collected/);
});

it('a balance goes away when nothing is left of it', () => {
  const state = new LedgerState({ isWhole: true });
  const block = emptyBlock(state);
  changeBalance(block, OWNER, TOKEN, { amount: 5n, locked: 2n });
  changeBalance(block, OWNER, TOKEN, { amount: -5n });
  assert.deepEqual(state.balances.peek(balanceKey(OWNER, TOKEN)), {
    owner: OWNER,
    currency: TOKEN,
    amount: 0n,
    locked: 2n,
  });
  changeBalance(block, OWNER, TOKEN, { locked: -2n });
  assert.equal(state.balances.peek(balanceKey(OWNER, TOKEN)), null);
});

it('a balance is not limited to 128 bits, free or locked', () => {
  const state = new LedgerState({ isWhole: true });
  const block = emptyBlock(state);
  const most = (1n << 128n) - 1n;
  for (let i = 0; i < 3; i++) changeBalance(block, OWNER, TOKEN, { amount: most, locked: most });
  const { amount, locked } = state.balances.get(balanceKey(OWNER, TOKEN))!;
  assert.deepEqual([amount, locked], [3n * most, 3n * most]);
});

it('a balance never falls below zero', () => {
  const state = new LedgerState({ isWhole: true });
  const block = emptyBlock(state);
  changeBalance(block, OWNER, TOKEN, { amount: 5n });
  assert.throws(() => changeBalance(block, OWNER, TOKEN, { amount: -6n }), {
    name: 'LedgerError',
    message: new RegExp(`^block ${'33'.repeat(32)} at height 1: the balance of ${OWNER} would fall below zero: 5 − 6$`),
  });
});
