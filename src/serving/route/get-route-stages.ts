/** The stages of a `GET` route and of an export, as types. */
import type { ListOrder } from '../../store/queries/lists/define-list.ts';
import type { ExportReader } from '../../store/read/export-reader.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import type { PreparedResponse } from '../http/prepared-response.ts';
import type { RoutedRequest, RouteSchema } from '../http/routes.ts';
import type { JsonBody } from '../pagination/list-result.ts';
import type { Caller } from '../resources/caller.ts';
import type { CsvTable } from './csv.ts';

/** The data that a route has read. */
export interface RouteReadResult {
  /** The snapshot of the data; null if they do not come from the chain's state. */
  readonly tip: SnapshotTip | null;
  /** Do the data also depend on the mempool? Then the response has no ETag. */
  readonly dependsOnMempool?: boolean;
  /** Do the data also depend on what this index saw before the tip? Likewise. */
  readonly dependsOnHistory?: boolean;
  /** Are the data that depend on more than the tip still current? Without it, a response without ETag is not cached. */
  readonly isCurrent?: (() => boolean) | undefined;
}

/** The rows of an export: from the database, or others. */
export type RowSource<Row> = Pick<ExportReader<Row>, 'tip' | 'next' | 'close'>;

/**
 * What an export sends. The key of an entry goes into its `cursor`, by which the list continues after it; without an `order` it
 * has none.
 */
export interface ListExport<Key extends object, Row, Entry extends Row> {
  /** Of the file, without its ending. */
  readonly fileName: string;
  /** The name of the list, with all that selects its entries. */
  readonly list: string;
  /** Which rows are sent, and the key of each; null: all rows, without a `cursor`. */
  readonly order: ListOrder<Key, Row, Entry> | null;
  /** Opens the rows, in the order of the list. Throws an ApiError or a StoreError. */
  readonly open: () => Promise<RowSource<Row>>;
  /** Must there be a first row? If there is none, the thing has gone meanwhile, and the request is read again. */
  readonly hasRow?: boolean;
  readonly csv: CsvTable<Entry>;
  /** An entry as JSON, an object; null if the route refuses all formats but CSV. */
  readonly json: ((row: Entry) => string) | null;
}

// biome-ignore lint/suspicious/noExplicitAny: the types of its parts are known where it is made
export type AnyListExport = ListExport<any, any, any>;

/** The parameters of a request, as texts. */
export type RouteRequest = Pick<RoutedRequest, 'params' | 'query'>;

/** The {@link RouteSchema} is for the OpenAPI document only: `parse` validates, with the messages of mintlayer-core. */
export interface GetRoute<Params, Data extends RouteReadResult> extends RouteSchema {
  /** The path below the API's prefix. */
  readonly path: string;
  /** Is the route also served while the index is being built? */
  readonly isAlwaysReady?: boolean;
  /** May the response depend on the mempool ({@link RouteReadResult.dependsOnMempool})? Then it is not shared with other requests. */
  readonly mayDependOnMempool?: boolean;
  /** The resource that a response needs; `requests` by default. */
  readonly resource?: 'requests' | 'node_calls';
  /**
   * Makes the export of a request in another format than JSON. Throws an ApiError or a StoreError. Without it there are no
   * other formats.
   */
  readonly exported?: (params: Params, store: QueryRunner) => AnyListExport | Promise<AnyListExport>;
  /** May the header `Accept` alone ask for the export? By default it may; a parameter always may. */
  readonly isExportable?: ((params: Params) => boolean) | undefined;
  /** The units of the resource for a response; 1 by default, more for long pages of lists. */
  readonly unitsOf?: (params: Params) => number;
  /** Returns the parameters of a request. Throws an ApiError. */
  readonly parse: (request: RouteRequest) => Params;
  /** Reads the store. Throws an ApiError or a StoreError. */
  readonly read: (store: QueryRunner, params: Params, caller: Caller) => Data | Promise<Data>;
  /** Makes the response body as JSON. Throws an ApiError if the thing does not exist. */
  readonly present: (data: Data, params: Params) => string | JsonBody | PreparedResponse;
}

// biome-ignore lint/suspicious/noExplicitAny: the types of its stages are known where it is defined
export type AnyGetRoute = GetRoute<any, any>;
