/** A page as a value: like a route of the API, its stages are functions, each typed by the one before. */
import { SnapshotChanged } from '../api/errors/api-error.ts';
import type { UrlQuery } from '../api/parse/parameters.ts';
import type { ApiContext } from '../api/route/context.ts';
import type { RouteReadResult } from '../api/route/responder.ts';
import type { PendingPool } from '../mempool/pool.ts';
import type { Caller } from '../resources/shared-resources.ts';
import type { SnapshotTip, UnbatchedQueryRunner } from '../store/read/batched-query.ts';
import type { ChainStatus } from './chain-status.ts';
import type { Html } from './html.ts';
import type { Section } from './parts/layout.ts';
import type { Site } from './site.ts';

/** What pages are made with. */
export interface Explorer {
  readonly site: Site;
  readonly api: ApiContext;
  readonly status: ChainStatus;
}

/** What a page takes of the resource `requests`: as much as some ten responses of the API. */
export const UNITS_OF_PAGE = 12;

export interface PageRequest {
  /** The path's parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: UrlQuery;
}

/** What a page has read. */
export interface PageData extends RouteReadResult {
  /** The state of the mempool that it was made of: the page is kept as long as that and the tip are the same. */
  readonly pool?: { readonly pool: PendingPool; readonly revision: number } | undefined;
  /** And no longer than this, where it depends on something else, too: the node's fee rates. */
  readonly maxAgeMs?: number;
}

/** A page that is to be sent. */
export interface PageContent {
  /** What the page is, without the site's name. */
  readonly title: string;
  /** One sentence of plain text: for search engines and social cards. */
  readonly description: string;
  readonly body: Html;
  /** It has a search form of its own: the header has none then. */
  readonly hasOwnSearch?: boolean;
  /** 200 by default; a page with another one is not cached. */
  readonly status?: number;
  /** Paths of the API with the same facts, as in `/transaction/ab…`, the main one first. */
  readonly api: readonly string[];
  readonly section?: Section;
  /** The path by which this page is known, where the request may have another. */
  readonly canonical?: string;
  /** Crawlers do not keep it: a page of a list other than the first, a search. */
  readonly isUnlisted?: boolean;
}

/** The browser is sent to another path of this site, for now: where a search leads may change with the next block. */
export interface Redirect {
  readonly location: string;
}

export interface Page<Params, Data extends PageData> {
  /** As in `/tx/:id`. Words go before parameters. */
  readonly path: string;
  /** Is it served while the index is being built, too? */
  readonly isAlwaysReady?: boolean;
  /** May it depend on the mempool? Then it is not shared with other requests. */
  readonly mayDependOnMempool?: boolean;
  /** The parameters of a request. Throws an ApiError, whose message the visitor reads. */
  readonly parse: (request: PageRequest) => Params;
  /** Reads the store: {@link sameTip} for several queries. Throws an ApiError or a StoreError. */
  readonly read: (store: UnbatchedQueryRunner, params: Params, caller: Caller) => Data | Promise<Data>;
  /** Throws an ApiError where there is no such thing. */
  readonly render: (data: Data, params: Params) => PageContent | Redirect;
}

// biome-ignore lint/suspicious/noExplicitAny: the types of its stages are known where it is defined
export type AnyPage = Page<any, any>;

/** A form that posts what is too long for a URL. */
export interface PostPage {
  readonly path: string;
  /** In bytes. */
  readonly bodyLimit: number;
  /** `body` as it was sent, of the type `application/x-www-form-urlencoded`. Throws an ApiError or a StoreError. */
  readonly respond: (body: Buffer, caller: Caller) => Promise<PostContent>;
}

export interface PostContent {
  readonly content: PageContent;
  /** What the page is of; null where it is not of the chain. */
  readonly tip: SnapshotTip | null;
}

/** The types of the stages, inferred. */
export function definePage<Params, Data extends PageData>(page: Page<Params, Data>): AnyPage {
  return page;
}

/** The tip of results that must be of one snapshot. Throws {@link SnapshotChanged}: everything is then read again. */
export function sameTip(...results: readonly { readonly tip: SnapshotTip }[]): SnapshotTip {
  const { tip } = results[0]!;
  for (const other of results) {
    if (other.tip.revision !== tip.revision || other.tip.id !== tip.id) throw new SnapshotChanged();
  }
  return tip;
}
