/** A `GET` route of a list: schema, parser, reading and response follow from the list and the way in which it is paged. */
import type { FastifyInstance, FastifySchema } from 'fastify';
import Type, { type TProperties, type TSchema } from 'typebox';
import type { List } from '../../store/queries/list.ts';
import type { SnapshotRows, UnbatchedQueryRunner } from '../../store/read/batched-query.ts';
import { listResult } from '../pagination/list-result.ts';
import type { ListPage } from '../pagination/page.ts';
import { NEXT_PAGE, type Paging } from '../pagination/paging.ts';
import type { Query } from '../parse/parameters.ts';
import { responses } from '../schemas/route.ts';
import type { ApiContext } from './context.ts';
import { getRoute, type RouteRequest } from './get-route.ts';

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
> {
  /** Below the API's prefix. */
  readonly path: string;
  readonly schema: FastifySchema & { readonly querystring?: undefined; readonly response?: undefined };
  /** Parameters of the query besides those of pages. */
  readonly query?: TProperties;
  /** The schema of an entry. */
  readonly entry: TSchema;
  /** The statuses of its errors besides 400. */
  readonly errors?: readonly number[];
  readonly paging: Paging<Whole>;
  readonly list:
    | List<Selection, Key, Row, Entry, Whole>
    | ((selection: Selection) => List<Selection, Key, Row, Entry, Whole>);
  /** The parameters of a request. `paged` parses those of the page, for a selection. Throws an ApiError. */
  readonly parse: (
    request: RouteRequest,
    paged: (query: Query, selection: Selection) => Paged<Selection, Key, Whole>,
  ) => Params;
  /** Throws an ApiError where rows or parameters demand it. */
  readonly check?: (rows: readonly Row[], params: Params) => void;
  /** The writer of an entry's JSON. It may read what entries need besides, of the same tip. Throws an ApiError or a StoreError. */
  readonly writer: (
    listed: SnapshotRows<Row>,
    params: Params,
    store: UnbatchedQueryRunner,
  ) => MaybePromise<EntryWriter<Entry>>;
}

/** Adds the route of a list. */
export function listRoute<
  Selection extends object,
  Key extends object,
  Row,
  Entry extends Row,
  Whole extends null,
  Params extends Paged<Selection, Key, Whole>,
>(app: FastifyInstance, context: ApiContext, route: ListRoute<Selection, Key, Row, Entry, Whole, Params>): void {
  const { path, schema, query, entry, errors = [], paging, list, parse, check, writer } = route;
  const listOf = (selection: Selection) => (typeof list === 'function' ? list(selection) : list);

  getRoute(app, context, {
    path,
    schema: {
      ...schema,
      querystring: Type.Object({ ...paging.parameters, ...query }),
      response: responses(paging.schema(entry), [400, ...errors], NEXT_PAGE),
    },
    parse: (request) =>
      parse(request, (text, selection) => ({ ...selection, page: paging.parse(text, listOf(selection), selection) })),
    anchors: (params) => listOf(params).anchors ?? null,
    read: async (store, params) => {
      const listed = await context.unpagedLists.readPage(store, listOf(params), params, params.page);
      return { ...listed, write: await writer(listed, params, store) };
    },
    present: ({ rows, write }, params) => {
      check?.(rows, params);
      return listResult(listOf(params), params.page, rows, write);
    },
  });
}
