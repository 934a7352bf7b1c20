/** What is pending for an address, and the pending transactions in figures. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import { COIN } from '../../src/chain/currency.ts';
import { deriveDelegationId, deriveOrderId, deriveTokenId } from '../../src/chain/derive-ids.ts';
import type { Id, SignedTransaction, TxInput, TxOutput } from '../../src/chain/types.ts';
import { keyOfOutpoint, outpointKey } from '../../src/ledger/state-rows.ts';
import { type IndexLookupResult, NOTHING_CONFIRMED } from '../../src/mempool/confirmed-index-interface.ts';
import { mempoolTotals } from '../../src/mempool/mempool-totals.ts';
import { pendingChangesOfAddress, pendingSpenderOf } from '../../src/mempool/pending-address-changes.ts';
import { PendingSet } from '../../src/mempool/pending-set.ts';
import {
  idOf,
  issuance,
  NETWORK,
  owner,
  spending,
  tokenTransfer,
  transfer,
  unsigned,
} from '../support/fake-mempool.ts';
import { addPending } from '../support/handmade-pending.ts';

const [alice, bob, carol] = [owner(1), owner(2), owner(3)] as [string, string, string];
const A = 'aa'.repeat(32);
const TOKEN = 'cc'.repeat(32);
const DELEGATION = 'dd'.repeat(32);

const tokens = (amount: bigint, destination: string) => tokenTransfer(TOKEN, amount, destination);
const outpoint = (sourceId: Id, index = 0) => ({ sourceType: 'Transaction', sourceId, index }) as const;

/** Alice has 100 atoms and 50 of a token, and a delegation; the token is hers. */
const CONFIRMED: IndexLookupResult = {
  ...NOTHING_CONFIRMED,
  outputs: new Map([
    [outpointKey(A, 0), transfer(100n, alice)],
    [outpointKey(A, 1), tokens(50n, alice)],
    [outpointKey(A, 2), transfer(10n ** 20n, bob)],
  ]),
  delegations: new Map([[DELEGATION, alice]]),
  tokens: new Map([[TOKEN, alice]]),
};

function poolOf(...transactions: SignedTransaction[]): PendingSet {
  const pool = new PendingSet(NETWORK);
  for (const each of transactions) addPending(pool, each, CONFIRMED);
  return pool;
}

const payment = spending(
  [
    [A, 0],
    [A, 1],
  ],
  [transfer(60n, alice), transfer(30n, bob), tokens(20n, bob), tokens(30n, alice)],
);
const onward = spending([[idOf(payment), 1]], [transfer(25n, carol)]);
const pool = poolOf(payment, onward);

it('an address has what comes and goes, change on both sides, and what it will have', () => {
  const view = pendingChangesOfAddress(pool, alice);
  assert.deepEqual(
    view.flows,
    new Map([
      [COIN, { incoming: 60n, outgoing: 100n }],
      [TOKEN, { incoming: 30n, outgoing: 50n }],
    ]),
  );
  assert.deepEqual(view.spentOutpoints, [outpoint(A, 0), outpoint(A, 1)]);
  const outpoints = view.newUtxos.map((utxo) => utxo.outpoint);
  assert.deepEqual(outpoints, [outpoint(idOf(payment), 0), outpoint(idOf(payment), 3)]);
  assert.deepEqual(view.transactions, [idOf(payment)]);
});

it('an address does not have the outputs that are spent again', () => {
  const view = pendingChangesOfAddress(pool, bob);
  assert.deepEqual(view.flows.get(COIN), { incoming: 30n, outgoing: 30n });
  assert.deepEqual(view.spentOutpoints, [outpoint(idOf(payment), 1)]);
  const outpoints = view.newUtxos.map((utxo) => utxo.outpoint);
  assert.deepEqual(outpoints, [outpoint(idOf(payment), 2)]);
  assert.deepEqual(view.transactions, [idOf(payment), idOf(onward)]);
});

it('an address without anything pending has zeros', () => {
  assert.deepEqual(pendingChangesOfAddress(pool, owner(9)), {
    flows: new Map([[COIN, { incoming: 0n, outgoing: 0n }]]),
    spentOutpoints: [],
    newUtxos: [],
    nextNonces: [],
    transactions: [],
  });
});

it('an address has the nonces after those in use', () => {
  const rich: TxInput = { type: 'Utxo', outpoint: outpoint(A, 2) };
  const withdrawal = (nonce: bigint) =>
    unsigned([{ type: 'Account', nonce, delegationId: DELEGATION, amount: 5n }], [transfer(4n, bob)]);
  const command = { type: 'LockTokenSupply', tokenId: TOKEN } as const;
  const pending = poolOf(
    withdrawal(7n),
    withdrawal(8n),
    unsigned([{ type: 'AccountCommand', nonce: 2n, command }, rich], []),
  );
  const view = pendingChangesOfAddress(pending, alice);
  assert.deepEqual(view.nextNonces, [
    { account: 'delegation', id: DELEGATION, nonce: 9n },
    { account: 'token', id: TOKEN, nonce: 3n },
  ]);
  assert.equal(view.transactions.length, 3);
  assert.deepEqual(pendingChangesOfAddress(pending, bob).nextNonces, []);
});

it('an address sees contracts by both of their keys, without counting them as a balance', () => {
  const contract = {
    secretHash: '00'.repeat(20),
    spendKey: bob,
    refundTimelock: { type: 'ForBlockCount', value: 5n },
    refundKey: alice,
  } as const;
  const htlc = unsigned(
    [{ type: 'Utxo', outpoint: outpoint(A, 0) }],
    [{ type: 'Htlc', value: { type: 'Coin', amount: 90n }, contract }],
  );
  const pending = poolOf(htlc);
  for (const [address, outgoing] of [
    [alice, 100n],
    [bob, 0n],
  ] as const) {
    const view = pendingChangesOfAddress(pending, address);
    assert.deepEqual(view.flows, new Map([[COIN, { incoming: 0n, outgoing }]]));
    const outpoints = view.newUtxos.map((utxo) => utxo.outpoint);
    assert.deepEqual(outpoints, [outpoint(idOf(htlc), 0)]);
  }
});

it('an address knows which outputs are spent, until the transaction is gone', () => {
  const pending = poolOf(payment);
  assert.notEqual(pendingSpenderOf(pending, outpoint(A, 1)), null);
  assert.equal(pending.spender(keyOfOutpoint(outpoint(A, 1))), idOf(payment));
  pending.apply(pending.dropped(idOf(payment), 1));
  assert.equal(pendingSpenderOf(pending, outpoint(A, 1)), null);
  assert.deepEqual(pendingChangesOfAddress(pending, alice).transactions, []);
});

const first: TxInput = { type: 'Utxo', outpoint: outpoint(A, 2) };

it('what pending transactions create can be used by others that are pending: a token’s decimals, a delegation, an order', () => {
  const order = {
    concludeKey: carol,
    ask: { type: 'TokenV1', tokenId: TOKEN, amount: 10n },
    give: { type: 'Coin', amount: 80n },
  } as const;
  const creation = unsigned(
    [first],
    [issuance(bob, 7), { type: 'CreateDelegationId', destination: carol, poolId: A }, { type: 'CreateOrder', order }],
  );
  const inputs = creation.transaction.inputs;
  const [token, delegation, orderId] = [deriveTokenId(inputs, 1)!, deriveDelegationId(inputs)!, deriveOrderId(inputs)!];
  const fill = (fillAmount: bigint, outputs: TxOutput[]) =>
    unsigned([{ type: 'OrderAccountCommand', command: { type: 'FillOrder', orderId, fillAmount } }], outputs);
  const pool = poolOf(
    creation,
    unsigned([{ type: 'Account', nonce: 0n, delegationId: delegation, amount: 5n }], []),
    fill(3n, [transfer(20n, alice)]),
    fill(2n, [transfer(10n, alice)]),
    unsigned([{ type: 'OrderAccountCommand', command: { type: 'ConcludeOrder', orderId } }], [transfer(33n, carol)]),
  );
  assert.equal(pool.decimalsOf(token), 7);
  assert.deepEqual(pendingChangesOfAddress(pool, carol).nextNonces, [
    { account: 'delegation', id: delegation, nonce: 1n },
  ]);
  const fees = [...pool.transactions()].map(({ fee }) => fee);
  // 8 atoms for each of the token; the conclusion gets what the two fills left.
  assert.deepEqual(fees.slice(1), [5n, 4n, 6n, 7n]);
  pool.apply(pool.dropped(idOf(creation), 1));
  assert.equal(pool.decimalsOf(token), undefined);
});

it('the figures are the sums, and the bytes by fee rate, dearest first, of what is resolved', () => {
  const cheap = spending([[A, 0]], [transfer(90n, alice)]);
  const dear = spending([[idOf(cheap), 0]], [transfer(50n, alice)]);
  const unknown = spending([['ee'.repeat(32), 0]], [transfer(1n, alice)]);
  const pool = poolOf(cheap, dear, unknown);
  const size = (each: SignedTransaction) => encodeSignedTransaction(each).length;
  const rate = (fee: number, each: SignedTransaction) => BigInt(Math.floor((fee * 1_000) / size(each)));
  assert.deepEqual(mempoolTotals(pool), {
    count: 2,
    bytes: size(cheap) + size(dear),
    totalFee: 50n,
    feeHistogram: [
      { atomsPerKilobyte: rate(40, dear), bytes: size(dear) },
      { atomsPerKilobyte: rate(10, cheap), bytes: size(cheap) },
    ],
  });
  assert.deepEqual(mempoolTotals(poolOf()), { count: 0, bytes: 0, totalFee: 0n, feeHistogram: [] });
});

it('the figures put fee rates together where there are very many', () => {
  const pool = new PendingSet(NETWORK);
  for (let i = 0; i < 5_000; i++) {
    const outputs = new Map([[outpointKey(A, i), transfer(BigInt(1 + i * 1_000))]]);
    addPending(pool, spending([[A, i]], []), { ...NOTHING_CONFIRMED, outputs });
  }
  const { feeHistogram, bytes } = mempoolTotals(pool);
  assert.equal(feeHistogram.length, 100);
  const histogramBytes = feeHistogram.reduce((sum, step) => sum + step.bytes, 0);
  assert.equal(histogramBytes, bytes);
  const rates = feeHistogram.map(({ atomsPerKilobyte }) => atomsPerKilobyte);
  assert.ok(rates.every((rate, i) => i === 0 || rate < rates[i - 1]!));
});
