import type { Backoff } from '../errors/backoff.ts';
import { DEFAULT_RETRY_PAUSES, InterruptiblePause, jitteredBackoffPause } from '../errors/retry.ts';
import type { NodeClient } from './client.ts';
import { CHAIN_EVENTS, NodeEventSocket } from './event-socket.ts';
import type { BlockIdAndHeight } from './result-parsers.ts';

export interface NodeTipEventsOptions {
  /** Pause between polls while there is no event socket, in milliseconds (default 1,000). */
  readonly pollMs?: number;
  /** Pause between polls while the event socket is up, in milliseconds (default 10,000). */
  readonly safetyPollMs?: number;
  /** The interval of pings; a socket that is silent for two intervals is given up (default 10,000). */
  readonly pingMs?: number;
  /** Pauses between attempts to connect the socket. */
  readonly pauses?: Backoff;
  /** False: only poll. */
  readonly socket?: boolean;
  /** Called for each tip that the node names, including known ones. */
  readonly onTip?: (tip: BlockIdAndHeight) => void;
  /** Called for each poll that fails. */
  readonly onFailure?: (error: unknown) => void;
}

/**
 * Reports when the node's tip has moved: by the node's events over a WebSocket (docs/protocol.md#rpc-events), by polling
 * while there is no WebSocket, and now and then while there is one. Only the newest tip counts; older ones that were not read
 * are dropped. Each poll reports the tip until the reader has it, because the node may announce a block before it gives it.
 */
export class NodeTipEvents implements AsyncIterable<BlockIdAndHeight> {
  readonly #client: NodeClient;
  readonly #options: Required<NodeTipEventsOptions>;
  readonly #closing = new AbortController();
  readonly #socket: NodeEventSocket<BlockIdAndHeight> | null;
  readonly #polling: Promise<void>;
  #connected = false;
  /** The id of the tip of a reader that waits. */
  #known: string | undefined;
  #pending: BlockIdAndHeight | undefined;
  #waiting: (() => void)[] = [];
  readonly #pause = new InterruptiblePause();

  constructor(client: NodeClient, options: NodeTipEventsOptions = {}) {
    this.#client = client;
    this.#options = {
      pollMs: 1_000,
      safetyPollMs: 10_000,
      pingMs: 10_000,
      pauses: DEFAULT_RETRY_PAUSES,
      socket: true,
      onTip() {},
      onFailure() {},
      ...options,
    };
    this.#polling = this.#keepPolling();
    this.#socket = this.#options.socket ? this.#openSocket() : null;
  }

  /** Are the node's events received? */
  get connected(): boolean {
    return this.#connected;
  }

  /**
   * The next tip that was not given yet, at once when there is one; `undefined` after `close`. `known`: the id of the reader's
   * tip, which does not end the wait; undefined: any tip does.
   */
  async next(known: string | undefined, signal?: AbortSignal): Promise<BlockIdAndHeight | undefined> {
    this.#known = known;
    while (this.#pending === undefined && !this.#closing.signal.aborted) {
      signal?.throwIfAborted();
      await new Promise<void>((resolve) => {
        const done = () => {
          signal?.removeEventListener('abort', done);
          resolve();
        };
        signal?.addEventListener('abort', done, { once: true });
        this.#waiting.push(done);
      });
    }
    this.#known = undefined;
    signal?.throwIfAborted();
    const tip = this.#closing.signal.aborted ? undefined : this.#pending;
    this.#pending = undefined;
    return tip;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<BlockIdAndHeight> {
    for (let tip = await this.next(undefined); tip !== undefined; tip = await this.next(tip.id)) yield tip;
  }

  /** Ends the events; callers that wait for a tip get none. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake();
    this.#pause.end();
    await Promise.all([this.#polling, this.#socket?.close()]);
  }

  #openSocket(): NodeEventSocket<BlockIdAndHeight> {
    const listener = {
      subscribed: () => this.#setConnected(true),
      event: (tip: BlockIdAndHeight) => this.#tell(tip),
      ended: (reason: string) => {
        this.#setConnected(false);
        this.#client.logger.warn({ reason }, 'the event socket of the node ended, polling until it is back');
      },
    };
    return new NodeEventSocket(this.#client, CHAIN_EVENTS, listener, this.#options);
  }

  #tell(tip: BlockIdAndHeight): void {
    this.#options.onTip(tip);
    if (tip.id === this.#known) return;
    this.#pending = tip;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async #keepPolling(): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted; ) {
      try {
        const { bestBlock } = await this.#client.chainInfo({ signal });
        // The reader is told, even if its tip is the same.
        if (failures > 0) this.#known = undefined;
        failures = 0;
        this.#tell(bestBlock);
      } catch (error) {
        if (signal.aborted) return;
        this.#options.onFailure(error);
        failures++;
      }
      const { pollMs, safetyPollMs, pauses } = this.#options;
      const usual = this.#connected ? safetyPollMs : pollMs;
      await this.#pause.wait(failures === 0 ? usual : Math.max(pollMs, jitteredBackoffPause(failures, pauses)));
    }
  }

  #setConnected(connected: boolean): void {
    if (this.#connected === connected) return;
    this.#connected = connected;
    if (connected) this.#client.logger.debug?.({}, 'listening to the events of the node');
    // What was announced while there was no socket is not repeated.
    this.#pause.end();
  }
}
