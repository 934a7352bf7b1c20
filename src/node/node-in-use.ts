/** Which of several nodes is used, shared with other threads; and how the nodes are, shared by the clients of this thread. */
import { NodeHealth } from './node-health.ts';

export class NodeInUse {
  /** One number in shared memory: the position of the node among the addresses. */
  readonly shared: Int32Array<SharedArrayBuffer>;
  readonly #health = new Map<string, NodeHealth>();
  readonly #listeners: (() => void)[] = [];

  /** `shared`: that of another thread, which alone changes it. */
  constructor(shared = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))) {
    this.shared = shared;
  }

  get index(): number {
    return Atomics.load(this.shared, 0);
  }

  /** `node`: its address. */
  healthOf(node: string): NodeHealth {
    const health = this.#health.get(node) ?? new NodeHealth(node);
    this.#health.set(node, health);
    return health;
  }

  change(index: number): void {
    Atomics.store(this.shared, 0, index);
    for (const listener of this.#listeners) listener();
  }

  /** Calls back after each change that this thread makes. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }
}
