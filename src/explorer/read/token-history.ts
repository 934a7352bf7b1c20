/** The transactions of a token or NFT, of one tip. */
import { addLateDecimals, readLateDecimals } from '../../api/present/late-decimals.ts';
import { SnapshotChanged } from '../../api/route/snapshot-changed.ts';
import type { Id } from '../../chain/types.ts';
import { getTransaction, type TokenTransactionRow } from '../../store/queries/transactions.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/batched-query.ts';
import { sameTip } from '../page.ts';
import { readTransactionText, type TransactionValue } from './stored-json.ts';

export interface TokenTransaction {
  /** Of all transactions of the chain. */
  readonly globalIndex: number;
  readonly id: Id;
  readonly transaction: TransactionValue;
  readonly height: number;
  /** Of its block; seconds since the epoch. */
  readonly timestamp: number;
}

/** What the rows of the list are. Throws {@link SnapshotChanged}. */
export async function readTokenTransactions(
  store: QueryRunner,
  tip: SnapshotTip,
  rows: readonly TokenTransactionRow[],
): Promise<TokenTransaction[]> {
  const listed = rows.filter(({ tx_id }) => tx_id !== null);
  const results = await Promise.all(listed.map(({ tx_id }) => getTransaction(store, tx_id!)));
  sameTip({ tip }, ...results);
  const bodies = results.map(({ rows: [row] }) => row?.body ?? '');
  const decimals = await readLateDecimals(store, tip, bodies);
  return results.map(({ rows: [row] }, i) => {
    if (row === undefined) throw new SnapshotChanged();
    return {
      globalIndex: row.tx_index,
      id: listed[i]!.tx_id!,
      transaction: readTransactionText(addLateDecimals(row.body, decimals)),
      height: row.height,
      timestamp: row.timestamp,
    };
  });
}
