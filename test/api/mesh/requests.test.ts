/** What the Mesh API says of the network, of pending transactions and to mistakes. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { delegationAddress, orderAddress, poolAddress } from '../../../src/chain/address.ts';
import { encodeSignedTransaction } from '../../../src/chain/codec/transaction.ts';
import { idOf } from '../../support/fake-mempool.ts';
import { fileScope } from '../../support/file-scope.ts';
import { FEE_ATOMS, paymentOf } from '../../support/payments.ts';
import { PendingWorld } from '../../support/pending-world.ts';
import { spawnWebServer } from '../../support/running-web-server.ts';
import type { TestServer } from '../../support/web-server.ts';
import { type Json, named, post, refusal } from './mesh-client.ts';

const scope = fileScope();
let world: PendingWorld;
let servers: readonly TestServer[];

before(async () => {
  world = await PendingWorld.start(scope, { hasMesh: true });
  servers = world.servers.map((server) => named(server, world.network));
});

it('the lists of networks, options and the status are those of this chain', async () => {
  for (const server of servers) {
    const own = { blockchain: 'Mintlayer', network: world.network.name };
    assert.deepEqual(await post(server, '/network/list'), { network_identifiers: [own] });
    const { version, allow } = await post(server, '/network/options');
    assert.equal(version.rosetta_version, '1.5.1');
    assert.deepEqual([allow.historical_balance_lookup, allow.balance_exemptions], [true, []]);
    assert.equal(new Set(allow.errors.map(({ code }: Json) => code)).size, allow.errors.length);
    const { current_block_identifier, genesis_block_identifier, sync_status } = await post(server, '/network/status');
    const tip = world.node.tip();
    assert.deepEqual(current_block_identifier, { index: tip.height, hash: tip.id });
    assert.deepEqual(genesis_block_identifier, { index: 0, hash: world.network.genesisId });
    assert.deepEqual(sync_status, { current_index: tip.height, synced: true });
    const { block } = await post(server, '/block', { block_identifier: {} });
    assert.deepEqual(block.block_identifier, current_block_identifier);
  }
});

it('the program has the API with --mesh on; without it, the paths are as unknown as any other', async () => {
  const listed = async (...args: string[]) => {
    const port = await spawnWebServer(scope, world.index.postgres, `--network=${world.network.name}`, ...args);
    const ask = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: '{}' });
      return [response.status, await response.json()] as const;
    };
    return [await ask('/mesh/network/list'), await ask('/no/such/path')] as const;
  };
  const own = { blockchain: 'Mintlayer', network: world.network.name };
  const [list] = await listed('--mesh', 'on');
  assert.deepEqual(list, [200, { network_identifiers: [own] }]);
  const [absent, unknown] = await listed();
  assert.deepEqual(absent, unknown);
  assert.ok(absent[0] >= 400);
});

it('a request that names nothing here gets an error with its code, and whether to try again', async () => {
  const [server] = servers as [TestServer];
  const id = 'ab'.repeat(32);
  const address = 'rmt1nothing';
  const account_identifier = { address };
  const tip = world.node.tip();
  const genesis = { index: 0, hash: world.network.genesisId };
  const pool = [...world.node.simulation.world.pools.values()][0]!;
  const [holder] = (await post(server, '/block', { block_identifier: { index: 0 } })).block.transactions[0].operations;
  const cases: [string, object, number, boolean][] = [
    ['/block', { block_identifier: 7 }, 1, false],
    ['/block', { block_identifier: { index: -1 } }, 1, false],
    ['/block', { block_identifier: { hash: 'x' } }, 1, false],
    ['/block', { network_identifier: { blockchain: 'Bitcoin', network: 'mainnet' }, block_identifier: {} }, 2, false],
    ['/block', { block_identifier: { index: tip.height + 1 } }, 5, true],
    ['/block', { block_identifier: { hash: id } }, 5, true],
    ['/block', { block_identifier: { hash: tip.id, index: 1 } }, 5, true],
    ['/block/transaction', { block_identifier: genesis, transaction_identifier: { hash: id } }, 7, true],
    ['/account/balance', { account_identifier }, 3, false],
    ['/account/balance', { account_identifier: { ...holder.account, sub_account: { address: 'staked' } } }, 3, false],
    [
      '/account/balance',
      { account_identifier: holder.account, currencies: [{ symbol: 'BTC', decimals: 8 }] },
      4,
      false,
    ],
    ['/account/coins', { account_identifier: holder.account, include_mempool: true }, 8, false],
    ['/mempool/transaction', { transaction_identifier: { hash: id } }, 7, true],
    ['/search/transactions', {}, 8, false],
    ['/search/transactions', { address: holder.account.address, type: 'Transfer' }, 8, false],
    ['/construction/derive', { public_key: { hex_bytes: `02${id}`, curve_type: 'edwards25519' } }, 1, false],
    ['/construction/hash', { signed_transaction: 'ab' }, 1, false],
  ];
  assert.ok(pool);
  for (const [path, body, code, retriable] of cases) {
    const [got, retry, message] = await refusal(server, path, body);
    assert.deepEqual([got, retry], [code, retriable], `${path} ${JSON.stringify(body)}: ${message}`);
    assert.ok(message.length > 0);
  }
});

it('a pool, a delegation, an order and an HTLC that no block has created have nothing', async () => {
  const { network } = world;
  const id = 'ab'.repeat(32);
  const addresses = [poolAddress(network, id), delegationAddress(network, id), orderAddress(network, id), `${id}:0`];
  const coin = { symbol: network.coinTicker, decimals: network.coinDecimals };
  for (const server of servers) {
    for (const address of addresses) {
      const account_identifier = { address };
      assert.deepEqual((await post(server, '/account/balance', { account_identifier })).balances, []);
      const { balances } = await post(server, '/account/balance', { account_identifier, currencies: [coin] });
      assert.deepEqual(balances, [{ value: '0', currency: coin }]);
      assert.deepEqual((await post(server, '/account/coins', { account_identifier })).coins, []);
    }
  }
});

it('a payment is pending, then in a block, with the same operations; its fee is what they sum up to', async () => {
  const [server, core] = servers as [TestServer, TestServer];
  const signed = paymentOf(world.node);
  const hash = idOf(signed);
  const signed_transaction = encodeSignedTransaction(signed).toString('hex');
  const transaction_identifier = { hash };
  assert.deepEqual(await post(server, '/construction/hash', { signed_transaction }), { transaction_identifier });
  assert.deepEqual(await post(server, '/construction/submit', { signed_transaction }), { transaction_identifier });
  const { transaction_identifiers } = await post(server, '/mempool');
  assert.ok(transaction_identifiers.some((each: Json) => each.hash === hash));
  const { transaction: pending } = await post(server, '/mempool/transaction', { transaction_identifier });
  const sum = pending.operations.reduce((total: bigint, { amount }: Json) => total + BigInt(amount?.value ?? 0), 0n);
  assert.deepEqual([-sum, BigInt(pending.metadata.fee)], [FEE_ATOMS, FEE_ATOMS]);
  world.node.grow();
  await world.indexIsSeen();
  for (const each of [server, core]) {
    const { transactions } = await post(each, '/search/transactions', { transaction_identifier });
    assert.deepEqual(transactions[0].transaction, pending);
    const coin = pending.operations.find(({ coin_change }: Json) => coin_change?.coin_action === 'coin_created');
    const { coins } = await post(each, '/account/coins', { account_identifier: coin.account });
    assert.ok(coins.some(({ coin_identifier }: Json) => coin_identifier.identifier === `${hash}:0`));
    assert.equal((await refusal(each, '/mempool/transaction', { transaction_identifier }))[0], 7);
  }
});

it('a transaction that the node refuses is an error with its words, and none is taken without permission', async () => {
  const [server] = servers as [TestServer];
  const { transactions } = (await post(server, '/block', { block_identifier: {} })).block;
  const spent = paymentOf(world.node);
  const doubled = {
    ...spent,
    transaction: { ...spent.transaction, outputs: [...spent.transaction.outputs, ...spent.transaction.outputs] },
  };
  const signed_transaction = encodeSignedTransaction(doubled).toString('hex');
  const [code, , message] = await refusal(server, '/construction/submit', { signed_transaction });
  assert.equal(code, 10);
  assert.match(message, /RPC error/);
  const closed = named(await world.index.serve(scope, { hasMesh: true }), world.network);
  assert.equal((await refusal(closed, '/construction/submit', { signed_transaction }))[0], 9);
  assert.ok(transactions.length > 0);
});

it('the address of a public key is the one that wallets make of it', async () => {
  // docs/protocol.md: the generator of the curve.
  const hex_bytes = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
  for (const server of servers) {
    const { account_identifier } = await post(server, '/construction/derive', {
      public_key: { hex_bytes, curve_type: 'secp256k1' },
    });
    assert.match(account_identifier.address, /^rpt?mt1q|^r/);
    assert.deepEqual((await post(server, '/account/balance', { account_identifier })).balances, []);
  }
});
