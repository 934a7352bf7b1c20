/**
 * Which of several servers a process reads from: the first in the given order that answers. The tip watch tries them; the
 * other connections follow, so that all read from one server. A server is left when the tip watch loses its connection.
 */
import type { PostgresOptions } from '../postgres/connect.ts';
import { optionsOfEachHost } from '../postgres/hosts.ts';

export class HostInUse {
  readonly #servers: readonly PostgresOptions[];
  readonly #listeners: (() => void)[] = [];
  #tried = 0;
  #used = 0;

  constructor(options: PostgresOptions) {
    this.#servers = optionsOfEachHost(options);
  }

  /** The server that the tip watch connects to. */
  get tried(): PostgresOptions {
    return this.#servers[this.#tried]!;
  }

  /** The server that is read from. */
  get used(): PostgresOptions {
    return this.#servers[this.#used]!;
  }

  /** Is the tip watch connected to another server than the one in use? */
  get isMoving(): boolean {
    return this.#tried !== this.#used;
  }

  /** Called when the tip watch has lost its connection, or could not open it. */
  tryNext(): void {
    this.#tried = (this.#tried + 1) % this.#servers.length;
  }

  /** Called when this server should be used, because it has a newer timeline. */
  try(server: PostgresOptions): void {
    const found = this.#servers.findIndex(({ host, port }) => host === server.host && port === server.port);
    if (found >= 0) this.#tried = found;
  }

  /** Called when the tried server has a tip that can be served. */
  use(): void {
    if (!this.isMoving) return;
    this.#used = this.#tried;
    for (const listener of this.#listeners) listener();
  }

  /** Calls back when another server is used. */
  onMove(listener: () => void): void {
    this.#listeners.push(listener);
  }
}
