import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeBlock, identifyBlock } from '../../../src/chain/codec/block.ts';
import { decodeGenesis } from '../../../src/chain/codec/genesis.ts';
import { OUTPUT_KINDS } from '../../../src/chain/input-and-output-kinds.ts';
import { signet } from '../../../src/chain/networks/known-networks.ts';
import { MAX_REORGANISATION_DEPTH } from '../../../src/chain/reorganisation-depth.ts';
import type { Id, TxInput } from '../../../src/chain/types.ts';
import { blockArrivals } from '../../../src/devnet/sim/build-chain.ts';
import { SIMULATED_KINDS } from '../../../src/devnet/sim/kinds/transaction-makers.ts';
import { Simulation } from '../../../src/devnet/sim/simulation.ts';
import { MIX_PRESETS } from '../../../src/devnet/sim/transaction-mix.ts';
import { buildChain } from '../../support/chain-with-branches.ts';
import { encodeBlock } from '../../support/encode-blocks.ts';
import { testOverSeeds } from '../../support/seeds.ts';
import { lightSimulation } from '../../support/simulated-chain.ts';
import { imbalances } from '../../support/simulated-totals.ts';
import { fingerprint } from './fingerprint.ts';
import { foreignKernels, regtestPos, upgrading } from './networks.ts';

const INPUT_KINDS: readonly TxInput['type'][] = ['Utxo', 'Account', 'AccountCommand', 'OrderAccountCommand'];
const MAX_BLOCK_BYTES = 1_048_576;

testOverSeeds('a simulated chain is the same, byte for byte, for the same seed', (seed) => {
  const [first, second] = [1, 2].map(() =>
    buildChain({ network: regtestPos, mix: 'dense', seed, blocks: 40, reorganisationProbability: 0.1 }),
  );
  assert.ok(first!.arrivals.length > 0);
  assert.deepEqual(
    first!.arrivals.map(({ block, isTip }) => [block.bytes.toString('hex'), isTip]),
    second!.arrivals.map(({ block, isTip }) => [block.bytes.toString('hex'), isTip]),
  );
});

testOverSeeds('a simulated chain consists of blocks whose roots, ids and encodings are right', (seed) => {
  const { blocks } = buildChain({ network: upgrading, mix: 'dense', seed, blocks: 80 });
  let prev = upgrading.genesisId;
  for (const [index, block] of blocks.entries()) {
    const identified = identifyBlock(block.bytes);
    assert.equal(identified.id, block.id);
    assert.deepEqual(identified.transactionIds, block.transactionIds);
    assert.equal(identified.block.header.prevBlockId, prev);
    assert.equal(block.height, index + 1);
    assert.ok(encodeBlock(identified.block).equals(block.bytes));
    prev = block.id;
  }
});

const everyKind = buildChain({ network: upgrading, mix: 'dense', seed: 'kinds', blocks: 160 });

test('a simulated chain has every kind of output and input', () => {
  const made = new Set<string>();
  for (const { bytes } of everyKind.blocks) {
    const { reward, transactions } = decodeBlock(bytes);
    for (const { type } of reward) made.add(type);
    for (const { transaction } of transactions) {
      for (const { type } of [...transaction.outputs, ...transaction.inputs]) made.add(type);
    }
  }
  assert.deepEqual([...made].sort(), [...OUTPUT_KINDS, ...INPUT_KINDS].sort());
});

test('a simulated chain has every kind of transaction, with the order commands of its height', () => {
  const { blocks, simulation } = everyKind;
  const missing = SIMULATED_KINDS.filter((kind) => (simulation.made.get(kind) ?? 0) === 0);
  assert.deepEqual(missing, []);
  const commands = new Set<string>();
  for (const { bytes, height } of blocks) {
    for (const { transaction } of decodeBlock(bytes).transactions) {
      for (const input of transaction.inputs) {
        const name = commandOf(input);
        if (name === null) continue;
        commands.add(name);
        if (name.startsWith('V0')) assert.ok(height < 60, `${name} at ${height}`);
        if (name.startsWith('V1')) assert.ok(height >= 60, `${name} at ${height}`);
      }
    }
  }
  assert.deepEqual([...commands].sort(), [
    'Account',
    'ChangeTokenAuthority',
    'ChangeTokenMetadataUri',
    'FreezeToken',
    'LockTokenSupply',
    'MintTokens',
    'UnfreezeToken',
    'UnmintTokens',
    'V0 ConcludeOrder',
    'V0 FillOrder',
    'V1 ConcludeOrder',
    'V1 FillOrder',
    'V1 FreezeOrder',
  ]);
});

test('a simulated chain has a proof of stake by a pool whose newest output it spends, and rewards its staker', () => {
  const { blocks } = buildChain({ network: regtestPos, mix: 'demo', seed: 'stake', blocks: 60 });
  const newest = new Map<string, string>();
  const stakers = new Map<string, string>();
  const genesisPool = '123c4c600097c513e088b9be62069f0c74c7671c523c8e3469a1c3f14b7ea2c4';
  newest.set(genesisPool, `${regtestPos.genesisId}:1`);
  stakers.set(genesisPool, '020003c53526caf73cd990148e127cb57249a5e266d78df23968642c976a532197fdaa');
  for (const { bytes, id } of blocks) {
    const { block, transactionIds } = identifyBlock(bytes);
    const { consensus } = block.header;
    assert.ok(consensus.type === 'PoS');
    const { kernelInputs, stakePoolId } = consensus.data;
    const kernel = kernelInputs[0]!;
    assert.ok(kernel.type === 'Utxo');
    assert.equal(`${kernel.outpoint.sourceId}:${kernel.outpoint.index}`, newest.get(stakePoolId));
    newest.set(stakePoolId, `${id}:0`);
    assert.deepEqual(block.reward, [
      { type: 'ProduceBlockFromStake', poolId: stakePoolId, destination: stakers.get(stakePoolId) },
    ]);
    for (const [position, { transaction }] of block.transactions.entries()) {
      for (const [index, output] of transaction.outputs.entries()) {
        if (output.type !== 'CreateStakePool') continue;
        newest.set(output.poolId, `${transactionIds[position]}:${index}`);
        stakers.set(output.poolId, output.data.staker);
      }
    }
  }
  assert.ok(newest.size > 2);
});

test('a simulated chain has kernels of another pool than the one that makes the block, where the network takes them', () => {
  const { blocks } = buildChain({ network: foreignKernels, mix: 'dense', seed: 'kernels', blocks: 200 });
  const heights = blocks.flatMap(({ bytes, height }) => {
    const { header, reward } = decodeBlock(bytes);
    assert.ok(header.consensus.type === 'PoS' && reward[0]?.type === 'ProduceBlockFromStake');
    return header.consensus.data.stakePoolId === reward[0].poolId ? [] : [height];
  });
  assert.ok(heights.length > 3);
  assert.ok(heights.every((height) => height < 70));
});

test('a simulated chain spends outputs in the block that creates them', () => {
  const { blocks } = buildChain({ network: regtestPos, mix: 'dense', seed: 'same', blocks: 30 });
  let spent = 0;
  for (const { bytes, transactionIds } of blocks) {
    const own = new Set(transactionIds);
    for (const { transaction } of decodeBlock(bytes).transactions) {
      for (const input of transaction.inputs) {
        if (input.type === 'Utxo' && own.has(input.outpoint.sourceId)) spent++;
      }
    }
  }
  assert.ok(spent > 20);
});

test('a simulated chain pays the relay minimum for every transaction', () => {
  const simulation = new Simulation({ network: regtestPos, mix: 'dense', seed: 'fees' });
  for (let block = 0; block < 60; block++) {
    simulation.makeTransactions();
    for (const { fee, bytes } of simulation.pending) {
      assert.ok(fee * 1000n >= BigInt(bytes.length) * 100_000_000_000n, `${fee} for ${bytes.length} bytes`);
    }
    simulation.mineBlock();
  }
});

test('a simulated chain fills blocks to the limit, not beyond, with the preset for that', () => {
  const { blocks } = buildChain({ network: regtestPos, mix: 'large', seed: 'large', blocks: 7 });
  const sizes = blocks.map(({ bytes }) => bytes.length);
  assert.ok(sizes.at(-1)! > 990_000);
  for (const size of sizes) assert.ok(size < MAX_BLOCK_BYTES + 1024);
});

test('a simulated chain is as the main network after the set-up of its preset', () => {
  const simulation = new Simulation({ network: regtestPos, mix: 'mainnet', seed: 1, undoDepth: 0 });
  const blocks = simulation.mine(400);
  const { world } = simulation;
  assert.ok(world.livePools.size >= 99 && world.delegations.size >= 3_000 && world.tokens.size >= 200);
  const largest = Math.max(...[...world.pools.values()].map(({ delegations }) => delegations.length));
  assert.ok(largest > 200, `${largest} delegations in one pool`);
  const steady = blocks.slice(-300);
  const mean = steady.reduce((sum, { transactionIds }) => sum + transactionIds.length, 0) / steady.length;
  assert.ok(mean > 2.5 && mean < 3.5, `${mean} transactions a block`);
});

test('a simulated chain gives every resource entries within thirty blocks of the demonstration', () => {
  for (const seed of ['1', '2', '3']) {
    const { world } = buildChain({ network: regtestPos, mix: 'demo', seed, blocks: 30 }).simulation;
    const sizes = [world.pools, world.delegations, world.tokens, world.nfts, world.orders].map(({ size }) => size);
    for (const size of sizes) assert.ok(size >= 2, `seed ${seed}: ${sizes.join(', ')}`);
    assert.ok(world.openOrders.size > 0);
  }
});

test('a simulated chain needs a network with proof of stake from the first block on', () => {
  assert.throws(() => new Simulation({ network: signet, mix: MIX_PRESETS.demo, seed: 1 }), /no proof of stake/);
});

testOverSeeds('a simulated chain is the same world when it is read back', (seed) => {
  const first = new Simulation({ network: upgrading, mix: 'dense', seed });
  const second = new Simulation({ network: upgrading, mix: 'dense', seed });
  for (const [index, { bytes }] of first.mine(70).entries()) second.restore(bytes, index < 40);
  assert.equal(fingerprint(second.world), fingerprint(first.world));
  second.mine(20);
  second.reorganise(30, 31);
  assert.deepEqual(imbalances(second.world), []);
});

test('a simulated chain makes the kinds that it is told to make', () => {
  const simulation = new Simulation({ network: regtestPos, mix: 'dense', seed: 'told' });
  simulation.mine(5);
  const block = simulation.mineTransactions(['htlcCreate', 'htlcCreate', 'tokenMint', 'nftIssue']);
  const types = decodeBlock(block.bytes).transactions.map(({ transaction }) =>
    transaction.outputs.map(({ type }) => type),
  );
  assert.equal(types.length, 4);
  assert.ok(types[0]!.includes('Htlc') && types[1]!.includes('Htlc') && types[3]!.includes('IssueNft'));
});

test('a simulated chain stays as it was when there is nothing to make of that kind', () => {
  const simulation = new Simulation({ network: regtestPos, mix: 'dense', seed: 'none' });
  const before = fingerprint(simulation.world);
  assert.throws(() => simulation.mineTransactions(['transfer', 'orderFill']), /kind orderFill of at height 1/);
  assert.equal(fingerprint(simulation.world), before);
});

testOverSeeds('going back leaves the world exactly as it was at that height', (seed) => {
  const simulation = new Simulation({ network: upgrading, mix: 'dense', seed });
  const at = [fingerprint(simulation.world)];
  for (let height = 1; height <= 80; height++) {
    simulation.mineBlock();
    at.push(fingerprint(simulation.world));
  }
  for (const depth of [1, 2, 7, 30, 40]) {
    simulation.rewind(depth);
    at.length -= depth;
    assert.equal(fingerprint(simulation.world), at.at(-1), `${depth} blocks back to ${simulation.height}`);
  }
  assert.equal(simulation.height, 0);
});

testOverSeeds('going back takes back locks by time however far apart blocks are', (seed) => {
  const mix = { ...MIX_PRESETS.dense, blockSeconds: { from: 500, to: 590 } };
  const simulation = new Simulation({ network: regtestPos, mix, seed, undoDepth: 150 });
  simulation.mine(20);
  const at = fingerprint(simulation.world);
  simulation.mine(150);
  simulation.rewind(150);
  assert.equal(fingerprint(simulation.world), at);
});

testOverSeeds('going back keeps all that was minted somewhere, at every height of every branch', (seed) => {
  const simulation = new Simulation({ network: upgrading, mix: 'dense', seed });
  for (let step = 0; step < 60; step++) {
    if (step % 7 === 6) simulation.reorganise(1 + (step % 5), 1 + (step % 4));
    else simulation.mineBlock();
    assert.deepEqual(imbalances(simulation.world), []);
  }
});

test('going back shares many of the transactions between the old branch and the new one', () => {
  const simulation = new Simulation({ network: regtestPos, mix: 'demo', seed: 'shared' });
  simulation.mine(20);
  const left = new Set(simulation.mine(15).flatMap(({ transactionIds }) => transactionIds));
  const branch = simulation.reorganise(15, 16);
  const shared = branch.flatMap(({ transactionIds }) => transactionIds).filter((id) => left.has(id));
  assert.ok(shared.length > left.size / 3 && shared.length < left.size, `${shared.length} of ${left.size}`);
  assert.equal(simulation.height, 36);
});

test('going back shares none when told so', () => {
  const simulation = new Simulation({ network: regtestPos, mix: 'demo', seed: 'apart' });
  simulation.mine(20);
  const left = new Set(simulation.mine(5).flatMap(({ transactionIds }) => transactionIds));
  const branch = simulation.reorganise(5, 6, { shared: 0 });
  for (const { transactionIds } of branch) for (const id of transactionIds) assert.ok(!left.has(id));
});

/** A node weighs a block with proof of stake by the seconds since its parent alone. */
const weight = (seconds: number) => Math.exp(-seconds / 100);

test('going back grows a branch that a node prefers, also a lower one, if enough blocks are allowed', () => {
  const simulation = new Simulation({ network: regtestPos, mix: 'demo', seed: 'lower' });
  simulation.mine(20);
  let lower = 0;
  for (let depth = 1; depth <= 14; depth++) {
    const parent = simulation.world.timestamp;
    const left = simulation.mine(depth);
    const length = simulation.leastBranch(depth);
    lower += Number(length < depth);
    const branch = simulation.reorganise(depth, length);
    assert.equal(branch.length, length);
    const [replaced, new_] = [left, branch].map((blocks) => {
      return blocks.reduce(
        (sum, { timestamp }, i) => sum + weight(timestamp - (blocks[i - 1]?.timestamp ?? parent)),
        0,
      );
    });
    assert.ok(new_! > replaced!, `${new_} is not above ${replaced}`);
    // With fewer blocks it is not possible.
    assert.ok((length - 1) * weight(1) <= replaced!);
  }
  assert.ok(lower > 5);
});

testOverSeeds('going back by chance leads to tips that a node prefers to all before', (seed) => {
  const options = { network: regtestPos, mix: 'demo', seed, blocks: 150, reorganisationProbability: 0.25 } as const;
  const seen = new Map<Id, { readonly total: number; readonly timestamp: number }>();
  const { timestamp } = decodeGenesis(regtestPos.genesis);
  seen.set(regtestPos.genesisId, { total: 0, timestamp });
  let tip = 0;
  for (const { block, isTip } of blockArrivals(options)) {
    const parent = seen.get(block.prev)!;
    const total = parent.total + weight(block.timestamp - parent.timestamp);
    seen.set(block.id, { total, timestamp: block.timestamp });
    if (!isTip) continue;
    assert.ok(total > tip);
    tip = total;
  }
});

test('going back goes as deep as nodes accept, not deeper', () => {
  const simulation = lightSimulation('deep');
  simulation.mine(MAX_REORGANISATION_DEPTH + 10);
  const refusal = new RegExp(`Only the newest ${MAX_REORGANISATION_DEPTH} blocks`);
  assert.throws(() => simulation.rewind(MAX_REORGANISATION_DEPTH + 1), refusal);
  simulation.reorganise(MAX_REORGANISATION_DEPTH, MAX_REORGANISATION_DEPTH + 1);
  assert.equal(simulation.height, MAX_REORGANISATION_DEPTH + 11);
  assert.deepEqual(imbalances(simulation.world), []);
});

function commandOf(input: TxInput): string | null {
  switch (input.type) {
    case 'Utxo':
      return null;
    case 'Account':
      return input.type;
    case 'AccountCommand':
      return `${'orderId' in input.command ? 'V0 ' : ''}${input.command.type}`;
    case 'OrderAccountCommand':
      return `V1 ${input.command.type}`;
  }
}
