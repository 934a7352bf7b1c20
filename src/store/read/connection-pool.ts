/** The connections on which queries run. Each reconnects by itself. */
import type { PostgresOptions } from '../postgres/connect.ts';
import type { HostInUse } from './host-in-use.ts';
import { ReadConnection } from './read-connection.ts';

export interface ConnectionPoolOptions {
  readonly postgres: PostgresOptions;
  /** Which server is read from, if there are several. */
  readonly hosts?: HostInUse | undefined;
  /** PostgreSQL cancels a statement after this many milliseconds; 10,000 unless given. */
  readonly statementTimeoutMs?: number;
}

const STATEMENT_TIMEOUT_MS = 10_000;

export class ConnectionPool {
  readonly #connections: readonly ReadConnection[];
  readonly #onIdle: () => void;
  /** The time of `performance.now()` since when there has been no connection; null while there is one. */
  #disconnectedSince: number | null = performance.now();
  /** Why the last connection was lost. */
  lossReason = '';

  /**
   * The pool has one connection fewer than `postgres.maxConnections`, because the tip watch opens one. `onIdle` is called
   * whenever a connection can take a statement.
   */
  constructor({ postgres, hosts, statementTimeoutMs }: ConnectionPoolOptions, onIdle: () => void) {
    this.#onIdle = onIdle;
    const events = { onIdle: () => this.#onConnectionIdle(), onLost: (error: Error) => this.#onConnectionLost(error) };
    this.#connections = Array.from(
      { length: Math.max(1, postgres.maxConnections - 1) },
      () => new ReadConnection(hosts ? () => hosts.used : postgres, statementTimeoutMs ?? STATEMENT_TIMEOUT_MS, events),
    );
    hosts?.onMove(() => {
      for (const connection of this.#connections) connection.move();
    });
  }

  /** Opens the connections. Rejects with the error of the first one; all of them keep trying in the background. */
  async open(): Promise<void> {
    const [first, ...rest] = this.#connections;
    try {
      await first!.open();
    } finally {
      for (const connection of rest) connection.open().catch(() => {});
    }
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  get isConnected(): boolean {
    return this.#disconnectedSince === null;
  }

  /**
   * Returns how long there has been no connection, in milliseconds; 0 while there is one. `now`: of
   * `performance.now()`.
   */
  disconnectedMs(now: number): number {
    return this.#disconnectedSince === null ? 0 : now - this.#disconnectedSince;
  }

  /** Returns a connection that can take a statement now. */
  idleConnection(): ReadConnection | undefined {
    return this.#connections.find((connection) => connection.state === 'idle');
  }

  /** Cuts connections on which PostgreSQL exceeds even the statement timeout. It is called regularly. */
  cutStalled(): void {
    for (const connection of this.#connections) connection.cutWhenStalled();
  }

  #onConnectionIdle(): void {
    this.#disconnectedSince = null;
    this.#onIdle();
  }

  #onConnectionLost(error: Error): void {
    this.lossReason = error.message;
    if (this.#connections.some(({ state }) => state === 'idle' || state === 'busy')) return;
    this.#disconnectedSince ??= performance.now();
  }
}
