/** Blocks of many transactions are read on their own; they are given whole like all others. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { filledIndex } from '../support/filled-servers.ts';

for (const transactionsPerBlock of [100, 101, 250]) {
  const index = filledIndex({ blocks: 2, transactionsPerBlock });

  it(`a block of ${transactionsPerBlock} transactions has all of them, however often it is asked for`, async (t) => {
    const server = await index().serve(t);
    for (const height of [1, 2]) {
      const id = await server.json(`/chain/${height}`);
      const ids = await server.json(`/block/${id}/transaction-ids`);
      assert.equal(ids.length, transactionsPerBlock);
      for (const asked of ['first', 'again']) {
        const { body } = await server.json(`/block/${id}?${asked}`);
        const shownIds = body.transactions.map((transaction: { id: string }) => transaction.id);
        assert.deepEqual(shownIds, ids);
      }
    }
  });
}
