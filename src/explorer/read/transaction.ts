/** What the page of a transaction shows, of one tip. */

import { ApiError } from '../../api/errors/api-error.ts';
import { SHORT_LIST, type UnpagedBounds } from '../../api/pagination/unpaged-lists.ts';
import { findTransaction } from '../../api/pending/find-confirmed-or-pending.ts';
import { addLateDecimals } from '../../api/present/late-decimals.ts';
import { readTokenLabels, type TokenLabels } from '../../api/present/token-label.ts';
import type { ApiContext } from '../../api/route/context.ts';
import type { Id } from '../../chain/types.ts';
import type { Caller } from '../../resources/caller.ts';
import { getOrder, type OrderRow } from '../../store/queries/orders.ts';
import { listOutspends, type OutspendRow } from '../../store/queries/outspends.ts';
import type { QueryRunner, SnapshotRows, SnapshotTip, UnbatchedQueryRunner } from '../../store/read/batched-query.ts';
import { type PageData, sameTip } from '../page.ts';
import { utcText } from '../parts/time.ts';
import { readTransactionText, type TransactionValue } from './stored-json.ts';
import { ordersIn, tokensIn } from './transaction-facts.ts';

/** Names and terms of what transactions have to do with. */
export interface TransactionNames {
  readonly labels: TokenLabels;
  /** As they are now; those that exist. */
  readonly orders: ReadonlyMap<Id, OrderRow>;
}

export interface TransactionData extends PageData, TransactionNames {
  readonly tip: SnapshotTip;
  readonly transaction: TransactionValue;
  /** With signatures, in bytes; null where that is not known. */
  readonly size: number | null;
  /** Where it is in the chain; null while it is pending. */
  readonly place: { readonly height: number; readonly blockId: Id; readonly timestamp: number } | null;
  /** Of all transactions of the chain, from 0 on; null while it is pending. */
  readonly globalIndex: number | null;
  /** What spends its outputs, by their indexes. */
  readonly outspends: ReadonlyMap<number, OutspendRow>;
}

const OUTSPEND_BOUNDS: UnpagedBounds<SnapshotRows<OutspendRow>, null> = {
  shortLimit: SHORT_LIST,
  longLimit: null,
  lengthOf: ({ rows }) => rows.length,
};

/** Throws the error 404, which says what is known of an unknown transaction. */
export async function readTransaction(
  api: ApiContext,
  store: UnbatchedQueryRunner,
  id: Id,
  caller: Caller,
): Promise<TransactionData> {
  const [found, outspends] = await Promise.all([
    findTransaction(api, store, id, caller),
    api.unpagedLists.read(store, `outspends ${id}`, OUTSPEND_BOUNDS, listOutspends, { txId: id }),
  ]);
  if (found.state === 'unknown') throw unknownTransaction(found.details);
  const { tip } = found;
  if (found.state === 'pending') {
    const transaction = readTransactionText(found.text);
    const names = await readNames(api, store, tip, [transaction]);
    const pending = api.pending?.pool.find(id);
    const size = pending?.state === 'Pending' || pending?.state === 'Confirmed' ? pending.transaction.sizeBytes : null;
    const none = { place: null, globalIndex: null, outspends: new Map() };
    return { tip, transaction, size, ...names, ...none, dependsOnMempool: true };
  }
  sameTip(found, outspends);
  const { row, lateDecimals } = found;
  const transaction = readTransactionText(addLateDecimals(row.body, lateDecimals));
  return {
    tip,
    transaction,
    size: row.size,
    ...(await readNames(api, store, tip, [transaction])),
    place: { height: row.height, blockId: row.block_id, timestamp: row.timestamp },
    globalIndex: row.tx_index,
    outspends: new Map(
      outspends.rows.flatMap((each) => (each.output_index === null ? [] : [[each.output_index, each]])),
    ),
  };
}

/** Reads the names of everything that transactions have to do with, of the same tip. */
export async function readNames(
  { network }: Pick<ApiContext, 'network'>,
  store: QueryRunner,
  tip: SnapshotTip,
  transactions: readonly Pick<TransactionValue, 'inputs' | 'outputs'>[],
): Promise<TransactionNames> {
  const orderIds = new Set(transactions.flatMap((transaction) => [...ordersIn(network, transaction)]));
  const tokens = new Set(transactions.flatMap((transaction) => [...tokensIn(network, transaction)]));
  const found = await Promise.all(Array.from(orderIds, (id) => getOrder(store, id)));
  sameTip({ tip }, ...found);
  const orders = new Map(found.flatMap(({ rows: [row] }) => (row === undefined ? [] : [[row.order_id, row]])));
  for (const { ask_currency, give_currency } of orders.values()) {
    for (const currency of [ask_currency, give_currency]) if (currency !== '') tokens.add(currency);
  }
  return { labels: await readTokenLabels(store, tip, tokens), orders };
}

function unknownTransaction(details: ApiError['details']): ApiError {
  const none = 'There is no transaction with this id in the chain';
  if (typeof details.dropped_at === 'number') {
    return new ApiError(404, `${none}. It was pending, and left at ${utcText(details.dropped_at)} without a block`);
  }
  return new ApiError(
    404,
    'mempool' in details ? `${none}; whether it is pending is not known here` : `${none}, and none is pending`,
  );
}
