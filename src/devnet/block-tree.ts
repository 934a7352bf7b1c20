import { MEDIAN_TIME_SPAN } from '../chain/networks/network.ts';
import type { Id } from '../chain/types.ts';
import type { NodeTip } from './served-node-interface.ts';

interface Node {
  readonly id: Id;
  readonly height: number;
  readonly timestamp: number;
  /** The parent; undefined for the genesis. */
  readonly parent: Node | undefined;
  readonly bytes: BlockBytesOrReader | undefined;
}

/** An encoded block, or how to read it from where it is kept. */
export type BlockBytesOrReader = Buffer | (() => Buffer);

/** Every block that a node knows, of all branches, and which of them are the main chain. */
export class BlockTree {
  readonly #nodes = new Map<Id, Node>();
  /** The blocks by height. */
  readonly #mainChain: Node[];

  constructor(genesis: { readonly id: Id; readonly timestamp: number }) {
    const node = { ...genesis, height: 0, parent: undefined, bytes: undefined };
    this.#nodes.set(genesis.id, node);
    this.#mainChain = [node];
  }

  has(id: Id): boolean {
    return this.#nodes.has(id);
  }

  /** The height of any known block. */
  height(id: Id): number | undefined {
    return this.#nodes.get(id)?.height;
  }

  /** Adds a block on top of a known one; the tip stays. Throws a `RangeError` when the parent is unknown. */
  add(block: {
    readonly id: Id;
    readonly prev: Id;
    readonly timestamp: number;
    readonly bytes: BlockBytesOrReader;
  }): void {
    const parent = this.#nodes.get(block.prev);
    if (parent === undefined) throw new RangeError(`the parent ${block.prev} of block ${block.id} is not known`);
    if (this.#nodes.has(block.id)) return;
    const { id, timestamp, bytes } = block;
    this.#nodes.set(id, { id, height: parent.height + 1, timestamp, parent, bytes });
  }

  /** Makes a known block the best one, whatever its height. Throws a `RangeError` when it is unknown. */
  setTip(id: Id): void {
    let node = this.#nodes.get(id);
    if (node === undefined) throw new RangeError(`block ${id} is not known`);
    const branch: Node[] = [];
    for (; this.#mainChain[node.height] !== node; node = node.parent!) branch.push(node);
    this.#mainChain.length = node.height + 1;
    while (branch.length > 0) this.#mainChain.push(branch.pop()!);
  }

  /** Forgets the blocks that are not on the main chain. */
  forgetRemovedBranches(): void {
    for (const [id, node] of this.#nodes) if (!this.#isMain(node)) this.#nodes.delete(id);
  }

  tip(): NodeTip {
    const { id, height, timestamp } = this.#mainChain.at(-1)!;
    const timestamps = this.#mainChain.slice(-MEDIAN_TIME_SPAN).map((node) => node.timestamp);
    timestamps.sort((a, b) => a - b);
    return { id, height, timestamp, medianTime: timestamps[timestamps.length >> 1]! };
  }

  bytes(id: Id): Buffer | undefined {
    const bytes = this.#nodes.get(id)?.bytes;
    return typeof bytes === 'function' ? bytes() : bytes;
  }

  mainChainId(height: number): Id | undefined {
    return this.#mainChain[height]?.id;
  }

  mainChainHeight(id: Id): number | undefined {
    const node = this.#nodes.get(id);
    return node !== undefined && this.#mainChain[node.height] === node ? node.height : undefined;
  }

  lastCommonAncestor(first: Id, second: Id): { id: Id; height: number } | undefined {
    let a = this.#nodes.get(first);
    let b = this.#nodes.get(second);
    if (a === undefined || b === undefined) return undefined;
    while (a !== b) {
      // Two blocks of the main chain, the usual case, need no walk.
      if (this.#isMain(a!) && this.#isMain(b!)) a = b = a!.height < b!.height ? a : b;
      else if (a!.height >= b!.height && !this.#isMain(a!)) a = a!.parent;
      else if (!this.#isMain(b!)) b = b!.parent;
      else a = a!.parent;
    }
    return { id: a!.id, height: a!.height };
  }

  #isMain(node: Node): boolean {
    return this.#mainChain[node.height] === node;
  }
}
