/** A TCP connection to something that can fall silent, break, or be away, as a network does. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

type Test = { after(end: () => Promise<void>): unknown };

export class TcpProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #frozen = false;

  private constructor(target: { readonly host: string; readonly port: number }) {
    this.#server = createServer((client) => this.#onClient(client, connect(target.port, target.host)));
  }

  /** Listens on 127.0.0.1; ends with the test. */
  static async start(t: Test, target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    t.after(() => proxy.close());
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** From now on nothing gets through, in either direction; connections are still accepted. */
  freeze(): void {
    this.#frozen = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
  }

  /** What was held back gets through, where somebody still waits for it. */
  thaw(): void {
    this.#frozen = false;
    for (const pair of this.#pairs) for (const socket of pair) socket.resume();
  }

  /** Breaks every connection. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #onClient(client: Socket, target: Socket): void {
    const pair = [client, target] as const;
    this.#pairs.add(pair);
    for (const [from, to] of [pair, [target, client] as const]) {
      from.on('data', (chunk) => void to.write(chunk));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        this.#pairs.delete(pair);
      });
      if (this.#frozen) from.pause();
    }
  }
}
