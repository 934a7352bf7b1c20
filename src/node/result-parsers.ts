/** Parses the results of RPC calls and the events of a node. What is damaged throws `NodeError.malformed`. */
import type { FeeRatePoint } from '../chain/fee-rate.ts';
import { MAX_HEIGHT } from '../chain/networks/network.ts';
import type { Atoms } from '../chain/types.ts';
import { NodeError, oneLineExcerpt, type RpcFailure } from './node-error.ts';

/** A block of the node's chain; height 0 is the genesis. */
export interface BlockIdAndHeight {
  readonly id: string;
  readonly height: number;
}

/** The node's view of its chain (`chainstate_info`, docs/protocol.md#rpc-methods). */
export interface ChainInfo {
  readonly bestBlock: BlockIdAndHeight;
}

/** A transaction that waits in the node. */
export interface NodeMempoolTransaction {
  /** The encoded signed transaction. Nothing was checked but that it is hex. */
  readonly bytes: Buffer;
  /** `orphan`: something that it spends is not there yet. */
  readonly pool: 'mempool' | 'orphan';
}

/** An event of `mempool_subscribe_to_events` (docs/protocol.md#rpc-events). */
export type NodeMempoolEvent =
  | { readonly type: 'NewTip'; readonly tip: BlockIdAndHeight }
  | {
      readonly type: 'TransactionProcessed';
      readonly id: string;
      /** `local`: handed to this node, or of a block that it left. `remote`: from a peer. */
      readonly origin: 'local' | 'remote';
      /** False for one that was refused. A repeated submission is accepted again. */
      readonly accepted: boolean;
    };

/** Returns the checked result of `method`, or throws a `NodeError` of kind `malformed`. */
export type ResultParser<T> = (method: string, result: unknown) => T;

const ID = /^[0-9a-f]{64}$/;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isId = (value: unknown): value is string => typeof value === 'string' && ID.test(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const isHeight = (value: unknown): value is number => isCount(value) && value <= MAX_HEIGHT;

/** Makes a reader accept `null` too. */
export function nullableResultParser<T>(read: ResultParser<T>): ResultParser<T | null> {
  return (method, result) => (result === null ? null : read(method, result));
}

/** Reads with `read`, which gives undefined for what is not `expected`. */
function parser<T>(expected: string, read: (result: unknown) => T | undefined): ResultParser<T> {
  return (method, result) => {
    const value = read(result);
    if (value === undefined) throw NodeError.malformed(method, expected, result);
    return value;
  };
}

export const parseNullResult = parser('null', (result) => (result === null ? null : undefined));

export const parseIdResult = parser('an id of 64 hex digits', (result) => (isId(result) ? result : undefined));

export const parseHexResult = parser('bytes as hex', hexBytes);

export const parseChainInfo = parser('the state of the chain', (result): ChainInfo | undefined => {
  if (!isObject(result)) return undefined;
  const { best_block_id: id, best_block_height: height } = result;
  return isId(id) && isHeight(height) ? { bestBlock: { id, height } } : undefined;
});

export const parseFeeRatePoints = parser('fee rates by size', (result) => {
  if (!Array.isArray(result) || result.length === 0) return undefined;
  const points = result.map(feeRatePoint);
  return points.every((point) => point !== undefined) ? points : undefined;
});

function feeRatePoint(point: unknown): FeeRatePoint | undefined {
  if (!Array.isArray(point) || point.length !== 2) return undefined;
  const [sizeBytes, rate] = point as unknown[];
  const atomsPerKilobyte = rateOf(rate);
  return isCount(sizeBytes) && atomsPerKilobyte !== undefined ? { sizeBytes, atomsPerKilobyte } : undefined;
}

/** A fee rate in atoms per kilobyte. */
function rateOf(rate: unknown): Atoms | undefined {
  const perKilobyte = isObject(rate) ? rate.amount_per_kb : undefined;
  const atoms = isObject(perKilobyte) ? perKilobyte.atoms : undefined;
  return typeof atoms === 'string' && /^\d{1,39}$/.test(atoms) ? BigInt(atoms) : undefined;
}

export const parseLeastRelayFeeRate = parser('the settings of the mempool', (result) =>
  isObject(result) ? rateOf(result.min_tx_relay_fee_rate) : undefined,
);

/** `{"type":"NewTip","content":{"id","height"}}` of a subscription; undefined for anything else. */
export function parseNewTipEvent(event: unknown): BlockIdAndHeight | undefined {
  if (!isObject(event) || event.type !== 'NewTip' || !isObject(event.content)) return undefined;
  const { id, height } = event.content;
  return isId(id) && isHeight(height) ? { id, height } : undefined;
}

/** Parses an event of the mempool; undefined if it is unknown. */
export function parseNodeMempoolEvent(event: unknown): NodeMempoolEvent | undefined {
  const tip = parseNewTipEvent(event);
  if (tip !== undefined) return { type: 'NewTip', tip };
  if (!isObject(event) || event.type !== 'TransactionProcessed' || !isObject(event.content)) return undefined;
  const { tx_id: id, origin, successful } = event.content;
  if (!isId(id) || !isObject(origin) || typeof successful !== 'boolean') return undefined;
  if (origin.type !== 'Local' && origin.type !== 'Remote') return undefined;
  const where = origin.type === 'Local' ? 'local' : 'remote';
  return { type: 'TransactionProcessed', id, origin: where, accepted: successful };
}

/** Size of a transaction with one input and nothing else. */
const MIN_TRANSACTION_BYTES = 41;

/**
 * Parses the transactions of a response to `mempool_transactions`. A transaction that is too short makes the response
 * malformed, which limits their number.
 */
export const parseTransactions: ResultParser<Buffer[]> = (method, result) => {
  if (!Array.isArray(result)) throw NodeError.malformed(method, 'a list of transactions', result);
  return result.map((hex) => {
    const bytes = parseHexResult(method, hex);
    if (bytes.length < MIN_TRANSACTION_BYTES) throw NodeError.malformed(method, 'transactions', hex);
    return bytes;
  });
};

/** The response to `mempool_get_transaction`. */
export const parseNodeMempoolTransaction: ResultParser<NodeMempoolTransaction> = (method, result) => {
  const { status, transaction } = isObject(result) ? result : {};
  if (status !== 'InMempool' && status !== 'InOrphanPool') {
    throw NodeError.malformed(method, 'a transaction and where it waits', result);
  }
  return { bytes: parseHexResult(method, transaction), pool: status === 'InMempool' ? 'mempool' : 'orphan' };
};

/** The blocks of a response to `chainstate_get_mainchain_blocks`. */
export const parseBlocks: ResultParser<Buffer[]> = (method, result) => {
  if (!Array.isArray(result)) throw NodeError.malformed(method, 'a list of blocks', result);
  return result.map((hex) => parseHexResult(method, hex));
};

/** The blocks of an untouched response of `NodeClient.mainchainBlocksRaw`. Throws a `NodeError`. */
export function parseMainchainBlocks(body: Uint8Array): Buffer[] {
  const method = 'chainstate_get_mainchain_blocks';
  return parseBlocks(method, parseRpcResult(method, body));
}

/** The `result` of a JSON-RPC response. Throws a `NodeError` of kind `rpc` when it is an error, `malformed` otherwise. */
export function parseRpcResult(method: string, body: Uint8Array): unknown {
  const response = parseJson(method, body);
  if (!isObject(response)) throw NodeError.malformed(method, 'a JSON-RPC answer', response);
  const failure = rpcFailureOf(response);
  if (failure !== undefined) throw NodeError.ofRpc(method, failure);
  if (!('result' in response)) throw NodeError.malformed(method, 'a JSON-RPC answer', response);
  return response.result;
}

/** Returns the error object of a JSON-RPC response; undefined if there is none. */
function rpcFailureOf(response: Record<string, unknown>): RpcFailure | undefined {
  const error = response.error;
  if (!isObject(error) || typeof error.code !== 'number' || typeof error.message !== 'string') return undefined;
  return { code: error.code, message: error.message, ...('data' in error ? { data: error.data } : {}) };
}

function parseJson(method: string, body: Uint8Array): unknown {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  try {
    return JSON.parse(isLargeHexResponse(bytes) ? bytes.toString('latin1') : bytes.toString('utf8'));
  } catch {
    throw NodeError.malformed(method, 'JSON', oneLineExcerpt(bytes.toString('utf8', 0, 200)));
  }
}

/** Pages of blocks are ASCII; reading them as such is several times as fast. */
function isLargeHexResponse(bytes: Buffer): boolean {
  return bytes.length > 4096 && /"result":\["[0-9a-f]/.test(bytes.toString('latin1', 0, 200));
}

function hexBytes(value: unknown): Buffer | undefined {
  if (typeof value !== 'string' || value.length % 2 !== 0 || value.length === 0) return undefined;
  const bytes = Buffer.from(value, 'hex');
  // `Buffer.from` stops at the first character that is no hex digit.
  return bytes.length === value.length / 2 ? bytes : undefined;
}
