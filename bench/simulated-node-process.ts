/**
 * The process of `event-streams.ts` that is the node: a simulated chain behind the devnet's RPC server. It makes a block and
 * transactions when it is told to, and notes when it told its listeners of each.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeSignedTransaction } from '../src/chain/codec/transaction.ts';
import { transactionId } from '../src/chain/derive-ids.ts';
import { regtestPos } from '../src/chain/networks/known-networks.ts';
import type { Atoms, Destination, Id, Outpoint, SignedTransaction, TxOutput } from '../src/chain/types.ts';
import { DevnetMempool } from '../src/devnet/mempool.ts';
import { type RpcServer, serveRpc } from '../src/devnet/rpc-server.ts';
import {
  type ServedNode,
  type ServedNodeEvent,
  ServedNodeListeners,
  type SubmissionOrigin,
} from '../src/devnet/served-node-interface.ts';
import { SimulatedNode } from '../src/devnet/sim/simulated-node.ts';
import { mixPresetByName } from '../src/devnet/sim/transaction-mix.ts';
import { answerMessages } from './helper-process.ts';

/** The address of its RPC server, and the height of its tip. */
export interface LiveNodePlace {
  readonly address: string;
  readonly height: number;
}

export type LiveNodeOrder =
  | { readonly type: 'start'; readonly preset: string; readonly seed: string; readonly blocks: number }
  /** A block every so often, and single transactions between them. */
  | { readonly type: 'live'; readonly seconds: number; readonly blockMs: number; readonly transactionMs: number }
  /** Adds transactions that no block takes. `perSecond`: the rate of their events; null: no events. */
  | { readonly type: 'fill'; readonly count: number; readonly bytes: number; readonly perSecond: number | null }
  /** Lets those go, without an event. */
  | { readonly type: 'empty' }
  /** Breaks all connections, as a restart does: clients that follow the node list its mempool again. Waits for that. */
  | { readonly type: 'break' };

type Order<Type extends LiveNodeOrder['type']> = Extract<LiveNodeOrder, { type: Type }>;

const FEE_ATOMS: Atoms = 100_000_000_000n;
const LOCAL: SubmissionOrigin = { type: 'Local', by: 'Mempool' };
const REMOTE: SubmissionOrigin = { type: 'Remote', peerId: 1 };
const now = () => performance.timeOrigin + performance.now();

/** The simulated node's chain; its mempool with transactions on top that are in nobody's way. */
class CrowdedNode implements ServedNode {
  readonly #node: SimulatedNode;
  readonly #more = new DevnetMempool();
  readonly #listeners = new ServedNodeListeners();
  #listed = Promise.withResolvers<number>();

  constructor(node: SimulatedNode) {
    this.#node = node;
    node.listen((event) => this.#listeners.tell(event));
  }

  put(signed: SignedTransaction, isTold: boolean): void {
    const id = transactionId(signed.transaction);
    this.#more.add(id, encodeSignedTransaction(signed), FEE_ATOMS);
    if (isTold)
      this.#listeners.tell({ type: 'TransactionProcessed', transactionId: id, origin: REMOTE, accepted: true });
  }

  /** The bytes of the encoded list as hex. */
  get listBytes(): number {
    return 2 * this.#more.sizeBytes;
  }

  empty(): void {
    this.#more.remove(this.#more.transactions().map(({ id }) => id));
  }

  mempoolTransactions() {
    this.#listed.resolve(now());
    return [...this.#node.mempoolTransactions(), ...this.#more.transactions()];
  }

  /** Returns the next time when somebody lists the mempool. */
  nextList(): Promise<number> {
    this.#listed = Promise.withResolvers();
    return this.#listed.promise;
  }

  mempoolTransaction(id: Id) {
    return this.#more.get(id) ?? this.#node.mempoolTransaction(id);
  }

  listen(listener: (event: ServedNodeEvent) => void) {
    return this.#listeners.add(listener);
  }

  tip = () => this.#node.tip();
  blockBytes = (id: Id) => this.#node.blockBytes(id);
  mainChainId = (height: number) => this.#node.mainChainId(height);
  mainChainHeight = (id: Id) => this.#node.mainChainHeight(id);
  lastCommonAncestor = (first: Id, second: Id) => this.#node.lastCommonAncestor(first, second);
  orphanTransaction = (id: Id) => this.#node.orphanTransaction(id);
  feeRatePoints = () => this.#node.feeRatePoints();
  submitTransaction = (signed: SignedTransaction, bytes: Uint8Array, origin: SubmissionOrigin) =>
    this.#node.submitTransaction(signed, bytes, origin);
  invalidateBlock = (id: Id) => this.#node.invalidateBlock(id);
  resetFailureFlags = (id: Id) => this.#node.resetFailureFlags(id);
}

interface LiveMix {
  transactionsPerBlock: number;
}

class LiveNode {
  readonly #node: SimulatedNode;
  readonly #crowded: CrowdedNode;
  readonly #server: RpcServer;
  /** From now on this process decides the actions of the users. */
  readonly #mix: LiveMix;

  private constructor(node: SimulatedNode, crowded: CrowdedNode, server: RpcServer, mix: LiveMix) {
    this.#node = node;
    this.#crowded = crowded;
    this.#server = server;
    this.#mix = mix;
  }

  static async start({ preset, seed, blocks }: Order<'start'>): Promise<LiveNode> {
    const mix = { ...mixPresetByName(preset)!, waitsInMempool: false };
    const node = await SimulatedNode.open({ network: regtestPos, seed, mix });
    node.growTo(blocks);
    const crowded = new CrowdedNode(node);
    return new LiveNode(node, crowded, await serveRpc(crowded), mix);
  }

  get place(): LiveNodePlace {
    return { address: this.#server.address, height: this.#node.tip().height };
  }

  async obey(order: Exclude<LiveNodeOrder, Order<'start'>>): Promise<unknown> {
    switch (order.type) {
      case 'live':
        return this.#live(order);
      case 'fill':
        await this.#fill(order);
        return this.#crowded.listBytes;
      case 'empty':
        return this.#crowded.empty();
      case 'break': {
        const listed = this.#crowded.nextList();
        this.#server.dropConnections();
        return listed;
      }
    }
  }

  async #live({ seconds, blockMs, transactionMs }: Order<'live'>): Promise<Map<Id, number>> {
    this.#mix.transactionsPerBlock = 0;
    const told = new Map<Id, number>();
    const stop = this.#node.listen((event) => {
      if (event.type === 'TransactionProcessed') told.set(event.transactionId, now());
    });
    const begun = performance.now();
    const end = begun + seconds * 1_000;
    const atPace = async (everyMs: number, act: () => void) => {
      for (let at = begun + everyMs; at < end; at += everyMs) {
        await sleep(Math.max(0, at - performance.now()));
        act();
      }
    };
    await Promise.all([atPace(blockMs, () => this.#node.grow()), atPace(transactionMs, () => this.#pay())]);
    stop();
    return told;
  }

  /** Somebody pays somebody; a block takes it. */
  #pay(): void {
    const coin = this.#coins().next().value!;
    const signed = this.#payment(coin, []);
    const result = this.#node.submitTransaction(signed, encodeSignedTransaction(signed), LOCAL);
    if (result.type !== 'Accepted') throw new Error(`a payment was refused: ${result.reason}`);
  }

  async #fill({ count, bytes, perSecond }: Order<'fill'>): Promise<void> {
    const coins = [...this.#coins()];
    const begun = performance.now();
    for (let i = 0; i < count; i++) {
      this.#crowded.put(this.#payment(coins[i % coins.length]!, [i, bytes]), perSecond !== null);
      if (perSecond === null) continue;
      const early = (i * 1_000) / perSecond - (performance.now() - begun);
      if (early > 1) await sleep(early);
    }
  }

  *#coins() {
    for (const coin of this.#node.simulation.world.coins.items) {
      if (coin.output.type === 'Transfer' && coin.amount > 100n * FEE_ATOMS) yield coin;
    }
  }

  /** All of a coin to its owner; with a number, as one of many, by way of outputs until it has so many bytes. */
  #payment(
    coin: { readonly outpoint: Outpoint; readonly destination: Destination; readonly amount: Atoms },
    [number, bytes]: readonly number[],
  ): SignedTransaction {
    const { outpoint, destination, amount } = coin;
    const outputs = [transfer(amount - 50n * FEE_ATOMS, destination)];
    const signed = {
      transaction: { flags: 0n, inputs: [{ type: 'Utxo', outpoint }], outputs },
      signatures: [this.#node.simulation.world.userKeys.witness(destination)],
    } satisfies SignedTransaction;
    if (number === undefined || bytes === undefined) return signed;
    for (let output = 1; encodeSignedTransaction(signed).length < bytes - OUTPUT_BYTES / 2; output++) {
      const key = (number * 100 + output).toString(16).padStart(40, '0');
      outputs.push(transfer(BigInt(number + 1) * 1_000_000n, `01${key}`));
    }
    return signed;
  }
}

/** The size of an output that transfers to an address. */
const OUTPUT_BYTES = 30;

function transfer(amount: Atoms, destination: Destination): TxOutput {
  return { type: 'Transfer', value: { type: 'Coin', amount }, destination };
}

let live: LiveNode;
answerMessages(async (order: LiveNodeOrder) => {
  if (order.type !== 'start') return live.obey(order);
  live = await LiveNode.start(order);
  return live.place;
});
