/** What an explorer and a wallet do all day: everything that they put together from several answers must fit together. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { fileScope } from '../support/file-scope.ts';
import { merkleVerify } from '../support/merkle-path.ts';
import type { TestServer } from '../support/web-server.ts';
import { WholeStack } from '../support/whole-stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are what their schemas say, which is checked for each
type Json = any;

const scope = fileScope();
let server: TestServer;
let height: number;
/** From height 1 on. */
const blocks: { id: string; block: Json; transactionIds: string[] }[] = [];
let transactions: Json[];
let addresses: string[];

before(async () => {
  const stack = await WholeStack.start(scope, { seed: 'explorer', blocks: 60 });
  server = stack.servers['mintlayer-core'];
  ({ block_height: height } = await server.json('/chain/tip'));
  transactions = (await server.pages('/transaction?items=100')).flat();
  addresses = [...new Set<string>(transactions.flatMap(({ outputs }) => outputs.flatMap(addressesOf)))];
});

/** The addresses that an output names. */
function addressesOf(output: Json): string[] {
  if (output === null) return [];
  const { destination, htlc, data } = output;
  return [destination, htlc?.spend_key, htlc?.refund_key, data?.staker, data?.decommission_key].filter(
    (address) => typeof address === 'string',
  );
}

it('an explorer walks from the tip to the genesis by the ids of the parents, and by height', async () => {
  const genesis = await server.json('/chain/genesis');
  let { block_id: id } = await server.json('/chain/tip');
  for (let at = height; at >= 1; at--) {
    assert.equal(await server.json(`/chain/${at}`), id);
    const [block, header, transactionIds, reward] = await Promise.all(
      ['', '/header', '/transaction-ids', '/reward'].map((part) => server.json(`/block/${id}${part}`)),
    );
    assert.equal(block.height, at);
    assert.deepEqual(block.header, header);
    assert.deepEqual(block.body.reward, reward);
    const shownIds = block.body.transactions.map((transaction: Json) => transaction.id);
    assert.deepEqual(shownIds, transactionIds);
    blocks.unshift({ id, block, transactionIds });
    id = header.previous_block_id;
  }
  assert.equal(id, genesis.block_id);
});

it('an explorer shows each transaction as its block has it, and proves that it is there', async () => {
  for (const { id: block, transactionIds, block: content } of blocks.slice(-25)) {
    for (const [position, id] of transactionIds.entries()) {
      const { block_id: where, timestamp, confirmations: _, ...base } = await server.json(`/transaction/${id}`);
      assert.equal(where, block);
      assert.equal(Number(timestamp), content.header.timestamp.timestamp);
      assert.deepEqual(base, content.body.transactions[position]);
      const proof = await server.json(`/transaction/${id}/merkle-path`);
      assert.deepEqual([proof.block_id, proof.transaction_index], [block, position]);
      assert.equal(proof.merkle_root, content.header.merkle_root);
      assert.ok(merkleVerify(id, position + 1, proof.merkle_path, proof.merkle_root));
    }
  }
});

it('a wallet has a balance that is the sum of what it can spend, and of what is locked', async () => {
  for (const address of addresses) {
    const { status, body } = await server.get(`/address/${address}`);
    if (status === 404) continue;
    const [spendable, all] = await Promise.all(
      ['spendable-utxos', 'all-utxos'].map((list) => server.json(`/address/${address}/${list}`)),
    );
    const coins = (entries: Json[]) =>
      entries
        .filter(({ utxo }) => ['Transfer', 'LockThenTransfer'].includes(utxo.type) && utxo.value.type === 'Coin')
        .reduce((total, { utxo }) => total + BigInt(utxo.value.amount.atoms), 0n);
    assert.equal(coins(spendable), BigInt(body.coin_balance.atoms), address);
    assert.equal(coins(all) - coins(spendable), BigInt(body.locked_coin_balance.atoms), address);
  }
});
