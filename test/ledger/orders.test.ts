import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filledAmount } from '../../src/ledger/orders.ts';
import type { Order } from '../../src/ledger/rows.ts';

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

// The worked example of the indexing rules, section 2.9.
describe('filling an order that asks 300 and gives 100', () => {
  const afterFirst = { ...order, askBalance: 200n, giveBalance: 67n };

  it('goes by what is left in the old version, so the last fill takes everything', () => {
    assert.equal(filledAmount(0, order, 100n), 33n);
    assert.equal(filledAmount(0, afterFirst, 200n), 67n);
  });

  it('goes by the first amounts in the new version, so dust may stay', () => {
    assert.equal(filledAmount(1, order, 100n), 33n);
    assert.equal(filledAmount(1, afterFirst, 200n), 66n);
  });

  it('gives nothing for an order that asks nothing', () => {
    assert.equal(filledAmount(0, { ...order, askBalance: 0n }, 1n), 0n);
  });
});
