/** The responses that one client has not taken yet, and how long it may take for that. */
import type { ServerResponse } from 'node:http';
import type { UnsentResponse } from './unsent-bytes.ts';

/** An answer has to be taken within this time, and more for large ones, at this pace. */
const SHORTEST_SENDING_MS = 60_000;
const LONGEST_SENDING_MS = 15 * 60_000;
const SLOWEST_BYTES_PER_MS = 16;
/** The headers of an answer, about. */
const HEADER_BYTES = 1_024;

export class UnsentResponses {
  /** Null until there is one: most clients take what they get at once. */
  #sizes: Map<ServerResponse, UnsentResponse> | null = null;
  #deferred: Map<ServerResponse, () => void> | null = null;
  #bytes = 0;
  /** When all should have been taken, by `performance.now()`. */
  #deadline = Number.POSITIVE_INFINITY;

  get bytes(): number {
    return this.#bytes;
  }

  get count(): number {
    return this.#sizes === null ? 0 : this.#sizes.size;
  }

  /** Does the client take its responses too slowly? */
  isLate(now: number): boolean {
    return this.#deadline < now;
  }

  /** Gives how the response counts; null when it is counted already. */
  add(response: ServerResponse, body: string | Buffer): UnsentResponse | null {
    this.#sizes ??= new Map();
    if (this.#sizes.has(response)) return null;
    const { writableLength, req } = response;
    const isShared = typeof body !== 'string' && req.method !== 'HEAD';
    const unsent: UnsentResponse = isShared
      ? { bytes: HEADER_BYTES, shared: body }
      : { bytes: Math.min(writableLength, body.length + HEADER_BYTES), shared: null };
    this.#sizes.set(response, unsent);
    this.#bytes += weightOf(unsent);
    this.#deadline = deadlineFor(this.#bytes);
    return unsent;
  }

  /** Gives how the response counted; null when it did not. */
  remove(response: ServerResponse): UnsentResponse | null {
    const unsent = this.#sizes?.get(response);
    if (unsent === undefined) return null;
    this.#sizes!.delete(response);
    this.#bytes -= weightOf(unsent);
    this.#deadline = this.#bytes === 0 ? Number.POSITIVE_INFINITY : deadlineFor(this.#bytes);
    return unsent;
  }

  /** The response is to be written by this when those before it are taken. */
  defer(response: ServerResponse, write: () => void): void {
    this.#deferred ??= new Map();
    this.#deferred.set(response, write);
  }

  /** Writes the deferred response whose turn it is. */
  writeDeferred(): void {
    if (this.#deferred === null) return;
    for (const [response, write] of this.#deferred) {
      if (response.socket === null) continue;
      this.#deferred.delete(response);
      write();
      return;
    }
  }

  /** The client has disconnected. Gives what it had not taken. */
  clear(): UnsentResponse[] {
    const all = [...(this.#sizes?.values() ?? [])];
    this.#sizes = null;
    this.#deferred = null;
    this.#bytes = 0;
    return all;
  }
}

function weightOf({ bytes, shared }: UnsentResponse): number {
  return bytes + (shared === null ? 0 : shared.length);
}

function deadlineFor(bytes: number): number {
  const patienceMs = SHORTEST_SENDING_MS + bytes / SLOWEST_BYTES_PER_MS;
  return performance.now() + Math.min(patienceMs, LONGEST_SENDING_MS);
}
