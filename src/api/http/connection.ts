/**
 * One client's connection: how many of its requests are in progress, what it has not taken yet, and when it is closed.
 * Node reads up to 64 kB at once, which may be a thousand requests: one waits here for those before it, then the parser is
 * stopped, and the rest stays bytes. Nothing more is read from the connection until all of that is answered.
 */
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type PipelineStop, resumePipeline, stopPipeline } from './pipeline-stop.ts';
import type { UnsentResponse } from './unsent-bytes.ts';
import { UnsentResponses } from './unsent-responses.ts';

/** Requests of one connection that are answered at a time. */
const MOST_OPEN = 16;
/** As many bytes that are not parsed count as one waiting request: about what one takes when it is. */
const BYTES_PER_WAITING = 2_048;
/** With more than this not taken, its next request is not begun. */
const MOST_UNSENT_BEFORE_NEXT = 65_536;
/** A client that takes nothing of its response for this long is disconnected. */
const LONGEST_SILENCE_MS = 120_000;
/** How often a client that has not taken all is looked at. */
const SILENCE_STEP_MS = 2_000;
/** How long a client that was refused may take to read why. */
const LAST_WORDS_MS = 2_000;

/** What all connections of a server have in common. */
export interface ConnectionHost {
  /** Answers a request. */
  serve(request: IncomingMessage, response: ServerResponse): void;
  onUnsent(connection: Connection, unsent: UnsentResponse): void;
  /** Its client took it, or has disconnected. */
  onTaken(connection: Connection, unsent: UnsentResponse): void;
  /** Must clients that take nothing go at once? */
  readonly isPressed: boolean;
  /** May a request begin in this turn of the event loop while others of its connection are in progress? */
  mayPipeline(): boolean;
  /** `count` more of its requests wait, or less. */
  onWaiting(connection: Connection, count: number): void;
  /** It is to go on by `parseRest` when it is its turn. */
  onAnsweredAll(connection: Connection): void;
  onCut(): void;
  onClosed(connection: Connection): void;
}

const CONNECTION = Symbol('connection');
type ClientSocket = Socket & { [CONNECTION]?: Connection };

/** The connection of a socket; undefined before its first request. */
export function connectionOf(socket: Socket): Connection | undefined {
  return (socket as ClientSocket)[CONNECTION];
}

/**
 * Calls `write` when it is this response's turn on its connection: at once, or after those before it. Node would keep what is
 * written before, and write all of it in one go.
 */
export function whenFirst(response: ServerResponse, body: Buffer, write: () => void): void {
  const connection = response.socket === null ? connectionOf(response.req.socket) : undefined;
  if (connection === undefined) write();
  else connection.defer(response, body, write);
}

/** To be called when an answer was given to Node: counts what the client has not taken at once. */
export function noteUnsent(response: ServerResponse, body: string | Buffer): void {
  if (response.writableLength > 0) connectionOf(response.req.socket)?.onUnsent(response, body);
}

/** A response that says when its client has taken it. A listener for each response would cost a hot one half a microsecond. */
export class CountedResponse extends ServerResponse {
  override detachSocket(socket: Socket): void {
    super.detachSocket(socket);
    connectionOf(socket)?.onAnswered(this);
  }
}

export class Connection implements PipelineStop {
  readonly #socket: ClientSocket;
  readonly #host: ConnectionHost;
  /** Requests being answered, until their answers are taken. */
  #open = 0;
  #waiting: { readonly request: IncomingMessage; readonly response: ServerResponse }[] = [];
  /** What was read after them and is not parsed; null while the socket has its parser. */
  #rest: Buffer | null = null;
  readonly #unsent = new UnsentResponses();
  /** The newest request, of which not all may have been read. */
  #lastRequest: IncomingMessage | null = null;
  #lastResponse: ServerResponse | null = null;
  #isHeld = false;
  #isClosed = false;
  /** The refusal of what could not be read, while answers are before it. */
  #refusal: string | null = null;
  #bytesAtLastCheck = -1;
  #checksWithoutProgress = 0;
  #silentMs = 0;
  #silentAt = 0;
  readonly remoteAddress: string;
  /** The client by that address; computed at first use. */
  client: string | null = null;

  constructor(socket: Socket, host: ConnectionHost) {
    this.#socket = socket;
    this.#host = host;
    this.remoteAddress = socket.remoteAddress ?? '';
    this.#socket[CONNECTION] = this;
    stopPipeline(socket, this);
    socket.once('close', () => this.#onClose());
    // Node resumes reading on its own when it has sent something.
    socket.on('resume', () => {
      if (this.#isHeld) socket.pause();
    });
  }

  /** Requests that were read and not begun; what is not parsed is counted by its size. */
  get waiting(): number {
    return this.#waiting.length + weightOfRest(this.#rest);
  }

  /** Has it no parser at the moment? */
  get isStopped(): boolean {
    return this.#rest !== null;
  }

  /** Has every request that was parsed been answered? */
  get isIdle(): boolean {
    return this.#open === 0 && this.#waiting.length === 0;
  }

  get mustStop(): boolean {
    return this.#waiting.length > 0 && !this.#isClosed && this.#refusal === null;
  }

  onStopped(rest: Buffer): void {
    if (this.#isClosed) return;
    this.#rest = rest;
    this.#host.onWaiting(this, weightOfRest(rest));
  }

  readonly onTimeout = (): void => this.onSilence();

  /** Bytes of answers that the client has not taken. */
  get unsentBytes(): number {
    return this.#unsent.bytes;
  }

  /** Does the client take its answers too slowly? */
  isLate(now: number): boolean {
    return this.#unsent.isLate(now);
  }

  /** Answers a request now, or when those before it are answered. */
  take(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isClosed || this.#refusal !== null) return;
    this.#lastRequest = request;
    this.#lastResponse = response;
    if (this.#waiting.length === 0 && this.#mayBegin) this.#begin(request, response);
    else {
      this.#waiting.push({ request, response });
      this.#host.onWaiting(this, 1);
    }
    this.#holdOrRelease();
  }

  /** Refuses, with these bytes, what could not be read as a request, when the requests before it are answered. */
  refuse(refusal: string): void {
    if (this.#isClosed || this.#refusal !== null) return;
    this.#refusal = refusal;
    // The request whose body is wrong has got its answer with this.
    if (this.#isLastUnread && this.#waiting.at(-1)?.request === this.#lastRequest) {
      this.#waiting.pop();
      this.#host.onWaiting(this, -1);
      this.#lastRequest = null;
      this.#lastResponse = null;
    }
    this.#holdOrRelease();
    this.#sayLastWords();
  }

  /** Breaks the connection off. */
  cut(): void {
    if (this.#isClosed) return;
    this.#host.onCut();
    this.#socket.destroy();
    this.#onClose();
  }

  /** How many checks in a row have found a request open and no byte read or written since the check before. */
  checksWithoutProgress(): number {
    const bytes = this.#socket.bytesRead + this.#socket.bytesWritten;
    this.#checksWithoutProgress =
      this.#open > 0 && bytes === this.#bytesAtLastCheck ? this.#checksWithoutProgress + 1 : 0;
    this.#bytesAtLastCheck = bytes;
    return this.#checksWithoutProgress;
  }

  /** Closes the connection without counting it as cut. */
  destroy(): void {
    this.#socket.destroy();
  }

  /** Node reports that nothing has moved for the socket's timeout. */
  onSilence(): void {
    if (this.#unsent.bytes === 0 || this.#refusal !== null) {
      this.#socket.destroy();
      return;
    }
    const now = performance.now();
    const isOnAndOn = now - this.#silentAt < 1.5 * SILENCE_STEP_MS;
    this.#silentMs = isOnAndOn ? this.#silentMs + SILENCE_STEP_MS : SILENCE_STEP_MS;
    this.#silentAt = now;
    if (this.#silentMs >= LONGEST_SILENCE_MS || this.#host.isPressed) this.cut();
    else this.#socket.setTimeout(SILENCE_STEP_MS);
  }

  /** See {@link noteUnsent}. */
  onUnsent(response: ServerResponse, body: string | Buffer): void {
    if (this.#isClosed) return;
    const unsent = this.#unsent.add(response, body);
    if (unsent === null) return;
    this.#host.onUnsent(this, unsent);
    if (this.#unsent.count === 1) this.#socket.setTimeout(SILENCE_STEP_MS);
    this.#holdOrRelease();
  }

  /** See {@link whenFirst}. */
  defer(response: ServerResponse, body: Buffer, write: () => void): void {
    if (this.#isClosed) return;
    this.#unsent.defer(response, write);
    this.onUnsent(response, body);
  }

  /** An answer was taken to its end. */
  onAnswered(response: ServerResponse): void {
    this.#open--;
    const isQuiet = !this.#isHeld && this.#refusal === null && this.#unsent.count === 0;
    // Node goes on with the next response before anything is done about it here.
    if (!isQuiet) process.nextTick(() => this.#goOn(response));
  }

  #goOn(response: ServerResponse): void {
    if (this.#isClosed) return;
    this.#unsent.writeDeferred();
    this.#onTaken(response);
    while (this.#waiting.length > 0 && this.#mayBegin) {
      const next = this.#waiting.shift()!;
      this.#host.onWaiting(this, -1);
      this.#begin(next.request, next.response);
    }
    if (this.#isHeld) this.#holdOrRelease();
    if (this.#refusal !== null) this.#sayLastWords();
    else if (this.#rest !== null && this.#open === 0 && this.#unsent.bytes === 0) this.#host.onAnsweredAll(this);
  }

  /** Goes on with what was read and not parsed. */
  parseRest(): void {
    const rest = this.#rest;
    if (rest === null || this.#isClosed || this.#refusal !== null) return;
    this.#rest = null;
    this.#isHeld = false;
    this.#host.onWaiting(this, -weightOfRest(rest));
    resumePipeline(this.#socket, rest, this);
  }

  get #mayBegin(): boolean {
    if (this.#unsent.bytes > MOST_UNSENT_BEFORE_NEXT) return false;
    return this.#open === 0 || (this.#open < MOST_OPEN && this.#host.mayPipeline());
  }

  get #isLastUnread(): boolean {
    return this.#lastRequest?.complete === false;
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    this.#open++;
    this.#host.serve(request, response);
  }

  #onTaken(response: ServerResponse): void {
    const unsent = this.#unsent.remove(response);
    if (unsent === null) return;
    this.#silentMs = 0;
    this.#host.onTaken(this, unsent);
  }

  /** Resumes reading only when all requests have been started and all responses taken. */
  #holdOrRelease(): void {
    const mustHold =
      this.#open >= MOST_OPEN ||
      this.#waiting.length > 0 ||
      this.#rest !== null ||
      this.#unsent.bytes > 0 ||
      this.#refusal !== null;
    if (mustHold === this.#isHeld) return;
    this.#isHeld = mustHold;
    if (mustHold) this.#socket.pause();
    else this.#socket.resume();
  }

  #sayLastWords(): void {
    const isUnanswered = this.#isLastUnread && this.#lastResponse?.headersSent === false;
    if (this.#waiting.length > 0 || this.#open > (isUnanswered ? 1 : 0)) return;
    // What was answered before all of it was read has its answer.
    const isAnswered = this.#isLastUnread && !isUnanswered;
    if (this.#socket.writable) this.#socket.end(isAnswered ? '' : this.#refusal!);
    this.#socket.setTimeout(LAST_WORDS_MS);
  }

  #onClose(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#host.onClosed(this);
    const { waiting } = this;
    if (waiting > 0) {
      this.#waiting = [];
      this.#rest = null;
      this.#host.onWaiting(this, -waiting);
    }
    for (const unsent of this.#unsent.clear()) this.#host.onTaken(this, unsent);
  }
}

function weightOfRest(rest: Buffer | null): number {
  return rest === null ? 0 : Math.ceil(rest.length / BYTES_PER_WAITING);
}
