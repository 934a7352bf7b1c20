/** The transactions of an address, a token or an NFT, of one tip. */
import { addLateDecimals, readLateDecimals } from '../../api/present/late-decimals.ts';
import type { Destination, Id } from '../../chain/types.ts';
import type { KeysetPage } from '../../store/queries/keyset.ts';
import {
  type ListedTransactionRow,
  listWholeTransactionsOfAddress,
  listWholeTransactionsOfToken,
  type TransactionKey,
} from '../../store/queries/transactions.ts';
import type { QueryRunner, SnapshotRows } from '../../store/read/batched-query.ts';

/** Newest first. Throws `SnapshotChanged`. */
export async function readAddressTransactions(
  store: QueryRunner,
  page: { readonly owner: Destination } & KeysetPage<TransactionKey>,
): Promise<SnapshotRows<ListedTransactionRow>> {
  return withLateDecimals(store, await listWholeTransactionsOfAddress(store, page));
}

/** Newest first. Throws `SnapshotChanged`. */
export async function readTokenTransactions(
  store: QueryRunner,
  page: { readonly tokenId: Id } & KeysetPage<TransactionKey>,
): Promise<SnapshotRows<ListedTransactionRow>> {
  return withLateDecimals(store, await listWholeTransactionsOfToken(store, page));
}

/** The same with decimals that were not known when the texts were stored. */
async function withLateDecimals(
  store: QueryRunner,
  { tip, rows }: SnapshotRows<ListedTransactionRow>,
): Promise<SnapshotRows<ListedTransactionRow>> {
  const bodies = rows.map(({ body }) => body);
  const decimals = await readLateDecimals(store, tip, bodies);
  if (decimals === null) return { tip, rows };
  return { tip, rows: rows.map((row) => ({ ...row, body: addLateDecimals(row.body, decimals) })) };
}
