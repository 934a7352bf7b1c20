/** A node whose chain grows by simulation, with a mempool that its users can send to. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { transactionId } from '../../chain/derive-ids.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Id, SignedTransaction } from '../../chain/types.ts';
import { atIntervals } from '../at-intervals.ts';
import { BlockTree } from '../block-tree.ts';
import { addRecordedBlock, ChainFile, ChainFileError } from '../chain-file-reader.ts';
import { DevnetNode } from '../devnet-node-base.ts';
import { feeRatePoints } from '../fee-rates.ts';
import { writeErrorToThrow } from '../file-write-error.ts';
import type { SubmissionOrigin, SubmitResult } from '../served-node-interface.ts';
import type { BlockClock } from './block-times.ts';
import { drawHeavierBranch } from './build-chain.ts';
import { checkRelayFee, checkSubmission } from './mempool-policy.ts';
import { OrphanPool, type OrphanTransaction } from './orphan-pool.ts';
import { OrphanRefusal, PolicyRefusal, TransactionRefusal } from './rules/refusal.ts';
import type { SimulatedBlock } from './seal-block.ts';
import { SimulatedChainFile } from './simulated-chain-file.ts';
import { type ReorganisationOptions, Simulation, type SimulationOptions } from './simulation.ts';

/** Blocks that are read back before anybody else is let in. */
const BLOCKS_AT_ONCE = 200;
/** Number of points in time between two blocks at which single transactions arrive. */
const STEPS_PER_BLOCK = 8;
/** The peers that the people's transactions come from. */
const PEERS = 8;

export interface SimulatedNodeOptions extends SimulationOptions {
  /** The probability that a reorganisation follows a new block, 0 (the default) … 1. */
  readonly reorganisationProbability?: number | undefined;
  /** File that keeps the chain, in the recorded format; an existing file is continued. */
  readonly chainFile?: string | undefined;
  /** The clock of `times`, if the chain grows by it. */
  readonly clock?: BlockClock | null | undefined;
}

export class SimulatedNode extends DevnetNode {
  /** The next block is begun at all times: its transactions are the mempool. */
  readonly simulation: Simulation;
  readonly #orphans = new OrphanPool();
  readonly #keeper: SimulatedChainFile | null;
  readonly #reorganisationProbability: number;
  readonly #clock: BlockClock | null;
  /** 0: blocks are made one after the other. */
  #blockIntervalMs = 0;

  private constructor(
    options: SimulatedNodeOptions,
    tree: BlockTree,
    simulation: Simulation,
    keeper: SimulatedChainFile | null,
  ) {
    super(tree);
    this.simulation = simulation;
    this.#keeper = keeper;
    this.#reorganisationProbability = options.reorganisationProbability ?? 0;
    this.#clock = options.clock ?? null;
    this.#makeTransactions();
  }

  /**
   * Opens a node at its genesis, or at the end of the chain file. Rejects with a ChainFileError if the file is no chain of
   * this network, with an OperatorError if it cannot be written, with a TransactionRefusal if its blocks break its rules.
   */
  static async open(options: SimulatedNodeOptions): Promise<SimulatedNode> {
    const simulation = new Simulation(options);
    const { network, world } = simulation;
    const tree = new BlockTree({ id: network.genesisId, timestamp: world.timestamp });
    if (options.chainFile === undefined) return new SimulatedNode(options, tree, simulation, null);
    const keeper = openChainFile(options.chainFile, network);
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

  /** Mines the next block, and lets a reorganisation follow by chance. The mempool is filled for the block after it. */
  grow(): void {
    this.#mine();
    this.#makeTransactions();
  }

  /** Grows to that height, reorganisations by chance included. */
  growTo(height: number): void {
    while (this.simulation.height < height) this.grow();
  }

  /** Replaces the newest `depth` blocks by a branch of `length` blocks, as one new tip. */
  reorganise(depth: number, length: number, options: ReorganisationOptions = {}): void {
    this.#arrive(this.simulation.reorganise(depth, length, options));
    this.#makeTransactions();
  }

  /** The node goes back in time: an ancestor is its best block again. */
  rewind(depth: number): void {
    this.simulation.queue(this.simulation.rewind(depth));
    this.tree.setTip(this.simulation.tipId);
    this.tellTip();
    this.#makeTransactions();
  }

  /** Lets transactions go as the real node does when they expire or when there is no room: without an event. */
  evict(ids: Iterable<Id>): void {
    const evicted = new Set(ids);
    this.simulation.drop((id) => evicted.has(id));
    this.simulation.begin(true);
  }

  /** Imitates a restart of the real node, which keeps no mempool. */
  emptyMempool(): void {
    this.simulation.drop(() => true);
    this.simulation.begin(true);
    this.#orphans.takeAll();
  }

  /** The node no longer knows the blocks of removed branches. */
  forgetRemovedBranches(): void {
    this.tree.forgetRemovedBranches();
  }

  /**
   * Grows by a block each `blockIntervalMs` until `signal` is aborted. Where the mix says so, the people's transactions
   * come one by one, and a block takes those that were there when the block before it was made.
   */
  async live(blockIntervalMs: number, signal: AbortSignal): Promise<void> {
    this.#blockIntervalMs = blockIntervalMs;
    if (!this.simulation.mix.waitsInMempool) {
      return await atIntervals(blockIntervalMs, signal, () => {
        this.grow();
        return true;
      });
    }
    let ripe = this.simulation.pending.length;
    let step = 0;
    await atIntervals(blockIntervalMs / STEPS_PER_BLOCK, signal, () => {
      step = (step + 1) % STEPS_PER_BLOCK;
      if (step > 0) this.#makeTransactions(STEPS_PER_BLOCK - step);
      else {
        this.#makeTransactions();
        this.#mine(ripe);
        this.simulation.begin();
        ripe = this.simulation.pending.length;
      }
      return true;
    });
  }

  readonly mempoolTransactions = () => this.simulation.pending;
  readonly mempoolTransaction = (id: Id) => this.simulation.pending.find((transaction) => transaction.id === id);
  readonly orphanTransaction = (id: Id) => this.#orphans.get(id);
  readonly feeRatePoints = () =>
    feeRatePoints(this.simulation.pending.map(({ bytes, fee }) => ({ sizeBytes: bytes.length, fee })));

  submitTransaction(transaction: SignedTransaction, bytes: Uint8Array, origin: SubmissionOrigin): SubmitResult {
    const result = this.#process(transaction, bytes, origin);
    // A parent may be there now.
    for (let isNew = result.type === 'Accepted'; isNew; ) {
      isNew = false;
      for (const orphan of this.#orphans.takeAll()) {
        const again = this.#process(orphan.transaction, orphan.bytes, orphan.origin);
        isNew ||= again.type === 'Accepted' && this.#orphans.get(orphan.id) === undefined;
      }
    }
    return result;
  }

  #process(transaction: SignedTransaction, bytes: Uint8Array, origin: SubmissionOrigin): SubmitResult {
    const { simulation } = this;
    try {
      const { id } = simulation.submit(
        transaction,
        () => checkSubmission(simulation.world, transaction, bytes.length),
        (fee) => checkRelayFee(fee, bytes.length, this.network.coinDecimals),
      );
      this.tell({ type: 'TransactionProcessed', transactionId: id, origin, accepted: true });
      return { type: 'Accepted', transactionId: id };
    } catch (error) {
      if (!(error instanceof TransactionRefusal)) throw error;
      return this.#refuse({ id: transactionId(transaction.transaction), transaction, bytes }, origin, error);
    }
  }

  #refuse(
    orphan: Omit<OrphanTransaction, 'origin'>,
    origin: SubmissionOrigin,
    refusal: TransactionRefusal,
  ): SubmitResult {
    if (refusal instanceof PolicyRefusal) return { type: 'Refused', reason: refusal.message };
    const isOrphan = refusal instanceof OrphanRefusal;
    if (isOrphan && origin.type === 'Remote' && this.#orphans.add({ ...orphan, origin })) {
      return { type: 'Accepted', transactionId: orphan.id };
    }
    this.tell({ type: 'TransactionProcessed', transactionId: orphan.id, origin, accepted: false });
    const where = origin.type === 'Local' ? `local node ${origin.by.toLowerCase()}` : `peer ${origin.peerId}`;
    const reason = isOrphan
      ? `Orphan transaction error: Orphans not supported for transactions originating at ${where}`
      : refusal.message;
    return { type: 'Refused', reason };
  }

  /** Ends the next block with the first `most` of its transactions. */
  #mine(most?: number): void {
    const { simulation } = this;
    this.#arrive([simulation.mineBlock(most)]);
    // Drawn before the next block is prepared, as a chain that is written to a file has it: the bytes are the same.
    const probability = this.#reorganisationProbability;
    const isDue = probability > 0 && simulation.random.chance(probability);
    const shape = isDue ? drawHeavierBranch(simulation) : null;
    if (shape !== null) this.#arrive(simulation.reorganise(shape.depth, shape.length));
    this.#clock?.expectIn(this.#blockIntervalMs);
  }

  /** Makes the remaining transactions of the next block: all of them, or one of `steps` equal shares. */
  #makeTransactions(steps = 1): void {
    const { simulation } = this;
    simulation.begin();
    const before = simulation.pending.length;
    let share: number | undefined;
    simulation.makeTransactions((left) => {
      share ??= Math.ceil(left / steps);
      return simulation.pending.length - before >= share;
    });
    for (const { id } of simulation.pending.slice(before)) {
      const peerId = 1 + (Number.parseInt(id.slice(0, 2), 16) % PEERS);
      this.tell({
        type: 'TransactionProcessed',
        transactionId: id,
        origin: { type: 'Remote', peerId },
        accepted: true,
      });
    }
  }

  protected goTo(id: Id): void {
    const { simulation, tree } = this;
    const ancestor = tree.lastCommonAncestor(simulation.tipId, id)!.height;
    simulation.queue(simulation.rewind(tree.tip().height - ancestor));
    tree.setTip(id);
    for (let height = ancestor + 1; height <= tree.tip().height; height++) {
      simulation.restore(tree.bytes(tree.mainChainId(height)!)!);
    }
    const { height } = tree.tip();
    // The last best block in the file is the tip when it is read back.
    if (height > ancestor) {
      this.#keeper?.append({ id, height, prev: tree.mainChainId(height - 1)!, bytes: tree.bytes(id)! }, true);
    }
    simulation.begin(true);
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

function openChainFile(path: string, network: Network): SimulatedChainFile {
  try {
    return new SimulatedChainFile(path, network);
  } catch (error) {
    throw writeErrorToThrow(`The chain file ${path}`, error);
  }
}

async function readBack(
  path: string,
  keeper: SimulatedChainFile,
  tree: BlockTree,
  simulation: Simulation,
): Promise<void> {
  await using file = await ChainFile.open(path);
  if (file.head.id !== simulation.network.genesisId) {
    throw new ChainFileError(`${path} is a chain of another network: its genesis is ${file.head.id}`);
  }
  for (let block = await file.next(); block !== undefined; block = await file.next()) {
    const { line } = block;
    addRecordedBlock(tree, file, block, () => keeper.readBlock(line));
    if (block.tip) tree.setTip(block.id);
  }
  const { height } = tree.tip();
  for (let at = 1; at <= height; at++) {
    simulation.restore(tree.bytes(tree.mainChainId(at)!)!, at < height - simulation.undoDepth);
    if (at % BLOCKS_AT_ONCE === 0) await nextTurn();
  }
}
