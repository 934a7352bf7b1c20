/** What every page needs to know of the site: its network, its links, its files. */
import type { Network } from '../chain/networks/network.ts';
import type { Assets } from './assets.ts';
import { escapeHtml, Url } from './html.ts';

/** The prefix of the API's paths. */
const API = '/api/v2';

export class Site {
  readonly network: Network;
  readonly assets: Assets;
  /** The public URL of `/`, without a slash at its end; empty when it is not known. */
  readonly publicUrl: string;
  /** What clients see before our paths: empty, or as in `/indexer`. */
  readonly basePath: string;

  /** The same, escaped for HTML. */
  readonly escapedBasePath: string;

  readonly #origin: string;
  #pages: ReadonlySet<string> = new Set();

  /** `origin`: where the server listens, for examples while the public URL is not known. */
  constructor(network: Network, publicUrl: string, origin: string, assets: Assets) {
    this.network = network;
    this.#origin = origin;
    this.publicUrl = publicUrl;
    this.basePath = publicUrl === '' ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');
    this.escapedBasePath = escapeHtml(this.basePath);
    this.assets = assets;
  }

  /** A link to a path of this site, with a query. The path's parts are already encoded: see {@link pathOf}. */
  href(path: string, query?: Readonly<Record<string, string | number | null | undefined>>, hash = ''): Url {
    if (query === undefined) return new Url(this.basePath + path + hash);
    const search = new URLSearchParams();
    for (const name in query) {
      const value = query[name];
      if (value !== null && value !== undefined) search.set(name, String(value));
    }
    const text = search.size === 0 ? path : `${path}?${search}`;
    return new Url(this.basePath + text + hash);
  }

  /** Is there a page with this path, as pages give theirs? */
  hasPage(path: string): boolean {
    return this.#pages.has(path);
  }

  /** To be called once, with the paths of all pages. */
  setPages(paths: Iterable<string>): void {
    this.#pages = new Set(paths);
  }

  /** A link to a path of the API. */
  api(path: string): Url {
    return new Url(`${this.basePath}${API}${path}`);
  }

  /**
   * The whole URL of a path of the API, to be copied into a command, between single quotes. The script puts the right host
   * into it where it is not known here.
   */
  apiUrl(path: string): string {
    return `${this.publicUrl === '' ? this.#origin : this.publicUrl}${API}${path.replaceAll("'", '%27')}`;
  }

  /** The whole URL of a page; null where the public URL is not known. */
  absolute(path: string): string | null {
    return this.publicUrl === '' ? null : `${this.publicUrl}${path}`;
  }

  /** The link of a file in `public`, which changes with its content. */
  asset(name: string): Url {
    return new Url(this.basePath + this.assets.pathOf(name));
  }
}

/** A path of encoded parts: `pathOf('tx', id)`. */
export function pathOf(...parts: readonly string[]): string {
  let path = '';
  for (const part of parts) path += PLAIN_PART.test(part) ? `/${part}` : `/${encodeURIComponent(part)}`;
  return path;
}

/** Ids, addresses, heights and our own words, which nearly all parts are. */
const PLAIN_PART = /^[a-z0-9]+$/;
