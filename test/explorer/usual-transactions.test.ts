/** What a usual transaction costs, against those that people sent. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { feesAt } from '../../src/chain/networks/network.ts';
import { feeOf, usualTransactions } from '../../src/explorer/read/usual-transactions.ts';
import { goldenServers } from '../support/golden-servers.ts';
import { type Json, listed } from './paged-rows.ts';

const golden = goldenServers();

/** Amounts take one to nine bytes, of which the usual one takes eight. */
const FEWER_BYTES_PER_AMOUNT = 8;

/** Does an address belong to the hash of a key, as nearly all do? */
const isKeyHash = (address: string) => address.startsWith(`${golden.network.prefixes.publicKeyHash}1`);

describe('a usual transaction', () => {
  it('is as large as those of its kind that a real node made', async () => {
    const transactions = await listed(golden.described, '/transaction');
    const usual = new Map(usualTransactions(golden.network, 1).map((each) => [each.name, each.bytes]));
    const compared = new Map<string, number>();
    for (const transaction of transactions) {
      const name = nameOf(transaction);
      if (name === null) continue;
      const amounts = transaction.outputs.length;
      const difference = usual.get(name)! - transaction.size;
      const shown = `${name}: ${transaction.size} bytes, ${usual.get(name)} expected`;
      assert.ok(difference >= -amounts && difference <= FEWER_BYTES_PER_AMOUNT * amounts, shown);
      compared.set(name, (compared.get(name) ?? 0) + 1);
    }
    assert.ok(compared.has('Send coins') && compared.has('Delegate to a pool'), [...compared.keys()].join());
  });

  it('burns what the protocol takes at its height', () => {
    for (const height of [1, 1_000_000]) {
      const fees = feesAt(golden.network, height);
      const burned = new Map(usualTransactions(golden.network, height).map((each) => [each.name, each.burned]));
      assert.deepEqual(
        ['Issue a token', 'Mint a token', 'Issue an NFT', 'Deposit 100 bytes of data'].map((name) => burned.get(name)),
        [fees.issueFungibleToken, fees.tokenSupplyChange, fees.issueNft, fees.dataDeposit],
      );
      assert.equal(burned.get('Send coins'), 0n);
    }
  });

  it('pays at least the rate: what is left of an atom counts as one', () => {
    assert.deepEqual([feeOf(1_000, 7n), feeOf(1, 7n), feeOf(143, 7n), feeOf(0, 7n)], [7n, 1n, 2n, 0n]);
  });
});

/** The usual transaction that one is like; null for any other. */
function nameOf({ inputs, outputs }: Json): string | null {
  const [{ input, utxo }] = inputs;
  const isSpend = inputs.length === 1 && input.input_type === 'UTXO' && utxo.destination && isKeyHash(utxo.destination);
  if (!isSpend || outputs.length !== 2) return null;
  const kinds = outputs.map(({ type, value, destination }: Json) =>
    type !== 'Transfer' || (value.type === 'Coin' && isKeyHash(destination)) ? type : 'another',
  );
  switch (kinds.toSorted().join()) {
    case 'Transfer,Transfer':
      return 'Send coins';
    case 'DelegateStaking,Transfer':
      return 'Delegate to a pool';
    default:
      return null;
  }
}
