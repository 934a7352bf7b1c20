/** A TCP relay before a server that tests can close and open: what a server that goes away looks like from outside. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

export class Gate {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;
  #isSilent = false;

  private constructor(target: { readonly host: string; readonly port: number }) {
    this.#server = createServer((incoming) => {
      const outgoing = connect(target.port, target.host);
      for (const [from, to] of [
        [incoming, outgoing],
        [outgoing, incoming],
      ] as const) {
        this.#sockets.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          to.destroy();
          this.#sockets.delete(from);
        });
        from.on('data', (chunk) => {
          if (!this.#isSilent) to.write(chunk);
        });
      }
    });
  }

  static async open(t: Pick<TestContext, 'after'>, target: { host: string; port: number }): Promise<Gate> {
    const gate = new Gate(target);
    await gate.reopen();
    t.after(() => gate.close());
    return gate;
  }

  get port(): number {
    return this.#port;
  }

  /** Cuts all connections and takes no new ones. */
  async close(): Promise<void> {
    const closed = this.#server.listening ? once(this.#server, 'close') : Promise.resolve();
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async reopen(): Promise<void> {
    this.#isSilent = false;
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Lets no byte through any more, but cuts nothing. */
  fallSilent(): void {
    this.#isSilent = true;
  }
}
