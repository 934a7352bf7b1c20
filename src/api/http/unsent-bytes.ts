/**
 * Response bytes that clients have not taken yet, of all connections: what slow readers cost in memory. Event streams
 * are not counted here: they have a limit of their own.
 */

/** An answer, or what is left of it, that waits for its client. */
export interface UnsentResponse {
  /** What it takes besides a body that others share. */
  readonly bytes: number;
  /** A body that may be on its way to several clients: it counts once. */
  readonly shared: Buffer | null;
}

/** Above this part of its bytes, clients that have fallen silent are not waited for. */
const PRESSED_PART = 1 / 2;

export class UnsentBytes {
  readonly #mostBytes: number;
  /** How many clients each shared body is still being sent to. */
  readonly #shared = new Map<Buffer, number>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Should no further answer be made for the moment? */
  get isFull(): boolean {
    return this.#bytes > this.#mostBytes;
  }

  /** Is it so full that those who take nothing have to go? */
  get isPressed(): boolean {
    return this.#bytes > this.#mostBytes * PRESSED_PART;
  }

  add({ bytes, shared }: UnsentResponse): void {
    this.#bytes += bytes;
    if (shared === null) return;
    const readers = this.#shared.get(shared) ?? 0;
    if (readers === 0) this.#bytes += shared.length;
    this.#shared.set(shared, readers + 1);
  }

  /** It was taken, or its client has disconnected. */
  remove({ bytes, shared }: UnsentResponse): void {
    this.#bytes -= bytes;
    if (shared === null) return;
    const readers = this.#shared.get(shared)! - 1;
    if (readers > 0) this.#shared.set(shared, readers);
    else {
      this.#shared.delete(shared);
      this.#bytes -= shared.length;
    }
  }
}
