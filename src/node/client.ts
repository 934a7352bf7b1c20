import type { FeeRatePoint } from '../chain/fee-rate.ts';
import type { Atoms } from '../chain/types.ts';
import { type HostPort, hostPortText, parseNodeAddress } from './host-port.ts';
import { HttpTransport } from './http-transport.ts';
import { type NodeLogger, silentLogger } from './logger-interface.ts';
import { excerpt, isResponseTooLarge, NodeError } from './node-error.ts';
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
} from './responses.ts';
import { type NodeAuth, RpcCredentials } from './rpc-credentials.ts';

/** A node, and how to log in to it. */
export interface NodeEndpoint {
  /** `host:port` or `http://host:port`. */
  readonly address: string;
  readonly auth: NodeAuth;
}

export interface NodeClientOptions extends NodeEndpoint {
  /** More nodes that may be used instead of the first one. */
  readonly others?: readonly NodeEndpoint[] | undefined;
  /** Which node is used; the first one unless given. `NodeSelection` changes it. */
  readonly inUse?: NodeInUse | undefined;
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

interface Endpoint {
  readonly address: HostPort;
  readonly credentials: RpcCredentials;
  readonly transport: HttpTransport;
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
  readonly #endpoints: readonly Endpoint[];
  /** Aborted when another node is used from then on. */
  #use = new AbortController();
  #lastId = 0;

  /** Throws a `RangeError` when the address cannot be understood. */
  constructor(options: NodeClientOptions) {
    this.logger = options.logger ?? silentLogger;
    this.inUse = options.inUse ?? new NodeInUse();
    this.inUse.onChange(() => this.#leave());
    this.#endpoints = [options, ...(options.others ?? [])].map((endpoint) => {
      const address = parseNodeAddress(endpoint.address);
      const transport = new HttpTransport(address, {
        idleTimeoutMs: 30_000,
        totalTimeoutMs: 300_000,
        maxResponseBytes: 32 * 1024 * 1024,
        maxConnections: 8,
        ...options,
      });
      return { address, credentials: new RpcCredentials(endpoint.auth), transport };
    });
  }

  /** The address of the node in use. */
  get address(): HostPort {
    return this.#endpointInUse.address;
  }

  get credentials(): RpcCredentials {
    return this.#endpointInUse.credentials;
  }

  /** The addresses of all nodes. */
  get nodes(): readonly string[] {
    return this.#endpoints.map(({ address }) => hostPortText(address));
  }

  /** 1 for the node in use, 0 for the others, by address. */
  get usage(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.nodes.map((name, i) => [name, Number(i === this.inUse.index)]));
  }

  get #endpointInUse(): Endpoint {
    return this.#endpoints[this.inUse.index]!;
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
   * `parseMainchainBlocks` parses it, or throws the error that it is. If that is `isResponseTooLarge`, request fewer blocks.
   */
  mainchainBlocksRaw(from: number, maxCount: number, options?: NodeCallOptions): Promise<Buffer> {
    return this.#exchange(GET_BLOCKS, [from, maxCount], options);
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
    const calls = this.#endpoints.map((_, node) =>
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
    for (const { transport } of this.#endpoints) transport.close();
  }

  /** Ends the calls of a node that is no longer used: it may never answer them. */
  #leave(): void {
    this.#use.abort(new NodeError('unreachable', 'Another node is used from now on.'));
    this.#use = new AbortController();
  }

  async #call<T>(method: string, params: unknown[], read: ResultParser<T>, options?: NodeCallOptions): Promise<T> {
    return read(method, parseRpcResult(method, await this.#exchange(method, params, options)));
  }

  /** The body of a response that may hold a JSON-RPC result or error. */
  async #exchange(method: string, params: unknown[], options: NodeCallOptions = {}): Promise<Buffer> {
    this.#lastId = (this.#lastId % Number.MAX_SAFE_INTEGER) + 1;
    const json = JSON.stringify({ jsonrpc: '2.0', id: this.#lastId, method, params });
    const { address, credentials, transport } = this.#endpoints[options.node ?? this.inUse.index]!;
    const signal = this.#signalOf(options);
    const sent = await credentials.header();
    let response = await transport.post(method, json, sent, signal);
    if (response.status === 401) {
      if (await credentials.renew(sent)) {
        this.logger.debug({ method }, 'the node refused the cookie, asking again with a new one');
        response = await transport.post(method, json, await credentials.header(), signal);
      }
      if (response.status === 401) throw credentials.refusal(hostPortText(address));
    }
    // Refusals of a request as such come with other statuses but the same error objects.
    if (response.status !== 200) throw this.#unexpectedStatus(address, method, response.status, response.body);
    return response.body;
  }

  /** A call of the node in use also ends when another one is used. */
  #signalOf({ signal, node }: NodeCallOptions): AbortSignal | undefined {
    if (node !== undefined || this.#endpoints.length === 1) return signal;
    return signal === undefined ? this.#use.signal : AbortSignal.any([signal, this.#use.signal]);
  }

  #unexpectedStatus(address: HostPort, method: string, status: number, body: Buffer): NodeError {
    try {
      parseRpcResult(method, body);
    } catch (error) {
      if (error instanceof NodeError && error.kind === 'rpc') return error;
    }
    const what = `answered ${method} with HTTP status ${status}: ${excerpt(body.toString('utf8', 0, 200))}.`;
    const isGateway = status >= 500;
    const question = isGateway ? 'Is the node behind it running?' : 'Is that the RPC port of a Mintlayer node?';
    const message = `What listens at ${hostPortText(address)} ${what} ${question}`;
    return new NodeError(isGateway ? 'unreachable' : 'malformed', message);
  }

  async #inHalves<T>(from: number, count: number, fetch: (from: number, count: number) => Promise<T[]>): Promise<T[]> {
    try {
      return await fetch(from, count);
    } catch (error) {
      if (!isResponseTooLarge(error) || count <= 1) throw error;
      const half = Math.ceil(count / 2);
      this.logger.debug({ from, count }, 'these blocks are too large for one response, requesting them in halves');
      const first = await this.#inHalves(from, half, fetch);
      return first.concat(await this.#inHalves(from + half, count - half, fetch));
    }
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof NodeError && error.kind === 'rpc';
}
