/** `/txs`: the transactions of the main chain, newest first. */
import { TRANSACTION_LIST, type TransactionRow } from '../../store/queries/transactions.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { html } from '../html.ts';
import { pagingLinks, parseListPage, readListPage } from '../parts/paging.ts';
import { type ListedTransaction, transactionTable } from '../parts/transaction-table.ts';
import { extractTransactionOutline } from '../read/transaction-outline.ts';

export function transactionsPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/txs',
    parse: ({ query }) => ({ page: parseListPage(query, TRANSACTION_LIST, {}) }),
    read: (store, { page }) => readListPage(store, TRANSACTION_LIST, page, {}),
    render: (shown) => {
      const list = transactionTable(site, shown.entries.map(listedTransaction), {
        caption: 'Transactions, newest first',
        empty: 'There are no transactions in the chain yet.',
      });
      return {
        title: 'Transactions',
        description: `The transactions of Mintlayer ${site.network.name}, newest first.`,
        section: 'transactions',
        canonical: '/txs',
        isUnlisted: !shown.isFirst,
        api: ['/transaction'],
        body: html`<h1>Transactions</h1>${list}${pagingLinks(site, '/txs', shown)}`,
      };
    },
  });
}

/** Converts a row of the store to an entry of a list. */
export function listedTransaction({ body, size, height, timestamp }: TransactionRow): ListedTransaction {
  return { transaction: extractTransactionOutline(body), size, place: { height, timestamp } };
}
