/** Blocks that are made without proof of stake, on networks without it: their headers, rewards and fees. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destinationAddress } from '../../src/chain/address.ts';
import type { TxOutput } from '../../src/chain/types.ts';
import { COIN, coins, OWNER, signed, spend, transfer } from '../ledger/small-world.ts';
import { HandmadeChain, handmadeServers } from '../support/handmade-chain.ts';
import { merkleVerify } from '../support/merkle-path.ts';

const MINER = `01${'0b'.repeat(20)}`;
/** Has nothing but a reward. */
const NEWCOMER = `01${'0c'.repeat(20)}`;
const MAX_NONCE = (1n << 128n) - 1n;

const reward = (destination: string, value: bigint): TxOutput => ({
  type: 'LockThenTransfer',
  value: coins(30n * COIN),
  destination,
  lock: { type: 'ForBlockCount', value },
});

const chain = new HandmadeChain([transfer(coins(1000n * COIN))]);
const { network } = chain;
const none = chain.add({ reward: [reward(MINER, 0n)] });
const paying = signed([spend(network.genesisId, 0, 'BlockReward')], [transfer(coins(999n * COIN))]);
const mined = chain.add({
  consensus: { type: 'PoW', bits: 0x207fffff, nonce: MAX_NONCE },
  transactions: [paying],
  reward: [reward(MINER, 500n), reward(NEWCOMER, 500n)],
});
const spending = signed([spend(none.id, 0, 'BlockReward')], [transfer(coins(28n * COIN))]);
const next = chain.add({ consensus: { type: 'PoW', bits: 0, nonce: 7n }, transactions: [spending] });

const servers = handmadeServers(chain);
const [miner, newcomer] = [MINER, NEWCOMER].map((destination) => destinationAddress(network, destination));
const amount = (count: bigint) => ({ atoms: `${count * COIN}`, decimal: `${count}` });

// docs/api.md#headers-in-json
servers.alike('the header of a block without consensus data has none', async (server) => {
  const header = await server.json(`/block/${none.id}/header`);
  assert.deepEqual(header, {
    previous_block_id: network.genesisId,
    timestamp: { timestamp: none.block.header.timestamp },
    merkle_root: none.block.header.txMerkleRoot,
    witness_merkle_root: none.block.header.witnessMerkleRoot,
    consensus_data: null,
  });
  assert.deepEqual((await server.json(`/block/${none.id}`)).header, header);
});

servers.alike('the header of a mined block has its bits and its nonce, to the last digit', async (server) => {
  const { text } = await server.get(`/block/${mined.id}/header`);
  assert.match(text, new RegExp(`"consensus_data":\\{"bits":${0x207fffff},"nonce":${MAX_NONCE}\\}`));
  assert.deepEqual((await server.json(`/block/${next.id}`)).header.consensus_data, { bits: 0, nonce: 7 });
});

servers.alike('a mined block has a target and a difficulty, one without consensus data has none', async (server) => {
  const shown = (await server.json('/block?items=10')).items.map(({ target, difficulty }: Record<string, unknown>) => [
    target,
    difficulty,
  ]);
  assert.deepEqual(shown, [
    [`0x${'0'.repeat(64)}`, null],
    [`0x7fffff${'0'.repeat(58)}`, '1'],
    [null, null],
  ]);
  assert.deepEqual((await server.json('/statistics/series/difficulty?interval=hour')).points.at(-1)[1], '0');
});

it('described: a block has its target and its difficulty', async () => {
  const { target, difficulty } = await servers.described.json(`/block/${mined.id}`);
  assert.deepEqual([target, difficulty], [`0x7fffff${'0'.repeat(58)}`, '1']);
  assert.ok(!('target' in (await servers.core.json(`/block/${mined.id}`))));
});

servers.alike('the reward of a mined block is what it pays out, under the lock that it carries', async (server) => {
  const expected = (destination: string | undefined) => ({
    type: 'LockThenTransfer',
    destination,
    value: { type: 'Coin', amount: amount(30n) },
    lock: { type: 'ForBlockCount', content: 500 },
  });
  assert.deepEqual(await server.json(`/block/${mined.id}/reward`), [expected(miner), expected(newcomer)]);
  assert.deepEqual((await server.json(`/block/${mined.id}`)).body.reward, [expected(miner), expected(newcomer)]);
  assert.deepEqual(await server.json(`/block/${next.id}/reward`), []);
});

// docs/indexing-rules.md#reward-distribution: no subsidy, and the fees are not credited anywhere.
// docs/indexing-rules.md#block-rewards-and-genesis: the rewards are preminted.
servers.alike('the fees of a mined block are nobody’s, and neither burned nor minted', async (server) => {
  const [{ id: paid }] = (await server.json(`/block/${mined.id}`)).body.transactions;
  assert.deepEqual((await server.json(`/transaction/${paid}`)).fee, amount(1n));
  assert.deepEqual(await server.json('/statistics/coin'), {
    circulating_supply: amount(1090n),
    preminted: amount(1090n),
    burned: amount(0n),
    staked: amount(0n),
  });
  const owners = [OWNER, MINER].map(async (destination) => {
    const { coin_balance, locked_coin_balance } = await server.json(
      `/address/${destinationAddress(network, destination)}`,
    );
    return [coin_balance, locked_coin_balance];
  });
  assert.deepEqual(await Promise.all(owners), [
    [amount(1027n), amount(0n)],
    [amount(30n), amount(0n)],
  ]);
});

servers.alike('the reward of a mined block can be spent, which is the first history of its owner', async (server) => {
  const [spent] = await server.json(`/block/${next.id}/transaction-ids`);
  assert.deepEqual((await server.json(`/address/${miner}`)).transaction_history, [spent]);
  await server.refuses(`/address/${newcomer}`, 404, 'Address not found');
  const [entry, ...more] = await server.json(`/address/${newcomer}/spendable-utxos`);
  assert.deepEqual(entry.outpoint, { source_type: 'BlockReward', source_id: mined.id, index: 1 });
  assert.deepEqual(more, []);
  const { inputs } = await server.json(`/transaction/${spent}`);
  assert.deepEqual(
    [inputs[0].input, inputs[0].utxo.destination],
    [{ input_type: 'UTXO', source_type: 'BlockReward', source_id: none.id, index: 0 }, miner],
  );
});

it('described: all outputs of the owner of a reward include the spent one with what spent it', async () => {
  const [spent] = await servers.described.json(`/block/${next.id}/transaction-ids`);
  const outputs = await servers.described.json(`/address/${miner}/all-utxos`);
  assert.deepEqual(
    outputs.map(({ spent }: { spent: { transaction_id: string } | null }) => spent?.transaction_id ?? null),
    [spent, null],
  );
});

it('mintlayer-core: all outputs of the owner of a reward include the unspent one', async () => {
  const outputs = await servers.core.json(`/address/${miner}/all-utxos`);
  const sources = outputs.map(({ outpoint }: { outpoint: { source_id: string } }) => outpoint.source_id);
  assert.deepEqual(sources, [mined.id]);
});

// docs/protocol.md#merkle-trees: the reward is the first leaf.
servers.alike('the merkle tree of a mined block begins with its reward', async (server) => {
  const [paid] = await server.json(`/block/${mined.id}/transaction-ids`);
  const path = await server.json(`/transaction/${paid}/merkle-path`);
  assert.equal(path.merkle_root, mined.block.header.txMerkleRoot);
  assert.deepEqual([path.transaction_index, path.merkle_path], [0, [mined.rewardHash]]);
  assert.ok(merkleVerify(paid, path.transaction_index + 1, path.merkle_path, path.merkle_root));
});
