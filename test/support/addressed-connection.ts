/** A connection to a proxy that takes the client's address from its first line (the PROXY protocol): clients with any address. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';

export interface AddressedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export class AddressedConnection {
  readonly #port: number;
  readonly #agent: Agent;

  constructor(port: number, address: string) {
    this.#port = port;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1 });
    this.#agent.createConnection = () => {
      const socket = connect({ host: '127.0.0.1', port, noDelay: true });
      socket.write(`PROXY TCP4 ${address} 127.0.0.1 1000 80\r\n`);
      return socket;
    };
  }

  /** Rejects if the connection breaks, or is cut. */
  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<AddressedAnswer> {
    return new Promise((resolve, reject) => {
      const asking = request({ port: this.#port, agent: this.#agent, path, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part) => (text += part));
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      });
      asking.on('error', reject);
      asking.end();
    });
  }

  /** Also in the middle of a response. */
  cut(): void {
    this.#agent.destroy();
  }
}

/** A network of clients is one client for the proxies only in IPv6. */
export function anyAddress(): string {
  const byte = () => Math.floor(Math.random() * 256);
  return `10.${byte()}.${byte()}.${byte()}`;
}
