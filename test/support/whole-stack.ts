/** A simulated node, the scanner that follows it and a web server for each contract, as an operator runs them. */
import type { ResponseProfileName } from '../../src/api/response-profile/profile.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import { serveRpc } from '../../src/devnet/rpc-server.ts';
import { SimulatedNode } from '../../src/devnet/sim/simulated-node.ts';
import { MIX_PRESETS } from '../../src/devnet/sim/transaction-mix.ts';
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import { type Scope, sharedByFiles } from './file-scope.ts';
import { testDatabase } from './postgres.ts';
import { RunningScanner } from './running-scanner.ts';
import { SIMULATED_NETWORK } from './simulated-chain.ts';
import { until } from './until.ts';
import { startTestWebServer, type TestServer } from './web-server.ts';

/** Every kind of transaction often, and an order book that does not run empty. */
const { dense } = MIX_PRESETS;
const MIX = { ...dense, weights: { ...dense.weights, orderCreate: 10, orderConclude: 1, orderFreeze: 0.5 } };

export interface WholeStackOptions {
  readonly network?: Network;
  readonly seed?: string | number;
  /** The blocks of the chain at the start. */
  readonly blocks?: number;
}

export class WholeStack {
  readonly network: Network;
  readonly node: SimulatedNode;
  /** The address of the node's RPC. */
  readonly nodeAddress: string;
  readonly postgres: PostgresOptions;
  readonly servers: Readonly<Record<ResponseProfileName, TestServer>>;
  readonly #scanner: RunningScanner;

  private constructor(
    { node, nodeAddress }: Pick<WholeStack, 'node' | 'nodeAddress'>,
    postgres: PostgresOptions,
    scanner: RunningScanner,
    servers: Readonly<Record<ResponseProfileName, TestServer>>,
  ) {
    this.network = node.network;
    this.node = node;
    this.nodeAddress = nodeAddress;
    this.postgres = postgres;
    this.#scanner = scanner;
    this.servers = servers;
  }

  /** The whole chain is indexed when this is over; everything ends with `t`. */
  static async start(t: Scope, options: WholeStackOptions = {}): Promise<WholeStack> {
    const { network = SIMULATED_NETWORK, seed = 'stack', blocks = 100 } = options;
    const node = await SimulatedNode.open({ network, seed, mix: MIX });
    node.growTo(blocks);
    const rpc = await serveRpc(node);
    t.after(() => rpc.close());
    const postgres = await testDatabase(t);
    const scanner = await RunningScanner.start(t, { node: { address: rpc.address, network }, postgres });
    await scanner.reaches(node.tip().id);
    const serve = (contract: ResponseProfileName) =>
      startTestWebServer(t, {
        network,
        postgres,
        contract,
        enablePostRoutes: true,
        node: { address: rpc.address, auth: { type: 'none' } },
      });
    const [described, core] = await Promise.all([serve('described'), serve('mintlayer-core')]);
    return new WholeStack({ node, nodeAddress: rpc.address }, postgres, scanner, { described, 'mintlayer-core': core });
  }

  /** Mines the next block and waits until it is in the answers of both web servers. */
  async grow(): Promise<void> {
    this.node.grow();
    await this.settle();
  }

  /** Replaces the newest `depth` blocks by `length` others and waits until that is in the answers. */
  async reorganise(depth: number, length: number): Promise<void> {
    this.node.reorganise(depth, length);
    await this.settle();
  }

  /** Waits until the node's tip is in the answers of both web servers. */
  async settle(): Promise<void> {
    const { id } = this.node.tip();
    await this.#scanner.reaches(id);
    for (const server of Object.values(this.servers)) {
      // A web server looks for a new tip many times a second, and answers from the last one meanwhile.
      await until(async () => (await server.json('/chain/tip')).block_id === id, `the tip ${id}`);
    }
  }
}

/**
 * The stack of all test files of a process that call this at their top. Its chain has transactions of every kind. They may
 * only move it on: by blocks, reorganisations, and what is pending.
 */
export const sharedStack = sharedByFiles((scope) => WholeStack.start(scope, { seed: 'explorer', blocks: 200 }));
