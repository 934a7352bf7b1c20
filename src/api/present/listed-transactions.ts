/** Writes the transactions of a list, each whole. */

import {
  addLateTokenDecimals,
  readDecimalsOfLaterIssuedTokens,
} from '../../answers/decimals-of-later-issued-tokens.ts';
import { summarizeTransactionText } from '../../render/transaction-summary.ts';
import type { TransactionRow } from '../../store/queries/transactions/transactions.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import { type PresentingContext, presentTransaction } from './transaction.ts';
import { SUMMARY_FIELDS } from './transaction-summary.ts';

/** Returns the writer of the rows of a list; `isExpanded`: with what each transaction did. Throws SnapshotChanged. */
export async function listedTransactionWriter(
  context: PresentingContext,
  store: QueryRunner,
  { tip, rows }: { readonly tip: SnapshotTip; readonly rows: readonly TransactionRow[] },
  isExpanded: boolean,
): Promise<(row: TransactionRow) => string> {
  const texts = rows.map(({ body }) => body);
  const lateDecimals = await readDecimalsOfLaterIssuedTokens(store, tip, texts);
  const present = (row: TransactionRow, more: string) =>
    addLateTokenDecimals(presentTransaction(context, row, tip, 'listed', more), lateDecimals);
  if (!isExpanded) return (row) => present(row, '');
  const { network } = context;
  return (row) => {
    const text = addLateTokenDecimals(row.body, lateDecimals);
    return present(row, SUMMARY_FIELDS.text(summarizeTransactionText(network, text, row.height, row.actors), network));
  };
}

/** Makes the writer of a list whose rows are whole with `expand=true` only; `short`: writes an entry that is not. */
export function expandedTransactionWriter<Row extends object, Entry extends Row>(
  context: PresentingContext,
  short: (entry: Entry) => string,
) {
  return async (
    { tip, rows }: { readonly tip: SnapshotTip; readonly rows: readonly (Row | TransactionRow)[] },
    _: unknown,
    store: QueryRunner,
  ): Promise<(entry: Entry | TransactionRow) => string> => {
    const write = await listedTransactionWriter(context, store, { tip, rows: rows.filter(isWhole) }, true);
    return (entry) => (isWhole(entry) ? write(entry) : short(entry));
  };
}

function isWhole(row: object): row is TransactionRow {
  return 'body' in row;
}
