/** A node's mempool and an index that do what a test tells them, when it tells them. */

import assert from 'node:assert/strict';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import { transactionId } from '../../src/chain/derive-ids.ts';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import type { Id, SignedTransaction, TxInput, TxOutput } from '../../src/chain/types.ts';
import type { OrderTerms } from '../../src/ledger/order-terms.ts';
import { outpointKey } from '../../src/ledger/state-rows.ts';
import {
  type ConfirmedIndex,
  type IndexLookupKeys,
  type IndexLookupResult,
  NOTHING_CONFIRMED,
} from '../../src/mempool/confirmed-index-interface.ts';
import type { MempoolChange, MempoolClientEvent } from '../../src/mempool/mempool-change.ts';
import { MempoolMirror, type MirrorOptions } from '../../src/mempool/mirror.ts';
import type { MirroredNode } from '../../src/mempool/mirrored-node-interface.ts';
import type { NodeEventListener } from '../../src/node/event-socket.ts';
import type { BlockIdAndHeight, NodeMempoolEvent, NodeMempoolTransaction } from '../../src/node/result-parsers.ts';
import type { Scope } from './file-scope.ts';
import { until } from './until.ts';

export const NETWORK = networkByName('regtest-pos');
export const COIN = 10n ** 11n;
/** What is known within this time was not learned by the listing of the mempool every 30 s. */
export const LESS_THAN_LISTING_MS = 20_000;

export const idOf = (signed: SignedTransaction): Id => transactionId(signed.transaction);
export const owner = (n: number): string => `01${n.toString(16).padStart(40, '0')}`;
export const transfer = (amount: bigint, destination = owner(1)): TxOutput => ({
  type: 'Transfer',
  value: { type: 'Coin', amount },
  destination,
});

/** An output of a token. */
export const tokenTransfer = (tokenId: Id, amount: bigint, destination: string): TxOutput => ({
  type: 'Transfer',
  value: { type: 'TokenV1', tokenId, amount },
  destination,
});

/** Issues a token named "A" without a limit. */
export const issuance = (authority: string, numberOfDecimals: number): TxOutput => ({
  type: 'IssueFungibleToken',
  issuance: {
    ...{ ticker: '41', numberOfDecimals, metadataUri: '', authority, isFreezable: false },
    totalSupply: { type: 'Unlimited' },
  },
});

export const unsigned = (inputs: readonly TxInput[], outputs: readonly TxOutput[]): SignedTransaction => ({
  transaction: { flags: 0n, inputs, outputs },
  signatures: inputs.map(() => ({ type: 'NoSignature', data: null })),
});

/** Spends outputs (of transactions, by id and index) for others. */
export function spending(
  spent: readonly (readonly [Id, number])[],
  outputs: readonly TxOutput[] = [transfer(9n * COIN)],
): SignedTransaction {
  const inputs = spent.map(([sourceId, index]) => {
    return { type: 'Utxo', outpoint: { sourceType: 'Transaction', sourceId, index } } as const;
  });
  return unsigned(inputs, outputs);
}

/** A block of that name. */
export const blockId = (name: string | number): Id => Buffer.from(`block ${name}`).toString('hex').padEnd(64, '0');

/** Holds up whoever comes there until it ends. */
export class Halt {
  readonly #reached = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();

  wait(): Promise<void> {
    this.#reached.resolve();
    return this.#ended.promise;
  }

  /** Somebody has come. */
  reached(): Promise<void> {
    return this.#reached.promise;
  }

  end(): void {
    this.#ended.resolve();
  }
}

export class FakeNode implements MirroredNode {
  readonly #pending = new Map<Id, SignedTransaction>();
  readonly orphans = new Map<Id, SignedTransaction>();
  /** `lists` and `asked`: how often it was asked for all, and for which. */
  readonly asked: Id[] = [];
  lists = 0;
  bestBlock: BlockIdAndHeight = { id: blockId(10), height: 10 };
  isListTooLong = false;
  isAway = false;
  /** Is it on the chain of the index? */
  hasOurTip = true;
  /** Given in place of the list. */
  nonsense: Uint8Array[] | null = null;
  /** Waited for when a list, or a transaction, has been read here and before it is answered. */
  beforeList: () => Promise<void> | void = () => {};
  beforeTransaction: () => Promise<void> | void = () => {};
  #listener: NodeEventListener<NodeMempoolEvent> | null = null;

  listen(listener: NodeEventListener<NodeMempoolEvent>) {
    this.#listener = listener;
    if (!this.isAway) listener.subscribed();
    return {
      close: async () => {
        this.#listener = null;
      },
    };
  }

  async transactions(): Promise<Uint8Array[] | 'too large'> {
    this.#answer();
    this.lists++;
    const list = this.nonsense ?? [...this.#pending.values()].map(encodeSignedTransaction);
    const isTooLong = this.isListTooLong;
    await this.beforeList();
    return isTooLong ? 'too large' : list;
  }

  async transaction(id: Id): Promise<NodeMempoolTransaction | null> {
    this.#answer();
    this.asked.push(id);
    const pending = this.#pending.get(id);
    const orphan = this.orphans.get(id);
    await this.beforeTransaction();
    if (pending) return { bytes: encodeSignedTransaction(pending), pool: 'mempool' };
    return orphan ? { bytes: encodeSignedTransaction(orphan), pool: 'orphan' } : null;
  }

  async tip(): Promise<BlockIdAndHeight> {
    this.#answer();
    return this.bestBlock;
  }

  async hasBlock(): Promise<boolean> {
    this.#answer();
    return this.hasOurTip;
  }

  get ids(): Id[] {
    return [...this.#pending.keys()];
  }

  /** Takes transactions in, without an event. */
  put(...transactions: SignedTransaction[]): void {
    for (const signed of transactions) this.#pending.set(idOf(signed), signed);
  }

  /** Puts those before all others, as a node does with those of a block that it left. */
  putBack(...transactions: SignedTransaction[]): void {
    const others = [...this.#pending];
    this.#pending.clear();
    this.put(...transactions);
    for (const [id, signed] of others) this.#pending.set(id, signed);
  }

  /** Lets them go without an event. */
  evict(...transactions: SignedTransaction[]): void {
    for (const signed of transactions) this.#pending.delete(idOf(signed));
  }

  empty(): void {
    this.#pending.clear();
  }

  tell(signed: SignedTransaction, origin: 'local' | 'remote' = 'remote', accepted = true): void {
    this.#listener?.event({ type: 'TransactionProcessed', id: idOf(signed), origin, accepted });
  }

  /** Takes transactions in and tells of each. */
  accept(...transactions: SignedTransaction[]): void {
    for (const signed of transactions) {
      this.put(signed);
      this.tell(signed);
    }
  }

  /** Sets another best block; its transactions are no longer pending. */
  setTip(name: string | number, height: number, ...mined: SignedTransaction[]): void {
    this.evict(...mined);
    this.bestBlock = { id: blockId(name), height };
    this.#listener?.event({ type: 'NewTip', tip: this.bestBlock });
  }

  /** The event socket breaks; `isAway`: and nothing answers. */
  goAway(isAway = true): void {
    this.isAway = isAway;
    this.#listener?.ended('the test said so');
  }

  comeBack(): void {
    this.isAway = false;
    this.#listener?.subscribed();
  }

  #answer(): void {
    if (this.isAway) throw new Error('the node is away');
  }
}

export class FakeIndex implements ConfirmedIndex {
  readonly outputs = new Map<string, TxOutput>();
  readonly orders = new Map<Id, OrderTerms>();
  readonly #blocks = new Map<number, { id: Id; transactionIds: Id[] }>();
  height = 10;
  isAway = false;
  beforeAnswer: () => Promise<void> | void = () => {};

  /** Knows an output of a transaction from somewhere. */
  has(id: Id, index = 0, output: TxOutput = transfer(10n * COIN, owner(7))): this {
    this.outputs.set(outpointKey(id, index), output);
    return this;
  }

  /** Goes on from a common height with blocks of those names and transactions; gives the move to tell the mirror. */
  move(commonHeight: number, ...blocks: (readonly [name: string | number, ...mined: SignedTransaction[]])[]) {
    for (const height of [...this.#blocks.keys()]) if (height > commonHeight) this.#blocks.delete(height);
    const told = blocks.map(([name, ...mined], i) => {
      const block = { id: blockId(name), transactionIds: mined.map(idOf) };
      this.#blocks.set(commonHeight + 1 + i, block);
      return { height: commonHeight + 1 + i, ...block };
    });
    this.height = commonHeight + blocks.length;
    const last = blocks.at(-1);
    return {
      tip: { id: last ? blockId(last[0]) : blockId(commonHeight), height: this.height },
      commonHeight,
      blocks: told,
    };
  }

  async read(asked: IndexLookupKeys): Promise<IndexLookupResult> {
    if (this.isAway) throw new Error('the database is away');
    const transactions = new Map<Id, number>();
    for (const [height, block] of this.#blocks) {
      for (const id of block.transactionIds) if (asked.transactions.includes(id)) transactions.set(id, height);
    }
    const outputs = new Map(this.outputs);
    const { height } = this;
    await this.beforeAnswer();
    return { ...NOTHING_CONFIRMED, height, transactions, outputs, orders: this.orders };
  }
}

/** A mirror of a fake node over a fake index, both at height 10, and all that it told. */
export class MirrorWorld {
  readonly node = new FakeNode();
  readonly index = new FakeIndex();
  readonly changes: MempoolChange[] = [];
  readonly events: MempoolClientEvent[] = [];
  readonly logs: string[] = [];
  mirror!: MempoolMirror;

  /** `prepare` is called before the mirror begins; the first list is there when this resolves. */
  static async start(
    t: Scope,
    options: Partial<MirrorOptions> = {},
    prepare: (world: MirrorWorld) => void = () => {},
  ): Promise<MirrorWorld> {
    const world = new MirrorWorld();
    prepare(world);
    const log = (_fields: object, message: string) => void world.logs.push(message);
    world.mirror = new MempoolMirror({
      network: NETWORK,
      source: world.node,
      index: world.index,
      logger: { debug() {}, info: log, warn: log },
      listPauseMs: 5,
      ...options,
    });
    t.after(() => world.mirror.close());
    world.mirror.listen((change, event) => {
      world.changes.push(change);
      if (event !== undefined) world.events.push(event);
    });
    world.mirror.indexMoved(world.index.move(10));
    if (!world.node.isAway) await until(() => world.node.lists > 0 && world.isFollowing, 'the first list');
    return world;
  }

  get isFollowing(): boolean {
    return this.mirror.pool.isAvailable;
  }

  get ids(): Id[] {
    return [...this.mirror.pool.transactions()].map(({ id }) => id);
  }

  /** The events that clients got, in short form. */
  get news(): string[] {
    return this.events.map((event) =>
      event.type === 'seen' ? `seen ${event.transaction.origin} ${event.transaction.id}` : `dropped ${event.id}`,
    );
  }

  async shows(...expected: SignedTransaction[]): Promise<void> {
    const ids = expected.map(idOf);
    await until(() => this.ids.join() === ids.join(), 'those are pending', {
      withinMs: LESS_THAN_LISTING_MS,
      explain: () => `expected ${ids}\nfound ${this.ids}\nchanges ${this.changes.map(({ type }) => type)}`,
    });
  }

  /** The node takes these in and tells of them, until the mirror has them, listed or not, and nothing else. */
  async accepts(...transactions: SignedTransaction[]): Promise<void> {
    this.node.accept(...transactions);
    const ids = transactions.map(idOf).join();
    await until(() => this.mirror.pool.ids().join() === ids, 'the mirror has them', { withinMs: LESS_THAN_LISTING_MS });
  }

  /** A block of that height comes, to the node and to the index. */
  mines(height: number, ...mined: SignedTransaction[]): void {
    this.node.setTip(height, height, ...mined);
    this.indexMoves(height - 1, [height, ...mined]);
  }

  /** Until the node was listed once more. */
  async listed(): Promise<void> {
    const { lists } = this.node;
    await until(() => this.node.lists > lists, 'another list', { withinMs: LESS_THAN_LISTING_MS });
    // Its answer is worked off within a few turns.
    await new Promise((resolve) => setTimeout(resolve, 10));
  }

  state(id: Id): string | undefined {
    return this.mirror.pool.find(id)?.state;
  }

  /** Moves the index, and tells the mirror. */
  indexMoves(
    commonHeight: number,
    ...blocks: (readonly [name: string | number, ...mined: SignedTransaction[]])[]
  ): void {
    const move = this.index.move(commonHeight, ...blocks);
    assert.equal(this.index.height, move.tip.height);
    this.mirror.indexMoved(move);
  }
}
