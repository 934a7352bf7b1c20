/** The changes of balances that blocks report (docs/indexing-rules.md#balances-with-a-past). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { dayOfHour } from '../../src/chain/calendar.ts';
import { transactionId } from '../../src/chain/derive-ids.ts';
import type { TxInput, TxOutput } from '../../src/chain/types.ts';
import type { AppliedBlock } from '../../src/ledger/applied-block.ts';
import { applyBlock } from '../../src/ledger/apply-block.ts';
import { balanceChangeKinds } from '../../src/ledger/balance-change-kinds.ts';
import {
  applySecond,
  applyThird,
  block as blockOf,
  COIN,
  coins,
  DELEGATION,
  FIRST_BLOCK,
  FREE,
  network,
  ORDER,
  OWNER,
  SECOND_BLOCK,
  signed,
  smallWorld,
  spend,
  TOKEN,
  tokens,
  transfer,
} from './small-world.ts';

const OTHER = `01${'0b'.repeat(20)}`;
const HELD = 500n * COIN + 9n;
const payOther = (amount: bigint): TxOutput => ({ type: 'Transfer', value: coins(amount), destination: OTHER });
const withdraw = (amount: bigint): TxInput => ({ type: 'Account', delegationId: DELEGATION, amount, nonce: 0n });

/** What a block reports: owner, change, balance, locked, fee, kinds. */
const changesOf = ({ balanceChanges }: AppliedBlock) =>
  balanceChanges.map(({ owner, change, balance, locked, fee, kinds }) => [
    owner === OWNER ? 'owner' : 'other',
    ...[change, balance, locked, fee, balanceChangeKinds(kinds).join(' ')],
  ]);

it('a payment to oneself and to another nets out what comes back, and has the fee at whom the coins were of', () => {
  const block = applySecond(smallWorld(), {
    transactions: [signed([FREE], [transfer(coins(400n * COIN)), payOther(99n * COIN)])],
  });
  assert.deepEqual(changesOf(block), [
    ['owner', -100n * COIN, HELD - 100n * COIN, 9n, COIN, 'sent transfer'],
    ['other', 99n * COIN, 99n * COIN, 0n, 0n, 'received transfer'],
  ]);
});

it('a withdrawal from a delegation to another address has its fee in a row of its owner, with the change 0', () => {
  const block = applySecond(smallWorld(), { transactions: [signed([withdraw(70n)], [payOther(69n)])] });
  assert.deepEqual(changesOf(block), [
    ['other', 69n, 69n, 0n, 0n, 'received delegation_withdraw'],
    ['owner', 0n, HELD, 9n, 1n, 'delegation_withdraw'],
  ]);
});

it('nobody pays the fee of coins that a fill takes out of an order: the next input of coins has it', () => {
  const fill: TxInput = { type: 'OrderAccountCommand', command: { type: 'FillOrder', orderId: ORDER, fillAmount: 3n } };
  const block = applySecond(smallWorld(), { transactions: [signed([fill, FREE], [transfer(coins(499n * COIN))])] });
  assert.deepEqual(changesOf(block), [['owner', -COIN, HELD - COIN, 9n, COIN - 3n, 'sent order_fill']]);
});

it('whoever has less by the fee paid it, not the owner of an order that is concluded before', () => {
  const paid = signed([FREE], [payOther(500n * COIN)]);
  const conclude: TxInput = { type: 'OrderAccountCommand', command: { type: 'ConcludeOrder', orderId: ORDER } };
  const concluded = signed(
    [conclude, spend(transactionId(paid.transaction), 0)],
    [transfer(tokens(TOKEN, 100n)), payOther(499n * COIN)],
  );
  const block = applySecond(smallWorld(), { transactions: [paid, concluded] });
  assert.deepEqual(changesOf(block).slice(2), [
    ['other', -COIN, 499n * COIN, 0n, COIN, 'sent order_conclude'],
    ['owner', 100n, 100n, 0n, 0n, 'received order_conclude'],
  ]);
});

it('a change of nothing is a row, and one without a fee has none', () => {
  const block = applySecond(smallWorld(), { transactions: [signed([FREE], [transfer(coins(500n * COIN))])] });
  assert.deepEqual(changesOf(block), [['owner', 0n, HELD, 9n, 0n, 'transfer']]);
});

it('each transaction of a block has rows of its own, with the balance after it', () => {
  const first = signed([FREE], [transfer(coins(500n * COIN))]);
  const state = smallWorld();
  const block = applySecond(state, {
    transactions: [first, signed([withdraw(70n)], [transfer(coins(70n))])],
    reward: [payOther(5n)],
  });
  assert.deepEqual(
    block.balanceChanges.map(({ position }) => position),
    [0, 1, 2],
  );
  assert.deepEqual(changesOf(block).slice(1), [
    ['owner', 70n, HELD + 70n, 9n, 0n, 'received delegation_withdraw'],
    ['other', 5n, 5n, 0n, 0n, 'received reward'],
  ]);
});

it('the end of a lock is a row before the first transaction, with the change 0', () => {
  const lock = { type: 'UntilHeight', value: 3n } as const;
  const state = smallWorld();
  const made = applySecond(state, {
    transactions: [signed([FREE], [{ type: 'LockThenTransfer', value: coins(500n * COIN), destination: OTHER, lock }])],
  });
  assert.deepEqual(changesOf(made), [
    ['owner', -500n * COIN, 9n, 9n, 0n, 'sent lock'],
    ['other', 500n * COIN, 500n * COIN, 500n * COIN, 0n, 'received lock'],
  ]);
  const ended = applyThird(state, {});
  assert.deepEqual(changesOf(ended), [['other', 0n, 500n * COIN, 0n, 0n, 'unlocked']]);
  assert.equal(ended.balanceChanges[0]!.position, -1);
});

it('a day of the chain never goes back, and a stake at its end is known with the first change on a later day', () => {
  const DAY = 86_400;
  const state = smallWorld();
  const day = dayOfHour(state.chain.hour);
  const at = (timestamp: number, id: string, parent: string): AppliedBlock => {
    const delegate: TxOutput = { type: 'DelegateStaking', delegationId: DELEGATION, amount: 1n };
    const inputs = [{ ...withdraw(3n), nonce: BigInt(timestamp) } as TxInput];
    const made = blockOf(id, parent, { transactions: [signed(inputs, [delegate])] });
    const header = { ...made.block.header, timestamp };
    return applyBlock(state, network, { ...made, block: { ...made.block, header } });
  };
  const next = at((day + 2) * DAY, SECOND_BLOCK, FIRST_BLOCK);
  assert.equal(next.startedDay, day + 2);
  const endsOf = ({ delegationDays }: AppliedBlock) =>
    delegationDays.map((row) => [row.delegationId, row.changedDay, row.balance, row.deposited, row.withdrawn]);
  assert.deepEqual(endsOf(next), [[DELEGATION, day, 70n, 70n, 0n]]);
  const back = at((day + 1) * DAY, '04'.repeat(32), SECOND_BLOCK);
  assert.equal(back.startedDay, null);
  assert.deepEqual(endsOf(back), []);
  const hours = [...state.hours.rows()].map(({ hour, firstHeight, height, endsDay }) => [
    hour,
    firstHeight,
    height,
    endsDay,
  ]);
  // The block that goes back belongs to the hour of its parent.
  assert.deepEqual(hours.slice(-1), [[(day + 2) * 24, 2, 3, true]]);
  const later = at((day + 3) * DAY, '05'.repeat(32), '04'.repeat(32));
  assert.deepEqual(endsOf(later), [[DELEGATION, day + 2, 66n, 72n, 6n]]);
});

it('a supply is recorded when any of its numbers changes, also without a reward, and not otherwise', () => {
  const state = smallWorld();
  const staked = state.statistics.get('')!;
  const moved: TxOutput = { type: 'DelegateStaking', delegationId: DELEGATION, amount: 5n };
  const block = applySecond(state, { transactions: [signed([FREE], [moved, transfer(coins(500n * COIN - 5n))])] });
  const { circulatingSupply, preminted, burned } = staked;
  assert.deepEqual(block.supplies, [
    { currency: '', circulatingSupply, preminted, burned, staked: staked.staked + 5n },
  ]);
  const { supplies } = applyThird(state, { transactions: [signed([withdraw(0n)], [])] });
  assert.deepEqual(supplies, []);
});
