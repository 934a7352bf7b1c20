/**
 * A client of the stream. What it has not read is not copied for it: it has a position among the newest events, and at
 * most one write is pending on a connection that takes nothing.
 */
import type { ServerResponse } from 'node:http';
import type { StreamCounts } from './counts.ts';
import type { Filter } from './filter.ts';
import { KEEPALIVE_FRAME, markFrame, skippedFrame } from './frames.ts';
import type { ChainPoint } from './point.ts';
import type { RecentEntries } from './recent.ts';

/** What a client is written to: a response, as far as it is used. */
export type StreamResponse = Pick<ServerResponse, 'write' | 'end' | 'destroy' | 'on' | 'cork' | 'uncork'>;

/** A client with few events gets an `id:` frame at this interval, so that it does not resume from an old block. */
const MARK_EVERY_BLOCKS = 100;

export class StreamClient {
  readonly filter: Filter;
  /** The client's address. */
  readonly address: string;
  readonly #response: StreamResponse;
  readonly #counts: StreamCounts;
  /** The number of the entry that it gets next; null during a replay. */
  #next: number | null = null;
  /** Height of the last `id:` that it was sent. */
  #markedHeight = 0;
  #writtenAt = performance.now();
  /** Since when the connection takes nothing more. */
  #blockedAt: number | null = null;
  #isClosed = false;
  readonly #waiting: (() => void)[] = [];

  /** `onRoom` is called when the connection takes more again. */
  constructor(
    response: StreamResponse,
    address: string,
    filter: Filter,
    counts: StreamCounts,
    onRoom: (client: StreamClient) => void,
  ) {
    this.#response = response;
    this.address = address;
    this.filter = filter;
    this.#counts = counts;
    response.on('drain', () => {
      this.#blockedAt = null;
      this.#wake();
      if (!this.#isClosed) onRoom(this);
    });
    // An error ends the connection and is handled by "close".
    response.on('error', () => {});
    response.on('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Is everything that was written on its way? */
  get hasRoom(): boolean {
    return this.#blockedAt === null;
  }

  /** Milliseconds for which the connection has taken nothing. */
  blockedMs(now: number): number {
    return this.#blockedAt === null ? 0 : now - this.#blockedAt;
  }

  /** Resolves when the connection takes more, or is closed. */
  async room(): Promise<void> {
    if (this.hasRoom || this.#isClosed) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  write(bytes: Buffer): void {
    if (this.#isClosed) return;
    const now = performance.now();
    this.#writtenAt = now;
    // Otherwise Node keeps it until the end of the turn, and sends to all clients of a slice of time without a pause.
    this.#response.cork();
    if (!this.#response.write(bytes)) this.#blockedAt ??= now;
    this.#response.uncork();
  }

  /** Tells it where it goes on when it comes back. */
  mark(point: ChainPoint): void {
    this.#markedHeight = point.height;
    this.write(Buffer.from(markFrame(point)));
  }

  /** From now on it gets the entries from this number on. */
  attach(next: number): void {
    this.#next = next;
  }

  /** Sends what it has not got, as far as its connection takes it. */
  deliver(recent: RecentEntries): void {
    if (this.#next === null || this.#next >= recent.end) return;
    this.#response.cork();
    while (this.#next < recent.end && this.hasRoom && !this.#isClosed) {
      if (this.#next < recent.first) this.#skipTo(recent.first);
      else this.#tell(recent, this.#next++);
    }
    this.#response.uncork();
  }

  #tell(recent: RecentEntries, number: number): void {
    const entry = recent.at(number);
    const bytes = entry.bytesFor(this.filter);
    const { point } = entry;
    if (bytes !== null) {
      this.write(bytes);
      if (point !== null) this.#markedHeight = point.height;
    } else if (point !== null && Math.abs(point.height - this.#markedHeight) >= MARK_EVERY_BLOCKS) this.mark(point);
  }

  #skipTo(first: number): void {
    const skipped = first - this.#next!;
    this.#next = first;
    this.#counts.lagged++;
    this.#counts.lostEvents += skipped;
    this.write(skippedFrame(skipped));
  }

  /** Writes a comment if nothing was written for the given time. */
  keepAlive(now: number, afterMs: number): void {
    if (this.hasRoom && now - this.#writtenAt >= afterMs) this.write(KEEPALIVE_FRAME);
  }

  /** Ends the stream in good order. */
  end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#response.end();
    this.#wake();
  }

  /** Breaks it off. */
  cut(): void {
    this.#response.destroy();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
