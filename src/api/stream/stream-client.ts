/**
 * A client of the stream. Events are not copied for it: it has a position among the newest events, and at most one
 * write is waiting for a connection that takes nothing.
 */

import type { ServerResponse } from 'node:http';
import type { StreamCounts } from '../../serving/metrics/metrics.ts';
import type { Caller } from '../../serving/resources/caller.ts';
import type { ChainPosition } from '../../store/read/query.ts';
import type { EventFilter } from './event-filter.ts';
import { KEEPALIVE_COMMENT, KEEPALIVE_EVENT, lagFrame, positionFrame } from './event-frames.ts';
import type { RecentEvents } from './recent-events.ts';

/** The part of a response that is used to write to a client. */
export type StreamResponse = Pick<ServerResponse, 'write' | 'end' | 'destroy' | 'on' | 'cork' | 'uncork'>;

/** A client with few events gets its position after this many blocks, so that its next replay is short. */
const MARK_EVERY_BLOCKS = 100;
/** The longest silence for a client that asks for the event `keepalive`: without the event, the client takes the connection as dead. */
const MAX_SILENCE_MS = 30_000;

export class StreamClient {
  readonly filter: EventFilter;
  readonly caller: Caller;
  readonly #response: StreamResponse;
  readonly #counts: StreamCounts;
  /** The number of the next event to send; null during a replay. */
  #next: number | null = null;
  /** The height in the last `id:` that was sent. */
  #markedHeight = 0;
  #writtenAt = performance.now();
  /** The time when the connection stopped taking data; null while it takes some. */
  #blockedAt: number | null = null;
  #isClosed = false;
  /** Resolves the promise of `waitForRoom`. */
  #wake = (): void => {};

  /** `onRoom` is called when the connection takes data again. */
  constructor(
    response: StreamResponse,
    caller: Caller,
    filter: EventFilter,
    counts: StreamCounts,
    onRoom: (client: StreamClient) => void,
  ) {
    this.#response = response;
    this.caller = caller;
    this.filter = filter;
    this.#counts = counts;
    response.on('drain', () => {
      this.#blockedAt = null;
      this.#wake();
      if (!this.#isClosed) onRoom(this);
    });
    // After an error the connection ends, and "close" follows.
    response.on('error', () => {});
    response.on('close', () => this.#close());
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Does the connection take more data? */
  get hasRoom(): boolean {
    return this.#blockedAt === null;
  }

  /** Returns the milliseconds for which the connection has taken nothing. */
  blockedMs(now: number): number {
    return this.#blockedAt === null ? 0 : now - this.#blockedAt;
  }

  /** Resolves when the connection takes more data, or is closed. */
  async waitForRoom(): Promise<void> {
    if (this.hasRoom || this.#isClosed) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  write(bytes: Buffer): void {
    if (this.#isClosed) return;
    const now = performance.now();
    this.#writtenAt = now;
    // Uncorked, Node would send to all clients of a time slice without a pause.
    this.#response.cork();
    if (!this.#response.write(bytes)) this.#blockedAt ??= now;
    this.#response.uncork();
  }

  /** Sends the position from which the client resumes after a reconnect. */
  sendPosition(point: ChainPosition): void {
    this.#markedHeight = point.height;
    this.write(Buffer.from(positionFrame(point)));
  }

  /** Starts to send events, from this number on. */
  attach(next: number): void {
    this.#next = next;
  }

  /** Sends the outstanding events, as far as the connection takes them. */
  deliver(recent: RecentEvents): void {
    if (this.#next === null || this.#next >= recent.end) return;
    this.#response.cork();
    while (this.#next < recent.end && this.hasRoom && !this.#isClosed) {
      if (this.#next < recent.first) this.#skipTo(recent.first);
      else this.#tell(recent, this.#next++);
    }
    this.#response.uncork();
  }

  #tell(recent: RecentEvents, number: number): void {
    const entry = recent.at(number);
    const bytes = entry.bytesFor(this.filter);
    const { position } = entry;
    if (bytes !== null) {
      this.write(bytes);
      if (position !== null) this.#markedHeight = position.height;
    } else if (position !== null && Math.abs(position.height - this.#markedHeight) >= MARK_EVERY_BLOCKS)
      this.sendPosition(position);
  }

  #skipTo(first: number): void {
    const skipped = first - this.#next!;
    this.#next = first;
    this.tellLoss(skipped);
  }

  /** Tells that this many events were lost, because they came faster than the client took them. */
  tellLoss(skipped: number): void {
    this.#counts.lagged++;
    this.#counts.lostEvents += skipped;
    this.write(lagFrame(skipped));
  }

  /**
   * Writes a comment if nothing was written for `afterMs`. A client that asked for the event `keepalive` gets the event instead,
   * after {@link MAX_SILENCE_MS} at the latest.
   */
  keepAlive(now: number, afterMs: number): void {
    const wantsEvent = this.filter.types.has('keepalive');
    const silentMs = wantsEvent ? Math.min(afterMs, MAX_SILENCE_MS) : afterMs;
    if (!this.hasRoom || now - this.#writtenAt < silentMs) return;
    this.write(wantsEvent ? KEEPALIVE_EVENT : KEEPALIVE_COMMENT);
  }

  /** Ends the response. */
  end(): void {
    if (this.#isClosed) return;
    this.#response.end();
    this.#close();
  }

  /** Destroys the connection. */
  cut(): void {
    this.#response.destroy();
  }

  #close(): void {
    this.#isClosed = true;
    this.#wake();
  }
}
