/** The pages of transactions against the API's answers, on a recorded chain. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { goldenServers } from '../support/golden-servers.ts';
import { getPage } from '../support/html-page.ts';
import { checkTransactionPage } from './check-transaction-page.ts';

const golden = goldenServers();

it('the page of a transaction shows what the API answers, all over a recorded chain', async () => {
  const ids = (await golden.described.pages('/transaction?items=100')).flat().map(({ id }) => id);
  assert.ok(ids.length > 100);
  // Pages of every kind of transaction are compared in live-transactions.test.ts.
  for (const id of ids.filter((_, i) => i % 6 === 0)) await checkTransactionPage(golden.described, id);
});

it('the page of a transaction links a token, delegation and order to what it creates', async () => {
  const all = (await golden.described.pages('/transaction?items=100')).flat();
  for (const [table, column, output, path] of [
    ['tokens', 'token_id', 'IssueFungibleToken', '/token/'],
    ['delegations', 'delegation_id', 'CreateDelegationId', '/delegation/'],
    ['orders', 'order_id', 'CreateOrder', '/order/'],
  ] as const) {
    const created = all.filter(({ outputs }) => outputs.some(({ type }: { type: string }) => type === output));
    assert.ok(created.length > 0, output);
    for (const { id } of created) {
      const { main } = await getPage(golden.described, `/tx/${id}`);
      const items = main
        .all('li')
        .filter(({ text }) => /(?:Creates|Issues|Offered in) the (?:token|delegation|order) /.test(text));
      const link = items.flatMap((item) => item.links()).find((each) => each.startsWith(path));
      assert.ok(link, main.text);
      const found = await golden.described.json(`/search?q=${link.slice(path.length)}`);
      assert.equal(found.items[0]?.id, link.slice(path.length), `${table}.${column}`);
    }
  }
});
