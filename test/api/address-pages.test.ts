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

async function ask(server: TestServer, list: string, query: string) {
  const { status, body: json, headers } = await server.get(`/address/${busy}/${list}?${query}`);
  return { status, json: json as unknown[] & { error?: string }, next: headers.get('x-next-cursor') };
}

for (const list of LISTS) {
  describe(`/address/{a}/${list}`, () => {
    it('is given whole without what asks for a page', async () => {
      for (const [server, query] of [
        [described, ''],
        [described, 'offset=3'],
        [core, ''],
        [core, 'items=2'],
        [core, 'items=500&offset=x'],
      ] as const) {
        const { status, json, next } = await ask(server, list, query);
        assert.equal(status, 200, query);
        assert.ok(json.length >= MORE_THAN_A_PAGE, `${json.length} entries for "${query}"`);
        assert.equal(next, null);
      }
    });

    it('is given in pages by cursor in both contracts, in the described one by items as well', async () => {
      for (const [server, query] of [
        [described, 'items=2'],
        [described, 'cursor=&items=2'],
        [core, 'cursor=&items=2'],
      ] as const) {
        const whole = (await ask(server, list, '')).json;
        const first = await ask(server, list, query);
        assert.deepEqual(first.json, whole.slice(0, 2), query);
        const second = await ask(server, list, `items=3&cursor=${first.next}`);
        assert.deepEqual(second.json, whole.slice(2, 5), query);
      }
    });

    it('refuses an offset where a page is asked for', async () => {
      for (const [server, query, error] of [
        [described, 'items=2&offset=1', /^Invalid offset: this list is paged by cursor$/],
        [described, 'cursor=&offset=1', /^Invalid cursor/],
        [core, 'cursor=&offset=1', /^Invalid cursor/],
      ] as const) {
        const { status, json } = await ask(server, list, query);
        assert.equal(status, 400, query);
        assert.match(json.error!, error);
      }
    });
  });
}
