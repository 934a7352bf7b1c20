/** The open orders of a pair, gathered by their price. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tokenAddress } from '../../src/chain/address.ts';
import { filledServers, network, OPEN_ORDERS } from '../support/filled-servers.ts';

const filled = filledServers();

describe('price levels', () => {
  it('are the open orders by exact price, the best first on both sides', async () => {
    const token = await filled.firstToken();
    const book = await filled.server.json(`/order/pair/${token}_RML/price-levels?depth=100`);
    assert.deepEqual(book.base_currency, { type: 'Token', token_id: token });
    assert.deepEqual(book.quote_currency, { type: 'Coin' });
    const count = (levels: { order_count: number }[]) => levels.reduce((sum, level) => sum + level.order_count, 0);
    assert.equal(count(book.asks) + count(book.bids), OPEN_ORDERS);
    const values = (levels: { price: string }[]) => levels.map((level) => Number(level.price));
    assert.deepEqual(
      values(book.asks),
      values(book.asks).toSorted((a, b) => a - b),
    );
    assert.deepEqual(
      values(book.bids),
      values(book.bids).toSorted((a, b) => b - a),
    );
    assert.equal(new Set(values(book.asks)).size, book.asks.length);
    // Coins have 11 decimals and the token 1: a price in atoms of 10/7 is one in whole units of 10/7 · 10^(1 − 11).
    const [best] = book.asks;
    assert.equal(Number(best.price_numerator) / Number(best.price_denominator) / 10 ** 10, Number(best.price));
    assert.deepEqual(await filled.server.json(`/order/pair/${token}_RML/price-levels?depth=1`), {
      ...book,
      asks: book.asks.slice(0, 1),
      bids: book.bids.slice(0, 1),
    });
  });

  it('seen from the other side are asks for bids, their prices turned over', async () => {
    const token = await filled.firstToken();
    const book = await filled.server.json(`/order/pair/${token}_RML/price-levels`);
    const mirrored = await filled.server.json(`/order/pair/RML_${token}/price-levels`);
    assert.equal(mirrored.asks[0].price_numerator, book.bids[0].price_denominator);
    assert.deepEqual(mirrored.asks[0].base_amount, book.bids[0].quote_amount);
    assert.deepEqual(mirrored.bids[0].quote_amount, book.asks[0].base_amount);
  });

  it('of a currency with itself, or of an unknown token, are none', async () => {
    const nobody = tokenAddress(network, 'ee'.repeat(32));
    for (const pair of ['RML_RML', `RML_${nobody}`]) {
      const book = await filled.server.json(`/order/pair/${pair}/price-levels`);
      assert.deepEqual([book.asks, book.bids], [[], []]);
    }
    assert.equal((await filled.server.get('/order/pair/RML_RML/price-levels?depth=101')).status, 400);
  });
});
