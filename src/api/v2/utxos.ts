/** `/address/{address}/spendable-utxos` and `/all-utxos`: the outputs of an address in the order of the chain. */

import Type from 'typebox';
import type { Destination } from '../../chain/types.ts';
import { extendedObject } from '../../render/schemas/common.ts';
import { badRequest } from '../../serving/errors/api-error.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { type JsonBody, listResult } from '../../serving/pagination/list-result.ts';
import { type ListPage, NEXT_PAGE_HEADERS, rowRange, WHOLE_OR_CURSOR } from '../../serving/pagination/paging.ts';
import { MAX_SHORT_LIST_LENGTH, type WholeListBounds } from '../../serving/pagination/whole-list-reader.ts';
import { lastQueryValue, parseAddress, type UrlQuery, WITH_MEMPOOL } from '../../serving/parse/parameters.ts';
import { addGetRoute } from '../../serving/route/get-route.ts';
import { ADDRESS_PARAMETER, responsesWithEtag } from '../../serving/schemas/parameters-and-responses.ts';
import {
  ALL_UTXO_LIST,
  listPaidOutputs,
  listUtxos,
  listUtxosAsJson,
  type OutputLines,
  type OutputRow,
  type OutputSortKey,
  outputCountBeyond,
  parseOutputLines,
  SPENDABLE_UTXO_LIST,
  type UtxoSelection,
} from '../../store/queries/addresses/address-outputs.ts';
import type { QueryRunner, SnapshotRows, SnapshotTip } from '../../store/read/query.ts';
import type { ApiContext } from '../api-context.ts';
import {
  type OutputsWithPending,
  type OutputWithPending,
  type PendingOutputOptions,
  readOutputsWithPending,
} from '../pending/outputs-with-pending.ts';
import { MEMPOOL_FIELDS } from '../present/mempool.ts';

const LIMIT =
  'A list that is too long for the memory of the server is given in pages only, otherwise it is the error 400.';

/**
 * Returns the bounds of a list. If it exceeds the bytes, the response is the error 400, unless the request asks for
 * pages.
 */
function boundsOf(listBytes: number): WholeListBounds<SnapshotRows<{ readonly count: number }>, number> {
  return {
    shortLimit: MAX_SHORT_LIST_LENGTH,
    longLimit: outputCountBeyond(listBytes),
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
type UtxoList = SnapshotRows<OutputRow> | OutputsWithPending | { readonly tip: SnapshotTip; readonly json: string };

function parsePending(query: UrlQuery): PendingOutputOptions {
  const pending = lastQueryValue(query, 'pending') ?? '';
  if (pending !== '' && pending !== 'exclude') throw badRequest('Invalid pending: only `exclude` is known');
  return { excludesSpent: pending === 'exclude', withMempool: WITH_MEMPOOL.parse(query) };
}

function outputsOf({ tip, rows: [lines] }: SnapshotRows<OutputLines>): SnapshotRows<OutputRow> {
  return { tip, rows: parseOutputLines(lines!) };
}

function createOutputReaders({ wholeLists, resources, profile }: ApiContext) {
  const byteLimit = resources.totals.list_bytes;
  const bounds = boundsOf(byteLimit);

  /** Reads a page of the unspent outputs of an address; if `limit` is null, all outputs after `after`. */
  async function readOutputs(
    store: QueryRunner,
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

  async function readUtxos(store: QueryRunner, selection: UtxoSelection, page: OutputPage): Promise<UtxoList> {
    if (page.limit !== null) return readOutputs(store, { ...selection, ...rowRange(page) });
    const name = `utxos ${selection.owner} ${selection.spendableOnly}`;
    const params = { ...selection, after: null, byteLimit, withBlocks: profile.utxosHaveBlock };
    const { tip, rows } = await wholeLists.read(store, name, bounds, listUtxosAsJson, params);
    return { tip, json: rows[0]!.list };
  }

  /** Reads a page of the outputs ever paid to an address; if `limit` is null, all outputs after `after`. */
  async function readPaidOutputs(
    store: QueryRunner,
    params: { readonly owner: Destination; readonly after: OutputSortKey | null; readonly limit: number | null },
  ): Promise<SnapshotRows<OutputRow>> {
    const { owner, after, limit } = params;
    if (limit !== null) return outputsOf(await listPaidOutputs(store, { owner, after, limit }));
    return outputsOf(
      await wholeLists.read(store, `outputs ${owner}`, bounds, listPaidOutputs, { owner, after, byteLimit }),
    );
  }

  return { readOutputs, readUtxos, readPaidOutputs };
}

function presentUtxos(utxos: UtxoList, page: OutputPage, text: (row: OutputRow) => string): string | JsonBody {
  if ('json' in utxos) return utxos.json;
  if (!('ofPending' in utxos)) return listResult(ALL_UTXO_LIST, page, utxos.rows, text);
  const withMempool = ({ mempoolFields = '', ...row }: OutputWithPending) =>
    `${text(row).slice(0, -1)}${mempoolFields}}`;
  return listResult(ALL_UTXO_LIST, page, utxos.rows, withMempool, '', utxos.ofPending);
}

export function utxoRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network, profile } = context;
  const { allUtxos, utxo, refundWaitsForLock } = profile;
  const { readOutputs, readUtxos, readPaidOutputs } = createOutputReaders(context);
  const listed = allUtxos.which === 'ever' ? allUtxos.entry : utxo;
  const Utxo = routes.addComponent('AddressUtxo', extendedObject(utxo.schema, MEMPOOL_FIELDS.properties));
  const Listed =
    allUtxos.which === 'ever'
      ? routes.addComponent('PaidOutput', extendedObject(listed.schema, MEMPOOL_FIELDS.properties))
      : Utxo;
  const common = {
    tags: ['Addresses'],
    params: ADDRESS_PARAMETER,
    querystring: Type.Object({ ...WHOLE_OR_CURSOR.parameters, ...WITH_MEMPOOL.query }),
  };
  addGetRoute(routes, context, {
    path: '/address/:address/spendable-utxos',
    ...common,
    querystring: Type.Object({ ...common.querystring.properties, pending: PENDING }),
    summary: 'The outputs of an address that can be spent now',
    description:
      'Not spent and under no time lock. ' +
      (refundWaitsForLock
        ? 'An HTLC is listed for its spend key always, for its refund key once the next block may refund it.'
        : 'HTLCs are listed for both keys.') +
      ` ${LIMIT}`,
    response: responsesWithEtag(WHOLE_OR_CURSOR.schema(Utxo), [400], NEXT_PAGE_HEADERS),
    mayDependOnMempool: true,
    parse: ({ params, query }) => {
      const owner = parseAddress(network, params.address!);
      const pending = parsePending(query);
      return {
        owner,
        pending,
        page: WHOLE_OR_CURSOR.parse(query, SPENDABLE_UTXO_LIST, { owner, refundWaitsForLock }),
      };
    },
    read: async (store, { owner, page, pending }): Promise<UtxoList> => {
      const selection = { owner, spendableOnly: true, refundWaitsForLock };
      if (!pending.excludesSpent && !pending.withMempool) return readUtxos(store, selection, page);
      return readOutputsWithPending(context, store, readOutputs, { ...selection, ...rowRange(page) }, pending);
    },
    present: (utxos, { page }) => presentUtxos(utxos, page, (row) => utxo.text(row, network)),
  });

  addGetRoute(routes, context, {
    path: '/address/:address/all-utxos',
    ...common,
    summary: allUtxos.which === 'ever' ? 'All outputs ever paid to an address' : 'The unspent outputs of an address',
    description: `${
      allUtxos.which === 'ever'
        ? '`spent` is null while the output is unspent; its `transaction_id` is null where a block was staked with it.'
        : 'Those under a time lock included.'
    } ${LIMIT}`,
    response: responsesWithEtag(WHOLE_OR_CURSOR.schema(Listed), [400], NEXT_PAGE_HEADERS),
    mayDependOnMempool: true,
    parse: ({ params, query }) => {
      const owner = parseAddress(network, params.address!);
      const withMempool = WITH_MEMPOOL.parse(query);
      return { owner, withMempool, page: WHOLE_OR_CURSOR.parse(query, ALL_UTXO_LIST, { owner }) };
    },
    read: async (store, { owner, page, withMempool }): Promise<UtxoList> => {
      const range = { owner, ...rowRange(page) };
      const pending = { excludesSpent: false, withMempool };
      if (allUtxos.which === 'ever') {
        if (!withMempool) return readPaidOutputs(store, range);
        const afterOutput = ',"spent":null';
        return readOutputsWithPending(context, store, readPaidOutputs, range, { ...pending, afterOutput });
      }
      const selection = { owner, spendableOnly: false, refundWaitsForLock };
      if (!withMempool) return readUtxos(store, selection, page);
      return readOutputsWithPending(context, store, readOutputs, { ...selection, ...range }, pending);
    },
    present: (utxos, { page }) => presentUtxos(utxos, page, (row) => listed.text(row, network)),
  });
}
