/** The RPC methods of a devnet's node. */
import { decodeSignedTransaction } from '../chain/codec/transaction.ts';
import { type FeeRatePoint, interpolateFeeRate } from '../chain/fee-rate.ts';
import { MIN_ATOMS_PER_KILOBYTE } from './fee-rates.ts';
import { MEMPOOL_SIZE_LIMIT_BYTES } from './mempool.ts';
import { rpcCallFailed, rpcInvalidParams, rpcResponseTooLarge } from './rpc-error.ts';
import type { RpcParams } from './rpc-params.ts';
import type { MempoolTransaction, ServedNode } from './served-node-interface.ts';

/** The services that a method may use. */
export interface RpcContext {
  readonly chain: ServedNode;
  /** The result of `node_version`. */
  readonly version: string;
  readonly maxResponseBytes: number;
}

/** A result that is JSON text already, of ASCII characters only. */
export class RpcJsonResult {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type RpcMethod = (context: RpcContext, params: RpcParams) => unknown;

/** The node's methods that a chain source can answer (docs/protocol.md#rpc-methods). */
const METHODS: Readonly<Record<string, RpcMethod>> = {
  chainstate_info: ({ chain }) => {
    const { id, height, timestamp, medianTime } = chain.tip();
    return {
      best_block_height: height,
      best_block_id: id,
      best_block_timestamp: { timestamp },
      median_time: { timestamp: medianTime },
      is_initial_block_download: false,
    };
  },
  chainstate_best_block_id: ({ chain }) => chain.tip().id,
  chainstate_best_block_height: ({ chain }) => chain.tip().height,
  chainstate_block_id_at_height: ({ chain }, params) => chain.mainChainId(params.count(0, 'height')) ?? null,
  chainstate_block_height_in_main_chain: ({ chain }, params) => chain.mainChainHeight(params.id(0, 'block_id')) ?? null,
  chainstate_get_block: ({ chain }, params) => chain.blockBytes(params.id(0, 'id'))?.toString('hex') ?? null,
  chainstate_get_mainchain_blocks: (context, params) =>
    mainchainBlocks(context, params.count(0, 'from'), params.count(1, 'max_count')),
  chainstate_get_block_ids_as_checkpoints: ({ chain }, params) =>
    checkpoints(chain, params.count(0, 'start_height'), params.count(1, 'end_height'), params.count(2, 'step')),
  chainstate_last_common_ancestor_by_id: ({ chain }, params) => {
    const ancestor = chain.lastCommonAncestor(params.id(0, 'first_block'), params.id(1, 'second_block'));
    return ancestor === undefined ? null : [ancestor.id, ancestor.height];
  },
  chainstate_invalidate_block: ({ chain }, params) => changeChain(() => chain.invalidateBlock(params.id(0, 'id'))),
  chainstate_reset_block_failure_flags: ({ chain }, params) =>
    changeChain(() => chain.resetFailureFlags(params.id(0, 'id'))),

  mempool_contains_tx: ({ chain }, params) => chain.mempoolTransaction(params.id(0, 'tx_id')) !== undefined,
  mempool_contains_orphan_tx: ({ chain }, params) => chain.orphanTransaction(params.id(0, 'tx_id')) !== undefined,
  mempool_get_transaction: ({ chain }, params) => {
    const id = params.id(0, 'tx_id');
    const transaction = chain.mempoolTransaction(id);
    if (transaction !== undefined) return { id, status: 'InMempool', transaction: hexOf(transaction) };
    const orphan = chain.orphanTransaction(id);
    return orphan === undefined ? null : { id, status: 'InOrphanPool', transaction: hexOf(orphan) };
  },
  mempool_transactions: ({ chain }) => chain.mempoolTransactions().map(hexOf),
  mempool_submit_transaction: ({ chain }, params) => submit(chain, params, 'Mempool'),
  mempool_local_best_block_id: ({ chain }) => chain.tip().id,
  mempool_memory_usage: ({ chain }) =>
    chain.mempoolTransactions().reduce((sum, transaction) => sum + transaction.bytes.length, 0),
  mempool_get_size_limit: () => MEMPOOL_SIZE_LIMIT_BYTES,
  mempool_get_fee_rate: ({ chain }, params) =>
    rate(interpolateFeeRate(chain.feeRatePoints(), BigInt(params.count(0, 'in_top_x_mb')))),
  mempool_get_fee_rate_points: ({ chain }) => chain.feeRatePoints().map(point),
  mempool_get_config: () => ({
    min_tx_relay_fee_rate: rate(MIN_ATOMS_PER_KILOBYTE),
    max_cluster_tx_count: 64,
    max_cluster_size_bytes: 100_000,
  }),

  p2p_submit_transaction: ({ chain }, params) => submit(chain, params, 'P2p'),
  p2p_get_peer_count: () => 0,
  node_version: ({ version }) => version,
};

/** The method of that name, undefined when the node has none. */
export function rpcMethod(name: string): RpcMethod | undefined {
  return Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
}

const hexOf = ({ bytes }: MempoolTransaction) => Buffer.from(bytes).toString('hex');
const rate = (atomsPerKilobyte: bigint) => ({ amount_per_kb: { atoms: atomsPerKilobyte.toString() } });
const point = ({ sizeBytes, atomsPerKilobyte }: FeeRatePoint) => [sizeBytes, rate(atomsPerKilobyte)];

/** Written straight to text: synchronizing against this node is bound by it. */
function mainchainBlocks({ chain, maxResponseBytes }: RpcContext, from: number, maxCount: number): RpcJsonResult {
  if (from === 0) throw rpcCallFailed('Property read error: `Invalid starting block height: 0`');
  const hexes: string[] = [];
  let length = 2;
  for (let height = from; hexes.length < maxCount; height++) {
    const id = chain.mainChainId(height);
    if (id === undefined) break;
    const hex = chain.blockBytes(id)!.toString('hex');
    length += hex.length + 3;
    if (length > maxResponseBytes) throw rpcResponseTooLarge(maxResponseBytes);
    hexes.push(hex);
  }
  return new RpcJsonResult(hexes.length === 0 ? '[]' : `["${hexes.join('","')}"]`);
}

function checkpoints(chain: ServedNode, start: number, end: number, step: number): [number, string][] {
  if (step === 0) throw rpcInvalidParams('invalid value: integer `0`, expected a nonzero usize');
  if (end < start) throw rpcCallFailed(`Property read error: \`Invalid block height range: ${start}..${end}\``);
  const found: [number, string][] = [];
  for (let height = start; height < end; height += step) {
    const id = chain.mainChainId(height);
    if (id === undefined) break;
    found.push([height, id]);
  }
  return found;
}

function submit(chain: ServedNode, params: RpcParams, by: 'Mempool' | 'P2p'): null {
  const { value, bytes } = params.encoded(0, 'tx', decodeSignedTransaction);
  params.submitOptions(1, 'options');
  const result = chain.submitTransaction(value, bytes, { type: 'Local', by });
  if (result.type === 'Refused') throw rpcCallFailed(by === 'P2p' ? `Mempool error: ${result.reason}` : result.reason);
  return null;
}

function changeChain(change: () => void): null {
  try {
    change();
  } catch (error) {
    throw error instanceof RangeError ? rpcCallFailed(error.message) : error;
  }
  return null;
}
