/** A node that does what a test tells it, behind a real RPC server: grows, goes back, changes branches, forgets, lies. */
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeGenesis } from '../../src/chain/codec/genesis.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import type { Id } from '../../src/chain/types.ts';
import { BlockTree } from '../../src/devnet/block-tree.ts';
import type { RpcServer } from '../../src/devnet/rpc-server.ts';
import {
  type MempoolTransaction,
  type ServedNode,
  type ServedNodeEvent,
  ServedNodeListeners,
  type SubmitResult,
} from '../../src/devnet/served-node-interface.ts';
import { type FaultHook, serveFaultyRpc } from './faulty-rpc-server.ts';
import type { Scope } from './file-scope.ts';

export interface NodeBlock {
  readonly id: Id;
  readonly prev: Id;
  readonly timestamp: number;
  readonly bytes: Buffer;
}

export class ScriptedNode implements ServedNode {
  readonly network: Network;
  #tree: BlockTree;
  protected readonly listeners = new ServedNodeListeners();
  #server: RpcServer | null = null;
  #port = 0;
  /** Called before each message is answered. */
  faults: FaultHook = () => undefined;
  /** Replaces a block's bytes. */
  falsify: (id: Id, bytes: Buffer) => Buffer = (_id, bytes) => bytes;
  /** Called with the height before a block is given: for what happens while blocks are read. */
  onRead: (height: number) => void = () => {};

  constructor(network: Network) {
    this.network = network;
    this.#tree = this.#emptyTree();
  }

  /** Starts a node at its genesis, which ends with the test. */
  static async start(t: Scope, network: Network): Promise<ScriptedNode> {
    const node = new ScriptedNode(network);
    await node.start();
    t.after(() => node.stop());
    return node;
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** Listens where it listened before. */
  async start(): Promise<void> {
    this.#server = await serveFaultyRpc(this, { port: this.#port, faults: (call) => this.faults(call) });
    this.#port = Number(this.#server.address.split(':').at(-1));
  }

  async stop(): Promise<void> {
    await this.#server?.close();
    this.#server = null;
  }

  async restart(awayMs: number): Promise<void> {
    await this.stop();
    await sleep(awayMs);
    await this.start();
  }

  /** Learns blocks, each on top of a known one; the tip stays. */
  add(blocks: readonly NodeBlock[]): void {
    for (const block of blocks) this.#tree.add(block);
  }

  /** Makes a known block its best one, whatever its height. `isTold`: by an event, too. */
  setTip(id: Id, { isTold = true }: { readonly isTold?: boolean } = {}): void {
    this.#tree.setTip(id);
    if (isTold) this.tellTip({ id, height: this.#tree.tip().height });
  }

  /** Tells a tip by an event, whether it is its best block or not. */
  tellTip({ id, height }: { readonly id: Id; readonly height: number }): void {
    this.listeners.tell({ type: 'NewTip', id, height });
  }

  /** Learns blocks and makes the last of them its best one. */
  grow(blocks: readonly NodeBlock[]): void {
    this.add(blocks);
    const last = blocks.at(-1);
    if (last !== undefined) this.setTip(last.id);
  }

  /** Knows nothing but these blocks from now on, as with another data directory. */
  replace(blocks: readonly NodeBlock[]): void {
    this.#tree = this.#emptyTree();
    this.grow(blocks);
  }

  forgetRemovedBranches(): void {
    this.#tree.forgetRemovedBranches();
  }

  tip() {
    return this.#tree.tip();
  }

  blockBytes(id: Id) {
    const height = this.#tree.height(id);
    if (height !== undefined) this.onRead(height);
    const bytes = this.#tree.bytes(id);
    return bytes === undefined ? undefined : this.falsify(id, bytes);
  }

  mainChainId(height: number) {
    return this.#tree.mainChainId(height);
  }

  mainChainHeight(id: Id) {
    return this.#tree.mainChainHeight(id);
  }

  lastCommonAncestor(first: Id, second: Id) {
    return this.#tree.lastCommonAncestor(first, second);
  }

  mempoolTransactions(): readonly MempoolTransaction[] {
    return [];
  }

  mempoolTransaction(_id: Id): MempoolTransaction | undefined {
    return undefined;
  }

  orphanTransaction() {
    return undefined;
  }

  invalidateBlock() {}

  resetFailureFlags() {}

  feeRatePoints() {
    return [{ sizeBytes: 1_000_000, atomsPerKilobyte: 1n }];
  }

  submitTransaction(..._submission: Parameters<ServedNode['submitTransaction']>): SubmitResult {
    return { type: 'Refused', reason: 'this node takes none' };
  }

  listen(listener: (event: ServedNodeEvent) => void) {
    return this.listeners.add(listener);
  }

  #emptyTree(): BlockTree {
    const { genesis, genesisId } = this.network;
    return new BlockTree({ id: genesisId, timestamp: decodeGenesis(genesis).timestamp });
  }
}
