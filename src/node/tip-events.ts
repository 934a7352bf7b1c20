import { addressText } from './address.ts';
import { type BlockPoint, newTipOf } from './answers.ts';
import type { NodeClient } from './client.ts';
import { excerpt, NodeError } from './error.ts';
import { DEFAULT_PAUSES, type Pauses, pause, pauseAfter } from './retry.ts';
import { connectionText } from './transport.ts';

type WebSocketClass = typeof import('ws').default;

export interface TipEventsOptions {
  /** Pause between polls while there is no event socket, in milliseconds (default 1,000). */
  readonly pollMs?: number;
  /** Pause between polls while the event socket is up, in milliseconds (default 10,000). */
  readonly safetyPollMs?: number;
  /** How often the socket is pinged; one that is silent for two of these is given up (default 10,000). */
  readonly pingMs?: number;
  /** Pauses between attempts to connect the socket. */
  readonly pauses?: Pauses;
  /** False: only poll. */
  readonly socket?: boolean;
  /** Told each tip that the node names, those too that are known already. */
  readonly onTip?: (tip: BlockPoint) => void;
  /** Told each poll that fails. */
  readonly onFailure?: (error: unknown) => void;
}

const SUBSCRIBE = 'chainstate_subscribe_to_events';
/** Events are tiny. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/**
 * Tells when the node's tip moved: by the node's events over a WebSocket (wire-format section 9.6), by polling while
 * there is none. Tips that nobody asked for in between are forgotten, only the newest counts. After each connection
 * the present tip is told once, even when it did not change, because events that fell into the gap are not repeated.
 */
export class TipEvents implements AsyncIterable<BlockPoint> {
  readonly #client: NodeClient;
  readonly #options: Required<TipEventsOptions>;
  readonly #closing = new AbortController();
  readonly #tasks: Promise<void>[];
  #connected = false;
  #lastTip: BlockPoint | undefined;
  #pending: BlockPoint | undefined;
  #waiting: (() => void)[] = [];
  #wakePoll = () => {};
  #pollAtOnce = false;
  #tellEvenIfSame = true;

  constructor(client: NodeClient, options: TipEventsOptions = {}) {
    this.#client = client;
    this.#options = {
      pollMs: options.pollMs ?? 1_000,
      safetyPollMs: options.safetyPollMs ?? 10_000,
      pingMs: options.pingMs ?? 10_000,
      pauses: options.pauses ?? DEFAULT_PAUSES,
      socket: options.socket ?? true,
      onTip: options.onTip ?? (() => {}),
      onFailure: options.onFailure ?? (() => {}),
    };
    this.#tasks = [this.#keepPolling(), this.#options.socket ? this.#keepSocket() : Promise.resolve()];
  }

  /** Whether the node's events are coming in at present. */
  get connected(): boolean {
    return this.#connected;
  }

  /** The next tip that was not given yet, at once when there is one; `undefined` after `close`. */
  async next(signal?: AbortSignal): Promise<BlockPoint | undefined> {
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
    signal?.throwIfAborted();
    const tip = this.#closing.signal.aborted ? undefined : this.#pending;
    this.#pending = undefined;
    return tip;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<BlockPoint> {
    for (let tip = await this.next(); tip !== undefined; tip = await this.next()) yield tip;
  }

  /** Ends everything; who waits for a tip gets none. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake();
    this.#wakePoll();
    await Promise.all(this.#tasks);
  }

  #tell(tip: BlockPoint, evenIfSame: boolean): void {
    this.#options.onTip(tip);
    if (!evenIfSame && tip.id === this.#lastTip?.id) return;
    this.#lastTip = tip;
    this.#pending = tip;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async #keepPolling(): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted; ) {
      const evenIfSame = this.#tellEvenIfSame;
      this.#tellEvenIfSame = false;
      this.#pollAtOnce = false;
      try {
        const { bestBlock } = await this.#client.chainInfo({ signal });
        if (failures > 0) this.#client.logger.info({ failures }, 'the node answers again');
        failures = 0;
        this.#tell(bestBlock, evenIfSame);
      } catch (error) {
        if (signal.aborted) return;
        this.#tellEvenIfSame = true;
        this.#options.onFailure(error);
        if (failures++ === 0)
          this.#client.logger.warn(
            { error: String(error) },
            'the node does not tell its tip, asking again until it does',
          );
      }
      await this.#sleepUntilPoll(failures);
    }
  }

  /** Sleeps; shorter when the socket comes up or goes down meanwhile. */
  async #sleepUntilPoll(failures: number): Promise<void> {
    const { pollMs, safetyPollMs, pauses } = this.#options;
    const usual = this.#connected ? safetyPollMs : pollMs;
    const ms = failures === 0 ? usual : Math.max(pollMs, pauseAfter(failures, pauses));
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wakePoll = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#pollAtOnce || this.#closing.signal.aborted) this.#wakePoll();
    });
  }

  async #keepSocket(): Promise<void> {
    const { signal } = this.#closing;
    // Loaded here, so that a sync that begins does not wait for it.
    const { default: WebSocket } = await import('ws');
    for (let failures = 0; !signal.aborted; ) {
      const sent = await this.#client.credentials.header().catch(() => undefined);
      const end = await this.#listen(WebSocket, sent);
      if (signal.aborted) return;
      if (end.subscribed) {
        failures = 0;
        this.#client.logger.warn(
          { reason: end.reason },
          'the event socket of the node ended, polling until it is back',
        );
      }
      failures++;
      if (end.refused) await this.#client.credentials.renew(sent).catch(() => false);
      this.#client.logger.debug({ reason: end.reason, failures }, 'no event socket, trying again');
      await pause(pauseAfter(failures, this.#options.pauses), signal).catch(() => {});
    }
  }

  /** One life of a socket; never rejects. */
  #listen(
    WebSocket: WebSocketClass,
    authorization: string | undefined,
  ): Promise<{ reason: string; subscribed: boolean; refused: boolean }> {
    return new Promise((resolve) => {
      const { signal } = this.#closing;
      const { pingMs } = this.#options;
      const socket = new WebSocket(`ws://${addressText(this.#client.address)}/`, {
        headers: authorization === undefined ? {} : { authorization },
        handshakeTimeout: pingMs,
        maxPayload: MAX_MESSAGE_BYTES,
        perMessageDeflate: false,
        followRedirects: false,
      });
      let subscription: number | undefined;
      let silentPings = 0;
      let unansweredPings = 0;
      const end = (reason: string, refused = false) => {
        clearInterval(pings);
        signal.removeEventListener('abort', stop);
        this.#setConnected(false);
        socket.removeAllListeners();
        // Terminating a socket that is still connecting emits an error that nobody else would hear.
        socket.on('error', () => {});
        socket.terminate();
        resolve({ reason, subscribed: subscription !== undefined, refused });
      };
      const stop = () => end('closed');
      const pings = setInterval(() => {
        if (silentPings++ >= 2) return end('the node is silent');
        if (subscription === undefined && ++unansweredPings >= 2)
          return end('the node does not answer the subscription');
        if (socket.readyState === WebSocket.OPEN) socket.ping();
      }, pingMs);
      signal.addEventListener('abort', stop, { once: true });
      socket.on('open', () =>
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: SUBSCRIBE, params: [] }), () => {}),
      );
      socket.on('pong', () => {
        silentPings = 0;
      });
      socket.on('message', (data) => {
        silentPings = 0;
        const message = readMessage(String(data));
        switch (message.type) {
          case 'subscribed':
            subscription = message.subscription;
            return this.#setConnected(true);
          case 'tip':
            return message.subscription === subscription ? this.#tell(message.tip, false) : undefined;
          case 'refused':
            return end(message.reason);
          case 'other':
            return;
        }
      });
      socket.on('unexpected-response', (_request, response) => {
        response.resume();
        end(`HTTP status ${response.statusCode}`, response.statusCode === 401);
      });
      socket.on('error', (error) => end(connectionText(error)));
      socket.on('close', (code) => end(`closed with code ${code}`));
      if (signal.aborted) stop();
    });
  }

  #setConnected(connected: boolean): void {
    if (this.#connected === connected) return;
    this.#connected = connected;
    if (connected) {
      this.#client.logger.debug({}, 'listening to the events of the node');
      this.#tellEvenIfSame = true;
    }
    this.#pollAtOnce = true;
    this.#wakePoll();
  }
}

type SocketMessage =
  | { readonly type: 'subscribed'; readonly subscription: number }
  | { readonly type: 'tip'; readonly subscription: number; readonly tip: BlockPoint }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'other' };

function readMessage(text: string): SocketMessage {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { type: 'refused', reason: NodeError.malformed(SUBSCRIBE, 'JSON', text).message };
  }
  if (typeof message !== 'object' || message === null) return { type: 'other' };
  const { id, result, error, method, params } = message as Record<string, unknown>;
  if (id === 1)
    return typeof result === 'number'
      ? { type: 'subscribed', subscription: result }
      : { type: 'refused', reason: `the node refused the subscription: ${excerpt(error ?? null)}` };
  if (method !== SUBSCRIBE || typeof params !== 'object' || params === null) return { type: 'other' };
  const event = params as Record<string, unknown>;
  const tip = newTipOf(event.result);
  return tip === undefined || typeof event.subscription !== 'number'
    ? { type: 'other' }
    : { type: 'tip', subscription: event.subscription, tip };
}
