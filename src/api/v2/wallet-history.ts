/** `POST /history` and `POST /balances`: the past of several addresses as one wallet. */

import type { FastifyInstance } from 'fastify';
import Type, { type TProperties, type TSchema } from 'typebox';
import { COUNT_SCHEMA, HEX_ID_SCHEMA, nullable, schemaRef, strictObject } from '../../render/schemas/common.ts';
import type { Caller } from '../../resources/caller.ts';
import type { BalanceChangeRow } from '../../store/queries/balance-history.ts';
import { getPointBlock, pointParameters } from '../../store/queries/chain-points.ts';
import {
  listWalletBalancesAt,
  WALLET_BALANCES_LIST,
  WALLET_HISTORY_LIST,
  type WalletBalanceRow,
  type WalletSelection,
  walletBalancesQuery,
  walletHistoryExport,
} from '../../store/queries/wallet-history.ts';
import type { SnapshotTip, SqlValue, UnbatchedQueryRunner } from '../../store/read/batched-query.ts';
import { readOneSnapshot, requireSameTip, SnapshotChanged } from '../../store/read/one-snapshot.ts';
import { badRequest } from '../errors/api-error.ts';
import { PreparedResponse } from '../http/prepared-response.ts';
import { shownEntries } from '../pagination/list-result.ts';
import { CURSOR_ONLY, rowRange } from '../pagination/paging.ts';
import { POINT_PARAMETERS, parseRange, RANGE_PARAMETERS, requirePointBlock } from '../parse/chain-points.ts';
import { EXPORT_PARAMETERS, parseExportFormat, withExports } from '../parse/export-format.ts';
import { parseCurrency, parsePoint, type UrlQuery } from '../parse/parameters.ts';
import { MAX_WALLET_ADDRESSES, parseWalletBody } from '../parse/wallet-body.ts';
import {
  balanceChangeTable,
  CURRENCY_BALANCE_SCHEMA,
  currencyBalanceTable,
  presentBalanceChange,
  presentCurrencyBalance,
} from '../present/balance-history.ts';
import { type ApiContext, requireReady } from '../route/context.ts';
import type { AnyListExport, ExportQuery } from '../route/export-route.ts';
import { addPostRoute } from '../route/post-route.ts';
import { EXTENSION_TAG, errorResponses, okResponse, registerComponent } from '../schemas/parameters-and-responses.ts';

/** The size of the most addresses of the longest kind, with room for the JSON around them. */
const MAX_BODY_BYTES = 128 * 1024;
/** The addresses that cost as much as a small response. */
const ADDRESSES_PER_UNIT = 16;

const HISTORY_SCHEMA = strictObject({
  opening: Type.Array(schemaRef('CurrencyBalance'), { description: 'What the wallet had before the range' }),
  closing: Type.Array(schemaRef('CurrencyBalance'), { description: 'What it had after the range, or has now' }),
  items: Type.Array(schemaRef('BalanceChange'), { description: 'Newest first' }),
  next_cursor: nullable(Type.String()),
});

const BALANCES_SCHEMA = strictObject({
  height: COUNT_SCHEMA,
  block_id: HEX_ID_SCHEMA,
  timestamp: COUNT_SCHEMA,
  balances: Type.Array(schemaRef('CurrencyBalance')),
});

interface WalletRequest extends WalletSelection {
  /** The other fields of the body, as parameters of a query. */
  readonly query: UrlQuery;
}

export function walletHistoryRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network } = context;
  registerComponent(app, 'CurrencyBalance', CURRENCY_BALANCE_SCHEMA);
  const heldJson = (rows: readonly WalletBalanceRow[]) =>
    `[${rows
      .filter(({ currency }) => currency !== null)
      .map((row) => presentCurrencyBalance(network, row))
      .join(',')}]`;

  function parsePage({ query, ...wallet }: WalletRequest) {
    const selection = { ...wallet, range: parseRange(query) };
    return { selection, page: CURSOR_ONLY.parse(query, WALLET_HISTORY_LIST, selection) };
  }

  /** Returns the block that a request asks for (null: none), and the boundary after it. Throws the error 404. */
  async function boundaryOf({ query }: WalletRequest, store: UnbatchedQueryRunner) {
    const point = parsePoint(query);
    if (point === null) return { known: null, boundary: 'tip' } as const;
    const known = await getPointBlock(store, ...pointParameters(point));
    return { known, boundary: { height: requirePointBlock(point, known.rows[0]).height + 1 } };
  }

  function openExport<P extends readonly SqlValue[], Row>({ query, parameters }: ExportQuery<P, Row>) {
    return context.store.openExport(query, parameters);
  }

  addWalletRoute(app, context, {
    path: '/history',
    summary: 'What changed the balances of several addresses as one wallet, newest first',
    description:
      'A read: it needs no permission of the operator. What the addresses sent to each other is netted out. `opening` and all changes of the range add up to `closing`.',
    fields: {
      ...RANGE_PARAMETERS,
      items: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
    },
    schema: HISTORY_SCHEMA,
    exported: (request) => {
      const { selection, page } = parsePage(request);
      return {
        fileName: 'history',
        list: page.list,
        order: WALLET_HISTORY_LIST,
        open: () => openExport(walletHistoryExport(selection, page.after)),
        csv: balanceChangeTable(network),
        json: (row: BalanceChangeRow) => presentBalanceChange(network, row),
      };
    },
    respond: async (store, request) => {
      const { selection, page } = parsePage(request);
      const { range } = selection;
      const [opening, closing, listed] = await Promise.all([
        listWalletBalancesAt(store, { ...request, boundary: range.from ?? { height: 0 } }),
        listWalletBalancesAt(store, { ...request, boundary: range.to ?? 'tip' }),
        WALLET_HISTORY_LIST.read(store, { ...selection, ...rowRange(page) }),
      ]);
      const tip = requireSameTip(listed, opening, closing);
      const { entries, nextCursor } = shownEntries(WALLET_HISTORY_LIST, page, listed.rows);
      const items = entries.map((row) => presentBalanceChange(network, row));
      const cursor = nextCursor === null ? null : `"${nextCursor}"`;
      const body = `{"opening":${heldJson(opening.rows)},"closing":${heldJson(closing.rows)},"items":[${items.join(',')}],"next_cursor":${cursor}}`;
      return [body, tip];
    },
  });

  addWalletRoute(app, context, {
    path: '/balances',
    summary: 'What several addresses have as one wallet, now or after a block',
    description: 'A read: it needs no permission of the operator.',
    fields: POINT_PARAMETERS,
    schema: BALANCES_SCHEMA,
    exported: async (request, store) => {
      const { boundary } = await boundaryOf(request, store);
      const selection = { ...request, boundary };
      const { list, after } = CURSOR_ONLY.parse(request.query, WALLET_BALANCES_LIST, selection);
      return {
        fileName: 'balances',
        list,
        order: WALLET_BALANCES_LIST,
        open: () => openExport(walletBalancesQuery(selection, after)),
        isSent: WALLET_BALANCES_LIST.isEntry,
        csv: currencyBalanceTable(network),
        json: (row: WalletBalanceRow) => presentCurrencyBalance(network, row),
      };
    },
    respond: async (store, request) => {
      const { known, boundary } = await boundaryOf(request, store);
      const held = await listWalletBalancesAt(store, { ...request, boundary });
      const block = known ?? (await getPointBlock(store, ...pointParameters({ height: held.rows[0]!.height })));
      requireSameTip(held, block);
      const { height, block_id, timestamp } = block.rows[0]!;
      const body = `{"height":${height},"block_id":"${block_id}","timestamp":${timestamp},"balances":${heldJson(held.rows)}}`;
      return [body, held.tip];
    },
  });
}

interface WalletRoute {
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** The fields of the body besides addresses and currency. */
  readonly fields: TProperties;
  /** Of the response. */
  readonly schema: TSchema;
  /** Makes the export of the list. Throws an ApiError or a StoreError. */
  readonly exported: (request: WalletRequest, store: UnbatchedQueryRunner) => AnyListExport | Promise<AnyListExport>;
  /** Returns the body of the response, and the tip that it is of. Throws an ApiError, a StoreError or {@link SnapshotChanged}. */
  readonly respond: (
    store: UnbatchedQueryRunner,
    request: WalletRequest,
  ) => Promise<readonly [body: string, tip: SnapshotTip]>;
}

function addWalletRoute(app: FastifyInstance, context: ApiContext, route: WalletRoute): void {
  const { path, summary, description, schema, exported, respond } = route;
  const fields = { ...route.fields, cursor: Type.Optional(Type.String()), ...EXPORT_PARAMETERS };
  const body = Type.Object({
    addresses: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: MAX_WALLET_ADDRESSES }),
    currency: Type.Optional(Type.String({ description: 'The ticker of the coin, in any case, or a token id' })),
    ...fields,
  });
  addPostRoute(app, context, {
    path,
    schema: {
      tags: [EXTENSION_TAG],
      summary,
      description,
      body: { content: { 'application/json': { schema: body } } },
      response: withExports({ 200: okResponse(schema, 'Success'), ...errorResponses([400, 404, 413]) }),
    },
    bodyLimit: MAX_BODY_BYTES,
    exported: (body, accept) => {
      const request = parseWallet(context, body, Object.keys(fields));
      const format = parseExportFormat(request.query, accept);
      if (format === null) return null;
      return { format, prepare: (caller) => exported(request, context.store.for(caller)) };
    },
    respond: async (bytes: Buffer, caller: Caller) => {
      context.tipWatch.noteRequest();
      const request = parseWallet(context, bytes, Object.keys(fields));
      requireReady(context);
      const units = 1 + Math.ceil(request.owners.length / ADDRESSES_PER_UNIT);
      return context.resources.requests.run(caller, units, async (held) => {
        const store = context.store.for(caller, held);
        const [text, tip] = await readOneSnapshot(() => respond(store, request));
        return new PreparedResponse(text).withTip(tip);
      });
    },
  });
}

/** Parses a body; throws the error 400. `names`: the fields that a query has elsewhere. */
function parseWallet({ network }: ApiContext, body: Buffer, names: readonly string[]): WalletRequest {
  const { owners, fields } = parseWalletBody(network, body);
  const { currency, ...rest } = fields;
  if (currency !== undefined && typeof currency !== 'string') throw badRequest('Invalid currency: a text is expected');
  const query: Record<string, string> = {};
  for (const name of names) {
    const value = rest[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string' && !Number.isSafeInteger(value)) {
      throw badRequest(`Invalid ${name}: a text or a whole number is expected`);
    }
    query[name] = String(value);
  }
  return {
    owners,
    currency: currency === undefined ? null : parseCurrency(network, currency),
    query,
  };
}
