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

it('the page of a transaction aligns several amounts of a currency at the point, each with room for the longest fraction, and no single one', async () => {
  let compared = 0;
  for (const { id } of (await golden.described.pages('/transaction?items=100')).flat().slice(0, 60)) {
    const { main } = await getPage(golden.described, `/tx/${id}`);
    for (const list of main.all('.flow')) {
      const amounts = list
        .all('.sum')
        .filter((sum) => sum.text.endsWith(golden.network.coinTicker))
        .map((sum) => sum.one('.amount'));
      const isAligned = amounts.length > 1 && 2 * amounts.filter(({ text }) => /\./.test(text)).length > amounts.length;
      for (const each of amounts) {
        const room = each.all('span').find((span) => /^f\d+$/.test(span.attribute('class') ?? ''));
        assert.equal(room !== undefined, isAligned && each.text !== '0', id);
        if (room === undefined) continue;
        compared++;
        assert.ok(Math.max(0, room.text.length - 1) <= Number(room.attribute('class')!.slice(1)), id);
      }
    }
  }
  assert.ok(compared > 20);
});
