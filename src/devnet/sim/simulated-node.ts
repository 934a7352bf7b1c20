/** A node whose chain grows by simulation, with a mempool that its users can send to. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { transactionId } from '../../chain/ids.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Id, SignedTransaction } from '../../chain/types.ts';
import { BlockTree } from '../block-tree.ts';
import { addRecorded, ChainFile } from '../chain-file.ts';
import type { SubmitResult } from '../chain-source.ts';
import { feeRatePoints } from '../fee-rates.ts';
import { atIntervals } from '../pace.ts';
import { TreeNode } from '../tree-node.ts';
import type { SimulatedBlock } from './block.ts';
import { ChainKeeper } from './chain-keeper.ts';
import { drawReorganisation } from './reorganisation.ts';
import { Refusal } from './rules/refusal.ts';
import { type ReorganisationOptions, Simulation, type SimulationOptions } from './simulation.ts';
import { checkFee, checkSubmission } from './submission.ts';

/** Blocks that are read back before anybody else is let in. */
const BLOCKS_AT_ONCE = 200;

export interface SimulatedNodeOptions extends SimulationOptions {
  /** How often a new block is followed by a reorganisation, 0 (the default) … 1. */
  readonly reorganisationProbability?: number | undefined;
  /** Where the chain is kept, in the recorded format; an existing file is gone on with. */
  readonly chainFile?: string | undefined;
}

export class SimulatedNode extends TreeNode {
  /** Prepared at all times: the transactions of the next block are the mempool. */
  readonly simulation: Simulation;
  readonly #keeper: ChainKeeper | null;
  readonly #reorganisationProbability: number;

  private constructor(
    options: SimulatedNodeOptions,
    tree: BlockTree,
    simulation: Simulation,
    keeper: ChainKeeper | null,
  ) {
    super(tree);
    this.simulation = simulation;
    this.#keeper = keeper;
    this.#reorganisationProbability = options.reorganisationProbability ?? 0;
    simulation.prepare();
  }

  /**
   * At its genesis, or where the chain file ends. Rejects with a ChainFileError when that file cannot be used, with a
   * Refusal when its blocks are not a chain of this network.
   */
  static async open(options: SimulatedNodeOptions): Promise<SimulatedNode> {
    const simulation = new Simulation(options);
    const { network, world } = simulation;
    const tree = new BlockTree({ id: network.genesisId, timestamp: world.timestamp });
    if (options.chainFile === undefined) return new SimulatedNode(options, tree, simulation, null);
    const keeper = new ChainKeeper(options.chainFile, network);
    try {
      await readBack(options.chainFile, keeper, tree, simulation);
    } catch (error) {
      keeper.close();
      throw error;
    }
    return new SimulatedNode(options, tree, simulation, keeper);
  }

  /** Lets go of the chain file. */
  close(): void {
    this.#keeper?.close();
  }

  get network(): Network {
    return this.simulation.network;
  }

  /** Mines the next block, and lets a reorganisation follow by chance. */
  grow(): void {
    const { simulation } = this;
    this.#arrive([simulation.mineBlock()]);
    // Drawn before the next block is prepared, as a chain that is written to a file has it: the bytes are the same.
    const probability = this.#reorganisationProbability;
    const isDue = probability > 0 && simulation.random.chance(probability);
    const shape = isDue ? drawReorganisation(simulation.random, simulation.undoable) : null;
    if (shape !== null) this.#arrive(simulation.reorganise(shape.depth, shape.length));
    simulation.prepare();
  }

  /** Grows to that height, reorganisations by chance included. */
  growTo(height: number): void {
    while (this.simulation.height < height) this.grow();
  }

  /** Replaces the newest `depth` blocks by a branch of `length` blocks, as one new tip. */
  reorganise(depth: number, length: number, options: ReorganisationOptions = {}): void {
    this.#arrive(this.simulation.reorganise(depth, length, options));
    this.simulation.prepare();
  }

  /** The node goes back in time: an ancestor is its best block again. */
  rewind(depth: number): void {
    this.simulation.queue(this.simulation.rewind(depth));
    this.tree.setTip(this.simulation.tipId);
    this.simulation.prepare();
    this.tellTip();
  }

  /** The node no longer knows the blocks of branches that it left. */
  forgetLeftBranches(): void {
    this.tree.forgetLeftBranches();
  }

  /** Grows by a block each `blockIntervalMs` until `signal` is aborted. */
  async live(blockIntervalMs: number, signal: AbortSignal): Promise<void> {
    await atIntervals(blockIntervalMs, signal, () => {
      this.grow();
      return true;
    });
  }

  mempoolTransactions() {
    return this.simulation.pending;
  }

  mempoolTransaction(id: Id) {
    return this.simulation.pending.find((transaction) => transaction.id === id);
  }

  feeRatePoints() {
    return feeRatePoints(this.simulation.pending.map(({ bytes, fee }) => ({ sizeBytes: bytes.length, fee })));
  }

  submitTransaction(transaction: SignedTransaction, bytes: Uint8Array): SubmitResult {
    const { simulation } = this;
    try {
      const { id } = simulation.submit(
        transaction,
        () => checkSubmission(simulation.world, transaction, bytes.length),
        (fee) => checkFee(fee, bytes.length),
      );
      this.tell({ type: 'TransactionProcessed', transactionId: id, accepted: true });
      return { type: 'Accepted', transactionId: id };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const id = transactionId(transaction.transaction);
      this.tell({ type: 'TransactionProcessed', transactionId: id, accepted: false });
      return { type: 'Refused', reason: `Mempool error: ${error.message}` };
    }
  }

  #arrive(blocks: readonly SimulatedBlock[]): void {
    const keeper = this.#keeper;
    for (const block of blocks) {
      if (keeper === null) this.tree.add(block);
      else {
        const line = keeper.append(block, block === blocks.at(-1));
        this.tree.add({ ...block, bytes: () => keeper.readBlock(line) });
      }
    }
    this.tree.setTip(this.simulation.tipId);
    this.tellTip();
  }
}

async function readBack(path: string, keeper: ChainKeeper, tree: BlockTree, simulation: Simulation): Promise<void> {
  await using file = await ChainFile.open(path);
  if (file.head.id !== simulation.network.genesisId) {
    throw new Refusal(`${path} is a chain of another network: its genesis is ${file.head.id}`);
  }
  for (let block = await file.next(); block !== undefined; block = await file.next()) {
    const { line } = block;
    addRecorded(tree, file, block, () => keeper.readBlock(line));
    if (block.tip) tree.setTip(block.id);
  }
  const { height } = tree.tip();
  for (let at = 1; at <= height; at++) {
    simulation.restore(tree.bytes(tree.mainChainId(at)!)!, at < height - simulation.undoDepth);
    if (at % BLOCKS_AT_ONCE === 0) await nextTurn();
  }
}
