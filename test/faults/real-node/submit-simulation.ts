/**
 * Submits what a simulation makes to a real node of mintlayer-core, block by block, and counts what the node refuses and
 * why. The node makes the proofs of stake; everything else in a block is the simulation's, with valid signatures.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { delegationAddress, orderAddress, poolAddress, tokenAddress } from '../../../src/chain/address.ts';
import { decodeBlock, encodeReward } from '../../../src/chain/codec/block.ts';
import { writeHeader, writeHeaderSignature } from '../../../src/chain/codec/header.ts';
import { writeInput } from '../../../src/chain/codec/input.ts';
import { writeOutput } from '../../../src/chain/codec/output.ts';
import { hash } from '../../../src/chain/hash.ts';
import { merkleRoot } from '../../../src/chain/merkle.ts';
import { regtestPos } from '../../../src/chain/networks/known-networks.ts';
import type { Network } from '../../../src/chain/networks/network.ts';
import { encodeWhole, ScaleWriter } from '../../../src/chain/scale/writer.ts';
import type { Atoms, Block, Id } from '../../../src/chain/types.ts';
import { BlockFiller } from '../../../src/devnet/sim/fill-block.ts';
import { MakerContext } from '../../../src/devnet/sim/maker-context.ts';
import { Random } from '../../../src/devnet/sim/random.ts';
import { applyGenesisToWorld } from '../../../src/devnet/sim/rules/apply-genesis.ts';
import {
  payStakerAndEndBlock,
  type SealedTransaction,
  sealTransaction,
} from '../../../src/devnet/sim/seal-block.ts';
import { mixPresetByName, type TransactionMix } from '../../../src/devnet/sim/transaction-mix.ts';
import { UnsealedBlock, type UnsealedTransaction } from '../../../src/devnet/sim/unsealed-block.ts';
import { type SimulatedPool, SimulatedWorld } from '../../../src/devnet/sim/world.ts';
import { newScope, type Scope } from '../../support/file-scope.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { NodeDaemon, RpcError } from './node-daemon.ts';
import { SigningKeys, schnorrSignature } from './sign.ts';

const HELP = `Usage: node bin/run.mjs test/faults/real-node/submit-simulation.ts --node PROGRAM [OPTION …]

  --node PROGRAM   mintlayer-core's node-daemon, 1.4
  --seed TEXT      [1]
  --preset NAME    dense, demo, mainnet or large [dense]
  --blocks N       [1000]
  --orders-v1 N    orders have version 0 below this height [0]
`;

/** The keys of the pool in the genesis of regtest, as mintlayer-core publishes them. */
const GENESIS = {
  secret: 0x8717e6946febd3a33ccdc3f3a27629ec80c33461c33a0fc56b4836fcedd26638n,
  vrfPrivateKey:
    '003fcf7b813bec2a293f574b842988895278b396dd72471de2583b242097a59f06e9f3cd7b78d45750afd17292031373fddb5e7a8090db51221038f5e05f29998e',
  vrfPublicKey: '00fa2f59dc7a7e176058e4f2d155cfa03ee007340e0285447892158823d332f744',
};
/** A pool with the smallest pledge finds a block in about two minutes. */
const INITIAL_TARGET = 0x19260000;
const OPTIONS = ['--blockprod-min-peers-to-produce-blocks', '0', '--enable-chainstate-heavy-checks', 'false'];
const EXAMPLES = 3;

/** A block whose transactions are signed before they change the world. */
class SignedBlock extends UnsealedBlock {
  override include(sealed: SealedTransaction, checkFee?: (fee: Atoms) => void): UnsealedTransaction {
    const keys = this.world.userKeys as SigningKeys;
    return super.include(sealTransaction(keys.sign(this.world, sealed.signed)), checkFee);
  }
}

/** What the node refused, by its reason. */
class Refusals {
  readonly #byReason = new Map<string, string[]>();

  add(by: string, error: RpcError, { signed, id }: SealedTransaction): void {
    const reason = `${by}: ${error.message.replaceAll(/[0-9a-f]{64}|\b[rR][a-z]+1[0-9a-z]{30,}|\d{3,}/g, '…')}`;
    const { inputs, outputs } = signed.transaction;
    const kinds = [...inputs.map((input) => ('command' in input ? input.command.type : input.type)), '→'];
    const found = this.#byReason.get(reason) ?? [];
    found.push(`${id} ${[...kinds, ...outputs.map(({ type }) => type)].join(' ')}`);
    this.#byReason.set(reason, found);
  }

  lines(): string[] {
    return [...this.#byReason].flatMap(([reason, all]) => [
      `${all.length} × ${reason}`,
      ...all.slice(0, EXAMPLES).map((each) => `    ${each.slice(0, 300)}`),
    ]);
  }
}

/** An empty block of a pool on the node's tip: of its parts, the proof and the time are used. */
async function proofOf(node: NodeDaemon, world: SimulatedWorld, pool: SimulatedPool): Promise<Block> {
  const keys = world.userKeys as SigningKeys;
  const kernel = world.utxos.get(pool.outputKey)!;
  const secret = keys.secretOfKey(pool.staker.slice(2)).toString(16).padStart(64, '0');
  const writer = new ScaleWriter();
  writer.raw(Buffer.from(`0200${secret}${GENESIS.vrfPrivateKey}${pool.id}`, 'hex'));
  writer.vector([{ type: 'Utxo', outpoint: kernel.outpoint }], writeInput);
  writer.vector([kernel.output], writeOutput);
  const input = writer.finish().toString('hex');
  for (;;) {
    try {
      const hex: string = await node.call('blockprod_generate_block', input, [], [], 'LeaveEmptySpace');
      return decodeBlock(Buffer.from(hex, 'hex'));
    } catch (error) {
      // Its mempool is still at the parent of the tip.
      if (!/recoverable mempool error/.test((error as Error).message)) throw error;
      await sleep(2);
    }
  }
}

/** Puts transactions into an empty block. */
function filled(
  empty: Block,
  transactions: readonly SealedTransaction[],
  secret: bigint,
): { id: Id; bytes: Buffer } {
  const reward = encodeReward(empty.reward);
  const root = (leaves: readonly string[]) => merkleRoot([hash(reward), ...leaves]);
  const header = encodeWhole(writeHeader, {
    ...empty.header,
    txMerkleRoot: root(transactions.map(({ id }) => id)),
    witnessMerkleRoot: root(transactions.map(({ witnessHash }) => witnessHash)),
  });
  const signature = encodeWhole(writeHeaderSignature, schnorrSignature(secret, header));
  const count = encodeWhole((writer, length: number) => writer.compact(length), transactions.length);
  const bytes = Buffer.concat([header, signature, reward, count, ...transactions.map((each) => each.bytes)]);
  return { id: hash(header), bytes };
}

async function main(args: string[]): Promise<void> {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  const { values } = parseArgs({
    args,
    options: {
      node: text(''),
      seed: text('1'),
      preset: text('dense'),
      blocks: text('1000'),
      'orders-v1': text('0'),
    },
  });
  const mix = mixPresetByName(values.preset);
  if (values.node === '' || mix === undefined) return void console.log(HELP);
  const ordersV1 = Number(values['orders-v1']);
  const network = { ...regtestPos, upgrades: { ...regtestPos.upgrades, ordersV1 } };
  const { scope, end } = newScope();
  const run = { program: values.node, seed: values.seed, blocks: Number(values.blocks), mix, network };
  await submitSimulation(scope, run).finally(end);
  process.exit(0);
}

interface Run {
  readonly program: string;
  readonly seed: string;
  readonly blocks: number;
  readonly mix: TransactionMix;
  readonly network: Network;
}

async function submitSimulation(scope: Scope, { program, seed, blocks, mix, network }: Run): Promise<void> {
  const { ordersV1 } = network.upgrades;
  const options = [...OPTIONS, '--chain-initial-difficulty', `${INITIAL_TARGET}`];
  if (ordersV1 > 0) options.push('--chain-chainstate-orders-v1-upgrade-height', `${ordersV1}`);
  const node = await NodeDaemon.start(program, await temporaryDirectory(scope), options);
  scope.after(() => node.kill());

  const random = new Random(seed);
  const keys = new SigningKeys(seed, GENESIS);
  for (let count = 0; count < mix.addresses; count++) keys.newDestination();
  const world = new SimulatedWorld(network, keys);
  applyGenesisToWorld(world);
  const filler = new BlockFiller(new MakerContext(world, random, mix, keys.destinations[0]!), mix);
  const refusals = new Refusals();
  let waiting: SealedTransaction[] = [];
  const counts = { transactions: 0, bytes: 0, refused: 0, 'not tried': 0 };

  while (world.height < blocks) {
    const begin = (timestamp: number) => {
      random.reseed(`${seed}/${world.height + 1}`);
      return new SignedBlock(world, random, () => timestamp, 1);
    };
    // Who makes the next block is drawn first: it depends on the time when.
    const drawn = begin(world.timestamp + 1);
    drawn.takeBack();
    const empty = await proofOf(node, world, drawn.producer);
    let block = begin(empty.header.timestamp);
    const tried = waiting.length;
    waiting = block.includeWaiting(waiting);
    counts['not tried'] += tried - waiting.length - block.transactions.length;
    for (const _ of filler.fill(block)) {
      // Transactions are made one by one.
    }
    for (const pending of block.transactions) {
      await node.call('mempool_submit_transaction', pending.bytes.toString('hex'), {}).catch((error) => {
        if (!(error instanceof RpcError)) throw error;
        refusals.add('mempool', error, pending);
      });
    }
    const secret = keys.secretOfKey(block.producer.staker.slice(2));
    for (;;) {
      const { transactions, producer } = block;
      const { id, bytes } = filled(empty, transactions, secret);
      try {
        await node.call('chainstate_submit_block', bytes.toString('hex'));
        const output = empty.reward[0] as Parameters<typeof payStakerAndEndBlock>[3];
        payStakerAndEndBlock(world, producer, id, output, block.fees);
        counts.transactions += transactions.length;
        counts.bytes += bytes.length;
        break;
      } catch (error) {
        if (!(error instanceof RpcError) || transactions.length === 0) throw error;
        // The first half is submitted alone, until one is left, which must be refused for itself.
        const last = transactions.length === 1;
        if (last) refusals.add('block', error, transactions[0]!);
        counts.refused += Number(last);
        const others = block.keepFirst(Math.floor(transactions.length / 2));
        if (!last) waiting.unshift(...others);
      }
    }
    if (waiting.length === 0) keys.forgetSignatures();
    world.journal.forget(world.journal.mark());
    if (world.height % 100 === 0) console.log(world.height, new Date().toISOString(), counts);
  }
  console.log(counts, Object.fromEntries(filler.made));
  for (const line of refusals.lines()) console.log(line);
  await compare(node, world);
}

/** Compares what the node says of the state with the world. */
async function compare(node: NodeDaemon, world: SimulatedWorld): Promise<void> {
  const { network } = world;
  const differences: string[] = [];
  const check = (what: string, theirs: unknown, ours: unknown) => {
    const [node, own] = [theirs, ours].map((value) => JSON.stringify(value));
    if (node !== own) differences.push(`${what}: the node has ${node}, the simulation ${own}`);
  };
  void [delegationAddress, orderAddress, poolAddress, tokenAddress, network, node, check];
  console.log(`${differences.length} differences of state`);
  for (const line of differences.slice(0, 20)) console.log(line);
}

await main(process.argv.slice(2));
