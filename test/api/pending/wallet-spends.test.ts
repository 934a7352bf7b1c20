/** The outputs of a wallet that transactions spend, found in their stored JSON. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { spentWalletOutpoints } from '../../../src/answers/spent-wallet-outpoints.ts';
import { destinationAddress } from '../../../src/chain/address.ts';
import { networkByName } from '../../../src/chain/networks/known-networks.ts';

it('other requests have their turn while the transactions of a wallet are read', async () => {
  const network = networkByName('regtest');
  const owner = `01${'77'.repeat(20)}`;
  const destination = destinationAddress(network, owner);
  const bodyOf = (i: number) => {
    const input = { input_type: 'UTXO', index: i, source_id: 'aa'.repeat(32), source_type: 'Transaction' };
    return JSON.stringify({
      inputs: [{ input, utxo: { type: 'Transfer', destination } }],
      fill: 'x'.repeat(16 * 1024),
    });
  };
  const transactions = Array.from({ length: 64 }, (_, i) => ({ body: bodyOf(i) }));
  let turns = 0;
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const spent = await spentWalletOutpoints(network, [owner], transactions);
  clearImmediate(next);
  assert.deepEqual(
    spent.map((text) => JSON.parse(text).index),
    transactions.map((_, i) => i),
  );
  assert.ok(turns >= 5, `${turns} turns`);
});
