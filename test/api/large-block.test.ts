/** Blocks of many transactions are read on their own; they are given whole like all others. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { networkByName } from '../../src/chain/networks/known.ts';
import { fileScope } from '../support/file-scope.ts';
import { fillTables } from '../support/filled-tables.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { startTestWebServer } from '../support/web-server.ts';

const scope = fileScope();
const network = networkByName('regtest');

for (const transactionsPerBlock of [100, 101, 250]) {
  it(`a block of ${transactionsPerBlock} transactions has all of them, however often it is asked for`, async () => {
    const index = await TestIndex.create(scope, network);
    await fillTables(index.session.writer, { blocks: 2, transactionsPerBlock });
    const server = await startTestWebServer(scope, { network, postgres: index.postgres });
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
