/** The lists of an address are given whole, unless a page is asked for in the way of the contract. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { destinationAddress } from '../../src/chain/address.ts';
import { networkByName } from '../../src/chain/networks/known.ts';
import { fileScope } from '../support/file-scope.ts';
import { BUSY_OWNER, fillTables } from '../support/filled-tables.ts';
import { TestIndex } from '../support/test-index.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';

const network = networkByName('regtest');
const busy = destinationAddress(network, BUSY_OWNER);
const LISTS = ['all-utxos', 'spendable-utxos', 'delegations', 'token-authority'];
const MORE_THAN_A_PAGE = 30;

const scope = fileScope();
let described: TestServer;
let core: TestServer;

before(async () => {
  const index = await TestIndex.create(scope, network);
  await fillTables(index.session.writer, {
    ...{ blocks: 60, transactionsPerBlock: 4, pools: 1, delegations: 40, tokens: 40, nfts: 1, orders: 1, holders: 1 },
  });
  described = await startTestWebServer(scope, { network, postgres: index.postgres });
  core = await startTestWebServer(scope, { network, postgres: index.postgres, contract: 'mintlayer-core' });
});

for (const list of LISTS) {
  describe(`/address/{a}/${list}`, () => {
    it(`/address/{a}/${list} is given whole without a cursor, whatever else is said`, async () => {
      for (const server of [described, core]) {
        for (const query of ['', 'items=2', 'items=0', 'offset=3', 'items=500&offset=x']) {
          const { status, body, headers } = await server.get(`/address/${busy}/${list}?${query}`);
          assert.equal(status, 200, query);
          assert.ok(body.length >= MORE_THAN_A_PAGE, `${body.length} entries for "${query}"`);
          assert.equal(headers.get('x-next-cursor'), null);
        }
      }
    });

    it(`/address/{a}/${list} is given in pages by cursor`, async () => {
      for (const server of [described, core]) {
        const whole = await server.json(`/address/${busy}/${list}`);
        const first = await server.json(`/address/${busy}/${list}?cursor=&items=2`);
        assert.deepEqual(first.items, whole.slice(0, 2));
        const second = await server.json(`/address/${busy}/${list}?items=3&cursor=${first.next_cursor}`);
        assert.deepEqual(second.items, whole.slice(2, 5));
      }
    });
  });
}
