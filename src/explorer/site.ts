/** The network, links and files of the site, for every page. */

import { type CurrentMarks, type Marks, NO_MARKS } from '../answers/marks-file.ts';
import { type Network, TARGET_BLOCK_SECONDS } from '../chain/networks/network.ts';
import type { Id } from '../chain/types.ts';
import { escapeHtml, SafeUrl } from './html.ts';
import type { StaticFiles } from './static-files.ts';

/** The prefix of the API's paths. */
const API = '/api/v2';

interface SiteOptions {
  readonly ipfsGateway?: string | undefined;
  readonly marks?: CurrentMarks;
}

/** `medianTime`: the median time past of the tip, by which locks by time end. */
interface Pace {
  readonly revision: number;
  readonly tipId: Id | null;
  readonly tipTime: number;
  readonly medianTime: number;
  readonly secondsPerBlock: number;
}

export class Site {
  readonly network: Network;
  readonly assets: StaticFiles;
  /** The public URL of `/`, without a slash at its end; empty if it is unknown. */
  readonly publicUrl: string;
  /** The prefix that clients see before our paths: empty, or such as `/indexer`. */
  readonly basePath: string;
  /** The URL of a gateway to IPFS, without a slash at its end; empty if there is none. */
  readonly ipfsGateway: string;

  /** The same prefix, escaped for HTML. */
  readonly escapedBasePath: string;
  /** The pace of the chain up to a tip, for the times when blocks will come: see `measureChain`. */
  pace: Pace = { revision: -1, tipId: null, tipTime: 0, medianTime: 0, secondsPerBlock: TARGET_BLOCK_SECONDS };

  /** The blocks that the deepest reorganisation removed which this index has followed up to that tip. */
  deepestReorganisation = 0;

  readonly #origin: string;
  readonly #marks: CurrentMarks;
  #pages: ReadonlySet<string> = new Set();

  /** `origin`: the URL of the server, for examples if the public URL is unknown. */
  constructor(network: Network, publicUrl: string, origin: string, assets: StaticFiles, options: SiteOptions = {}) {
    this.network = network;
    this.#origin = origin;
    this.publicUrl = publicUrl;
    this.basePath = publicUrl === '' ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');
    this.escapedBasePath = escapeHtml(this.basePath);
    this.assets = assets;
    this.ipfsGateway = options.ipfsGateway ?? '';
    this.#marks = options.marks ?? { current: NO_MARKS };
  }

  /** Returns a link to a path of this site, with a query. Ids in the path must be encoded: see `thingPath`. */
  href(path: string, query?: Readonly<Record<string, string | number | null | undefined>>, hash = ''): SafeUrl {
    if (query === undefined) return new SafeUrl(this.basePath + path + hash);
    const search = new URLSearchParams();
    for (const name in query) {
      const value = query[name];
      if (value !== null && value !== undefined) search.set(name, String(value));
    }
    const text = search.size === 0 ? path : `${path}?${search}`;
    return new SafeUrl(this.basePath + text + hash);
  }

  /** What the operator says of tokens, pools and addresses. */
  get marks(): Marks {
    return this.#marks.current;
  }

  /** Is there a page with this path, in the form that pages declare it? */
  hasPage(path: string): boolean {
    return this.#pages.has(path);
  }

  /** Sets the paths of all pages. To be called once. */
  setPages(paths: Iterable<string>): void {
    this.#pages = new Set(paths);
  }

  /** Returns a link to a path of the API. */
  api(path: string): SafeUrl {
    return new SafeUrl(`${this.basePath}${API}${path}`);
  }

  /**
   * Returns the full URL of a path of the API, to be copied into a command between single quotes. If the host is
   * unknown here, the script inserts it.
   */
  apiUrl(path: string): string {
    return `${this.publicUrl === '' ? this.#origin : this.publicUrl}${API}${path.replaceAll("'", '%27')}`;
  }

  /** Returns the full URL of a page; null if the public URL is unknown. */
  absolute(path: string): string | null {
    return this.publicUrl === '' ? null : `${this.publicUrl}${path}`;
  }

  /** Returns the link of a file in `public`, which changes with its content. */
  asset(name: string): SafeUrl {
    return new SafeUrl(this.basePath + this.assets.pathOf(name));
  }
}
