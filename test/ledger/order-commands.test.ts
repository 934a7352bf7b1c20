import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deriveOrderId, transactionId } from '../../src/chain/derive-ids.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import type { OrderAccountCommand } from '../../src/chain/types.ts';
import { applyBlock } from '../../src/ledger/apply-block.ts';
import {
  applySecond,
  block,
  coins,
  FIRST_BLOCK,
  FREE,
  network,
  ORDER,
  SECOND_BLOCK,
  signed,
  smallWorld,
  spend,
  TOKEN,
  tokens,
  transfer,
} from './small-world.ts';

const oldRules: Network = { ...network, upgrades: { ...network.upgrades, ordersV1: 1000 } };
const fill = (fillAmount: bigint): OrderAccountCommand => ({ type: 'FillOrder', orderId: ORDER, fillAmount });
const conclude: OrderAccountCommand = { type: 'ConcludeOrder', orderId: ORDER };
const freeze: OrderAccountCommand = { type: 'FreezeOrder', orderId: ORDER };

/** The order after commands, each in a transaction of its own that keeps no coins: its fee is all it had. */
function after(commands: readonly OrderAccountCommand[], of = network) {
  const state = smallWorld();
  const paying = signed([FREE], [transfer(coins(300n)), transfer(coins(300n))]);
  const coinsFor = [0, 1].map((index) => spend(transactionId(paying.transaction), index));
  const transactions = commands.map((command, i) =>
    signed([...(command.type === 'FillOrder' ? [coinsFor[i]!] : []), { type: 'OrderAccountCommand', command }]),
  );
  const applied = applyBlock(
    state,
    of,
    block(SECOND_BLOCK, FIRST_BLOCK, { transactions: [paying, ...transactions] }),
  ).transactions.slice(1);
  const { askBalance, giveBalance, nextNonce, isFrozen, concludedHeight } = state.orders.get(ORDER)!;
  return {
    left: [askBalance, giveBalance],
    nextNonce,
    flags: { isFrozen, concludedHeight },
    fees: applied.map(({ fee }) => fee),
    tokens: applied.map((transaction) => [...transaction.tokens]),
  };
}

// The worked example of docs/indexing-rules.md#orders: an order that asks 300 and gives 100.
it('an order gives by what it asked and gave at first, so it keeps what rounding left until it is concluded', () => {
  assert.deepEqual(after([fill(100n)]).left, [200n, 67n]);
  const filled = after([fill(100n), fill(200n)]);
  assert.deepEqual(filled.left, [0n, 1n]);
  assert.deepEqual(filled.flags, { isFrozen: false, concludedHeight: null });
  assert.equal(filled.nextNonce, 2n);
  // Of 300 atoms each, the fills took 100 and 200.
  assert.deepEqual(filled.fees, [200n, 100n]);
});

it('an order gives by what is left of it under the old rules, so the last fill takes everything', () => {
  assert.deepEqual(after([fill(100n)], oldRules).left, [200n, 67n]);
  assert.deepEqual(after([fill(100n), fill(200n)], oldRules).left, [0n, 0n]);
});

it('an order may ask for a token that nobody has issued, whose decimals are not known', () => {
  const state = smallWorld();
  const ask = tokens('ee'.repeat(32), 5n);
  const made = signed([FREE], [{ type: 'CreateOrder', order: { concludeKey: '00', ask, give: coins(7n) } }]);
  applySecond(state, { transactions: [made] });
  const { askDecimals, giveDecimals, askBalance } = state.orders.get(deriveOrderId([FREE])!)!;
  assert.deepEqual([askDecimals, giveDecimals, askBalance], [null, 11, 5n]);
});

it('an order makes each of its commands a transaction of the token', () => {
  assert.deepEqual(after([fill(100n), freeze, conclude]).tokens, [[TOKEN], [TOKEN], [TOKEN]]);
});
