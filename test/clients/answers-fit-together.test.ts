/** What an explorer and a wallet do all day: everything that they put together from several answers must fit together. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ApiError, atomsOf, type MintlayerCore } from '../../packages/client/src/index.ts';
import type { ListedTransaction, Output } from '../../packages/client/src/mintlayer-core.ts';
import { clientOf } from '../support/api-client.ts';
import { merkleVerify } from '../support/merkle-path.ts';
import { sharedStack } from '../support/whole-stack.ts';

const stack = sharedStack();
const client = () => clientOf<MintlayerCore>(stack().servers['mintlayer-core']);
const everyTransaction = (): Promise<ListedTransaction[]> => Array.fromAsync(client().list('/transaction'));

/** The addresses that an output names. */
function addressesOf(output: Output): string[] {
  switch (output.type) {
    case 'Transfer':
    case 'LockThenTransfer':
    case 'ProduceBlockFromStake':
    case 'IssueNft':
    case 'CreateDelegationId':
      return [output.destination];
    case 'Htlc':
      return [output.htlc.spend_key, output.htlc.refund_key];
    case 'CreateStakePool':
      return [output.data.staker, output.data.decommission_key];
    default:
      return [];
  }
}

it('an explorer walks from the tip to the genesis by the ids of the parents, and by height', async () => {
  const genesis = await client().get('/chain/genesis');
  let { block_height: height, block_id: id } = await client().get('/chain/tip');
  for (; height >= 1; height--) {
    assert.equal(await client().get('/chain/{height}', { height }), id);
    const [block, header, transactionIds, reward] = await Promise.all([
      client().get('/block/{id}', { id }),
      client().get('/block/{id}/header', { id }),
      client().get('/block/{id}/transaction-ids', { id }),
      client().get('/block/{id}/reward', { id }),
    ]);
    assert.equal(block.height, height);
    assert.deepEqual(block.header, header);
    assert.deepEqual(block.body.reward, reward);
    assert.deepEqual(
      block.body.transactions.map((transaction) => transaction.id),
      transactionIds,
    );
    id = header.previous_block_id;
  }
  assert.equal(id, genesis.block_id);
});

it('an explorer shows each transaction as its block has it, and proves that it is there', async () => {
  for (const { id, block_id: block } of (await everyTransaction()).slice(0, 300)) {
    const { header, body } = await client().get('/block/{id}', { id: block });
    const { block_id: where, timestamp, confirmations: _, ...base } = await client().get('/transaction/{id}', { id });
    assert.equal(where, block);
    assert.equal(Number(timestamp), header.timestamp.timestamp);
    const proof = await client().get('/transaction/{id}/merkle-path', { id });
    assert.deepEqual([proof.block_id, proof.merkle_root], [block, header.merkle_root]);
    assert.deepEqual(base, body.transactions[proof.transaction_index]);
    assert.ok(merkleVerify(id, proof.transaction_index + 1, proof.merkle_path, proof.merkle_root));
  }
});

it('a wallet has a balance that is the sum of what it can spend, and of what is locked', async () => {
  const outputs = (await everyTransaction()).flatMap((transaction) => transaction.outputs);
  for (const address of new Set(outputs.slice(0, 400).flatMap(addressesOf))) {
    const found = await client()
      .get('/address/{address}', { address })
      .catch((error: unknown) => (error instanceof ApiError && error.status === 404 ? null : Promise.reject(error)));
    if (found === null) continue;
    const spendable = await Array.fromAsync(client().list('/address/{address}/spendable-utxos', { address }));
    const all = await Array.fromAsync(client().list('/address/{address}/all-utxos', { address }));
    const coins = (entries: readonly { readonly utxo: Output }[]) =>
      entries.reduce(
        (total, { utxo }) =>
          (utxo.type === 'Transfer' || utxo.type === 'LockThenTransfer') && utxo.value.type === 'Coin'
            ? total + atomsOf(utxo.value.amount)
            : total,
        0n,
      );
    assert.equal(coins(spendable), atomsOf(found.coin_balance), address);
    assert.equal(coins(all) - coins(spendable), atomsOf(found.locked_coin_balance), address);
  }
});
