/** The terms of an order while pending transactions use it. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { COIN as COIN_CURRENCY } from '../../src/chain/currency.ts';
import type { Id, SignedTransaction, TxInput } from '../../src/chain/types.ts';
import { Random } from '../../src/devnet/sim/random.ts';
import type { OrderTerms } from '../../src/ledger/order-terms.ts';
import { NOTHING_CONFIRMED } from '../../src/mempool/confirmed-index-interface.ts';
import { orderAfterTransaction } from '../../src/mempool/pending-creations.ts';
import { PendingSet } from '../../src/mempool/pending-set.ts';
import { NETWORK, spending } from '../support/fake-mempool.ts';
import { addPending } from '../support/handmade-pending.ts';
import { testOverSeeds } from '../support/seeds.ts';

const ORDERS = ['0a', '0b'].map((byte) => byte.repeat(32)) as [Id, Id];
const TOKEN = '77'.repeat(32);
const HEIGHT = 1_000;
/** The rules of orders at that height. */
const VERSION = 1;

const termsOf = (units: bigint): OrderTerms => ({
  askCurrency: COIN_CURRENCY,
  initiallyAsked: units,
  askBalance: units,
  giveCurrency: TOKEN,
  initiallyGiven: units * 2n,
  giveBalance: units * 2n,
});

/** Fills orders by such amounts; the number makes it another transaction. */
function filling(number: number, fills: readonly (readonly [order: Id, amount: bigint])[]): SignedTransaction {
  const { transaction, signatures } = spending([[number.toString(16).padStart(64, '0'), 0]]);
  const commands = fills.map(([orderId, fillAmount]): TxInput => {
    return { type: 'OrderAccountCommand', command: { type: 'FillOrder', orderId, fillAmount } };
  });
  const inputs = [...transaction.inputs, ...commands];
  return { transaction: { ...transaction, inputs }, signatures: inputs.map(() => signatures[0]!) };
}

/** Adds it to the pool, with those terms of the orders. */
function add(pool: PendingSet, signed: SignedTransaction, orders: ReadonlyMap<Id, OrderTerms>): Id {
  return addPending(pool, signed, { ...NOTHING_CONFIRMED, orders }, HEIGHT);
}

testOverSeeds('an order is before each pending transaction what those before it have left of it', (seed) => {
  const random = new Random(`orders ${seed}`);
  const pool = new PendingSet(NETWORK);
  let orders = new Map(ORDERS.map((id) => [id, termsOf(1_000_000n)]));
  const ids = () => pool.ids();
  for (let step = 0; step < 300; step++) {
    const chance = random.unit();
    if (chance < 0.6) {
      const fills = Array.from({ length: random.between(1, 3) }, () => {
        return [random.pick(ORDERS), BigInt(random.between(1, 9))] as const;
      });
      add(pool, filling(step, fills), orders);
    } else if (chance < 0.75 && pool.keptCount > 0) {
      pool.apply(pool.dropped(random.pick(ids()), 0));
    } else if (chance < 0.85) {
      pool.apply({ type: 'Ordered', ids: ids().sort(() => random.unit() - 0.5) });
    } else if (chance < 0.9) {
      // A block has filled it.
      orders = new Map(ORDERS.map((id) => [id, termsOf(BigInt(random.between(500_000, 1_000_000)))]));
    } else if (pool.keptCount > 0) {
      const known = pool.get(random.pick(ids()))!;
      pool.apply({ type: 'Resolved', id: known.id, resolution: { ...known, isFinal: !known.isFinal } });
    }
    for (const order of ORDERS) {
      let left = orders.get(order)!;
      for (const { id, signed } of ids().map((id) => pool.get(id)!)) {
        const before = left;
        left = orderAfterTransaction(VERSION, order, left, signed.transaction);
        if (left === before) continue;
        assert.deepEqual(pool.sources({ ...NOTHING_CONFIRMED, orders }, id).order(order), before, `step ${step}`);
      }
      assert.deepEqual(pool.sources({ ...NOTHING_CONFIRMED, orders }).order(order), left, `step ${step}`);
    }
  }
});

it('many that use one order take time that grows with their number, not with its square', () => {
  const pool = new PendingSet(NETWORK);
  const orders = new Map(ORDERS.map((id) => [id, termsOf(10n ** 12n)]));
  const began = process.cpuUsage();
  const ids = Array.from({ length: 20_000 }, (_, i) => add(pool, filling(i, [[ORDERS[0], 1n]]), orders));
  const many = Array.from({ length: 2_000 }, (_, i) => [i.toString(16).padStart(64, 'f'), 1n] as const);
  add(pool, filling(1_000_000, many), new Map(many.map(([id]) => [id, termsOf(10n)])));
  add(pool, filling(1_000_001, Array(2_000).fill([ORDERS[0], 1n])), orders);
  for (const id of ids) pool.sources({ ...NOTHING_CONFIRMED, orders }, id).order(ORDERS[0]);
  pool.apply({ type: 'Ordered', ids: ids.toReversed() });
  for (const id of ids) pool.apply({ type: 'Confirmed', id, height: HEIGHT });
  // Of the processor: the machine may have others to serve.
  const { user, system } = process.cpuUsage(began);
  const tookMs = (user + system) / 1_000;
  assert.ok(tookMs < 6_000, `${tookMs} ms`);
  assert.equal(pool.keptCount, 2);
});
