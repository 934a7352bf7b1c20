/** The order book: its two sides, its prices and its refusals. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { reducedPriceRatio, wholeUnitPrice } from '../../src/answers/price-ratio.ts';
import { tokenAddress } from '../../src/chain/address.ts';
import { FIRST_TOKEN, filledServers, network } from '../support/filled-servers.ts';

const filled = filledServers();
const nobody = tokenAddress(network, 'ee'.repeat(32));
const value = (atoms: string) => {
  const [numerator, denominator] = atoms.split('/').map(Number);
  return numerator! / denominator!;
};

it('the order book shows prices in whole units, rounded down to the decimals of quote', async () => {
  // Coins have 11 decimals and the token 1. One atom of the token for so many atoms of the coin:
  const [level] = (await filled.server.json(`/order/pair/${FIRST_TOKEN}_RML/book?side=ask&items=1`)).items;
  const atomsForOne = Math.floor(value(level.price.atoms) * 10);
  assert.equal(level.price.decimal, atomsForOne === 0 ? '0' : `${atomsForOne / 10 ** 11}`);
  const [inCore] = (await filled.core.json(`/order/pair/${FIRST_TOKEN}_RML/book?side=ask&items=1`)).items;
  assert.deepEqual(Object.keys(inCore), ['amount', 'price']);
  assert.deepEqual(inCore.amount, level.amount);
  assert.match(inCore.price.decimal, /^\d+\.\d{11}$/);
  assert.equal(Number(inCore.price.decimal), Number(level.price.decimal));
});

it('the order book of a currency with itself, and of tokens without orders, is empty', async () => {
  const tokens = await filled.server.json('/token?items=100');
  for (const pair of ['RML_RML', `${tokens[1]}_${tokens[2]}`, `RML_${tokens.at(-1)}`]) {
    for (const server of [filled.server, filled.core]) {
      assert.deepEqual(await server.json(`/order/pair/${pair}/book?side=bid`), { items: [], next_cursor: null });
    }
  }
});

it('the order book refuses what is wrong in the order pair, side, offset, items, cursor, and unknown tokens last', async () => {
  for (const server of [filled.server, filled.core]) {
    for (const [path, status, error] of [
      ['/order/pair/x/book', 400, 'Invalid order trading pair'],
      ['/order/pair/a_b_c/book?side=ask', 400, 'Invalid order trading pair'],
      ['/order/pair/RML_x/book', 400, 'Invalid token Id'],
      [`/order/pair/RML_${nobody}/book`, 400, 'Bad request'],
      [`/order/pair/RML_${nobody}/book?side=ASK`, 400, 'Bad request'],
      [`/order/pair/RML_${nobody}/book?side=&items=0`, 400, 'Bad request'],
      [`/order/pair/RML_${nobody}/book?side=ask&offset=-1&items=0`, 400, 'Invalid offset'],
      [`/order/pair/RML_${nobody}/book?side=ask&items=0&cursor=x`, 400, 'Invalid number of items'],
      [`/order/pair/RML_${nobody}/book?side=ask&items=101`, 400, 'Invalid number of items'],
      [`/order/pair/RML_${nobody}/book?side=ask&cursor=x`, 400, 'Invalid cursor'],
      [`/order/pair/RML_${nobody}/book?side=ask`, 404, 'Token not found'],
      [`/order/pair/${nobody}_${FIRST_TOKEN}/book?side=bid&cursor=`, 404, 'Token not found'],
    ] as const) {
      await server.refuses(path, status, error);
    }
  }
  await filled.server.refuses(`/order/pair/RML_${FIRST_TOKEN}/book?side=ask&order=cheapest`, 400, 'Bad request');
  assert.equal((await filled.server.get(`/order/pair/RML_${FIRST_TOKEN}/price-levels`)).status, 400);
});

it('the order book accepts a cursor only for the pair, side and order that it came from', async () => {
  const { next_cursor: cursor } = await filled.server.json(`/order/pair/${FIRST_TOKEN}_RML/book?side=ask&items=1`);
  for (const path of [
    `/order/pair/${FIRST_TOKEN}_RML/book?side=bid`,
    `/order/pair/RML_${FIRST_TOKEN}/book?side=ask`,
    `/order/pair/${FIRST_TOKEN}_RML/book?side=ask&order=best`,
  ]) {
    await filled.server.refuses(`${path}&cursor=${cursor}`, 400, 'Invalid cursor');
  }
  assert.equal((await filled.server.get(`/order/pair/${FIRST_TOKEN}_rml/book?side=ask&cursor=${cursor}`)).status, 200);
});

it('the price of an order is a ratio in lowest terms', () => {
  assert.deepEqual(reducedPriceRatio(30n, 12n), { numerator: 5n, denominator: 2n });
  assert.deepEqual(reducedPriceRatio(12n, 12n), { numerator: 1n, denominator: 1n });
});

it('the price of an order is in lowest terms for amounts of any size', () => {
  const edges = [31n, 32n, 53n, 64n].flatMap((bits) => [-1n, 0n, 1n].map((more) => 2n ** bits + more));
  const ofSize = (bits: number) => fc.bigInt({ min: 1n, max: 2n ** BigInt(bits) });
  const amount = fc.oneof(fc.constantFrom(...edges), fc.integer({ min: 1, max: 100 }).chain(ofSize));
  fc.assert(
    fc.property(amount, amount, ofSize(28), (quote, base, common) => {
      const [ofQuote, ofBase] = [quote * common, base * common];
      let [divisor, rest] = [ofQuote, ofBase];
      while (rest !== 0n) [divisor, rest] = [rest, divisor % rest];
      const expected = { numerator: ofQuote / divisor, denominator: ofBase / divisor };
      assert.deepEqual(reducedPriceRatio(ofQuote, ofBase), expected);
    }),
    { numRuns: 2_000 },
  );
});

it('the price of an order is the same ratio for sums of amounts of the same ratio', () => {
  const amount = fc.bigInt({ min: 1n, max: 2n ** 128n - 1n });
  const factor = fc.bigInt({ min: 1n, max: 10_000n });
  fc.assert(
    fc.property(amount, amount, fc.array(factor, { minLength: 1 }), (quote, base, factors) => {
      const sum = factors.reduce((all, each) => all + each, 0n);
      assert.deepEqual(reducedPriceRatio(quote * sum, base * sum), reducedPriceRatio(quote, base));
    }),
  );
});

it('the price of an order of a whole unit of base is in atoms of quote, rounded down', () => {
  assert.equal(wholeUnitPrice(reducedPriceRatio(5n, 2n), 0), 2n);
  // 150 coins of 11 decimals for 3 tokens of 2 decimals: 50 coins each.
  assert.equal(wholeUnitPrice(reducedPriceRatio(150n * 10n ** 11n, 300n), 2), 50n * 10n ** 11n);
  assert.equal(wholeUnitPrice(reducedPriceRatio(1n, 3n), 2), 33n);
  assert.equal(wholeUnitPrice(reducedPriceRatio(1n, 3n), 0), 0n);
});
