/** Large answers that their clients have not taken yet, of all connections: what slow readers cost in memory. */
import type { ServerResponse } from 'node:http';

export class Outbox {
  readonly #mostBytes: number;
  /** How many responses each body is still being sent with: the same one, kept for many clients, counts once. */
  readonly #bodies = new Map<Buffer, number>();
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

  /** Counts a body until its response is sent, or its client gone. */
  add(body: Buffer, response: Pick<ServerResponse, 'once'>): void {
    const readers = this.#bodies.get(body) ?? 0;
    if (readers === 0) this.#bytes += body.length;
    this.#bodies.set(body, readers + 1);
    response.once('close', () => this.#remove(body));
  }

  #remove(body: Buffer): void {
    const readers = this.#bodies.get(body)! - 1;
    if (readers > 0) {
      this.#bodies.set(body, readers);
      return;
    }
    this.#bodies.delete(body);
    this.#bytes -= body.length;
  }
}
