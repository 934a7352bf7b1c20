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
import { checkSubmission } from '../../../src/devnet/sim/mempool-policy.ts';
import { Random } from '../../../src/devnet/sim/random.ts';
import { applyGenesisToWorld } from '../../../src/devnet/sim/rules/apply-genesis.ts';
import { TransactionRefusal } from '../../../src/devnet/sim/rules/refusal.ts';
import { payStakerAndEndBlock, type SealedTransaction, sealTransaction } from '../../../src/devnet/sim/seal-block.ts';
import { mixPresetByName, type TransactionMix } from '../../../src/devnet/sim/transaction-mix.ts';
import { UnsealedBlock, type UnsealedTransaction } from '../../../src/devnet/sim/unsealed-block.ts';
import { type SimulatedPool, SimulatedWorld } from '../../../src/devnet/sim/world.ts';
import { newScope, type Scope } from '../../support/file-scope.ts';
import { mutated } from '../../support/mutated-transaction.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { NodeDaemon, RpcError } from './node-daemon.ts';
import { SigningKeys, schnorrSignature } from './sign.ts';

const HELP = `Usage: node bin/run.mjs test/faults/real-node/submit-simulation.ts --node PROGRAM [OPTION …]

  --node PROGRAM   mintlayer-core's node-daemon, 1.4
  --seed TEXT      [1]
  --preset NAME    dense, demo, mainnet or large [dense]
  --blocks N       [1000]
  --mutations N    so many changed transactions are tried before each block [0]
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

/** A block whose transactions are signed before they change the world. */
class SignedBlock extends UnsealedBlock {
  override include(sealed: SealedTransaction, checkFee?: (fee: Atoms) => void): UnsealedTransaction {
    const keys = this.world.userKeys as SigningKeys;
    return super.include(sealTransaction(keys.sign(this.world, sealed.signed)), checkFee);
  }
}

/** What was found, by what it is; ids and amounts in it do not matter. */
class Findings {
  readonly #found = new Map<string, string[]>();

  add(what: string, { signed, id }: SealedTransaction): void {
    const kind = what.replaceAll(/[0-9a-f]{64}|[0-9a-f]{4}…[0-9a-f]{4}|\br[a-z]+1[0-9a-z]{30,}|\b\d+(\.\d+)?\b/g, '#');
    const { inputs, outputs } = signed.transaction;
    const parts = [...inputs.map((input) => ('command' in input ? input.command.type : input.type)), '→'];
    const all = this.#found.get(kind) ?? [];
    all.push(`${id} ${[...parts, ...outputs.map(({ type }) => type)].join(' ')}`.slice(0, 300));
    this.#found.set(kind, all);
  }

  /** Each with some examples. */
  print(examples: number): void {
    const sorted = [...this.#found].sort(([, a], [, b]) => b.length - a.length);
    for (const [kind, all] of sorted) {
      console.log(`${all.length} × ${kind}`);
      for (const each of all.slice(0, examples)) console.log(`    ${each}`);
    }
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
function filled(empty: Block, transactions: readonly SealedTransaction[], secret: bigint): { id: Id; bytes: Buffer } {
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
      mutations: text('0'),
      'orders-v1': text('0'),
    },
  });
  const mix = mixPresetByName(values.preset);
  if (values.node === '' || mix === undefined) return void console.log(HELP);
  const ordersV1 = Number(values['orders-v1']);
  const network = { ...regtestPos, upgrades: { ...regtestPos.upgrades, ordersV1 } };
  const { scope, end } = newScope();
  const run = {
    program: values.node,
    seed: values.seed,
    blocks: Number(values.blocks),
    mutations: Number(values.mutations),
    mix,
    network,
  };
  await submitSimulation(scope, run).finally(end);
  process.exit(0);
}

interface Run {
  readonly program: string;
  readonly seed: string;
  readonly blocks: number;
  readonly mutations: number;
  readonly mix: TransactionMix;
  readonly network: Network;
}

async function submitSimulation(scope: Scope, { program, seed, blocks, mutations, mix, network }: Run): Promise<void> {
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
  const refusals = new Findings();
  const verdicts = new Findings();
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
    const block = begin(empty.header.timestamp);
    const tried = waiting.length;
    waiting = block.includeWaiting(waiting);
    counts['not tried'] += tried - waiting.length - block.transactions.length;
    for (const _ of filler.fill(block)) {
      // Transactions are made one by one.
    }
    for (const pending of block.transactions) {
      await node.call('mempool_submit_transaction', pending.bytes.toString('hex'), {}).catch((error) => {
        if (!(error instanceof RpcError)) throw error;
        refusals.add(`mempool: ${error.message}`, pending);
      });
    }
    const secret = keys.secretOfKey(block.producer.staker.slice(2));
    const submit = async (transactions: readonly SealedTransaction[]) => {
      const { id, bytes } = filled(empty, transactions, secret);
      await node.call('chainstate_submit_block', bytes.toString('hex'));
      return { id, bytes };
    };
    for (let tried = 0; tried < mutations && block.transactions.length > 0; tried++) {
      await tryMutation(node, block, random, submit, verdicts);
    }
    for (;;) {
      const { transactions, producer } = block;
      try {
        const { id, bytes } = await submit(transactions);
        const output = empty.reward[0] as Parameters<typeof payStakerAndEndBlock>[3];
        payStakerAndEndBlock(world, producer, id, output, block.fees);
        counts.transactions += transactions.length;
        counts.bytes += bytes.length;
        break;
      } catch (error) {
        if (!(error instanceof RpcError) || transactions.length === 0) throw error;
        // The first half is submitted alone, until one is left, which must be refused for itself.
        const last = transactions.length === 1;
        if (last) refusals.add(`block: ${error.message}`, transactions[0]!);
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
  refusals.print(3);
  verdicts.print(2);
  await compare(node, world);
}

type SubmitBlock = (transactions: readonly SealedTransaction[]) => Promise<{ readonly id: Id }>;

/** Puts a changed transaction in the place of one of the block: do node and simulation say the same of it? */
async function tryMutation(
  node: NodeDaemon,
  block: SignedBlock,
  random: Random,
  submit: SubmitBlock,
  verdicts: Findings,
): Promise<void> {
  const { world } = block;
  const others = block.keepFirst(random.below(block.transactions.length));
  const before = [...block.transactions];
  const keys = world.userKeys as SigningKeys;
  const changed = sealTransaction(keys.sign(world, mutated(world, random, others[0]!.signed)));
  if (changed.id === others[0]!.id) {
    for (const each of others) block.include(each);
    return;
  }
  let ours = 'takes it';
  try {
    checkSubmission(world, changed.signed, changed.bytes.length);
    block.include(changed);
  } catch (error) {
    if (!(error instanceof TransactionRefusal)) throw error;
    ours = `refuses it: ${error.message}`;
  }
  block.keepFirst(before.length);
  let theirs = 'takes it';
  try {
    const { id } = await submit([...before, changed]);
    await node.call('chainstate_invalidate_block', id);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    theirs = `refuses it: ${error.message}`;
  }
  // The same change was tried before.
  const isKnown = theirs.includes('has already been processed');
  const isSame = isKnown || (ours === 'takes it') === (theirs === 'takes it');
  verdicts.add(
    isSame ? `agreed, the node ${theirs}` : `DIFFERENT: the node ${theirs}; the simulation ${ours}`,
    changed,
  );
  for (const each of others) block.include(each);
}

/** Compares what the node says of the state with the world. */
async function compare(node: NodeDaemon, world: SimulatedWorld): Promise<void> {
  const { network } = world;
  const differences: string[] = [];
  let compared = 0;
  const compare = async (
    method: string,
    addresses: readonly string[],
    ours: Readonly<Record<string, Atoms | boolean>>,
  ) => {
    const result = await node.call(method, ...addresses);
    const fields = result?.content ?? result;
    compared++;
    for (const [name, value] of Object.entries(ours)) {
      const found = name === '' ? fields : fields?.[name];
      const theirs = typeof value === 'bigint' ? BigInt(found?.atoms ?? 0) : found;
      if (theirs !== value) differences.push(`${method} ${addresses} ${name}: ${theirs} and ${value}`);
    }
  };
  for (const pool of world.pools.values()) {
    const address = poolAddress(network, pool.id);
    await compare('chainstate_staker_balance', [address], { '': pool.stakerBalance });
    for (const { id, balance } of pool.delegations) {
      await compare('chainstate_delegation_share', [address, delegationAddress(network, id)], { '': balance });
    }
  }
  for (const token of world.tokens.values()) {
    const { id, supply, isLocked } = token;
    await compare('chainstate_token_info', [tokenAddress(network, id)], {
      circulating_supply: supply,
      is_locked: isLocked,
    });
  }
  for (const { id, isConcluded, isFrozen, askBalance, giveBalance } of world.orders.values()) {
    const ours = isConcluded ? {} : { ask_balance: askBalance, give_balance: giveBalance, is_frozen: isFrozen };
    await compare('chainstate_order_info', [orderAddress(network, id)], ours);
  }
  console.log(`${compared} states compared, ${differences.length} differences`);
  for (const line of differences.slice(0, 20)) console.log(line);
}

await main(process.argv.slice(2));
