/** Decides which of several nodes is used: asks each for its tip every two seconds (docs/operation.md#several-nodes). */

import { pause } from '../errors/retry.ts';
import { NodeClient, type NodeClientOptions } from './client.ts';
import { type NodeLogger, silentLogger } from './logger-interface.ts';
import { NodeError } from './node-error.ts';
import type { NodeInUse } from './node-in-use.ts';

/** The last tip that a node told. Times are milliseconds of a monotonic clock. */
export interface NodeState {
  /** The height of its tip; null before its first answer. */
  readonly height: number | null;
  /** The time of its last answer, or of the beginning; minus infinity for a node of another network. */
  readonly answeredAt: number;
  /** Did its last probe succeed? */
  readonly isAnswering: boolean;
  /** Since when it has been ahead of the node in use; null while it is not. */
  readonly aheadSince: number | null;
}

/** A node without an answer for so long is left. */
const MAX_SILENT_MS = 10_000;
/** A node is left for one that is so many blocks ahead of it for so long; sooner if it is so many blocks below the index. */
const AHEAD_BLOCKS = 3;
const AHEAD_MS = 60_000;
const AHEAD_OF_NODE_BELOW_INDEX_MS = MAX_SILENT_MS;
const PROBE_INTERVAL_MS = 2_000;
const PROBE_TIMEOUT_MS = 5_000;

/**
 * Returns the position of the node to use. The node in use stays unless it is silent, or another one is ahead. A node below
 * the index is not changed to while another one has reached the index. `indexHeight`: null while it is unknown.
 */
export function nodeToUse(nodes: readonly NodeState[], inUse: number, indexHeight: number | null, now: number): number {
  const heightOf = (i: number) => nodes[i]!.height ?? -1;
  const answering = nodes.flatMap((node, i) => (node.isAnswering ? [i] : []));
  const reached = answering.filter((i) => heightOf(i) >= (indexHeight ?? 0));
  const others = (reached.length > 0 ? reached : answering).filter((i) => i !== inUse);
  const isSilent = now - nodes[inUse]!.answeredAt >= MAX_SILENT_MS;
  const isBelowIndex = heightOf(inUse) <= (indexHeight ?? 0) - AHEAD_BLOCKS;
  const minAheadMs = isBelowIndex ? AHEAD_OF_NODE_BELOW_INDEX_MS : AHEAD_MS;
  const candidates = isSilent
    ? others
    : others.filter((i) => {
        const { aheadSince } = nodes[i]!;
        return aheadSince !== null && now - aheadSince >= minAheadMs;
      });
  // The first of those that are not behind another one.
  const highest = Math.max(...candidates.map(heightOf));
  return candidates.find((i) => heightOf(i) > highest - AHEAD_BLOCKS) ?? inUse;
}

/** The result of a probe: the height of the node's tip, null for a failure, `refused` for a node of another network. */
type Probed = number | null | 'refused';

/** Notes the result of a probe. */
export function statesAfterProbe(
  nodes: readonly NodeState[],
  probed: number,
  result: Probed,
  inUse: number,
  now: number,
): readonly NodeState[] {
  const told = nodes.map((node, i) => {
    if (i !== probed) return node;
    if (result === null) return { ...node, isAnswering: false };
    if (result === 'refused') return { ...node, isAnswering: false, answeredAt: Number.NEGATIVE_INFINITY };
    return { ...node, isAnswering: true, height: result, answeredAt: now };
  });
  const used = told[inUse]!.height ?? -1;
  return told.map((node, i) => {
    const isAhead = i !== inUse && node.isAnswering && (node.height ?? -1) >= used + AHEAD_BLOCKS;
    return { ...node, aheadSince: isAhead ? (node.aheadSince ?? now) : null };
  });
}

interface NodeSelectionOptions {
  readonly node: NodeClientOptions & { readonly inUse: NodeInUse };
  /** Returns the height of the index; null while it is unknown. */
  readonly indexHeight: () => number | null;
  readonly logger?: NodeLogger;
}

export class NodeSelection {
  readonly #options: NodeSelectionOptions;
  readonly #client: NodeClient;
  readonly #closing = new AbortController();
  #nodes: readonly NodeState[];

  /** Begins to probe the nodes. */
  constructor(options: NodeSelectionOptions) {
    this.#options = options;
    this.#client = new NodeClient({ ...options.node, maxConnections: 1, totalTimeoutMs: PROBE_TIMEOUT_MS });
    const answeredAt = performance.now();
    const unknown: NodeState = { height: null, answeredAt, isAnswering: false, aheadSince: null };
    this.#nodes = this.#client.nodes.map(() => unknown);
    for (const i of this.#nodes.keys()) void this.#keepProbing(i);
  }

  close(): void {
    this.#closing.abort();
    this.#client.close();
  }

  async #keepProbing(node: number): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const result = await this.#probe(node);
      if (signal.aborted) return;
      this.#note(node, result);
      await pause(PROBE_INTERVAL_MS, signal).catch(() => {});
    }
  }

  async #probe(node: number): Promise<Probed> {
    const { signal } = this.#closing;
    try {
      return (await this.#client.chainInfo({ signal, node })).bestBlock.height;
    } catch (error) {
      return error instanceof NodeError && error.kind === 'other network' ? 'refused' : null;
    }
  }

  #note(node: number, result: Probed): void {
    const { node: options, indexHeight, logger = silentLogger } = this.#options;
    const { inUse } = options;
    const now = performance.now();
    this.#nodes = statesAfterProbe(this.#nodes, node, result, inUse.index, now);
    const next = nodeToUse(this.#nodes, inUse.index, indexHeight(), now);
    if (next === inUse.index) return;
    const left = this.#nodes[inUse.index]!;
    const nameOf = (i: number) => this.#client.nodes[i]!;
    logger.warn(
      {
        from: nameOf(inUse.index),
        to: nameOf(next),
        ...(Number.isFinite(left.answeredAt) && { silentSeconds: Math.floor((now - left.answeredAt) / 1_000) }),
        blocksBehind: Math.max(0, (this.#nodes[next]!.height ?? 0) - (left.height ?? 0)),
      },
      'another node is used from now on',
    );
    this.#nodes = this.#nodes.map((state) => ({ ...state, aheadSince: null }));
    inUse.change(next);
  }
}
