import assert from 'node:assert/strict';
import { it } from 'node:test';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import { newBlockContext } from '../../src/ledger/apply-block.ts';
import { noteBalanceChange, settleBalances } from '../../src/ledger/balance-changes.ts';
import type { BlockContext } from '../../src/ledger/block-context.ts';
import { LedgerState } from '../../src/ledger/state.ts';
import { balanceKey } from '../../src/ledger/state-rows.ts';

const OWNER = `01${'11'.repeat(20)}`;
const TOKEN = '22'.repeat(32);

/** A block being applied to a state that knows nothing. */
function emptyBlock(state: LedgerState): BlockContext {
  const place = { height: 1, blockId: '33'.repeat(32), timestamp: 0, medianTime: 0, identified: null };
  return newBlockContext(state, networkByName('regtest'), place);
}

/** Changes a balance as a transaction of its own. */
function change(block: BlockContext, amounts: { amount?: bigint; locked?: bigint }): void {
  noteBalanceChange(block, OWNER, TOKEN, amounts);
  settleBalances(block, 0, 0);
}

// The lock of an output of amount zero may end when its owner's balance was never there, or is not known any more.
it('a balance is not even looked at when it changes by nothing', () => {
  const state = new LedgerState();
  change(emptyBlock(state), { amount: 0n, locked: -0n });
  assert.equal(state.balances.peek(balanceKey(OWNER, TOKEN)), undefined);
  assert.throws(() => change(emptyBlock(state), { amount: 1n }), /was not collected/);
});
