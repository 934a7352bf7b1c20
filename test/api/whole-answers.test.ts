/** What is given whole: the lists of an address, unless a page is asked for in the way of the contract, and blocks. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ResponseProfileName } from '../../src/api/response-profile/profile.ts';
import { resourceTotals } from '../../src/serving/resources/create-resources.ts';
import { builtBefore, fileScope } from '../support/file-scope.ts';
import { busy, filledIndex } from '../support/filled-servers.ts';

const scope = fileScope();
const index = filledIndex({ blocks: 600, transactionsPerBlock: 4, delegations: 40, tokens: 40 });
const servers = builtBefore((scope) => index().serveBoth(scope));

const serve = (contract: ResponseProfileName, listBytes: number) =>
  index().serve(scope, { contract, totals: { list_bytes: listBytes } });

for (const contract of ['described', 'mintlayer-core'] as const) {
  for (const list of ['all-utxos', 'spendable-utxos']) {
    it(`${list} of ${contract} may have as many bytes as the memory allows, and pages have no limit`, async () => {
      const path = `/address/${busy}/${list}`;
      const { length } = (await (contract === 'described' ? servers().described : servers().core).get(path)).text;
      const [enough, little] = await Promise.all([serve(contract, length), serve(contract, length / 2)]);
      assert.equal((await enough.get(path)).text.length, length);
      for (let i = 0; i < 2; i++) {
        const refused = await little.get(path);
        assert.equal(refused.status, 400);
        assert.match(refused.body.error, /^The list has more than \d+ bytes: ask for pages of it/);
      }
      assert.equal((await little.json(`${path}?cursor=&items=100`)).items.length, 100);
    });
  }
}

it('a history may have as many ids as the memory allows', async () => {
  const path = `/address/${busy}`;
  const { transaction_history } = await servers().described.json(path);
  assert.ok(transaction_history.length > 1_000);
  const bytes = JSON.stringify(transaction_history).length;
  const [enough, little] = await Promise.all([serve('described', bytes), serve('described', bytes - 100)]);
  assert.deepEqual((await enough.json(path)).transaction_history, transaction_history);
  const refused = await little.get(path);
  assert.equal(refused.status, 400);
  assert.match(refused.body.error, /^The address has more than \d+ transactions: ask for its \/transactions in pages/);
  assert.equal((await little.json(`${path}/transactions?items=100`)).items.length, 100);
});

it('a list that is given whole is never refused below 8 MiB, with any memory', () => {
  for (const bytes of [0, 256, 512, 1024, 2048, 1_000_000].map((mebibytes) => mebibytes * 1024 ** 2)) {
    const { list_bytes: listBytes, unsent_bytes: unsentBytes } = resourceTotals(bytes, {
      connections: 1,
      streams: 1,
    });
    assert.ok(listBytes >= 8 * 1024 ** 2 && listBytes <= 256 * 1024 ** 2);
    assert.ok(bytes < 2 ** 30 || listBytes <= unsentBytes / 16, `${bytes}`);
  }
});

// Blocks of many transactions are read on their own.
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
