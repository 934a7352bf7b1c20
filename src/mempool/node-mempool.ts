import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Id } from '../chain/types.ts';
import type { NodeLogger } from '../node/logger.ts';
import { type Decoded, decodePending } from './transaction.ts';

/** Before anybody else is let in. */
const DECODED_AT_ONCE = 500;

/** Reads what the node says is pending. What is no transaction is passed over, and said once in the log. */
export class Decoder {
  readonly #logger: NodeLogger;
  #hasWarned = false;

  constructor(logger: NodeLogger) {
    this.#logger = logger;
  }

  /** Undefined for bytes that are no transaction, or another one than was requested. */
  one(bytes: Uint8Array, asked?: Id): Decoded | undefined {
    try {
      const decoded = decodePending(bytes);
      if (asked === undefined || decoded.id === asked) return decoded;
      this.#warn({ asked, given: decoded.id }, 'the node gave another transaction than it was asked for');
    } catch (error) {
      this.#warn({ error: String(error) }, 'the node has something pending that is no transaction');
    }
    return undefined;
  }

  /** A list, by id, in its order; each transaction once. */
  async all(list: readonly Uint8Array[]): Promise<Map<Id, Decoded>> {
    const byId = new Map<Id, Decoded>();
    for (const [i, bytes] of list.entries()) {
      const decoded = this.one(bytes);
      if (decoded !== undefined && !byId.has(decoded.id)) byId.set(decoded.id, decoded);
      if (i % DECODED_AT_ONCE === DECODED_AT_ONCE - 1) await nextTurn();
    }
    return byId;
  }

  #warn(fields: object, message: string): void {
    if (!this.#hasWarned) this.#logger.warn(fields, message);
    this.#hasWarned = true;
  }
}
