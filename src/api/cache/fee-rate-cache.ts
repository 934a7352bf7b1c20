/**
 * The node's fee-rate points, kept for 30 seconds (docs/api.md#fee-rates). Concurrent requests share one call to the
 * node. While the node is unreachable, the last points are used.
 */

import type { FeeRatePoint } from '../../chain/fee-rate.ts';
import type { NodeClient } from '../../node/client.ts';
import { unavailable } from '../errors/causes-of-503.ts';
import { type ApiLogger, OutageLog } from '../logging/throttled-log.ts';

const FRESH_MS = 30_000;
/** The node is not called for this time after a failure; the last points, or the error, are used. */
const PAUSE_AFTER_FAILURE_MS = 3_000;
const MAX_CALL_MS = 10_000;

export class FeeRateCache {
  readonly #node: Pick<NodeClient, 'feeRatePoints'>;
  readonly #outages: OutageLog;
  #failure: unknown = null;
  #points: readonly FeeRatePoint[] | null = null;
  #freshUntil = Number.NEGATIVE_INFINITY;
  #underWay: Promise<readonly FeeRatePoint[]> | null = null;

  constructor(node: Pick<NodeClient, 'feeRatePoints'>, logger: ApiLogger) {
    this.#node = node;
    this.#outages = new OutageLog(logger, {
      failed: 'The node gives no fee rates. The last ones are served, or the error 503 where there are none.',
      works: 'The node gives fee rates again.',
    });
  }

  /** Returns the points in ascending order of size; at least one. Rejects if the node never returned any. */
  async points(): Promise<readonly FeeRatePoint[]> {
    if (performance.now() < this.#freshUntil) {
      if (this.#points) return this.#points;
      throw this.#failure;
    }
    this.#underWay ??= this.#refresh().finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }

  async #refresh(): Promise<readonly FeeRatePoint[]> {
    try {
      const points = await this.#node.feeRatePoints({ signal: AbortSignal.timeout(MAX_CALL_MS) });
      if (points.length === 0) throw new Error('The node gave no fee-rate points.');
      this.#points = [...points].sort((a, b) => a.sizeBytes - b.sizeBytes);
      this.#freshUntil = performance.now() + FRESH_MS;
      this.#outages.works();
      return this.#points;
    } catch (error) {
      this.#failure = error;
      this.#freshUntil = performance.now() + PAUSE_AFTER_FAILURE_MS;
      this.#outages.failed(error);
      if (!this.#points) throw error;
      return this.#points;
    }
  }
}

/** Reads the node's points, in ascending order of size. Throws the error 503. */
export async function readFeeRatePoints(feeRates: FeeRateCache | null): Promise<readonly FeeRatePoint[]> {
  if (!feeRates) throw unavailable('no node for fee rates');
  return feeRates.points().catch(() => {
    throw unavailable('node away for fee rates');
  });
}
