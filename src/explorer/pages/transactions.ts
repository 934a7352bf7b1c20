/** `/txs`: the transactions of the main chain, newest first. */
import { TRANSACTION_LIST } from '../../store/queries/transactions/transactions.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { html } from '../html.ts';
import { pagingLinks, parseListPage, readListPage } from '../parts/paging.ts';
import { transactionTable } from '../parts/transaction-table.ts';
import { readListedTransactions } from '../read/listed-transactions.ts';

export function transactionsPage({ site, api }: ExplorerContext): AnyPage {
  return definePage({
    path: '/txs',
    parse: ({ query }) => ({ page: parseListPage(query, TRANSACTION_LIST, {}) }),
    read: async (store, { page }) => {
      const shown = await readListPage(store, TRANSACTION_LIST, page, {});
      return { ...shown, ...(await readListedTransactions(api.network, store, shown.tip, shown.entries)) };
    },
    render: (shown) => {
      const list = transactionTable(site, shown, {
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
