/** The client: one method for each way of asking. */
import type { Described, InputEntry, ServerStatus } from './described.ts';
import { type EventOptions, events, type StreamEvent } from './events.ts';
import { type ClientOptions, Http, type RequestOptions, STATUS_PATH } from './http.ts';
import { Wallet, type WalletState } from './wallet.ts';

/** The operations of a response profile: {@link Described}, or MintlayerCore. */
export interface Operations {
  get: Record<keyof Described['get'], { parameters: object; response: unknown }>;
  lists: Record<keyof Described['lists'], { parameters: object; item: unknown }>;
  post: Record<keyof Described['post'], { body: unknown; response: unknown }> & {
    '/wallet/sync': { body: WalletOperation['body']; response: WalletChanges };
  };
}

type WalletOperation = Described['post']['/wallet/sync'];

/** What the wallet needs of a response, in any profile. */
type WalletChanges = Omit<WalletOperation['response'], 'transactions' | 'pending'> & {
  transactions: { id: string; height: number }[];
  pending: { id: string; inputs: InputEntry[] }[] | null;
};

/** The parameters of an operation; optional if all of them are. */
type Arguments<Parameters, Options> =
  Partial<Parameters> extends Parameters
    ? [parameters?: Parameters, options?: Options]
    : [parameters: Parameters, options?: Options];

interface Page<Item> {
  readonly items: Item[];
  readonly next_cursor: string | null;
}

export interface ListOptions extends RequestOptions {
  /** Entries for each request; 100 by default, the most. */
  readonly pageSize?: number;
}

/** A client of one server. `Api`: the response profile of the server. */
export class Client<Api extends Operations = Described> {
  readonly #http: Http;

  /** `url`: of the server, such as `https://example.org/indexer`. */
  constructor(url: string | URL, options: ClientOptions = {}) {
    this.#http = new Http(url, options);
  }

  /** Gets a path. Throws an ApiError or a ConnectionError, as all methods do. */
  get<Path extends keyof Described['get']>(
    path: Path,
    ...[parameters, options]: Arguments<Api['get'][Path]['parameters'], RequestOptions>
  ): Promise<Api['get'][Path]['response']> {
    return this.#http.json(urlOf(path, parameters ?? {}), init(options)) as Promise<Api['get'][Path]['response']>;
  }

  /** The entries of a list, page by page: `for await (const pool of client.list('/pool')) …`. */
  async *list<Path extends keyof Described['lists']>(
    path: Path,
    ...[parameters, options = {}]: Arguments<Api['lists'][Path]['parameters'], ListOptions>
  ): AsyncGenerator<Api['lists'][Path]['item'], void, void> {
    const { pageSize: items = 100 } = options;
    for (let cursor: string | null = ''; cursor !== null; ) {
      const url = urlOf(path, { ...parameters, ...(path === '/search' ? {} : { items, cursor }) });
      const page = (await this.#http.json(url, init(options))) as Page<Api['lists'][Path]['item']>;
      yield* page.items;
      cursor = page.next_cursor;
    }
  }

  /** Posts a body: a batch, a transaction, a wallet. */
  post<Path extends keyof Described['post']>(
    path: Path,
    body: Api['post'][Path]['body'],
    options?: RequestOptions,
  ): Promise<Api['post'][Path]['response']> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const request = this.#http.json(path, { ...init(options), method: 'POST', body: text });
    return request as Promise<Api['post'][Path]['response']>;
  }

  /** The build of the server, and how its index, node, mempool and database are. */
  status(options?: RequestOptions): Promise<ServerStatus> {
    return this.#http.json(STATUS_PATH, init(options)) as Promise<ServerStatus>;
  }

  /**
   * The events of the server, from `options.after` on if that is given, until the signal is aborted. After a lost
   * connection it goes on where it was.
   */
  events(options: EventOptions = {}): AsyncGenerator<StreamEvent, void, void> {
    return events(this.#http, options);
  }

  /** A wallet that follows these addresses. `state`: what {@link Wallet.state} returned before. */
  wallet(addresses: readonly string[], state?: WalletState<Api>): Wallet<Api> {
    return new Wallet(this, addresses, state);
  }
}

function init({ signal }: RequestOptions = {}): RequestInit {
  return signal ? { signal } : {};
}

/** Puts parameters into the path, and the others into the query. */
function urlOf(path: string, parameters: object): string {
  const query = new URLSearchParams();
  const rest = new Map<string, unknown>(Object.entries(parameters));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name);
    if (value === undefined || value === '') throw new TypeError(`${path} needs the parameter ${name}`);
    rest.delete(name);
    return encodeURIComponent(String(value));
  });
  for (const [name, value] of rest) if (value !== undefined) query.set(name, String(value));
  return query.size > 0 ? `${filled}?${query}` : filled;
}
