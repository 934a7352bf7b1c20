/** What an explorer and a wallet do all day: everything that they put together from several answers must fit together. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { merkleVerify } from '../support/merkle-path.ts';
import { sharedStack } from '../support/whole-stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are what their schemas say, which is checked for each
type Json = any;

const stack = sharedStack();
const server = () => stack().servers['mintlayer-core'];
const everyTransaction = async (): Promise<Json[]> => (await server().pages('/transaction?items=100')).flat();

/** The addresses that an output names. */
function addressesOf(output: Json): string[] {
  if (output === null) return [];
  const { destination, htlc, data } = output;
  return [destination, htlc?.spend_key, htlc?.refund_key, data?.staker, data?.decommission_key].filter(
    (address) => typeof address === 'string',
  );
}

it('an explorer walks from the tip to the genesis by the ids of the parents, and by height', async () => {
  const genesis = await server().json('/chain/genesis');
  let { block_height: height, block_id: id } = await server().json('/chain/tip');
  for (; height >= 1; height--) {
    assert.equal(await server().json(`/chain/${height}`), id);
    const [block, header, transactionIds, reward] = await Promise.all(
      ['', '/header', '/transaction-ids', '/reward'].map((part) => server().json(`/block/${id}${part}`)),
    );
    assert.equal(block.height, height);
    assert.deepEqual(block.header, header);
    assert.deepEqual(block.body.reward, reward);
    const shownIds = block.body.transactions.map((transaction: Json) => transaction.id);
    assert.deepEqual(shownIds, transactionIds);
    id = header.previous_block_id;
  }
  assert.equal(id, genesis.block_id);
});

it('an explorer shows each transaction as its block has it, and proves that it is there', async () => {
  for (const { id, block_id: block } of (await everyTransaction()).slice(0, 300)) {
    const { header, body } = await server().json(`/block/${block}`);
    const { block_id: where, timestamp, confirmations: _, ...base } = await server().json(`/transaction/${id}`);
    assert.equal(where, block);
    assert.equal(Number(timestamp), header.timestamp.timestamp);
    const proof = await server().json(`/transaction/${id}/merkle-path`);
    assert.deepEqual([proof.block_id, proof.merkle_root], [block, header.merkle_root]);
    assert.deepEqual(base, body.transactions[proof.transaction_index]);
    assert.ok(merkleVerify(id, proof.transaction_index + 1, proof.merkle_path, proof.merkle_root));
  }
});

it('a wallet has a balance that is the sum of what it can spend, and of what is locked', async () => {
  const outputs = (await everyTransaction()).flatMap((transaction) => transaction.outputs);
  for (const address of new Set<string>(outputs.slice(0, 400).flatMap(addressesOf))) {
    const { status, body } = await server().get(`/address/${address}`);
    if (status === 404) continue;
    const [spendable, all] = await Promise.all(
      ['spendable-utxos', 'all-utxos'].map((list) => server().json(`/address/${address}/${list}`)),
    );
    const coins = (entries: Json[]) =>
      entries
        .filter(({ utxo }) => ['Transfer', 'LockThenTransfer'].includes(utxo.type) && utxo.value.type === 'Coin')
        .reduce((total, { utxo }) => total + BigInt(utxo.value.amount.atoms), 0n);
    assert.equal(coins(spendable), BigInt(body.coin_balance.atoms), address);
    assert.equal(coins(all) - coins(spendable), BigInt(body.locked_coin_balance.atoms), address);
  }
});
