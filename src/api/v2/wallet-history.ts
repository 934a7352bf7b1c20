/** `POST /history` and `POST /balances`: the past of several addresses as one wallet. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { COUNT_SCHEMA, HEX_ID_SCHEMA, nullable, schemaRef, strictObject } from '../../render/schemas/common.ts';
import { getPointBlock, pointParameters } from '../../store/queries/chain-points.ts';
import {
  listWalletBalances,
  WALLET_HISTORY_LIST,
  type WalletBalanceRow,
  type WalletSelection,
} from '../../store/queries/wallet-history.ts';
import type { SnapshotTip } from '../../store/read/batched-query.ts';
import { SnapshotChanged } from '../errors/api-error.ts';
import { shownEntries } from '../pagination/list-result.ts';
import { CURSOR_ONLY, rowRange } from '../pagination/paging.ts';
import { POINT_PARAMETERS, parseRange, RANGE_PARAMETERS, requirePointBlock } from '../parse/chain-points.ts';
import { lastQueryValue, parseCurrency, parsePoint } from '../parse/parameters.ts';
import { CURRENCY_BALANCE_SCHEMA, presentBalanceChange, presentCurrencyBalance } from '../present/balance-history.ts';
import type { ApiContext } from '../route/context.ts';
import { registerComponent } from '../schemas/parameters-and-responses.ts';
import { addWalletRoute, PAGE_FIELDS, type WalletRequest } from './wallet-read-route.ts';

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

const CURRENCY_FIELD = {
  currency: Type.Optional(Type.String({ description: 'The ticker of the coin, in any case, or a token id' })),
};

export function walletHistoryRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network } = context;
  registerComponent(app, 'CurrencyBalance', CURRENCY_BALANCE_SCHEMA);
  const heldJson = (rows: readonly WalletBalanceRow[]) =>
    `[${rows
      .filter(({ currency }) => currency !== null)
      .map((row) => presentCurrencyBalance(network, row))
      .join(',')}]`;

  addWalletRoute(app, context, {
    path: '/history',
    summary: 'What changed the balances of several addresses as one wallet, newest first',
    description:
      'A read: it needs no permission of the operator. What the addresses sent to each other is netted out. `opening` and all changes of the range add up to `closing`.',
    fields: { ...CURRENCY_FIELD, ...RANGE_PARAMETERS, ...PAGE_FIELDS },
    schema: HISTORY_SCHEMA,
    respond: async (store, request) => {
      const { query } = request;
      const wallet = parseWallet(context, request);
      const range = parseRange(query);
      const selection = { ...wallet, range };
      const page = CURSOR_ONLY.parse(query, WALLET_HISTORY_LIST, selection);
      const [opening, closing, listed] = await Promise.all([
        listWalletBalances(store, wallet, range.from ?? { height: 0 }),
        listWalletBalances(store, wallet, range.to ?? 'tip'),
        WALLET_HISTORY_LIST.read(store, { ...selection, ...rowRange(page) }),
      ]);
      requireSame(listed.tip, opening.tip, closing.tip);
      const { entries, nextCursor } = shownEntries(WALLET_HISTORY_LIST, page, listed.rows);
      const items = entries.map((row) => presentBalanceChange(network, row));
      const cursor = nextCursor === null ? null : `"${nextCursor}"`;
      const body = `{"opening":${heldJson(opening.rows)},"closing":${heldJson(closing.rows)},"items":[${items.join(',')}],"next_cursor":${cursor}}`;
      return [body, listed.tip];
    },
  });

  addWalletRoute(app, context, {
    path: '/balances',
    summary: 'What several addresses have as one wallet, now or after a block',
    description: 'A read: it needs no permission of the operator.',
    fields: { ...CURRENCY_FIELD, ...POINT_PARAMETERS },
    schema: BALANCES_SCHEMA,
    respond: async (store, request) => {
      const wallet = parseWallet(context, request);
      const point = parsePoint(request.query);
      const known = point === null ? null : await getPointBlock(store, ...pointParameters(point));
      const below = known === null ? 'tip' : { height: requirePointBlock(point!, known.rows[0]).height + 1 };
      const held = await listWalletBalances(store, wallet, below);
      const block = known ?? (await getPointBlock(store, ...pointParameters({ height: held.rows[0]!.height })));
      requireSame(held.tip, block.tip);
      const { height, block_id, timestamp } = block.rows[0]!;
      const body = `{"height":${height},"block_id":"${block_id}","timestamp":${timestamp},"balances":${heldJson(held.rows)}}`;
      return [body, held.tip];
    },
  });
}

/** Returns the addresses and the currency of a request. Throws the error 400. */
function parseWallet({ network }: ApiContext, { owners, query }: WalletRequest): WalletSelection {
  const currency = lastQueryValue(query, 'currency');
  return { owners, currency: currency === undefined ? null : parseCurrency(network, currency) };
}

function requireSame(tip: SnapshotTip, ...others: readonly SnapshotTip[]): void {
  if (others.some(({ revision, id }) => revision !== tip.revision || id !== tip.id)) throw new SnapshotChanged();
}
