/** The `GET` route of a list: its pages, with their cursors, and its exports. */
import Type, { type TProperties, type TSchema } from 'typebox';
import type { Network } from '../../chain/networks/network.ts';
import { extendedObject } from '../../render/schemas/common.ts';
import type { ExportableList, List } from '../../store/queries/lists/define-list.ts';
import type { QueryRunner, SnapshotRows } from '../../store/read/query.ts';
import { ApiError, notFound } from '../errors/api-error.ts';
import type { RouteGroup, RouteSchema } from '../http/routes.ts';
import { listResult } from '../pagination/list-result.ts';
import { type ListPage, NEXT_PAGE_HEADERS, type Paging } from '../pagination/paging.ts';
import { EXPORT_PARAMETERS, withExports } from '../parse/export-format.ts';
import type { UrlQuery } from '../parse/parameters.ts';
import type { Caller } from '../resources/caller.ts';
import { responsesWithEtag, responsesWithoutEtag } from '../schemas/parameters-and-responses.ts';
import type { ServingContext } from './context.ts';
import type { CsvTable } from './csv.ts';
import { addGetRoute } from './get-route.ts';
import type { AnyListExport, ListExport, RouteRequest } from './get-route-stages.ts';

/** The parameters of a list: what selects its entries, and the page. */
type Paged<Selection, Key, Whole extends null> = Selection & { readonly page: ListPage<Key, Whole> };

type EntryWriter<Entry> = (entry: Entry) => string;
type MaybePromise<Value> = Value | Promise<Value>;

interface ListRoute<
  Selection extends object,
  Key extends object,
  Row,
  Entry extends Row,
  Whole extends null,
  Params extends Paged<Selection, Key, Whole>,
> extends Omit<RouteSchema, 'querystring' | 'body' | 'response'> {
  /** The path below the API's prefix. */
  readonly path: string;
  /** The query parameters besides those of pages. */
  readonly query?: TProperties;
  /** The schema of an entry. */
  readonly entry: TSchema;
  /** False if no page has an `ETag`; by default each has one. */
  readonly hasEtag?: false;
  /** The message of the error 404 if there is no row, or the first one has `exists: false`. Without it, a list may be empty. */
  readonly unknown?: string;
  /** The statuses of other errors besides 400. */
  readonly errors?: readonly number[];
  readonly paging: Paging<Whole>;
  readonly list:
    | List<Selection, Key, Row, Entry, Whole>
    | ((selection: Selection) => List<Selection, Key, Row, Entry, Whole>);
  /**
   * Reads a page that does not come from the list's query; null for one that does. Throws an ApiError or a StoreError.
   */
  readonly readOther?: (store: QueryRunner, params: Params, caller: Caller) => Promise<OtherPage<Row>> | null;
  /** The field `sums` of the envelope, of every page: what the rows know of the whole list. There is at least one row. */
  readonly sums?: { readonly schema: TSchema; readonly json: EntryFormat<Row>['json'] };
  /** Makes the export of the entries from the page on; without it there is none. */
  readonly exported?: (params: Params, store: QueryRunner) => AnyListExport | Promise<AnyListExport>;
  readonly isExportable?: (params: Params) => boolean;
  /** Returns the parameters of a request. `paged`: parses the page for a selection. Throws an ApiError. */
  readonly parse: (
    request: RouteRequest,
    paged: (query: UrlQuery, selection: Selection) => Paged<Selection, Key, Whole>,
  ) => Params;
  /** Throws an ApiError if rows or parameters are wrong. */
  readonly check?: ((rows: readonly Row[], params: Params) => void) | undefined;
  /** Returns the writer of an entry's JSON. It may read more data at the same tip. Throws an ApiError or a StoreError. */
  readonly writer: (listed: SnapshotRows<Row>, params: Params, store: QueryRunner) => MaybePromise<EntryWriter<Entry>>;
}

/** The rows of a page, one more than it shows if there is a next one. */
export interface OtherPage<Row> extends SnapshotRows<Row> {
  readonly cacheControl?: string | undefined;
}

/** Adds the route of a list. */
export function addListRoute<
  Selection extends object,
  Key extends object,
  Row,
  Entry extends Row,
  Whole extends null,
  Params extends Paged<Selection, Key, Whole>,
>(routes: RouteGroup, context: ServingContext, route: ListRoute<Selection, Key, Row, Entry, Whole, Params>): void {
  const {
    path,
    tags,
    summary,
    description,
    params,
    query,
    entry,
    hasEtag = true,
    unknown,
    errors = [],
    paging,
    sums,
  } = route;
  const { list, parse, readOther, writer, check, exported, isExportable } = route;
  const envelope = paging.schema(entry);
  const listOf = (selection: Selection) => (typeof list === 'function' ? list(selection) : list);
  const page = sums === undefined ? envelope : extendedObject(envelope, { sums: sums.schema });
  const responses = (hasEtag ? responsesWithEtag : responsesWithoutEtag)(
    page,
    [400, ...(unknown === undefined ? [] : [404]), ...errors],
    NEXT_PAGE_HEADERS,
  );

  addGetRoute(routes, context, {
    path,
    tags,
    summary,
    description,
    params,
    querystring: Type.Object({ ...paging.parameters, ...query, ...(exported && EXPORT_PARAMETERS) }),
    response: exported ? withExports(responses) : responses,
    ...(exported && { exported, isExportable }),
    parse: (request) =>
      parse(request, (text, selection) => ({ ...selection, page: paging.parse(text, listOf(selection), selection) })),
    read: (store, params, caller) => {
      const chosen = listOf(params);
      const read = async (from: Params) => {
        const other = readOther?.(store, from, caller) ?? null;
        const listed: OtherPage<Row> =
          other === null ? await context.wholeLists.readPage(store, chosen, from, from.page) : await other;
        return { ...listed, write: await writer(listed, from, store) };
      };
      const { anchors } = chosen;
      return anchors === undefined ? read(params) : context.offsetAnchors.readPage(anchors, params, read);
    },
    present: ({ rows, write, cacheControl }, params) => {
      requireKnown(rows, unknown);
      check?.(rows, params);
      const more = sums === undefined ? '' : `,"sums":${sums.json(context.network, rows[0]!)}`;
      return { ...listResult(listOf(params), params.page, rows, write, more), cacheControl };
    },
  });
}

function requireKnown(rows: readonly unknown[], message: string | undefined): void {
  const [row] = rows as readonly { readonly exists?: boolean }[];
  if (message !== undefined && (row === undefined || row.exists === false)) throw notFound(message);
}

/** Writes entries: what `defineEntry` makes. */
interface EntryFormat<Entry> {
  readonly json: (network: Network, entry: Entry) => string;
  readonly csv: (network: Network) => CsvTable<Entry>;
}

interface ExportedListRoute<
  Selection extends object,
  Key extends object,
  Row,
  Entry extends Row,
  Params extends Paged<Selection, Key, never>,
> extends Omit<ListRoute<Selection, Key, Row, Entry, never, Params>, 'list' | 'writer' | 'exported' | 'check'> {
  readonly list: ExportableList<Selection, Key, Row, Entry>;
  /** Returns how entries are written, in pages and in exports. */
  readonly format: (params: Params) => EntryFormat<Entry>;
  /** Returns the name of the file of an export, without its ending. */
  readonly fileName: (params: Params) => string;
}

/** Adds the route of a list with an export of its entries. `unknown` is also checked before an export. */
export function addExportedListRoute<
  Selection extends object,
  Key extends object,
  Row,
  Entry extends Row,
  Params extends Paged<Selection, Key, never>,
>(
  routes: RouteGroup,
  context: ServingContext,
  { format, fileName, ...route }: ExportedListRoute<Selection, Key, Row, Entry, Params>,
): void {
  const { list, unknown } = route;
  const { network } = context;
  const writer = (_: unknown, params: Params): EntryWriter<Entry> => {
    const { json } = format(params);
    return (entry) => json(network, entry);
  };
  const exported = async (params: Params, store: QueryRunner): Promise<ListExport<Key, Row, Entry>> => {
    const { after, list: name } = params.page;
    if (unknown !== undefined) {
      const { tip, rows } = await list.read(store, { ...params, after, limit: 1 });
      try {
        requireKnown(rows, unknown);
      } catch (error) {
        throw error instanceof ApiError ? error.ofTip(tip) : error;
      }
    }
    const open = () => context.store.openExport(list.query(params, after, null));
    return {
      fileName: fileName(params),
      csv: format(params).csv(network),
      json: writer(null, params),
      list: name,
      order: list,
      open,
    };
  };
  addListRoute(routes, context, { ...route, writer, exported });
}
