/**
 * A page as a value. As in a route of the API, its stages are functions; the type of each follows from the one before.
 */

import type { AnswersContext } from '../answers/answers-context.ts';
import type { MempoolState } from '../answers/pending/pending-transactions-interface.ts';
import type { Id } from '../chain/types.ts';
import type { UrlQuery } from '../serving/parse/parameters.ts';
import type { Caller } from '../serving/resources/caller.ts';
import type { RouteReadResult } from '../serving/route/get-route-stages.ts';
import type { QueryRunner, SnapshotTip } from '../store/read/query.ts';
import type { ChainStatus } from './chain-status.ts';
import type { Html } from './html.ts';
import type { Site } from './site.ts';
import type { Words } from './words/catalogue.ts';

/** The sections in the navigation, each with its path and label. */
export const NAVIGATION_SECTIONS = [
  ['blocks', '/blocks', 'Blocks'],
  ['transactions', '/txs', 'Transactions'],
  ['pools', '/pools', 'Pools'],
  ['tokens', '/tokens', 'Tokens'],
  ['markets', '/markets', 'Markets'],
  ['statement', '/statement', 'Statement'],
  ['watch', '/watch', 'Watch list'],
  ['mempool', '/mempool', 'Mempool'],
  ['nfts', '/nfts', 'NFTs'],
  ['orders', '/orders', 'Orders'],
  ['fees', '/fees', 'Fees'],
  ['statistics', '/statistics', 'Statistics'],
  ['richlist', '/richlist', 'Rich list'],
  ['reorganisations', '/reorganisations', 'Reorganisations'],
  ['decode', '/decode', 'Decode'],
  ['verify-message', '/verify-message', 'Verify a message'],
] as const;
/** This many sections are always visible; "More" has the others. */
export const MAIN_SECTIONS = 7;

export type NavigationSection = (typeof NAVIGATION_SECTIONS)[number][0];

/** The dependencies of all pages. */
export interface ExplorerContext {
  readonly site: Site;
  readonly answers: AnswersContext;
  readonly status: ChainStatus;
}

/** The units of the resource `requests` that a page takes: as many as 12 small responses of the API. */
export const REQUEST_UNITS_OF_PAGE = 12;

export interface PageRequest {
  /** The parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: UrlQuery;
}

/** The data that a page has read. */
export interface PageData extends RouteReadResult {
  /** The mempool state of the page. The page is cached until the mempool or the tip changes. */
  readonly pool?: MempoolState | undefined;
  /** For a page with the node's fee rates: the longest time that it is cached, while the state of the node is the same. */
  readonly maxAgeMs?: number;
}

/**
 * The events after which the script reads an open page again. `blocks`: those that change the chain; `mempool`: also
 * those of pending transactions; `status`: also those of the node's state and fee rates; `all`: all these; `transaction=` and
 * `address=`: those of the chain, and the pending ones of this transaction or address; `awaited=`: only those of this
 * transaction, which is unknown.
 */
export type LiveScope =
  | 'blocks'
  | 'mempool'
  | 'status'
  | 'all'
  | `${'transaction' | 'awaited'}=${Id}`
  | `address=${string}`;

/** The content of a page. */
export interface PageContent {
  /** The title, without the site's name; null: the name alone. */
  readonly title: Words | null;
  /** One sentence of plain text, for search engines and social cards; the title by default. */
  readonly description?: Words;
  readonly body: Html;
  /** True for a page with its own search form: its header then has none. */
  readonly hasOwnSearch?: boolean;
  /** The HTTP status, 200 by default. A page with another status is not cached. */
  readonly status?: number;
  /** Paths of the API with the same data, such as `/transaction/ab…`, the main one first. */
  readonly api: readonly string[];
  readonly section?: NavigationSection;
  /** The canonical path of this page, if the request may have another. */
  readonly canonical?: string;
  /** True for a page that crawlers should not index: a search, or a page of a list after the first. */
  readonly isUnlisted?: boolean;
  /** By default `blocks`, if the page shows the chain and has status 200; null: no event. */
  readonly live?: LiveScope | null;
  /** The scripts of this page alone, which run before it is shown: files in `public`. */
  readonly scripts?: readonly string[];
  /** The seconds after which an open page is read again without an event: it waits for a server that refused it for now. */
  readonly refreshSeconds?: number;
}

/** A temporary redirect to another path of this site: the result of a search may change with the next block. */
export interface Redirect {
  readonly location: string;
}

interface Page<Params, Data extends PageData> {
  /** The path, such as `/tx/:id`. Literal segments win over parameters. */
  readonly path: string;
  /** Is the page also served while the index is being built? */
  readonly isAlwaysReady?: boolean;
  /** May the page depend on the mempool? Then it is not shared with other requests. */
  readonly mayDependOnMempool?: boolean;
  /** Returns the parameters of a request. Throws an ApiError, whose message is shown to the visitor. */
  readonly parse: (request: PageRequest) => Params;
  /** Reads from the store; several queries use {@link requireSameTip}. Throws an ApiError or a StoreError. */
  readonly read: (store: QueryRunner, params: Params, caller: Caller) => Data | Promise<Data>;
  /** Makes the content. Throws an ApiError if the thing does not exist. */
  readonly render: (data: Data, params: Params) => PageContent | Redirect;
}

// biome-ignore lint/suspicious/noExplicitAny: the types of its stages are known where it is defined
export type AnyPage = Page<any, any>;

/** A page for a form that posts a text too long for a URL. */
export interface PostPage {
  readonly path: string;
  /** The largest body, in bytes. */
  readonly bodyLimit: number;
  /** Does the script of its page post it, which can repeat that? */
  readonly isRepeated?: boolean;
  /** `body`: as sent, of the type `application/x-www-form-urlencoded`. Throws an ApiError or a StoreError. */
  readonly respond: (body: Buffer, caller: Caller) => Promise<PostPageContent>;
}

export interface PostPageContent {
  /** Renders the content, in the language of the request. */
  readonly content: () => PageContent;
  /** The tip that the page shows, or null for a page that is not about the chain. */
  readonly tip: SnapshotTip | null;
}

/** Defines a page; the types of its stages are inferred. */
export function definePage<Params, Data extends PageData>(page: Page<Params, Data>): AnyPage {
  return page;
}
