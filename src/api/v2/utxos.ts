/** `/address/{address}/spendable-utxos` and `/all-utxos`: the outputs of an address in the order of the chain. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import {
  ALL_UTXO_LIST,
  listPaidOutputs,
  listUtxos,
  listUtxosAsJson,
  type OutputLines,
  type OutputRow,
  type OutputSortKey,
  parseOutputLines,
  SPENDABLE_UTXO_LIST,
  type UtxoSelection,
} from '../../store/queries/address-outputs.ts';
import type { SnapshotRows, SnapshotTip, UnbatchedQueryRunner } from '../../store/read/batched-query.ts';
import { badRequest } from '../errors/api-error.ts';
import { type JsonBody, listResult } from '../pagination/list-result.ts';
import { type ListPage, NEXT_PAGE_HEADERS, rowRange, WHOLE_OR_CURSOR } from '../pagination/paging.ts';
import { MAX_SHORT_LIST_LENGTH, type WholeListBounds } from '../pagination/whole-list-reader.ts';
import { lastQueryValue, parseAddress, type UrlQuery } from '../parse/parameters.ts';
import { readUnspentByPending } from '../pending/unspent-by-pending.ts';
import type { ApiContext } from '../route/context.ts';
import { addGetRoute, type RouteReadResult } from '../route/get-route.ts';
import { ADDRESS_PARAMETER, registerComponent, responseSchemas } from '../schemas/parameters-and-responses.ts';

const LIMIT =
  'A list that is too long for the memory of the server is given in pages only, otherwise it is the error 400.';
/** The bytes of the shortest possible entry. */
const MIN_ENTRY_BYTES = 128;

/**
 * Returns the bounds of a list. If it exceeds the bytes, the response is the error 400, unless the request asks for
 * pages.
 */
function boundsOf(listBytes: number): WholeListBounds<SnapshotRows<{ readonly count: number }>, number> {
  return {
    shortLimit: MAX_SHORT_LIST_LENGTH,
    longLimit: Math.floor(listBytes / MIN_ENTRY_BYTES) + 1,
    lengthOf: ({ rows: [list] }) => list!.count,
    tooLong: `The list has more than ${listBytes} bytes: ask for pages of it, with cursor and items`,
  };
}
const PENDING = Type.Optional(
  Type.Enum(['', 'exclude'], {
    type: 'string',
    description:
      '`exclude` leaves out what pending transactions spend, as far as this server knows them (`complete` of `/mempool`); the ' +
      'response has no `ETag` then',
  }),
);
type OutputPage = ListPage<OutputSortKey, null>;

/** The data that were read: the entries of the list, or all of it as JSON. */
type UtxoList = (SnapshotRows<OutputRow> & RouteReadResult) | { readonly tip: SnapshotTip; readonly json: string };

function parseExcludesPending(query: UrlQuery): boolean {
  const pending = lastQueryValue(query, 'pending') ?? '';
  if (pending !== '' && pending !== 'exclude') throw badRequest('Invalid pending: only `exclude` is known');
  return pending === 'exclude';
}

function outputsOf({ tip, rows: [lines] }: SnapshotRows<OutputLines>): SnapshotRows<OutputRow> {
  return { tip, rows: parseOutputLines(lines!) };
}

export function utxoRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network, profile, wholeLists } = context;
  const byteLimit = context.resources.totals.list_bytes;
  const bounds = boundsOf(byteLimit);
  const { allUtxos, utxoEntry } = profile;
  const Utxo = registerComponent(app, 'Utxo', utxoEntry.schema);
  const Listed = allUtxos.which === 'ever' ? registerComponent(app, 'PaidOutput', allUtxos.entry.schema) : Utxo;
  const common = {
    tags: ['Addresses'],
    params: ADDRESS_PARAMETER,
    querystring: Type.Object(WHOLE_OR_CURSOR.parameters),
  };
  const { refundWaitsForLock } = profile;

  /** Reads unspent outputs of the index, or all of them if `limit` is null. */
  async function readOutputs(
    store: UnbatchedQueryRunner,
    {
      after,
      limit,
      ...selection
    }: UtxoSelection & { readonly after: OutputSortKey | null; readonly limit: number | null },
  ): Promise<SnapshotRows<OutputRow>> {
    const list = selection.spendableOnly ? SPENDABLE_UTXO_LIST : ALL_UTXO_LIST;
    if (limit !== null) return list.read(store, { ...selection, after, limit });
    const name = `utxos ${selection.owner} ${selection.spendableOnly} lines`;
    return outputsOf(await wholeLists.read(store, name, bounds, listUtxos, { ...selection, after, byteLimit }));
  }

  async function readUtxos(store: UnbatchedQueryRunner, selection: UtxoSelection, page: OutputPage): Promise<UtxoList> {
    if (page.limit !== null) return readOutputs(store, { ...selection, ...rowRange(page) });
    const name = `utxos ${selection.owner} ${selection.spendableOnly}`;
    const params = { ...selection, after: null, byteLimit, withBlocks: utxoEntry.hasBlock };
    const { tip, rows } = await wholeLists.read(store, name, bounds, listUtxosAsJson, params);
    return { tip, json: rows[0]!.list };
  }

  function presentUtxos(utxos: UtxoList, page: OutputPage): string | JsonBody {
    if ('json' in utxos) return utxos.json;
    return listResult(ALL_UTXO_LIST, page, utxos.rows, utxoEntry.text);
  }

  addGetRoute(app, context, {
    path: '/address/:address/spendable-utxos',
    schema: {
      ...common,
      querystring: Type.Object({ ...common.querystring.properties, pending: PENDING }),
      summary: 'The outputs of an address that can be spent now',
      description:
        'Not spent and under no time lock. ' +
        (profile.refundWaitsForLock
          ? 'An HTLC is listed for its spend key always, for its refund key once the next block may refund it.'
          : 'HTLCs are listed for both keys.') +
        ` ${LIMIT}`,
      response: responseSchemas(WHOLE_OR_CURSOR.schema(Utxo), [400], NEXT_PAGE_HEADERS),
    },
    mayDependOnMempool: true,
    parse: ({ params, query }) => {
      const owner = parseAddress(network, params.address!);
      const excludesPending = parseExcludesPending(query);
      return {
        owner,
        excludesPending,
        page: WHOLE_OR_CURSOR.parse(query, SPENDABLE_UTXO_LIST, { owner, refundWaitsForLock }),
      };
    },
    read: async (store, { owner, page, excludesPending }): Promise<UtxoList> => {
      const selection = { owner, spendableOnly: true, refundWaitsForLock };
      if (!excludesPending) return readUtxos(store, selection, page);
      const params = { ...selection, ...rowRange(page) };
      return { ...(await readUnspentByPending(context, store, readOutputs, params)), dependsOnMempool: true };
    },
    present: (utxos, { page }) => presentUtxos(utxos, page),
  });

  addGetRoute(app, context, {
    path: '/address/:address/all-utxos',
    schema: {
      ...common,
      summary: allUtxos.which === 'ever' ? 'All outputs ever paid to an address' : 'The unspent outputs of an address',
      description: `${
        allUtxos.which === 'ever'
          ? '`spent` is null while the output is unspent; its `transaction_id` is null where a block was staked with it.'
          : 'Those under a time lock included.'
      } ${LIMIT}`,
      response: responseSchemas(WHOLE_OR_CURSOR.schema(Listed), [400], NEXT_PAGE_HEADERS),
    },
    parse: ({ params, query }) => {
      const owner = parseAddress(network, params.address!);
      return { owner, page: WHOLE_OR_CURSOR.parse(query, ALL_UTXO_LIST, { owner }) };
    },
    read: async (store, { owner, page }): Promise<UtxoList> => {
      if (allUtxos.which === 'unspent') {
        return readUtxos(store, { owner, spendableOnly: false, refundWaitsForLock }, page);
      }
      const { after, limit } = rowRange(page);
      if (limit !== null) return outputsOf(await listPaidOutputs(store, { owner, after, limit }));
      const params = { owner, after, byteLimit };
      return outputsOf(await wholeLists.read(store, `outputs ${owner}`, bounds, listPaidOutputs, params));
    },
    present: (utxos, { page }) => {
      if (allUtxos.which === 'unspent' || 'json' in utxos) return presentUtxos(utxos, page);
      return listResult(ALL_UTXO_LIST, page, utxos.rows, allUtxos.entry.text);
    },
  });
}
