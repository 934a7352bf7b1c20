/**
 * A devnet, an index that takes the devnet's blocks when it is told to, and a web server for each contract with the mirror
 * of the devnet's mempool.
 */
import assert from 'node:assert/strict';
import type { CreateBrowserPages } from '../../src/answers/answers-context.ts';
import { identifyBlock } from '../../src/chain/codec/block.ts';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import { transactionId } from '../../src/chain/derive-ids.ts';
import type { Id, SignedTransaction } from '../../src/chain/types.ts';
import type { RpcServer } from '../../src/devnet/rpc-server.ts';
import { blockTimesFrom } from '../../src/devnet/sim/block-times.ts';
import { SimulatedNode } from '../../src/devnet/sim/simulated-node.ts';
import type { TransactionMix } from '../../src/devnet/sim/transaction-mix.ts';
import type { MirrorOptions } from '../../src/mempool/mirror.ts';
import { type FaultyRpcServerOptions, serveFaultyRpc } from './faulty-rpc-server.ts';
import type { Scope } from './file-scope.ts';
import { TestIndex } from './indexed-database.ts';
import { SIMULATED_NETWORK as network } from './simulated-chain.ts';
import { until } from './until.ts';
import { startTestWebServer, type TestAnswer, type TestServer, type TestServerOptions } from './web-server.ts';

export interface PendingWorldOptions {
  readonly seed?: string;
  readonly blocks?: number;
  /** What the blocks contain, and when they are made; `dense` unless said otherwise. */
  readonly mix?: TransactionMix;
  /** Does the chain end now, with the blocks of 30 days? Otherwise its genesis is years ago. */
  readonly isPresent?: boolean;
  /** Is the mempool empty at first? */
  readonly isQuiet?: boolean;
  readonly rpc?: FaultyRpcServerOptions;
  readonly mirror?: Partial<MirrorOptions>;
  /** Have the web servers the Mesh API? */
  readonly hasMesh?: boolean;
  /** Are there web servers in this process? There are, unless said otherwise. */
  readonly isServed?: boolean;
  /** The explorer unless said otherwise. */
  readonly pages?: CreateBrowserPages;
}

/** Lists come often, because there is no event for a transaction that leaves the mempool. */
const MIRROR = { listPauseMs: 5, listEveryMs: 50 };

export class PendingWorld {
  readonly network = network;
  readonly node: SimulatedNode;
  readonly rpc: RpcServer;
  readonly index: TestIndex;
  /** A server with the response profile `described`. */
  server!: TestServer;
  core!: TestServer;
  /** The block ids of the index, by height. */
  readonly #ids: Id[] = [network.genesisId];
  readonly #t: Scope;
  readonly #serverOptions: TestServerOptions;

  private constructor(
    t: Scope,
    { node, rpc, index }: Pick<PendingWorld, 'node' | 'rpc' | 'index'>,
    options: Pick<PendingWorldOptions, 'mirror' | 'pages' | 'hasMesh'>,
  ) {
    this.node = node;
    this.rpc = rpc;
    this.index = index;
    this.#t = t;
    this.#serverOptions = {
      network,
      postgres: index.postgres,
      enablePostRoutes: true,
      hasMesh: options.hasMesh ?? false,
      node: { address: rpc.address, auth: { type: 'none' } as const },
      mirror: { ...MIRROR, ...options.mirror },
      ...(options.pages === undefined ? {} : { pages: options.pages }),
    };
  }

  static async start(t: Scope, options: PendingWorldOptions = {}): Promise<PendingWorld> {
    const {
      seed = 'pending',
      blocks = 30,
      mix = 'dense',
      isPresent = false,
      isQuiet = true,
      rpc: rpcOptions = {},
      isServed = true,
    } = options;
    const node = await SimulatedNode.open({ network, seed, mix, ...(isPresent && blockTimesFrom('now', blocks, 0)) });
    node.growTo(blocks);
    if (isQuiet) node.emptyMempool();
    const rpc = await serveFaultyRpc(node, rpcOptions);
    t.after(() => rpc.close());
    const index = await TestIndex.create(t, network);
    const world = new PendingWorld(t, { node, rpc, index }, options);
    await world.indexFollows();
    if (!isServed) return world;
    world.server = await startTestWebServer(t, world.#serverOptions);
    world.core = await startTestWebServer(t, { ...world.#serverOptions, contract: 'mintlayer-core' });
    for (const server of world.servers) {
      await until(async () => (await server.get('/mempool')).status === 200, 'the mirror follows the node');
    }
    return world;
  }

  /** Starts a server with the response profile `described` again at its port, after it was stopped. */
  async serveAgain(): Promise<void> {
    const bindAddress = { host: '127.0.0.1', port: this.server.port };
    this.server = await startTestWebServer(this.#t, { ...this.#serverOptions, bindAddress });
  }

  get servers(): readonly TestServer[] {
    return [this.server, this.core];
  }

  /** The pending transactions of the node, in its order. */
  get pendingIds(): Id[] {
    return this.node.mempoolTransactions().map(({ id }) => id);
  }

  /** The index becomes that of the node's main chain; the web servers see it in their own time. */
  async indexFollows(): Promise<void> {
    const { node, index } = this;
    let common = Math.min(this.#ids.length - 1, node.tip().height);
    while (node.mainChainId(common) !== this.#ids[common]) common--;
    const ids: Id[] = [];
    for (let height = common + 1; height <= node.tip().height; height++) ids.push(node.mainChainId(height)!);
    const blocks = ids.map((id) => identifyBlock(node.blockBytes(id)!));
    if (common === this.#ids.length - 1) await index.follow(blocks, 10);
    else await index.reorganise(common, blocks);
    this.#ids.splice(common + 1, Number.POSITIVE_INFINITY, ...ids);
  }

  /** The same, and the web servers say so. */
  async indexIsSeen(): Promise<void> {
    await this.indexFollows();
    for (const server of this.servers) {
      const tip = async () => (await server.json('/chain/tip')).block_id === this.node.tip().id;
      await until(tip, 'the web server sees the tip');
    }
  }

  /** Hands a transaction to the node by the web server. */
  submit(signed: SignedTransaction, server = this.server): Promise<TestAnswer> {
    const body = encodeSignedTransaction(signed).toString('hex');
    return server.request('/api/v2/transaction', { method: 'POST', body });
  }

  /** The node gets it from a peer. */
  receive(signed: SignedTransaction): Id {
    const result = this.node.submitTransaction(signed, encodeSignedTransaction(signed), { type: 'Remote', peerId: 7 });
    assert.equal(result.type, 'Accepted', JSON.stringify(result));
    return transactionId(signed.transaction);
  }

  /** Until both web servers list what the node has, in its order. */
  async agrees(): Promise<void> {
    for (const server of this.servers) {
      let listed: string[] = [];
      const isSame = async () => {
        listed = (await listAll(server)).map(({ id }) => id);
        return listed.join() === this.pendingIds.join();
      };
      await until(isSame, 'the web server lists what the node has', {
        explain: () => `node\n${this.pendingIds.join('\n')}\nweb server\n${listed.join('\n')}`,
      });
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: what it holds is checked against its schema
export async function listAll(server: TestServer, order = 'insertion'): Promise<any[]> {
  const all = [];
  for (;;) {
    const page = await server.json(`/mempool/transactions?order=${order}&offset=${all.length}&items=100`);
    all.push(...page);
    if (page.length < 100) return all;
  }
}

/** The fields that a block gives to a transaction taken away. */
export function withoutBlock({
  block_id: _block,
  timestamp: _timestamp,
  confirmations: _confirmations,
  tx_global_index: _index,
  ...transaction
}: Record<string, unknown>) {
  return transaction;
}
