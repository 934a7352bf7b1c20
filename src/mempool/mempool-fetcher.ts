/** Requests the node's mempool and decodes it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Id } from '../chain/types.ts';
import type { NodeLogger } from '../node/logger-interface.ts';
import type { BlockIdAndHeight } from '../node/result-parsers.ts';
import type { MirroredNode } from './mirrored-node-interface.ts';
import { type DecodedPendingTransaction, decodePendingTransaction } from './pending-transaction.ts';

const MAX_CALL_MS = 60_000;
/** The most transactions decoded before other work gets its turn. */
const DECODED_AT_ONCE = 500;

interface NodeList {
  /** The transactions in the node's order, each once. */
  readonly transactions: ReadonlyMap<Id, DecodedPendingTransaction>;
  /** The node's tip after the list was read. */
  readonly tip: BlockIdAndHeight;
}

/** The node does not have the tip of the index. */
export class OtherBranch extends Error {}

/** The node's mempool. Entries that are not transactions are skipped. Each warning is logged once. */
export class MempoolFetcher {
  readonly #source: MirroredNode;
  readonly #logger: NodeLogger;
  readonly #closing: AbortSignal;
  /** The warnings that were logged. */
  readonly #warned = new Set<string>();

  /** Calls reject after `closing` is aborted. */
  constructor(source: MirroredNode, logger: NodeLogger, closing: AbortSignal) {
    this.#source = source;
    this.#logger = logger;
    this.#closing = closing;
  }

  /** Returns all transactions of the mempool; `too large` if the node refuses so long a list. */
  async list(): Promise<NodeList | 'too large'> {
    const list = await this.#source.transactions(this.#within(MAX_CALL_MS));
    if (list === 'too large') return list;
    const tip = await this.tip();
    const transactions = new Map<Id, DecodedPendingTransaction>();
    for (const [i, bytes] of list.entries()) {
      const decoded = this.decode(bytes);
      if (decoded !== undefined && !transactions.has(decoded.id)) transactions.set(decoded.id, decoded);
      if (i % DECODED_AT_ONCE === DECODED_AT_ONCE - 1) await nextTurn();
    }
    return { transactions, tip };
  }

  /** Returns a transaction; undefined if it is not in the mempool. */
  async transaction(id: Id, maxMs = MAX_CALL_MS): Promise<DecodedPendingTransaction | undefined> {
    const waiting = await this.#source.transaction(id, this.#within(maxMs));
    return waiting?.pool === 'mempool' ? this.decode(waiting.bytes, id) : undefined;
  }

  tip(): Promise<BlockIdAndHeight> {
    return this.#source.tip(this.#within(MAX_CALL_MS));
  }

  /** Throws if its main chain lacks the tip of the index: what is pending there may be of another chain, or of long ago. */
  async requireOurTip(tip: BlockIdAndHeight | null): Promise<void> {
    if (tip === null || (await this.#source.hasBlock(tip, this.#within(MAX_CALL_MS)))) return;
    throw new OtherBranch('the node is behind the index, or on another branch');
  }

  /** Decodes a transaction. Returns undefined if the bytes are invalid, or are not the requested transaction. */
  decode(bytes: Uint8Array, asked?: Id): DecodedPendingTransaction | undefined {
    try {
      const decoded = decodePendingTransaction(bytes);
      if (asked === undefined || decoded.id === asked) return decoded;
      this.#warn({ asked, given: decoded.id }, 'the node gave another transaction than it was asked for');
    } catch (error) {
      this.#warn({ error: String(error) }, 'the node has something pending that is no transaction');
    }
    return undefined;
  }

  #warn(fields: object, message: string): void {
    if (!this.#warned.has(message)) this.#logger.warn(fields, message);
    this.#warned.add(message);
  }

  #within(ms: number): AbortSignal {
    return AbortSignal.any([this.#closing, AbortSignal.timeout(ms)]);
  }
}
