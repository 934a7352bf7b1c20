import type { FeeRatePoint } from '../chain/fee-rate.ts';
import type { Atoms } from '../chain/types.ts';
import { type NodeLogger, silentLogger } from './logger-interface.ts';
import { type NodeAddress, nodeAddressText, parseNodeAddress } from './node-address.ts';
import { NodeConnection, type NodeNetwork } from './node-connection.ts';
import { isResponseTooLarge, NodeError } from './node-error.ts';
import { NodeInUse } from './node-in-use.ts';
import {
  type ChainInfo,
  type NodeMempoolTransaction,
  nullableResultParser,
  parseBlocks,
  parseChainInfo,
  parseFeeRatePoints,
  parseHexResult,
  parseIdResult,
  parseLeastRelayFeeRate,
  parseNodeMempoolTransaction,
  parseNullResult,
  parseRpcResult,
  parseTransactions,
  type ResultParser,
} from './result-parsers.ts';
import { type NodeAuth, RpcCredentials } from './rpc-credentials.ts';

/** A node, and how to log in to it. */
export interface NodeEndpoint {
  /** `host:port`, or a URL: see `parseNodeAddress`. */
  readonly address: string;
  readonly auth: NodeAuth;
}

export interface NodeClientOptions extends NodeEndpoint {
  /** More nodes that may be used instead of the first one. */
  readonly others?: readonly NodeEndpoint[] | undefined;
  /** Which node is used; the first one unless given. `NodeSelection` changes it. */
  readonly inUse?: NodeInUse | undefined;
  /** Nothing is asked of a node of another network, but for its genesis. */
  readonly network?: NodeNetwork | undefined;
  /** Longest time without any progress, in milliseconds (default 30,000). */
  readonly idleTimeoutMs?: number;
  /** Longest time for one call, in milliseconds (default 300,000). */
  readonly totalTimeoutMs?: number;
  /** Responses above this are not read on (default 32 MiB; the node's own limit is 10 MiB). */
  readonly maxResponseBytes?: number;
  /** Requests in flight at most; more wait for a connection (default 8, the node allows 100 to all its clients). */
  readonly maxConnections?: number;
  readonly logger?: NodeLogger;
}

/** Optional for every call: ends it, the promise then rejects with the signal's reason. */
export interface NodeCallOptions {
  readonly signal?: AbortSignal | undefined;
  /** The position of the node to call; the one in use unless given. */
  readonly node?: number | undefined;
}

const GET_BLOCKS = 'chainstate_get_mainchain_blocks';

/**
 * The node's JSON-RPC over HTTP (docs/protocol.md#node-rpc). Every method rejects with a `NodeError`, or with the
 * reason of its signal; every response but that of `mainchainBlocksRaw` is checked before it is given. Nothing is retried
 * here but a refused cookie, which is read again once, and a kept connection that the node had closed: see `withRetry` for
 * the rest.
 */
export class NodeClient {
  readonly logger: NodeLogger;
  readonly inUse: NodeInUse;
  readonly #connections: readonly NodeConnection[];
  /** Aborted when another node is used from then on. */
  #use = new AbortController();

  /** Throws a `RangeError` when the address cannot be understood. */
  constructor(options: NodeClientOptions) {
    this.logger = options.logger ?? silentLogger;
    this.inUse = options.inUse ?? new NodeInUse();
    this.inUse.onChange(() => this.#leave());
    const transport = {
      idleTimeoutMs: 30_000,
      totalTimeoutMs: 300_000,
      maxResponseBytes: 32 * 1024 * 1024,
      maxConnections: 8,
      ...options,
    };
    this.#connections = [options, ...(options.others ?? [])].map((endpoint) => {
      const address = parseNodeAddress(endpoint.address);
      const credentials = new RpcCredentials(endpoint.auth);
      const health = this.inUse.healthOf(nodeAddressText(address));
      const { network } = options;
      return new NodeConnection({ address, credentials, health, network, transport, logger: this.logger });
    });
  }

  /** The address of the node in use. */
  get address(): NodeAddress {
    return this.connection.address;
  }

  /** The addresses of all nodes. */
  get nodes(): readonly string[] {
    return this.#connections.map(({ address }) => nodeAddressText(address));
  }

  /** The problem of each unusable node, by address. */
  get problems(): Readonly<Record<string, NodeError>> {
    const failing = this.#connections.filter(({ health }) => health.problem !== null);
    return Object.fromEntries(failing.map(({ address, health }) => [nodeAddressText(address), health.problem!]));
  }

  /** 1 for the node in use, 0 for the others and for one of another network, by address. */
  get usage(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      this.#connections.map(({ address, health }, i) => [
        nodeAddressText(address),
        Number(i === this.inUse.index && health.problem?.kind !== 'other network'),
      ]),
    );
  }

  /** Calls back when another node is used, or `usage` or `problems` have changed for another reason. */
  onChange(listener: () => void): void {
    this.inUse.onChange(listener);
    for (const { health } of this.#connections) health.onChange(listener);
  }

  /** Logs the beginning and the end of each problem of a node, and a reminder each minute, for all clients that share `inUse`. */
  logProblems(logger: NodeLogger): void {
    for (const { health } of this.#connections) health.logger = logger;
  }

  /** The connection to the node in use. */
  get connection(): NodeConnection {
    return this.#connections[this.inUse.index]!;
  }

  chainInfo(options?: NodeCallOptions): Promise<ChainInfo> {
    return this.#call('chainstate_info', [], parseChainInfo, options);
  }

  /** The id of the main-chain block at `height` (0 is the genesis), `null` above the tip. */
  blockIdAtHeight(height: number, options?: NodeCallOptions): Promise<string | null> {
    return this.#call('chainstate_block_id_at_height', [height], nullableResultParser(parseIdResult), options);
  }

  /**
   * The encoded main-chain blocks at heights `from`, `from + 1`, …, at most `maxCount`, fewer where the chain ends.
   * What is too large for one response is asked for in halves. A reorganisation may fall between two responses, so check
   * that each block's parent is the one before it.
   */
  mainchainBlocks(from: number, maxCount: number, options?: NodeCallOptions): Promise<Buffer[]> {
    return this.#inHalves(from, maxCount, (first, count) =>
      this.#call(GET_BLOCKS, [first, count], parseBlocks, options),
    );
  }

  /**
   * Requests blocks like `mainchainBlocks`, but only once, and returns the body in a separate buffer. Nothing was checked:
   * `parseMainchainBlocks` parses it, or throws if the body is an error. If that is `isResponseTooLarge`, request fewer blocks.
   */
  mainchainBlocksRaw(from: number, maxCount: number, options?: NodeCallOptions): Promise<Buffer> {
    return this.#exchange(GET_BLOCKS, [from, maxCount], (body) => body, options);
  }

  /** The encoded block with this id, of the main chain or not; null for the genesis and what the node does not have. */
  block(id: string, options?: NodeCallOptions): Promise<Buffer | null> {
    return this.#call('chainstate_get_block', [id], nullableResultParser(parseHexResult), options);
  }

  /** The node's fee curve, at least one point, by growing size. */
  feeRatePoints(options?: NodeCallOptions): Promise<FeeRatePoint[]> {
    return this.#call('mempool_get_fee_rate_points', [], parseFeeRatePoints, options);
  }

  /** The least fee rate at which the node relays transactions, in atoms per kilobyte. */
  leastRelayFeeRate(options?: NodeCallOptions): Promise<Atoms> {
    return this.#call('mempool_get_config', [], parseLeastRelayFeeRate, options);
  }

  /**
   * Returns all pending transactions, encoded, in the order in which the node accepted them. `too large`: together they are more
   * than the node puts in one response, or than is read here; there is no other way to list them.
   */
  async mempoolTransactions(options?: NodeCallOptions): Promise<Buffer[] | 'too large'> {
    try {
      return await this.#call('mempool_transactions', [], parseTransactions, options);
    } catch (error) {
      if (isResponseTooLarge(error)) return 'too large';
      throw error;
    }
  }

  /** A transaction that waits in the node's mempool or orphan pool; null when it is in neither. */
  mempoolTransaction(id: string, options?: NodeCallOptions): Promise<NodeMempoolTransaction | null> {
    return this.#call('mempool_get_transaction', [id], nullableResultParser(parseNodeMempoolTransaction), options);
  }

  /**
   * Submits a signed transaction (hex of its encoding) to the mempools of all nodes and, if one accepts it, to the network.
   * A refusal is a `NodeError` of kind `rpc` with the node's text in `rpc.message`: that of the node in use, or of another
   * one if the node in use cannot be asked.
   */
  async submitTransaction(hex: string, options?: NodeCallOptions): Promise<void> {
    const used = this.inUse.index;
    const calls = this.#connections.map((_, node) =>
      this.#call('p2p_submit_transaction', [hex, { trust_policy: 'Untrusted' }], parseNullResult, { ...options, node }),
    );
    try {
      await Promise.any(calls);
    } catch (error) {
      const { errors } = error as AggregateError;
      throw [errors[used], ...errors].find(isRefusal) ?? errors[used];
    }
  }

  /** Closes the connections; calls under way fail. */
  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  /** Ends the calls of a node that is no longer used: it may never answer them. */
  #leave(): void {
    this.#use.abort(new NodeError('unreachable', 'Another node is used from now on.'));
    this.#use = new AbortController();
  }

  #call<T>(method: string, params: unknown[], read: ResultParser<T>, options?: NodeCallOptions): Promise<T> {
    return this.#exchange(method, params, (body) => read(method, parseRpcResult(method, body)), options);
  }

  #exchange<T>(
    method: string,
    params: unknown[],
    read: (body: Buffer) => T,
    options: NodeCallOptions = {},
  ): Promise<T> {
    const connection = this.#connections[options.node ?? this.inUse.index]!;
    return connection.exchange(method, params, read, this.#signalOf(options));
  }

  /** A call of the node in use also ends when another one is used. */
  #signalOf({ signal, node }: NodeCallOptions): AbortSignal | undefined {
    if (node !== undefined || this.#connections.length === 1) return signal;
    return signal === undefined ? this.#use.signal : AbortSignal.any([signal, this.#use.signal]);
  }

  async #inHalves<T>(from: number, count: number, fetch: (from: number, count: number) => Promise<T[]>): Promise<T[]> {
    try {
      return await fetch(from, count);
    } catch (error) {
      if (!isResponseTooLarge(error) || count <= 1) throw error;
      const half = Math.ceil(count / 2);
      this.logger.debug?.({ from, count }, 'these blocks are too large for one response, requesting them in halves');
      const first = await this.#inHalves(from, half, fetch);
      return first.concat(await this.#inHalves(from + half, count - half, fetch));
    }
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof NodeError && error.kind === 'rpc';
}
