/** Where the contracts differ about what there is not. */
import assert from 'node:assert/strict';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../../src/chain/address.ts';
import { bothContracts, UNKNOWN } from './both-profiles.ts';

const { golden, answers, each, alike } = bothContracts();

answers('a height without a block', () => '/chain/100000', {
  described: [200, null],
  core: [404, { error: 'No block found at supplied height' }],
});

answers('a height that no chain will reach', () => '/chain/9223372036854775807', {
  described: [200, null],
  core: [404, { error: 'No block found at supplied height' }],
});

each('the height of the genesis', {
  described: async () => assert.equal(await golden.described.json('/chain/0'), golden.network.genesisId),
  core: async () => assert.equal((await golden.core.get('/chain/0')).status, 404),
});

alike('the genesis and its reward are no block', async (server) => {
  assert.equal((await server.get(`/block/${golden.network.genesisId}`)).status, 404);
  assert.equal((await server.json('/chain/genesis')).block_id, golden.network.genesisId);
});

alike('an order that is concluded is still found by its id, and in no list', async (server) => {
  const { order_id } = await golden.one('select order_id from orders where is_concluded limit 1');
  assert.equal((await server.get(`/order/${orderAddress(golden.network, order_id!)}`)).status, 200);
  assert.deepEqual(await server.json('/order'), []);
});

alike('unknown things are not found, each in its own words', async (server) => {
  const missing: [path: string, message: string][] = [
    [`/block/${UNKNOWN}`, 'Block not found'],
    [`/block/${UNKNOWN}/header`, 'Block not found'],
    [`/transaction/${UNKNOWN}`, 'Transaction not found'],
    [`/transaction/${UNKNOWN}/merkle-path`, 'Transaction not found'],
    [`/transaction/${UNKNOWN}/output/0`, 'Transaction output not found'],
    [`/pool/${poolAddress(golden.network, UNKNOWN)}`, 'Stake pool not found'],
    [`/delegation/${delegationAddress(golden.network, UNKNOWN)}`, 'Delegation not found'],
    [`/token/${tokenAddress(golden.network, UNKNOWN)}`, 'Token not found'],
    [`/token/${await golden.nft()}`, 'Token not found'],
    [`/nft/${await golden.token()}`, 'NFT not found'],
    [`/order/${orderAddress(golden.network, UNKNOWN)}`, 'Order not found'],
    [`/statistics/token/${tokenAddress(golden.network, UNKNOWN)}`, 'Token not found'],
    [`/address/${destinationAddress(golden.network, `01${'99'.repeat(20)}`)}`, 'Address not found'],
  ];
  for (const [path, message] of missing) {
    const answer = await server.get(path);
    assert.deepEqual([answer.status, answer.body.error], [404, message], path);
  }
});
