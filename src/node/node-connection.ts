/** Calls of one node over HTTP: with its credentials, and only if it is of our network. */
import type { Id } from '../chain/types.ts';
import { HttpTransport, type TransportOptions } from './http-transport.ts';
import type { NodeLogger } from './logger-interface.ts';
import { type NodeAddress, nodeAddressText } from './node-address.ts';
import { NodeError, oneLineExcerpt } from './node-error.ts';
import type { NodeHealth } from './node-health.ts';
import { nullableResultParser, parseIdResult, parseRpcResult } from './result-parsers.ts';
import type { RpcCredentials } from './rpc-credentials.ts';

/** The network that a node must be of. */
export interface NodeNetwork {
  readonly name: string;
  readonly genesisId: Id;
}

const GENESIS_METHOD = 'chainstate_block_id_at_height';
/** The request for the id of the genesis. */
export const GENESIS_CALL = { method: GENESIS_METHOD, params: [0] } as const;
/** A node of another network is asked again after this time. */
const REFUSED_MS = 1_000;
const parseGenesisId = nullableResultParser(parseIdResult);

interface ConnectionOptions {
  readonly address: NodeAddress;
  readonly credentials: RpcCredentials;
  readonly health: NodeHealth;
  /** Undefined: the network is not checked. */
  readonly network: NodeNetwork | undefined;
  readonly transport: TransportOptions;
  readonly logger: NodeLogger;
}

export class NodeConnection {
  readonly address: NodeAddress;
  readonly credentials: RpcCredentials;
  readonly health: NodeHealth;
  readonly #network: NodeNetwork | undefined;
  readonly #transport: HttpTransport;
  readonly #logger: NodeLogger;
  /** How often a connection was closed: what answers then may be another process. */
  #closures = 0;
  /** The `closures` when the node was last seen to be of our network. */
  #verifiedAt = -1;
  #verifying: Promise<void> | null = null;
  #refused: { readonly error: NodeError; readonly at: number } | null = null;
  #lastId = 0;

  constructor({ address, credentials, health, network, transport, logger }: ConnectionOptions) {
    this.address = address;
    this.credentials = credentials;
    this.health = health;
    this.#network = network;
    this.#logger = logger;
    this.#transport = new HttpTransport(address, transport, {
      asked: () => health.asked(),
      heard: () => health.heard(),
      disconnected: () => {
        this.#closures++;
      },
    });
    health.onSilence((error) => this.#transport.failAll(error));
  }

  /** Reads a response with `read`, which throws unless it can be used. Rejects with a `NodeError`, or the signal's reason. */
  async exchange<T>(
    method: string,
    params: readonly unknown[],
    read: (body: Buffer) => T,
    signal?: AbortSignal,
  ): Promise<T> {
    if (this.health.silence !== null) throw this.health.silence;
    try {
      const verify = () => this.#verify(signal);
      await verify();
      const body = await this.#send(method, params, signal, verify);
      // The connections may have been lost meanwhile.
      await verify();
      const result = read(body);
      this.health.answered();
      return result;
    } catch (error) {
      this.#note(method, error, signal);
      throw error;
    }
  }

  close(): void {
    this.#transport.close();
  }

  /** Is the network of the node checked? */
  get hasNetwork(): boolean {
    return this.#network !== undefined;
  }

  /** Throws a `NodeError` unless `genesisId`, which the node gave, is that of our network. */
  requireNetwork(genesisId: string | null): void {
    const network = this.#network;
    if (network === undefined) return;
    if (genesisId === null) throw NodeError.malformed(GENESIS_METHOD, 'the id of its genesis', null);
    this.#refused = null;
    if (genesisId === network.genesisId) return;
    const error = new NodeError(
      'other network',
      `The node at ${nodeAddressText(this.address)} is of another network: expected ${network.name} with the genesis ` +
        `${network.genesisId}, found the genesis ${genesisId}. Check --network and --node-rpc-address.`,
    );
    this.#refused = { error, at: performance.now() };
    this.#verifiedAt = -1;
    throw error;
  }

  async #verify(signal: AbortSignal | undefined): Promise<void> {
    if (this.#network === undefined || this.#verifiedAt === this.#closures) return;
    if (this.#refused !== null && performance.now() - this.#refused.at < REFUSED_MS) throw this.#refused.error;
    this.#verifying ??= this.#askGenesis().finally(() => {
      this.#verifying = null;
    });
    // Others wait for the same answer, so the signal of one of them must not end it.
    await endedBy(signal, this.#verifying);
  }

  async #askGenesis(): Promise<void> {
    const closures = this.#closures;
    const body = await this.#send(GENESIS_METHOD, GENESIS_CALL.params, undefined);
    this.requireNetwork(parseGenesisId(GENESIS_METHOD, parseRpcResult(GENESIS_METHOD, body)));
    this.#verifiedAt = closures;
  }

  async #send(
    method: string,
    params: readonly unknown[],
    signal: AbortSignal | undefined,
    beforeRetry?: () => Promise<void>,
  ): Promise<Buffer> {
    this.#lastId = (this.#lastId % Number.MAX_SAFE_INTEGER) + 1;
    const json = JSON.stringify({ jsonrpc: '2.0', id: this.#lastId, method, params });
    const sent = await this.credentials.header();
    let response = await this.#transport.post(method, json, sent, signal, beforeRetry);
    if (response.status === 401) {
      if (await this.credentials.renew(sent)) {
        this.#logger.debug?.({ method }, 'the node refused the cookie, asking again with a new one');
        response = await this.#transport.post(method, json, await this.credentials.header(), signal, beforeRetry);
      }
      if (response.status === 401) throw this.credentials.refusal(nodeAddressText(this.address));
    }
    // Refusals of a request as such come with other statuses but the same error objects.
    if (response.status !== 200) throw this.#unexpectedStatus(method, response.status, response.body);
    return response.body;
  }

  #note(method: string, error: unknown, signal: AbortSignal | undefined): void {
    const isTimeout = signal?.aborted && (signal.reason as Error | undefined)?.name === 'TimeoutError';
    const failure = isTimeout
      ? new NodeError('timeout', `The node at ${nodeAddressText(this.address)} did not answer ${method} in time.`)
      : error;
    if (!(failure instanceof NodeError)) return;
    if (failure.kind === 'timeout') this.health.timedOut(failure, () => this.#send('chainstate_info', [], undefined));
    else this.health.failed(failure);
  }

  #unexpectedStatus(method: string, status: number, body: Buffer): NodeError {
    try {
      parseRpcResult(method, body);
    } catch (error) {
      if (error instanceof NodeError && error.kind === 'rpc') return error;
    }
    const what = `answered ${method} with HTTP status ${status}: ${oneLineExcerpt(body.toString('utf8', 0, 200))}.`;
    const isGateway = status >= 500;
    const question = isGateway ? 'Is the node behind it running?' : 'Is that the RPC port of a Mintlayer node?';
    const message = `What listens at ${nodeAddressText(this.address)} ${what} ${question}`;
    return new NodeError(isGateway ? 'unreachable' : 'malformed', message);
  }
}

/** The promise, or the signal's reason as soon as it is aborted. */
async function endedBy<T>(signal: AbortSignal | undefined, promise: Promise<T>): Promise<T> {
  if (signal === undefined) return promise;
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return Promise.race([promise, aborted.promise]).finally(() => signal.removeEventListener('abort', abort));
}
