/**
 * Submits what a simulation makes to a real node of mintlayer-core, block by block, and counts what the node refuses and
 * why. The node makes the proofs of stake; everything else in a block is the simulation's, with valid signatures.
 */
import { parseArgs } from 'node:util';
import { delegationAddress, orderAddress, poolAddress, tokenAddress } from '../../../src/chain/address.ts';
import { encodeReward } from '../../../src/chain/codec/block.ts';
import { writeHeader, writeHeaderSignature } from '../../../src/chain/codec/header.ts';
import { hash } from '../../../src/chain/hash.ts';
import { isStakeOutput } from '../../../src/chain/input-and-output-kinds.ts';
import { merkleRoot } from '../../../src/chain/merkle.ts';
import { regtestPos } from '../../../src/chain/networks/known-networks.ts';
import type { Network } from '../../../src/chain/networks/network.ts';
import { encodeToBuffer } from '../../../src/chain/scale/writer.ts';
import type { Atoms, Block, Id } from '../../../src/chain/types.ts';
import { BlockFiller } from '../../../src/devnet/sim/fill-block.ts';
import { checkSubmission } from '../../../src/devnet/sim/mempool-policy.ts';
import { Random } from '../../../src/devnet/sim/random.ts';
import { applyGenesisToWorld } from '../../../src/devnet/sim/rules/apply-genesis.ts';
import { PolicyRefusal, TransactionRefusal } from '../../../src/devnet/sim/rules/refusal.ts';
import { payRewardAndEndBlock, type SealedTransaction, sealTransaction } from '../../../src/devnet/sim/seal-block.ts';
import { TransactionMakerContext } from '../../../src/devnet/sim/transaction-maker-context.ts';
import { mixPresetByName, type TransactionMix } from '../../../src/devnet/sim/transaction-mix.ts';
import { UnsealedBlock, type UnsealedTransaction } from '../../../src/devnet/sim/unsealed-block.ts';
import { SimulatedWorld } from '../../../src/devnet/sim/world.ts';
import { newScope } from '../../support/file-scope.ts';
import { mutated } from '../../support/mutated-transaction.ts';
import { type NodeDaemon, RpcError } from './node-daemon.ts';
import { SigningKeys, schnorrSignature } from './sign.ts';
import { emptyBlock, GENESIS_KEYS, startStakingNode } from './staking-node.ts';

const HELP = `Usage: node bin/run.mjs test/faults/real-node/submit-simulation.ts --node PROGRAM [OPTION …]

  --node PROGRAM   mintlayer-core's node-daemon, 1.4
  --seed TEXT      [1]
  --preset NAME    dense, demo, mainnet or large [dense]
  --blocks N       [1000]
  --mutations N    so many changed transactions are tried before each block [0]
  --orders-v1 N    orders have version 0 below this height [0]
`;

const EXAMPLES = 3;

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

  print(): void {
    const sorted = [...this.#found].sort(([, a], [, b]) => b.length - a.length);
    for (const [kind, all] of sorted) {
      console.log(`${all.length} × ${kind}`);
      for (const each of all.slice(0, EXAMPLES)) console.log(`    ${each}`);
    }
  }
}

/** Puts transactions into an empty block. */
function filled(empty: Block, transactions: readonly SealedTransaction[], secret: bigint): { id: Id; bytes: Buffer } {
  const reward = encodeReward(empty.reward);
  const root = (leaves: readonly string[]) => merkleRoot([hash(reward), ...leaves]);
  const header = encodeToBuffer(writeHeader, {
    ...empty.header,
    txMerkleRoot: root(transactions.map(({ id }) => id)),
    witnessMerkleRoot: root(transactions.map(({ witnessHash }) => witnessHash)),
  });
  const signature = encodeToBuffer(writeHeaderSignature, schnorrSignature(secret, header));
  const count = encodeToBuffer((writer, length: number) => writer.compact(length), transactions.length);
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
  const options = ordersV1 === 0 ? [] : ['--chain-chainstate-orders-v1-upgrade-height', `${ordersV1}`];
  const { scope, end } = newScope();
  const submitAll = async () => {
    const node = await startStakingNode(scope, values.node, options);
    const network = { ...regtestPos, upgrades: { ...regtestPos.upgrades, ordersV1 } };
    const submission = new SubmittedSimulation(node, network, mix, values.seed);
    while (submission.height < Number(values.blocks)) {
      await submission.mineBlock(Number(values.mutations));
      if (submission.height % 100 === 0) console.log(`${submission.height}: ${JSON.stringify(submission.counts)}`);
    }
    await submission.compareStates();
    submission.print();
    return submission.problems;
  };
  const problems = await submitAll().finally(end);
  process.exit(problems === 0 ? 0 : 1);
}

/** A simulation of which the blocks are made by a node. */
class SubmittedSimulation {
  readonly counts = { transactions: 0, bytes: 0, refused: 0, 'not tried': 0, different: 0, 'states compared': 0 };
  readonly #node: NodeDaemon;
  readonly #world: SimulatedWorld;
  readonly #keys: SigningKeys;
  readonly #random: Random;
  readonly #filler: BlockFiller;
  readonly #findings = new Findings();
  /** Of a block that was refused, and not the reason. */
  #waiting: SealedTransaction[] = [];

  constructor(node: NodeDaemon, network: Network, mix: TransactionMix, seed: string) {
    this.#node = node;
    this.#random = new Random(seed);
    this.#keys = new SigningKeys(seed, GENESIS_KEYS);
    for (let count = 0; count < mix.addresses; count++) this.#keys.newDestination();
    this.#world = new SimulatedWorld(network, this.#keys);
    applyGenesisToWorld(this.#world);
    const treasury = this.#keys.destinations[0]!;
    this.#filler = new BlockFiller(new TransactionMakerContext(this.#world, this.#random, mix, treasury), mix);
  }

  get height(): number {
    return this.#world.height;
  }

  /** What a node and a simulation that obeys all of its rules would not have. */
  get problems(): number {
    return this.counts.refused + this.counts.different;
  }

  print(): void {
    this.#findings.print();
    console.log(JSON.stringify({ blocks: this.height, ...this.counts, ...Object.fromEntries(this.#filler.made) }));
  }

  /** Makes the next block and submits it; before that so many changed transactions. */
  async mineBlock(mutations: number): Promise<void> {
    const world = this.#world;
    // Who makes the next block is drawn first: it depends on the time when.
    const drawn = this.#begin(world.timestamp + 1);
    drawn.takeBack();
    const { staker, id, outputKey } = drawn.stakers.producer;
    const stakerSecret = this.#keys.secretOfKey(staker.slice(2));
    const { outpoint, output } = world.utxos.get(outputKey)!;
    const empty = await emptyBlock(this.#node, { poolId: id, stakerSecret, outpoint, output });
    const block = this.#begin(empty.header.timestamp);
    const tried = this.#waiting.length;
    this.#waiting = block.includeWaiting(this.#waiting);
    this.counts['not tried'] += tried - this.#waiting.length - block.transactions.length;
    // Transactions are made one by one.
    for (const _ of this.#filler.fill(block));
    for (const pending of block.transactions) await this.#sendToMempool(pending);
    const submit: SubmitBlock = async (transactions) => {
      const { id, bytes } = filled(empty, transactions, stakerSecret);
      await this.#node.call('chainstate_submit_block', bytes.toString('hex'));
      return { id, size: bytes.length };
    };
    for (let count = 0; count < mutations && block.transactions.length > 0; count++) {
      await this.#tryMutation(block, submit);
    }
    const { id: blockId, size } = await this.#submitValidPart(block, submit);
    this.counts.transactions += block.transactions.length;
    this.counts.bytes += size;
    const reward = empty.reward[0];
    if (reward === undefined || !isStakeOutput(reward)) throw new Error(`Block ${blockId} rewards no pool`);
    payRewardAndEndBlock(world, block.stakers, blockId, reward, block.fees);
    world.journal.forget(world.journal.mark());
    if (this.#waiting.length === 0) this.#keys.forgetSignatures();
  }

  #begin(timestamp: number): SignedBlock {
    this.#random.reseed(`${this.#random.seed}/${this.#world.height + 1}`);
    return new SignedBlock(this.#world, this.#random, () => timestamp, 1);
  }

  async #sendToMempool(pending: SealedTransaction): Promise<void> {
    const reason = await refusalOf(this.#node.call('mempool_submit_transaction', pending.bytes.toString('hex'), {}));
    if (reason !== null) this.#findings.add(`refused by the mempool: ${reason}`, pending);
  }

  /** Submits the block; if it is refused, its first half alone, until one is left, which must be refused for itself. */
  async #submitValidPart(block: SignedBlock, submit: SubmitBlock): Promise<SubmittedBlock> {
    for (;;) {
      const { length } = block.transactions;
      try {
        return await submit(block.transactions);
      } catch (error) {
        if (!(error instanceof RpcError) || length === 0) throw error;
        const others = block.keepFirst(Math.floor(length / 2));
        if (length > 1) this.#waiting.unshift(...others);
        else {
          this.counts.refused++;
          this.#findings.add(`REFUSED in a block: ${error.message}`, others[0]!);
        }
      }
    }
  }

  /** Puts a changed transaction in the place of one of the block: do node and simulation say the same of it? */
  async #tryMutation(block: SignedBlock, submit: SubmitBlock): Promise<void> {
    const world = this.#world;
    const others = block.keepFirst(this.#random.below(block.transactions.length));
    const before = [...block.transactions];
    const signed = this.#keys.sign(world, mutated(world, this.#random, others[0]!.signed));
    const changed = sealTransaction(signed);
    if (changed.id !== others[0]!.id) {
      let ours: string | null = null;
      try {
        checkSubmission(world, signed, changed.bytes.length);
        block.include(changed);
      } catch (error) {
        if (!(error instanceof TransactionRefusal)) throw error;
        // The mempool's rules are not those of blocks.
        if (!(error instanceof PolicyRefusal)) ours = error.message;
      }
      block.keepFirst(before.length);
      const theirs = await refusalOf(
        submit([...before, changed]).then(({ id }) => this.#node.call('chainstate_invalidate_block', id)),
      );
      // The same change may come twice. The simulation does not verify signatures: only their form.
      const isNoVerdict = /has already been processed|Signature verification failed/.test(theirs ?? '');
      const isDifferent = !isNoVerdict && (ours === null) !== (theirs === null);
      this.counts.different += Number(isDifferent);
      const node = theirs === null ? 'the node takes it' : `the node refuses it: ${theirs}`;
      const simulation = ours === null ? 'the simulation takes it' : `the simulation refuses it: ${ours}`;
      this.#findings.add(isDifferent ? `DIFFERENT: ${node}; ${simulation}` : `changed, and ${node}, too`, changed);
    }
    for (const each of others) block.include(each);
  }

  /** Compares what the node says of balances, supplies and orders with the world. */
  async compareStates(): Promise<void> {
    const { network, pools, tokens, orders } = this.#world;
    for (const pool of pools.values()) {
      const address = poolAddress(network, pool.id);
      await this.#compare('chainstate_staker_balance', [address], { '': pool.stakerBalance });
      for (const { id, balance } of pool.delegations) {
        await this.#compare('chainstate_delegation_share', [address, delegationAddress(network, id)], { '': balance });
      }
    }
    for (const token of tokens.values()) {
      const { id, supply, isLocked } = token;
      await this.#compare('chainstate_token_info', [tokenAddress(network, id)], {
        circulating_supply: supply,
        is_locked: isLocked,
      });
    }
    for (const { id, isConcluded, isFrozen, askBalance, giveBalance } of orders.values()) {
      const ours = isConcluded ? {} : { ask_balance: askBalance, give_balance: giveBalance, is_frozen: isFrozen };
      await this.#compare('chainstate_order_info', [orderAddress(network, id)], ours);
    }
  }

  async #compare(
    method: string,
    addresses: readonly string[],
    ours: Readonly<Record<string, Atoms | boolean>>,
  ): Promise<void> {
    const result = await this.#node.call(method, ...addresses);
    const fields = result?.content ?? result;
    this.counts['states compared']++;
    for (const [name, value] of Object.entries(ours)) {
      const found = name === '' ? fields : fields?.[name];
      const theirs = typeof value === 'bigint' ? BigInt(found?.atoms ?? 0) : found;
      if (theirs === value) continue;
      this.counts.different++;
      console.log(`DIFFERENT: ${method} ${addresses} ${name}: ${theirs} and ${value}`);
    }
  }
}

interface SubmittedBlock {
  readonly id: Id;
  /** Bytes. */
  readonly size: number;
}

type SubmitBlock = (transactions: readonly SealedTransaction[]) => Promise<SubmittedBlock>;

/** Why a call was refused; null if it was not. */
async function refusalOf(call: Promise<unknown>): Promise<string | null> {
  try {
    await call;
    return null;
  } catch (error) {
    if (error instanceof RpcError) return error.message;
    throw error;
  }
}

await main(process.argv.slice(2));
