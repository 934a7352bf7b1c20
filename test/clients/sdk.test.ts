/**
 * The SDK that wallets and dApps use, against our web server in the response profile `mintlayer-core`. It is used as
 * its README says; only the hosts that it asks are others. With `CLIENT_CHECKOUTS` it is the SDK of the checkout.
 */
import assert from 'node:assert/strict';
import { after, it, mock } from 'node:test';
import type { Client } from '@mintlayer/sdk';
import { destinationAddress, parseDestination } from '../../src/chain/address.ts';
import { readTransaction } from '../../src/chain/codec/transaction.ts';
import { decodeWhole } from '../../src/chain/scale/reader.ts';
import type { Transaction } from '../../src/chain/types.ts';
import { sdk, WITHOUT_CHECKOUTS } from '../support/client-checkouts.ts';
import { findExamples, knownRequests, redirectFetch } from '../support/client-requests.ts';
import { builtBefore } from '../support/file-scope.ts';
import { payment, SDK_NETWORK, type SdkWallet, sdkWallet, startSdkStack } from '../support/sdk-wallet.ts';
import type { TestServer } from '../support/web-server.ts';
import type { WholeStack } from '../support/whole-stack.ts';

const TEXT = 'text/plain';
/** Somebody else's address. */
const STRANGER = destinationAddress(SDK_NETWORK, `01${'5a'.repeat(20)}`);

let stack: WholeStack;
let server: TestServer;
let wallet: SdkWallet;
let client: Client;
/** What the SDK asked for. */
const asked = new Set<string>();

builtBefore(async (scope) => {
  stack = await startSdkStack(scope);
  server = stack.servers['mintlayer-core'];
  wallet = sdkWallet();
  redirectFetch(server, asked);
  mock.method(console, 'log', () => {});
  await submit(payment(stack.node, wallet.receiving, [1_000n, 700n, 300n]).toString('hex'));
  client = await sdk.Client.create({ network: 'testnet', autoRestore: false, accountProvider: wallet.provider });
  await client.connect();
});
after(() => mock.restoreAll());

/** What our codec reads in a transaction that the SDK has built. */
function unsigned({ HEXRepresentation_unsigned: hex }: { readonly HEXRepresentation_unsigned: unknown }): Transaction {
  return decodeWhole(Buffer.from(String(hex), 'hex'), readTransaction, 'a transaction');
}

/** Hands a signed transaction to the node by our server, and waits until it is in a block; gives its id. */
async function submit(hex: string): Promise<string> {
  const { status, body, text } = await server.request('/api/v2/transaction', {
    method: 'POST',
    headers: { 'content-type': TEXT },
    body: hex,
  });
  assert.equal(status, 200, text);
  await stack.grow();
  return body.tx_id;
}

/** The same by the SDK. The types of the SDK name an object where its signer gives hex text. */
async function broadcast(signed: unknown): Promise<string> {
  const { tx_id: id } = await client.broadcastTx(signed as string);
  await stack.grow();
  const { body } = await server.get(`/transaction/${id}`);
  assert.equal(body.id, id);
  return id;
}

/** Coins for somebody who knows a secret, or back to the wallet. */
const htlc = (amount: number, secretHash: string) =>
  client.createHtlc({
    amount,
    secret_hash: { hex: secretHash.repeat(20), string: null },
    spend_address: STRANGER,
    spend_pubkey: '',
    refund_address: wallet.receiving,
    refund_timelock: { type: 'ForBlockCount', content: 20 } as never,
  });

/** The contract that a refund of a transaction spends. */
async function refunded(id: string): Promise<readonly [source: string, type: string]> {
  const refund = await client.buildRefundHtlc({ transaction_id: id });
  const [input] = refund.JSONRepresentation.inputs as { input: { source_id: string }; utxo: { type: string } }[];
  return [input!.input.source_id, input!.utxo.type];
}

it('the SDK finds the API server', () => {
  assert.ok(client.isConnected());
  assert.deepEqual(asked, new Set(['GET /chain/tip']));
});

it('the SDK reads the balance of the addresses of a wallet, also of one that was never used', async () => {
  assert.equal(await client.getBalance(), 2_000);
  assert.deepEqual(await client.getBalances(), { coin: 2_000, token: {} });
  assert.deepEqual(await client.getDelegations(), []);
  assert.deepEqual(await client.getTokensOwned(), []);
});

it('the SDK builds a transaction from our UTXOs that is what our own codec reads, and the node takes it', async () => {
  const to = STRANGER;
  const built = await client.buildTransaction({ type: 'Transfer', params: { to, amount: 12.5 } } as never);
  const { inputs, outputs } = unsigned(built);
  assert.equal(inputs.length, 1);
  assert.deepEqual(outputs[0], {
    type: 'Transfer',
    value: { type: 'Coin', amount: 1_250_000_000_000n },
    destination: parseDestination(SDK_NETWORK, STRANGER),
  });

  const id = await broadcast(await client.transfer({ to, amount: 12.5 }));
  assert.equal(id, built.transaction_id);
  const { body } = await server.get(`/transaction/${id}`);
  assert.deepEqual(body.outputs[0], {
    type: 'Transfer',
    value: { type: 'Coin', amount: { atoms: '1250000000000', decimal: '12.5' } },
    destination: to,
  });
  const left = 2_000 - 12.5 - Number(body.fee.decimal);
  assert.ok(Math.abs((await client.getBalance()) - left) < 1e-6);
});

let tokenId: string;

it('the SDK issues a token, mints it, sends it, and sees what is left', async () => {
  const id = await broadcast(
    await client.issueToken({
      authority: wallet.receiving,
      is_freezable: true,
      metadata_uri: 'ipfs://of-the-sdk',
      number_of_decimals: 3,
      token_ticker: 'SDKT',
      supply_type: 'Lockable',
    }),
  );
  [tokenId] = (await client.getTokensOwned()) as [string];
  assert.deepEqual(await server.json('/token/ticker/sdkt'), [tokenId]);
  assert.equal((await server.json(`/transaction/${id}`)).outputs[0].token_ticker.string, 'SDKT');

  await broadcast(await client.mintToken({ destination: wallet.receiving, amount: 1_000, token_id: tokenId }));
  await broadcast(await client.transfer({ to: STRANGER, amount: 250.125, token_id: tokenId }));
  assert.deepEqual((await client.getBalances()).token, { [tokenId]: 749.875 });
  const token = await server.json(`/token/${tokenId}`);
  assert.equal(token.circulating_supply.decimal, '1000');
  assert.equal(token.next_nonce, 1);
});

it('the SDK commands a token by the nonce that we tell', async () => {
  await broadcast(await client.changeMetadataUri({ token_id: tokenId, new_metadata_uri: 'ipfs://changed' }));
  await broadcast(await client.freezeToken({ token_id: tokenId, is_unfreezable: true }));
  assert.equal((await server.json(`/token/${tokenId}`)).frozen, true);
  await broadcast(await client.unfreezeToken({ token_id: tokenId }));
  await broadcast(await client.lockTokenSupply({ token_id: tokenId }));
  const token = await server.json(`/token/${tokenId}`);
  assert.deepEqual(
    [token.circulating_supply.decimal, token.metadata_uri.string, token.frozen, token.is_locked, token.next_nonce],
    ['1000', 'ipfs://changed', false, true, 5],
  );
});

it('the SDK delegates to a pool that we list, and finds the delegation again by the pool', async () => {
  const [{ pool_id: pool }] = await server.json('/pool?sort=by_pledge&items=1');
  await broadcast(await client.delegationCreate({ pool_id: pool, destination: wallet.receiving }));
  await broadcast(await client.delegationStake({ pool_id: pool, amount: 200 }));
  const [delegation] = (await client.getDelegations()) as unknown as { pool_id: string }[];
  assert.equal(delegation!.pool_id, pool);
  const total = await client.getDelegationsTotal();
  assert.ok(total >= 200 && total < 201, `${total}`);

  const withdrawal = await client.buildDelegationWithdraw({ pool_id: pool, amount: 5 });
  const { inputs } = unsigned(withdrawal);
  assert.equal(inputs[0]!.type, 'Account');
  assert.equal(inputs[0]!.type === 'Account' && inputs[0]!.nonce, 0n);
});

it('the SDK makes an order, finds it among the open ones, and fills a part of it', async () => {
  await broadcast(
    await client.createOrder({
      conclude_destination: wallet.receiving,
      ask_token: 'Coin',
      ask_amount: 50,
      give_token: tokenId,
      give_amount: 100,
    }),
  );
  const [order] = await client.getAccountOrders();
  assert.equal(order!.give_balance.decimal, '100');
  assert.ok((await client.getAvailableOrders()).some(({ order_id: id }) => id === order!.order_id));

  await broadcast(await client.fillOrder({ order_id: order!.order_id, amount: 20, destination: wallet.receiving }));
  const filled = await server.json(`/order/${order!.order_id}`);
  assert.deepEqual([filled.ask_balance.decimal, filled.give_balance.decimal], ['30', '60']);
  const pair = await server.json(`/order/pair/TML_${tokenId}`);
  assert.deepEqual(pair, [filled]);

  const conclusion = await client.buildConcludeOrder({ order_id: order!.order_id });
  assert.equal(conclusion.JSONRepresentation.outputs.length, 3);
});

it('the SDK locks coins by a hash and finds the contract in our transaction', async () => {
  const id = await broadcast(await htlc(10, '00'));
  assert.deepEqual(await refunded(id), [id, 'Htlc']);
});

it('the SDK burns and deposits data', async () => {
  const supply = await server.json('/statistics/coin');
  await broadcast(await client.burn({ token_id: 'Coin', amount: 3 }));
  const after = await server.json('/statistics/coin');
  assert.ok(BigInt(after.burned.atoms) - BigInt(supply.burned.atoms) >= 300_000_000_000n);
  const id = await broadcast(await client.dataDeposit({ data: 'of the SDK' }));
  const { outputs } = await server.json(`/transaction/${id}`);
  assert.equal(Buffer.from(outputs[0].data).toString(), 'of the SDK');
});

it('the SDK is told by the node what is wrong with a transaction', async () => {
  const signed = await client.transfer({ to: STRANGER, amount: 1 });
  const conflicting = await client.transfer({ to: STRANGER, amount: 1.5 });
  const id = await broadcast(signed);
  await assert.rejects(
    client.broadcastTx(conflicting as unknown as string),
    // Version 1.0.32 keeps only the status.
    WITHOUT_CHECKOUTS ? /Failed to broadcast transaction: Mempool error: / : /Broadcast error 500/,
  );
  assert.equal((await client.broadcastTx(signed as unknown as string)).tx_id, id, 'once more is no mistake');
});

it('the SDK works with a transaction that is pending, as the explorer and the service of the wallets do', async () => {
  const signed = await htlc(7, '11');
  const { tx_id: id } = await client.broadcastTx(signed as unknown as string);
  assert.deepEqual(await refunded(id), [id, 'Htlc']);
  const pending = await server.json(`/transaction/${id}`);
  assert.equal(pending.block_id, null);
  const addresses = [wallet.receiving, wallet.change];
  const views = await Promise.all(addresses.map((address) => server.json(`/mempool/address/${address}`)));
  assert.ok(views.some(({ transactions }) => transactions.includes(id)));
  assert.equal(views.flatMap((view) => view.spent_outpoints).length, pending.inputs.length);
  const { body } = await server.batch({ type: '/transaction/:txid', ids: [id] });
  for (const each of [pending, ...body.results]) {
    assert.ok(Number(each.fee.decimal) > 0);
    for (const { utxo } of each.inputs) assert.ok([wallet.receiving, wallet.change].includes(utxo.destination));
  }
  await stack.grow();
  assert.notEqual((await server.json(`/transaction/${id}`)).block_id, null);
});

it('the SDK submits as JSON, too', async () => {
  const hex = (await client.transfer({ to: STRANGER, amount: 2 })) as unknown as string;
  const { tx_id: id } = await client.broadcastTx({ hex, json: {} as never });
  assert.match(id, /^[0-9a-f]{64}$/);
});

it('the SDK sends no request but those that are known of it', async () => {
  const known = knownRequests('SDK', server, await findExamples(stack));
  assert.deepEqual(
    [...asked].filter((request) => !known.has(request)),
    [],
  );
  assert.ok(asked.size > 10, `${[...asked]}`);
});
