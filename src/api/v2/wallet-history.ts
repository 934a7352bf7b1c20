/** `POST /history` and `POST /balances`: the past of several addresses as one wallet. */

import Type from 'typebox';
import { type OwnedSummary, readOwned } from '../../answers/owned-coins-and-tokens.ts';
import { badRequest } from '../../serving/errors/api-error.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { shownEntries } from '../../serving/pagination/list-result.ts';
import { CURSOR_ONLY, rowRange } from '../../serving/pagination/paging.ts';
import {
  POINT_QUERY_SCHEMAS,
  parsePoint,
  parseRange,
  RANGE_QUERY_SCHEMAS,
  requirePointBlock,
} from '../../serving/parse/chain-points.ts';
import { CURRENCY_PARAMETER, EXPAND_OWNED, lastQueryValue } from '../../serving/parse/parameters.ts';
import type { BalanceChangeRow } from '../../store/queries/addresses/balance-history.ts';
import { getPointBlock, type PointBlockRow, sqlParametersOfPoint } from '../../store/queries/blocks/chain-points.ts';
import {
  listWalletBalancesAt,
  type PastWalletBalanceRow,
  WALLET_BALANCES_LIST,
  WALLET_HISTORY_LIST,
  type WalletSelection,
  walletBalancesQuery,
  walletHistoryExportQuery,
} from '../../store/queries/wallets/wallet-history.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner } from '../../store/read/query.ts';
import type { ApiContext } from '../api-context.ts';
import { defineEntry } from '../entry/define-entry.ts';
import { count, hexId, listOf, nested, text } from '../entry/kinds.ts';
import { BALANCE_CHANGE, CURRENCY_BALANCE } from '../present/balance-history.ts';
import { OWNED_COINS_AND_TOKENS } from '../present/owned-coins-and-tokens.ts';
import { addWalletRoute, PAGE_FIELDS, type WalletReadRequest } from './wallet-read-route.ts';

const held = listOf(nested(CURRENCY_BALANCE, 'CurrencyBalance'));

interface WalletHistory {
  readonly opening: readonly PastWalletBalanceRow[];
  readonly closing: readonly PastWalletBalanceRow[];
  readonly entries: readonly BalanceChangeRow[];
  readonly nextCursor: string | null;
}

const HISTORY = defineEntry<WalletHistory>({
  opening: held(({ opening }) => opening.filter(hasCurrency), 'What the wallet had before the range'),
  closing: held(({ closing }) => closing.filter(hasCurrency), 'What it had after the range, or has now'),
  items: listOf(nested(BALANCE_CHANGE, 'BalanceChange'))(({ entries }) => entries, 'Newest first'),
  next_cursor: text.orNull(({ nextCursor }) => nextCursor),
});

interface WalletBalances {
  readonly block: PointBlockRow;
  readonly balances: readonly PastWalletBalanceRow[];
  readonly owned: OwnedSummary | undefined;
}

const BALANCES = defineEntry<WalletBalances>({
  height: count(({ block }) => block.height),
  block_id: hexId(({ block }) => block.block_id),
  timestamp: count(({ block }) => block.timestamp),
  balances: held(({ balances }) => balances.filter(hasCurrency)),
  total: nested(OWNED_COINS_AND_TOKENS, 'Owned').optional(({ owned }) => owned, 'With `expand`'),
});

const hasCurrency = ({ currency }: PastWalletBalanceRow): boolean => currency !== null;

export function walletHistoryRoutes(routes: RouteGroup, context: ApiContext): void {
  routes.addComponent('CurrencyBalance', CURRENCY_BALANCE.schema);
  historyRoute(routes, context);
  balancesRoute(routes, context);
}

/** Returns the addresses and the currency of a request. Throws the error 400. */
function parseWallet({ network }: ApiContext, { owners, query }: WalletReadRequest): WalletSelection {
  return { owners, currency: CURRENCY_PARAMETER.parse(network, query) };
}

function parsePage(context: ApiContext, request: WalletReadRequest) {
  const selection = { ...parseWallet(context, request), range: parseRange(request.query) };
  return { selection, page: CURSOR_ONLY.parse(request.query, WALLET_HISTORY_LIST, selection) };
}

/** Returns the block that a request asks for (null: none), and the boundary after it. Throws the error 404. */
async function boundaryOf({ query }: WalletReadRequest, store: QueryRunner) {
  const point = parsePoint(query);
  if (point === null) return { known: null, boundary: 'tip' } as const;
  const known = await getPointBlock(store, ...sqlParametersOfPoint(point));
  return { known, boundary: { height: requirePointBlock(point, known.rows[0], known.tip).height + 1 } };
}

function historyRoute(routes: RouteGroup, context: ApiContext): void {
  const { network } = context;
  addWalletRoute(routes, context, {
    path: '/history',
    summary: 'The balance changes of several addresses as one wallet, newest first',
    description:
      'A read: it needs no permission of the operator. What the addresses sent to each other is netted out. `opening` and all changes of the range add up to `closing`.',
    fields: { ...CURRENCY_PARAMETER.query, ...RANGE_QUERY_SCHEMAS, ...PAGE_FIELDS },
    schema: HISTORY.schema,
    exported: (request) => {
      const { selection, page } = parsePage(context, request);
      return {
        fileName: 'history',
        list: page.list,
        order: WALLET_HISTORY_LIST,
        open: () => context.store.openExport(walletHistoryExportQuery(selection, page.after)),
        csv: BALANCE_CHANGE.csv(network),
        json: (row: BalanceChangeRow) => BALANCE_CHANGE.json(network, row),
      };
    },
    respond: async (store, request) => {
      const { selection, page } = parsePage(context, request);
      const { range } = selection;
      const [opening, atTo, listed] = await Promise.all([
        listWalletBalancesAt(store, { ...selection, boundary: range.from ?? { height: 0 } }),
        listWalletBalancesAt(store, { ...selection, boundary: range.to ?? 'tip' }),
        WALLET_HISTORY_LIST.read(store, { ...selection, ...rowRange(page) }),
      ]);
      const tip = requireSameTip(listed, opening, atTo);
      // A range that ends before it begins is empty.
      const closing = atTo.rows[0]!.height < opening.rows[0]!.height ? opening : atTo;
      const { entries, nextCursor } = shownEntries(WALLET_HISTORY_LIST, page, listed.rows);
      const history = { opening: opening.rows, closing: closing.rows, entries, nextCursor };
      return [HISTORY.json(network, history), tip];
    },
  });
}

function balancesRoute(routes: RouteGroup, context: ApiContext): void {
  const { network } = context;
  addWalletRoute(routes, context, {
    path: '/balances',
    summary: 'The balances of several addresses as one wallet, now or after a block',
    description: 'A read: it needs no permission of the operator.',
    fields: {
      ...CURRENCY_PARAMETER.query,
      ...POINT_QUERY_SCHEMAS,
      expand: Type.Optional(Type.Boolean({ description: 'With `total`, all that the addresses own now' })),
      cursor: Type.Optional(
        Type.String({ description: 'Of a row of an export, which goes on after it; only with `format`' }),
      ),
    },
    schema: BALANCES.schema,
    errors: [404],
    exported: async (request, store) => {
      const { boundary } = await boundaryOf(request, store);
      const selection = { ...parseWallet(context, request), boundary };
      const { list, after } = CURSOR_ONLY.parse(request.query, WALLET_BALANCES_LIST, selection);
      return {
        fileName: 'balances',
        list,
        order: WALLET_BALANCES_LIST,
        open: () => context.store.openExport(walletBalancesQuery(selection, after)),
        csv: CURRENCY_BALANCE.csv(network),
        json: (row: PastWalletBalanceRow) => CURRENCY_BALANCE.json(network, row),
      };
    },
    respond: async (store, request) => {
      if (lastQueryValue(request.query, 'cursor') !== undefined) throw badRequest('Invalid cursor: it needs `format`');
      const { known, boundary } = await boundaryOf(request, store);
      const wallet = parseWallet(context, request);
      const past = await listWalletBalancesAt(store, { ...wallet, boundary });
      const owned = EXPAND_OWNED.parse(request.query) ? await readOwned(network, store, wallet.owners) : null;
      const block = known ?? (await getPointBlock(store, ...sqlParametersOfPoint({ height: past.rows[0]!.height })));
      requireSameTip(past, block, owned ?? past);
      const balances = { block: block.rows[0]!, balances: past.rows, owned: owned ?? undefined };
      return [BALANCES.json(network, balances), past.tip];
    },
  });
}
