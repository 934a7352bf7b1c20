import assert from 'node:assert/strict';
import { it } from 'node:test';
import { orderIdOf, transactionId } from '../../src/chain/derive-ids.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import type { OrderAccountCommand } from '../../src/chain/types.ts';
import { applyBlock } from '../../src/ledger/apply-block.ts';
import { filledAmount } from '../../src/ledger/order-commands.ts';
import type { Order } from '../../src/ledger/rows.ts';
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

const order: Order = {
  orderId: '11'.repeat(32),
  creationHeight: 1,
  concludeDestination: '00',
  askCurrency: '',
  askDecimals: 11,
  initiallyAsked: 300n,
  askBalance: 300n,
  giveCurrency: '22'.repeat(32),
  giveDecimals: 0,
  initiallyGiven: 100n,
  giveBalance: 100n,
  nextNonce: 0n,
  isFrozen: false,
  isConcluded: false,
};

// The worked example of docs/indexing-rules.md#orders
const afterFirst = { ...order, askBalance: 200n, giveBalance: 67n };

it('filling an order that asks 300 and gives 100 goes by what is left in the old version, so the last fill takes everything', () => {
  assert.equal(filledAmount(0, order, 100n), 33n);
  assert.equal(filledAmount(0, afterFirst, 200n), 67n);
});

it('filling an order that asks 300 and gives 100 goes by the first amounts in the new version, so dust may stay', () => {
  assert.equal(filledAmount(1, order, 100n), 33n);
  assert.equal(filledAmount(1, afterFirst, 200n), 66n);
});

it('filling an order that asks 300 and gives 100 gives nothing for an order that asks nothing', () => {
  assert.equal(filledAmount(0, { ...order, askBalance: 0n }, 1n), 0n);
});

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
  const { askBalance, giveBalance, nextNonce, isFrozen, isConcluded } = state.orders.get(ORDER)!;
  return {
    left: [askBalance, giveBalance],
    nextNonce,
    flags: { isFrozen, isConcluded },
    fees: applied.map(({ fee }) => fee),
    tokens: applied.map((transaction) => [...transaction.tokens]),
  };
}

it('an order keeps what rounding left when it is filled to the last, until it is concluded', () => {
  const filled = after([fill(100n), fill(200n)]);
  assert.deepEqual(filled.left, [0n, 1n]);
  assert.deepEqual(filled.flags, { isFrozen: false, isConcluded: false });
  assert.equal(filled.nextNonce, 2n);
  // Of 300 atoms each, the fills took 100 and 200.
  assert.deepEqual(filled.fees, [200n, 100n]);
});

it('an order is filled to nothing on both sides by the old rules', () => {
  assert.deepEqual(after([fill(100n), fill(200n)], oldRules).left, [0n, 0n]);
});

it('an order can be filled by nothing', () => {
  assert.deepEqual(after([fill(0n)]).left, [300n, 100n]);
  assert.deepEqual(after([fill(300n), fill(0n)], oldRules).left, [0n, 0n]);
});

it('an order pays out all that was asked of it when it is concluded, filled or not', () => {
  const filled = after([fill(300n), conclude]);
  assert.deepEqual([filled.left, filled.nextNonce, filled.fees], [[0n, 0n], 2n, [0n, 300n]]);
  assert.deepEqual(filled.flags, { isFrozen: false, isConcluded: true });
  const half = after([fill(150n), conclude]);
  assert.deepEqual(
    [half.left, half.fees],
    [
      [0n, 0n],
      [150n, 150n],
    ],
  );
  const untouched = after([conclude]);
  assert.deepEqual([untouched.left, untouched.nextNonce, untouched.fees], [[0n, 0n], 1n, [0n]]);
});

it('an order keeps what it has, and its nonce, when it is frozen, and can still be concluded', () => {
  const frozen = after([fill(150n), freeze]);
  assert.deepEqual([frozen.left, frozen.nextNonce], [[150n, 50n], 1n]);
  assert.deepEqual(frozen.flags, { isFrozen: true, isConcluded: false });
  const concluded = after([freeze, conclude]);
  assert.deepEqual([concluded.left, concluded.nextNonce], [[0n, 0n], 1n]);
  assert.deepEqual(concluded.flags, { isFrozen: true, isConcluded: true });
});

it('an order may ask for a token that nobody has issued, whose decimals are not known', () => {
  const state = smallWorld();
  const ask = tokens('ee'.repeat(32), 5n);
  const made = signed([FREE], [{ type: 'CreateOrder', order: { concludeKey: '00', ask, give: coins(7n) } }]);
  applySecond(state, { transactions: [made] });
  const { askDecimals, giveDecimals, askBalance } = state.orders.get(orderIdOf([FREE])!)!;
  assert.deepEqual([askDecimals, giveDecimals, askBalance], [null, 11, 5n]);
});

it('an order makes each of its commands a transaction of the token', () => {
  assert.deepEqual(after([fill(100n), freeze, conclude]).tokens, [[TOKEN], [TOKEN], [TOKEN]]);
});
