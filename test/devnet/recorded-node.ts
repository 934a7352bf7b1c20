/** The chain of which test/golden/node-rpc.ndjson tells, as far as it tells. */
import { readFileSync } from 'node:fs';
import { identifyBlock } from '../../src/chain/codec/block.ts';
import type { ChainSource } from '../../src/devnet/chain-source.ts';
import { feeRatePoints } from '../../src/devnet/fee-rates.ts';

export interface Exchange {
  readonly request: { readonly method: string; readonly params: Record<string, unknown> } | string;
  readonly status: number;
  readonly response: { readonly error?: { code: number; message: string; data?: string }; readonly result?: unknown };
}

export const exchanges: readonly Exchange[] = readFileSync(
  new URL('../golden/node-rpc.ndjson', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Exchange);

/** The request as it was sent: with a space after commas and colons, which the columns in error texts count. */
export function sentText({ request }: Exchange): string {
  if (typeof request === 'string') return request;
  return JSON.stringify(request, null, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/([{[]) /g, '$1')
    .replace(/ ([}\]])/g, '$1');
}

function recorded<T>(method: string): T {
  const exchange = exchanges.find(({ request }) => typeof request === 'object' && request.method === method);
  return exchange!.response.result as T;
}

/** Knows the tip, blocks 1, 2, 3 and 5, and the genesis. */
export function recordedNode(): ChainSource {
  const info = recorded<{
    best_block_height: number;
    best_block_id: string;
    best_block_timestamp: { timestamp: number };
    median_time: { timestamp: number };
  }>('chainstate_info');
  const ids = new Map([[info.best_block_height, info.best_block_id]]);
  const blocks = new Map<string, Buffer>();
  const know = (height: number, hex: string) => {
    const bytes = Buffer.from(hex, 'hex');
    const { id, block } = identifyBlock(bytes);
    ids.set(height, id).set(height - 1, block.header.prevBlockId);
    blocks.set(id, bytes);
  };
  recorded<string[]>('chainstate_get_mainchain_blocks').forEach((hex, i) => void know(i + 1, hex));
  know(5, recorded('chainstate_get_block'));
  const heights = new Map([...ids].map(([height, id]) => [id, height]));
  return {
    tip: () => ({
      id: info.best_block_id,
      height: info.best_block_height,
      timestamp: info.best_block_timestamp.timestamp,
      medianTime: info.median_time.timestamp,
    }),
    blockBytes: (id) => blocks.get(id),
    mainChainId: (height) => ids.get(height),
    mainChainHeight: (id) => heights.get(id),
    lastCommonAncestor: (first, second) => {
      const known = [heights.get(first), heights.get(second)].filter((height) => height !== undefined);
      const height = Math.min(...known);
      return known.length === 2 ? { id: ids.get(height)!, height } : undefined;
    },
    mempoolTransactions: () => [],
    mempoolTransaction: () => undefined,
    orphanTransaction: () => undefined,
    feeRatePoints: () => feeRatePoints([]),
    submitTransaction: () => ({ type: 'Refused', reason: 'not recorded' }),
    invalidateBlock: () => {},
    resetFailureFlags: () => {},
    listen: () => () => {},
  };
}
