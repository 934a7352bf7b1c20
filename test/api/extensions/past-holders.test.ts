/** Who held a currency after a block, against a naive model. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destinationAddress, tokenAddress } from '../../../src/chain/address.ts';
import { COIN, type Currency } from '../../../src/chain/currency.ts';
import * as chain from '../../support/simulated-chain-servers.ts';

chain.serveSimulatedChain();
const { error, got, listed, network, timeOf, UNKNOWN } = chain;

const pathOf = (currency: Currency) =>
  `/statistics/${currency === COIN ? 'coin' : `token/${tokenAddress(network, currency)}`}/holders`;

/** The coin and the currencies with most changes. */
function currencies(): Currency[] {
  const counts = new Map<Currency, number>();
  for (const { currency } of chain.past.changes) counts.set(currency, (counts.get(currency) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([currency]) => currency)
    .slice(0, 4);
}

it('holders are shown as they were after a block, the largest first', async () => {
  let holders = 0;
  for (const currency of currencies()) {
    for (const height of [0, 12, 45, 90]) {
      const expected = chain.past.holdersAt(currency, height);
      if (expected.length === 0) continue;
      holders += expected.length;
      const path = `${pathOf(currency)}?height=${height}`;
      const shown = await listed(path);
      assert.deepEqual(
        shown.map(({ address, total }) => [address, BigInt(total.atoms)]),
        expected.map(([owner, balance]) => [destinationAddress(network, owner), balance]),
        path,
      );
      for (const { amount, locked, total } of shown) {
        assert.equal(BigInt(amount.atoms) + BigInt(locked.atoms), BigInt(total.atoms));
      }
    }
  }
  assert.ok(holders > 100);
});

it('holders after a block are found by its time, too', async () => {
  const { height } = await got(`/chain/at?time=${timeOf(40)}`);
  assert.deepEqual(
    await listed(`${pathOf(COIN)}?time=${timeOf(40)}`),
    await listed(`${pathOf(COIN)}?height=${height}`),
  );
});

it('holders after a block are refused where there is no such block, no such token yet, or another list of the cursor', async () => {
  const token = currencies().find((currency) => currency !== COIN)!;
  assert.deepEqual(await error(`${pathOf(COIN)}?height=91`), [404, 'No block found at supplied height']);
  assert.deepEqual(await error(`${pathOf(COIN)}?time=1`), [404, 'No block found at supplied time']);
  assert.deepEqual(await error(`${pathOf(token)}?height=0`), [404, 'Token not found']);
  assert.deepEqual(await error(`${pathOf(UNKNOWN)}?height=5`), [404, 'Token not found']);
  assert.deepEqual(await error(`${pathOf(COIN)}?height=x`), [400, 'Invalid block height']);
  const { next_cursor } = await got(`${pathOf(COIN)}?height=45&items=1`);
  for (const other of ['', '?height=44', '?time=45']) {
    const mark = other === '' ? '?' : '&';
    assert.deepEqual(await error(`${pathOf(COIN)}${other}${mark}cursor=${next_cursor}`), [400, 'Invalid cursor']);
  }
});
