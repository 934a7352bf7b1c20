/** Who held a currency after a block, against a naive model. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destinationAddress, tokenAddress } from '../../../src/chain/address.ts';
import { COIN, type Currency } from '../../../src/chain/currency.ts';
import * as chain from '../../support/simulated-chain-servers.ts';
import type { TestServer } from '../../support/web-server.ts';

chain.serveSimulatedChain();
const { error, errorOfOurParameter, got, listed, network, timeOf, UNKNOWN } = chain;

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
  assert.deepEqual(await errorOfOurParameter(`${pathOf(COIN)}?height=x`), [400, 'Invalid block height']);
  const { next_cursor } = await got(`${pathOf(COIN)}?height=45&items=1`);
  for (const other of ['', '?height=44', '?time=45']) {
    const mark = other === '' ? '?' : '&';
    assert.deepEqual(await errorOfOurParameter(`${pathOf(COIN)}${other}${mark}cursor=${next_cursor}`), [
      400,
      'Invalid cursor',
    ]);
  }
});

it('an export of holders after a block has the entries of all pages, and continues after a cursor', async () => {
  const [server] = chain.servers as [TestServer];
  for (const currency of currencies()) {
    const path = `${pathOf(currency)}?height=90`;
    const entries = (await server.pages(`${path}&items=100`)).flat();
    const { text, headers } = await server.get(`${path}&format=ndjson`);
    assert.match(headers.get('content-disposition')!, /holders-\w+-90\.ndjson/);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ cursor: _, ...holder }) => holder),
      entries,
    );
    const { cursor } = lines[Math.floor(lines.length / 2)];
    const rest = await server.get(`${path}&format=ndjson&cursor=${cursor}`);
    assert.equal(
      rest.text,
      text
        .split('\n')
        .slice(Math.floor(lines.length / 2) + 1)
        .join('\n'),
    );
    const csv = await server.get(`${path}&format=csv`);
    assert.equal(csv.text.split('\r\n').length, entries.length + 2);
  }
  const message = 'Invalid format: an export of holders needs `height` or `time`';
  assert.deepEqual(await errorOfOurParameter(`${pathOf(COIN)}?format=csv`), [400, message]);
});
