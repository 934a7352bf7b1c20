/** `/txs`: the transactions of the main chain, newest first. */
import { shownEntries } from '../../api/pagination/list-result.ts';
import { rowRange } from '../../api/pagination/paging.ts';
import { TRANSACTION_LIST, type TransactionRow } from '../../store/queries/transactions.ts';
import type { Explorer } from '../explorer-context.ts';
import { html } from '../html.ts';
import { type AnyPage, definePage } from '../page.ts';
import { paging, parseListPage } from '../parts/paging.ts';
import { type ListedTransaction, transactionTable } from '../parts/transaction-table.ts';
import { readTransactionOutline } from '../read/transaction-outline.ts';

export function transactionsPage({ site }: Explorer): AnyPage {
  return definePage({
    path: '/txs',
    parse: ({ query }) => ({ page: parseListPage(query, TRANSACTION_LIST, {}) }),
    read: (store, { page }) => TRANSACTION_LIST.read(store, rowRange(page)),
    render: ({ rows }, { page }) => {
      const { entries, nextCursor } = shownEntries(TRANSACTION_LIST, page, rows);
      const isFirst = page.after === null;
      const list = transactionTable(site, entries.map(listedTransaction), {
        caption: 'Transactions, newest first',
        empty: 'There are no transactions in the chain yet.',
      });
      return {
        title: 'Transactions',
        description: `The transactions of Mintlayer ${site.network.name}, newest first.`,
        section: 'transactions',
        canonical: '/txs',
        isUnlisted: !isFirst,
        api: ['/transaction'],
        body: html`<h1>Transactions</h1>${list}${paging(site, '/txs', { isFirst, nextCursor })}`,
      };
    },
  });
}

/** A row of the store as an entry of a list. */
export function listedTransaction({ body, size, height, timestamp }: TransactionRow): ListedTransaction {
  return { transaction: readTransactionOutline(body), size, place: { height, timestamp } };
}
