/** A TCP connection to something that can fall silent, be slow, break, or be away, as a network does. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scope } from './file-scope.ts';

export class TcpProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #port = 0;
  #isFrozen = false;
  /** Where new connections lead. */
  target: { readonly host: string; readonly port: number };
  /** How long each piece of data takes. */
  delayMs = 0;
  /** Whenever so many bytes have passed on all connections together, the one that carried the last of them breaks. */
  bytesPerCut = Number.POSITIVE_INFINITY;
  #passedBytes = 0;
  /** The next piece of data with this text does not pass: its connection breaks. */
  cutAt: string | null = null;

  private constructor(target: { readonly host: string; readonly port: number }) {
    this.target = target;
    this.#server = createServer((client) => this.#onClient(client, connect(this.target.port, this.target.host)));
  }

  /** Listens on 127.0.0.1; ends with the test. */
  static async start(t: Scope, target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await proxy.reopen();
    t.after(() => proxy.close());
    return proxy;
  }

  /** The address for the options of a connection. */
  get address() {
    return { host: '127.0.0.1', port: this.#port };
  }

  /** Holds back all data in both directions; connections are still accepted. */
  freeze(): void {
    this.#isFrozen = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
  }

  /** Releases the data held back, to clients that still wait. */
  thaw(): void {
    this.#isFrozen = false;
    for (const pair of this.#pairs) for (const socket of pair) socket.resume();
  }

  /** Breaks every connection. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  /** Ends one direction of every connection: who connected (or the target) is told that nothing more comes. */
  halfClose(who: 'client' | 'target'): void {
    for (const [client, target] of this.#pairs) (who === 'client' ? client : target).end();
  }

  /** Breaks every connection, and takes no new ones. */
  async close(): Promise<void> {
    this.cut();
    if (!this.#server.listening) return;
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** Takes connections again, at the same port. */
  async reopen(): Promise<void> {
    if (this.#server.listening) return;
    this.#isFrozen = false;
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  #onClient(client: Socket, target: Socket): void {
    const pair = [client, target] as const;
    this.#pairs.add(pair);
    for (const [from, to] of [pair, [target, client] as const]) {
      let passed = Promise.resolve();
      // One piece after the other, also when the delay changes in between.
      from.on('data', (chunk) => {
        passed = passed.then(() => this.#pass(chunk, from, to));
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        this.#pairs.delete(pair);
      });
      if (this.#isFrozen) from.pause();
    }
  }

  async #pass(chunk: Buffer | string, from: Socket, to: Socket): Promise<void> {
    if (this.delayMs > 0) {
      from.pause();
      await sleep(this.delayMs);
      if (!this.#isFrozen) from.resume();
    }
    if (!to.writable) return;
    if (this.cutAt !== null && chunk.includes(this.cutAt)) {
      this.cutAt = null;
      from.destroy();
      return;
    }
    this.#passedBytes += chunk.length;
    const excess = this.#passedBytes - this.bytesPerCut;
    if (excess < 0) return void to.write(chunk);
    this.#passedBytes = 0;
    to.write(chunk.slice(0, Math.max(0, chunk.length - excess)), () => from.destroy());
  }
}
