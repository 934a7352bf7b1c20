/**
 * The node's fee-rate points and its least fee rate, kept for 30 seconds (docs/api.md#fee-rates). Concurrent requests share one call to the
 * node. While the node is unreachable, the last points are used.
 */

import type { FeeRatePoint } from '../chain/fee-rate.ts';
import type { Atoms } from '../chain/types.ts';
import { LastingCondition } from '../errors/lasting-condition.ts';
import type { NodeClient } from '../node/client.ts';
import { nodeUnavailable, unavailable } from '../serving/errors/causes-of-503.ts';
import type { ApiLogger } from '../serving/logging/throttled-log.ts';

const FRESH_MS = 30_000;
/** The node is not called for this time after a failure; the last points, or the error, are used. */
const PAUSE_AFTER_FAILURE_MS = 3_000;
const MAX_CALL_MS = 10_000;

type FeeRateNode = Pick<NodeClient, 'feeRatePoints' | 'leastRelayFeeRate'>;

export class FeeRateCache {
  /** In ascending order of size; at least one. */
  readonly points: KeptAnswer<readonly FeeRatePoint[]>;
  /** The least fee rate at which the node relays transactions. */
  readonly least: KeptAnswer<Atoms>;

  constructor(node: FeeRateNode, logger: ApiLogger) {
    this.points = new KeptAnswer(
      async (signal) => {
        const points = await node.feeRatePoints({ signal });
        if (points.length === 0) throw new Error('The node gave no fee-rate points.');
        return [...points].sort((a, b) => a.sizeBytes - b.sizeBytes);
      },
      new LastingCondition(logger, {
        holds: 'The node gives no fee rates. The last ones are served, or the error 503 where there are none.',
        ended: 'The node gives fee rates again.',
      }),
    );
    this.least = new KeptAnswer(
      (signal) => node.leastRelayFeeRate({ signal }),
      new LastingCondition(logger, {
        holds: 'The node does not say its least fee rate. The last one is served, or the lowest of its fee rates.',
        ended: 'The node says its least fee rate again.',
      }),
    );
  }
}

/** The rate of the last point, for a node that does not say its least fee rate. */
const lowestRate = (points: readonly FeeRatePoint[]): Atoms => points.at(-1)!.atomsPerKilobyte;

/** An answer of the node, kept for a time. */
class KeptAnswer<Answer> {
  readonly #ask: (signal: AbortSignal) => Promise<Answer>;
  readonly #outages: LastingCondition;
  #failure: unknown = null;
  #answer: Answer | null = null;
  #freshUntil = Number.NEGATIVE_INFINITY;
  #underWay: Promise<Answer> | null = null;

  constructor(ask: (signal: AbortSignal) => Promise<Answer>, outages: LastingCondition) {
    this.#ask = ask;
    this.#outages = outages;
  }

  /** Rejects if the node never gave an answer. */
  async read(): Promise<Answer> {
    if (performance.now() >= this.#freshUntil) {
      this.#underWay ??= this.#refresh().finally(() => {
        this.#underWay = null;
      });
      // After a failure nobody waits for the node who can have the last answer.
      if (this.#failure === null || this.#answer === null) return this.#underWay;
      this.#underWay.catch(() => {});
    }
    if (this.#answer !== null) return this.#answer;
    throw this.#failure;
  }

  async #refresh(): Promise<Answer> {
    try {
      this.#answer = await this.#ask(AbortSignal.timeout(MAX_CALL_MS));
      this.#freshUntil = performance.now() + FRESH_MS;
      this.#failure = null;
      this.#outages.ended();
      return this.#answer;
    } catch (error) {
      this.#failure = error;
      this.#freshUntil = performance.now() + PAUSE_AFTER_FAILURE_MS;
      this.#outages.holds({ err: error });
      if (this.#answer === null) throw error;
      return this.#answer;
    }
  }
}

/** Reads the node's points, in ascending order of size. Throws the error 503. */
export async function readFeeRatePoints(feeRates: FeeRateCache | null): Promise<readonly FeeRatePoint[]> {
  if (!feeRates) throw unavailable('no node for fee rates');
  return feeRates.points.read().catch((error: unknown) => {
    throw nodeUnavailable(error, 'node away for fee rates');
  });
}

/** Reads the node's least fee rate; if it never said it, the lowest of the points. */
export async function readLeastFeeRate(feeRates: FeeRateCache, points: readonly FeeRatePoint[]): Promise<Atoms> {
  return feeRates.least.read().catch(() => lowestRate(points));
}
