/**
 * Knows the chain's tip in the process. It asks for one row by its own connection, many times a second: that works on
 * a replica as well, where a notification would not arrive.
 */
import type { Id } from '../../chain/types.ts';
import type { PostgresOptions } from '../connect.ts';
import { Connection } from './connection.ts';
import { judge } from './error.ts';

export interface ChainTip {
  /** Grows with every commit of the scanner. */
  readonly revision: number;
  readonly height: number;
  readonly id: Id;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly medianTime: number;
  readonly transactionCount: number;
  /** Says which network's chain it is. */
  readonly genesisId: Id;
  /** False while a bulk sync is under way and the indexes for reading do not exist. */
  readonly isReady: boolean;
}

export interface TipWatchOptions {
  readonly postgres: PostgresOptions;
  readonly intervalMs?: number;
}

const STATEMENT = {
  name: 'tip',
  sql: `select revision, height, block_id as id, timestamp, median_time as "medianTime",
               transaction_count as "transactionCount", is_ready as "isReady",
               (select value from meta where name = 'genesis_id') as "genesisId"
        from chain_tip`,
};
const INTERVAL_MS = 15;
const INTERVAL_WITHOUT_REQUESTS_MS = 100;
const WITHOUT_REQUESTS_AFTER_MS = 5_000;
/** A tip that was not confirmed for so long is not trusted: the database may be gone. */
const LONGEST_UNCONFIRMED_MS = 2_000;

export class TipWatch {
  /** The newest tip seen; null while the database holds none or was never reached. */
  tip: ChainTip | null = null;
  readonly #connection: Connection;
  readonly #intervalMs: number;
  readonly #listeners: (() => void)[] = [];
  readonly #guard: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #requestedAt = Number.NEGATIVE_INFINITY;
  #isAtOnce = true;

  constructor(options: TipWatchOptions) {
    this.#intervalMs = options.intervalMs ?? INTERVAL_MS;
    this.#connection = new Connection(options.postgres, 2_000, { onIdle: () => this.#onIdle(), onLost: () => {} });
    this.#guard = setInterval(() => this.#connection.cutWhenStuck(), 1_000);
    this.#guard.unref();
  }

  /** Connects; throws when the database cannot be reached, but goes on trying. */
  async open(): Promise<void> {
    await this.#connection.open();
  }

  /** Calls back whenever the tip becomes another one. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Does the database confirm the tip at the moment? */
  get isConfirmed(): boolean {
    return performance.now() - this.#confirmedAt < LONGEST_UNCONFIRMED_MS;
  }

  /** Says that somebody is reading: the watch is closer then. */
  noteRequest(): void {
    const now = performance.now();
    const wasQuiet = now - this.#requestedAt > WITHOUT_REQUESTS_AFTER_MS;
    this.#requestedAt = now;
    if (wasQuiet) this.lookNow();
  }

  /** Looks without waiting for the interval's end. */
  lookNow(): void {
    this.#isAtOnce = true;
    if (this.#connection.state === 'idle') this.#look();
  }

  close(): void {
    clearInterval(this.#guard);
    clearTimeout(this.#timer);
    this.#connection.close();
  }

  /** Called when the connection is open, and after each look. */
  #onIdle(): void {
    if (this.#isAtOnce) {
      this.#look();
      return;
    }
    // PostgreSQL logs each question for a table that is not there.
    const isQuiet = this.tip === null || performance.now() - this.#requestedAt > WITHOUT_REQUESTS_AFTER_MS;
    this.#timer = setTimeout(() => this.#look(), isQuiet ? INTERVAL_WITHOUT_REQUESTS_MS : this.#intervalMs);
    this.#timer.unref();
  }

  #look(): void {
    clearTimeout(this.#timer);
    if (this.#connection.state !== 'idle') return;
    this.#isAtOnce = false;
    let tip: ChainTip | null = null;
    this.#connection.run<ChainTip>(STATEMENT, [], {
      row: (row) => {
        tip = row;
      },
      // Without the table there is no chain: that is an answer, too.
      done: (error) => {
        if (!error || judge(error).kind === 'not ready') this.#see(tip);
      },
    });
  }

  #see(tip: ChainTip | null): void {
    this.#confirmedAt = performance.now();
    const isSame =
      tip?.revision === this.tip?.revision && tip?.id === this.tip?.id && tip?.isReady === this.tip?.isReady;

    if (isSame) return;
    this.tip = tip;
    for (const listener of this.#listeners) listener();
  }
}
