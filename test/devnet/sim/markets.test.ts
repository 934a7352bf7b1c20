/** The markets of the demo: they look like markets. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { identifyBlock } from '../../../src/chain/codec/block.ts';
import { Simulation } from '../../../src/devnet/sim/simulation.ts';
import { NaiveTrades, type SeenTrade } from '../../sim/naive-trades.ts';
import { SIMULATED_NETWORK as network } from '../../support/simulated-chain.ts';

const BLOCKS = 500;

it('the demo has several markets with trades on both sides, partial fills, and prices that walk', () => {
  const simulation = new Simulation({ network, seed: 'markets', mix: 'demo' });
  const mainChain = simulation.mine(BLOCKS).map(({ bytes }) => identifyBlock(bytes));
  const naive = new NaiveTrades(network, mainChain);
  const pairs = new Map<string, SeenTrade[]>();
  for (const { paid, given } of naive.trades) {
    const [base, quote] =
      paid.currency === network.coinTicker ? [given.currency, paid.currency] : [paid.currency, given.currency];
    if (quote === network.coinTicker) pairs.set(base, naive.ofPair(base, quote));
  }
  const markets = [...pairs.values()].filter(({ length }) => length >= 25);
  assert.ok(markets.length >= 3, `${markets.length} markets`);
  for (const trades of markets) {
    assert.deepEqual([...new Set(trades.map(({ side }) => side))].sort(), ['buy', 'sell']);
    const prices = trades.flatMap(({ price }) => (price === null ? [] : [numberOf(price)]));
    const sorted = prices.toSorted((a, b) => a - b);
    const near = prices.filter((price, i) => i > 0 && Math.abs(Math.log(price / prices[i - 1]!)) < 0.15);
    assert.ok(near.length > 0.8 * prices.length, 'prices jump');
    assert.ok(
      sorted[Math.floor(sorted.length * 0.9)]! / sorted[Math.floor(sorted.length * 0.1)]! > 1.02,
      'prices stand still',
    );
  }
  const filledBy = Map.groupBy(naive.trades, ({ order }) => order);
  assert.ok([...filledBy.values()].filter(({ length }) => length > 1).length > 20, 'few orders are filled in parts');
});

function numberOf(price: string): number {
  const [quote, base] = price.split('/').map(Number) as [number, number];
  return quote / base;
}
