/** A simulated node that can show another chain than it has: an older tip, another branch, blocks that are wrong. */
import type { SeededRandom } from '../../bench/seeded-random.ts';
import { identifyBlock } from '../../src/chain/codec/block.ts';
import type { Id, SignedTransaction } from '../../src/chain/types.ts';
import { SimulatedNode } from '../../src/devnet/sim/simulated-node.ts';
import { MIX_PRESETS } from '../../src/devnet/sim/transaction-mix.ts';
import { paymentOf } from '../support/payments.ts';
import { type NodeBlock, ScriptedNode } from '../support/scripted-node.ts';
import { SIMULATED_NETWORK } from '../support/simulated-chain.ts';

const MIX = { ...MIX_PRESETS.dense, name: 'faults', transactionsPerBlock: 2.5 };

export class FaultyNode extends ScriptedNode {
  readonly #simulated: SimulatedNode;
  readonly #blocks = new Map<Id, NodeBlock>();
  /** Each best block that somebody could have seen, in order. */
  readonly shown: Id[] = [];
  /** It does not show what its chain does. */
  isHeld = false;
  /** How much higher it says that its best block is. */
  boastedBlocks = 0;

  private constructor(simulated: SimulatedNode) {
    super(simulated.network);
    this.#simulated = simulated;
    simulated.listen((event) => {
      if (event.type === 'NewTip') this.#learn(event.id);
      else this.listeners.tell(event);
    });
  }

  /** A node of `blocks` blocks that listens. */
  static async open(seed: number, blocks: number): Promise<FaultyNode> {
    const simulated = await SimulatedNode.open({ network: SIMULATED_NETWORK, seed: `faults ${seed}`, mix: MIX });
    const node = new FaultyNode(simulated);
    simulated.growTo(blocks);
    await node.start();
    return node;
  }

  /** Its own best block, whatever it shows. */
  get ownTip(): Id {
    return this.#simulated.tip().id;
  }

  /** Its height, whatever the node says. */
  get ownHeight(): number {
    return this.#simulated.tip().height;
  }

  has(id: Id): boolean {
    return this.#blocks.has(id);
  }

  block(id: Id): NodeBlock {
    return this.#blocks.get(id)!;
  }

  /** All blocks of its own, parents first. */
  known(): Iterable<NodeBlock> {
    return this.#blocks.values();
  }

  /** Of its own chain. */
  ancestor(depth: number): Id {
    let id = this.ownTip;
    for (let i = 0; i < depth; i++) id = this.block(id).prev;
    return id;
  }

  mine(): void {
    this.#simulated.grow();
  }

  reorganise(depth: number): void {
    this.#simulated.reorganise(depth, depth + 1);
  }

  /** What is pending leaves it, of which a node tells nobody. */
  evict(): void {
    this.#simulated.evict(this.mempoolTransactions().map(({ id }) => id));
  }

  /** A block of a removed branch. */
  left(random: SeededRandom): Id {
    const all = () => [...this.#blocks.keys()].filter((id) => this.mainChainHeight(id) === undefined);
    if (all().length === 0) this.reorganise(3);
    return random.pick(all());
  }

  /** Shows a known block as its best one until `showOwn`. */
  show(id: Id): void {
    this.isHeld = true;
    this.#show(id);
  }

  /** The same with a block that no index can take. */
  showWrong(block: NodeBlock): void {
    this.isHeld = true;
    this.add([block]);
    this.setTip(block.id);
  }

  showOwn(): void {
    this.isHeld = false;
    if (super.tip().id !== this.ownTip) this.#show(this.ownTip);
  }

  override async restart(awayMs: number): Promise<void> {
    await super.restart(awayMs);
    this.#simulated.emptyMempool();
  }

  override tip() {
    const tip = super.tip();
    return { ...tip, height: tip.height + this.boastedBlocks };
  }

  /** A payment that it takes, signed; of another coin for each `rank`. */
  payment(rank: number): SignedTransaction {
    return paymentOf(this.#simulated, rank);
  }

  override submitTransaction(...submission: Parameters<ScriptedNode['submitTransaction']>) {
    return this.#simulated.submitTransaction(...submission);
  }

  override mempoolTransactions() {
    return this.#simulated.mempoolTransactions();
  }

  override mempoolTransaction(id: Id) {
    return this.#simulated.mempoolTransaction(id);
  }

  #learn(tip: Id): void {
    const blocks: NodeBlock[] = [];
    for (let id = tip; id !== this.network.genesisId && !this.#blocks.has(id); id = blocks[0]!.prev) {
      const bytes = this.#simulated.blockBytes(id)!;
      const { prevBlockId: prev, timestamp } = identifyBlock(bytes).block.header;
      blocks.unshift({ id, prev, timestamp, bytes });
    }
    for (const block of blocks) this.#blocks.set(block.id, block);
    this.add(blocks);
    if (!this.isHeld) this.#show(tip);
  }

  #show(id: Id): void {
    this.shown.push(id);
    this.setTip(id);
  }
}
