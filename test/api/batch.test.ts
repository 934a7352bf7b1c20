/** `POST /batch`: the same answers as one by one, of one tip. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MAX_BATCH_IDS } from '../../src/api/v2/batch.ts';
import { destinationAddress, tokenAddress } from '../../src/chain/address.ts';
import { ReadConnection } from '../../src/store/read/read-connection.ts';
import { busy, filledServers, network, SIZES } from '../support/filled-servers.ts';

const filled = filledServers();

async function owners(limit: number): Promise<string[]> {
  const { rows } = await filled.index.query(
    `select distinct owner from address_transactions order by owner limit ${limit}`,
  );
  return rows.map(({ owner }) => destinationAddress(network, owner));
}

it('a batch holds what each single request gets, errors included, with the id added to objects', async () => {
  const transactions = (await filled.server.json('/transaction?items=20')).map(({ id }: { id: string }) => id);
  const tokens = await filled.server.json('/token?items=100');
  const nobody = tokenAddress(network, 'ee'.repeat(32));
  const addresses = [...(await owners(20)), busy, 'nonsense', '', 'rmt1q/../x', '💥'];
  const heights = [0, 1, 17, SIZES.blocks, SIZES.blocks + 1, -1, '3', 'x'];
  const blocks = await Promise.all([0, 1, 17].map((height) => filled.server.json(`/chain/${height}`)));
  const pools = (await filled.server.json('/pool')).map(({ pool_id }: { pool_id: string }) => pool_id);
  const delegations = (await filled.core.json(`/address/${busy}/delegations`)).map(
    ({ delegation_id }: { delegation_id: string }) => delegation_id,
  );
  const asked: [type: string, ids: (string | number)[]][] = [
    ['/address/:address', addresses],
    ['/address/:address/spendable-utxos', addresses],
    ['/address/:address/delegations', addresses],
    ['/address/:address/all-utxos', addresses],
    ['/delegation/:address', [...delegations, 'x']],
    ['/chain/:address', heights],
    ['/block/:address', [...blocks, 'ff'.repeat(32), 'x']],
    ['/pool/:address', [...pools, nobody]],
    ['/transaction/:txid', [...transactions, 'ff'.repeat(32), 'x']],
    ['/token/:token', [...tokens, nobody, 'x']],
    ['/token?offset=:offset', ['0', '10', '60', '1000', '-1', 'x']],
    ['/token?offset=:address', [0, 10, '20', 1000, -1, 'x']],
    ['/nft/:token', [...tokens.toReversed(), nobody]],
  ];
  for (const server of [filled.server, filled.core]) {
    for (const [type, ids] of asked) {
      const { status, body, text } = await server.batch({ type, ids });
      assert.equal(status, 200, text);
      assert.equal(body.results.length, ids.length);
      for (const [i, id] of ids.entries()) {
        // An empty id is no path of a single request.
        if (id === '') continue;
        const single = await server.get(type.replace(/:\w+/, encodeURIComponent(id)));
        const isObject = single.text.startsWith('{');
        const expected = isObject ? { ...single.body, id: single.body.id ?? id } : single.body;
        assert.deepEqual(body.results[i], expected, `${type} ${id}`);
      }
    }
  }
});

it('a batch gives ids back as they were sent, texts and whole numbers, and reads equal ones once', async (t) => {
  const server = await filled.index.serve(t);
  const run = t.mock.method(ReadConnection.prototype, 'run');
  const ids = [5, '5', 5, -1, '-1', '+5'];
  const { results } = (await server.batch({ type: '/chain/:address', ids })).body;
  const statements = run.mock.calls.filter(({ arguments: [{ name }] }) => !/tip/.test(name));
  assert.equal(statements.length, 2);
  const block = await server.json('/chain/5');
  const { error } = (await server.get('/chain/-1')).body;
  assert.deepEqual(results, [block, block, block, { error, id: -1 }, { error, id: '-1' }, block]);
});

it('a batch may have any content type and needs no permission to submit', async () => {
  for (const type of ['application/json', 'text/plain', 'nonsense', '']) {
    const body = { type: '/token?offset=:offset', ids: ['0'] };
    assert.equal((await filled.server.batch(body, { 'content-type': type })).status, 200, type);
  }
});

it('a batch for the network null is one without a network', async () => {
  const body = { type: '/token?offset=:address', ids: [0, 10] };
  const { status, text } = await filled.server.batch({ ...body, network: null });
  assert.deepEqual([status, text], [200, (await filled.server.batch(body)).text]);
});

it('a batch of unknown form is refused', async () => {
  const type = '/address/:address';
  const invalidIds = `Invalid ids: an array of 1 to ${MAX_BATCH_IDS} texts or whole numbers is expected`;
  for (const [body, error] of [
    ['', 'Invalid batch: the body is no JSON object'],
    ['[]', 'Invalid batch: the body is no JSON object'],
    ['{"type"', 'Invalid batch: the body is no JSON object'],
    [{ ids: ['x'] }, 'Unknown type'],
    [{ type: '/pools/:pool', ids: ['x'] }, 'Unknown type'],
    [{ type: 'toString', ids: ['x'] }, 'Unknown type'],
    [{ type: ['/address/:address'], ids: ['x'] }, 'Unknown type'],
    [{ type, ids: ['x'], network: 0 }, 'Invalid network: this server is for regtest'],
    [{ type, ids: ['x'], network: 'regtest' }, 'Invalid network: this server is for regtest'],
    [{ type }, invalidIds],
    [{ type, ids: [] }, invalidIds],
    [{ type, ids: ['x', 7.5] }, invalidIds],
    [{ type, ids: ['x', 1e20] }, invalidIds],
    [{ type, ids: [null] }, invalidIds],
    [{ type, ids: Array(MAX_BATCH_IDS + 1).fill('x') }, invalidIds],
  ] as const) {
    const answer = await filled.server.batch(body);
    assert.deepEqual([answer.status, answer.body], [400, { error }], JSON.stringify(body));
  }
  const tooLong = await filled.server.batch({ type, ids: Array(MAX_BATCH_IDS).fill('x'.repeat(600)) });
  assert.equal(tooLong.status, 413);
  const get = await filled.server.request('/api/v2/batch');
  assert.deepEqual([get.status, get.headers.get('allow')], [405, 'POST']);
});
