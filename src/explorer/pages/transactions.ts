/** `/txs`: the transactions of the main chain, newest first. */

import { LISTED_KINDS, TRANSACTION_LIST } from '../../store/queries/transactions/transactions.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { html } from '../html.ts';
import { choiceIn, filterForm, selectHtml } from '../parts/filter-form.ts';
import { kindWords } from '../parts/kind-words.ts';
import { pagingLinks, parseListPage, readListPage } from '../parts/paging.ts';
import { transactionTable } from '../parts/transaction-table.ts';
import { readListedTransactions } from '../read/listed-transactions.ts';
import { say } from '../words/catalogue.ts';

export function transactionsPage({ site, api }: ExplorerContext): AnyPage {
  return definePage({
    path: '/txs',
    parse: ({ query }) => {
      const kind = choiceIn(query, 'kind', LISTED_KINDS) ?? undefined;
      return { kind, page: parseListPage(query, TRANSACTION_LIST, { kind }) };
    },
    read: async (store, { kind, page }) => {
      const shown = await readListPage(store, TRANSACTION_LIST, page, { kind });
      return { ...shown, ...(await readListedTransactions(api.network, store, shown.tip, shown.entries)) };
    },
    render: (shown, { kind }) => {
      const list = transactionTable(site, shown, {
        caption: 'Transactions, newest first',
        empty: kind === undefined ? 'There are no transactions in the chain yet.' : 'There are none of this kind.',
      });
      const kinds = LISTED_KINDS.map((each) => [each, kindWords(each)] as const);
      return {
        title: 'Transactions',
        description: say('The transactions of Mintlayer {network}, newest first.', { network: site.network.name }),
        section: 'transactions',
        canonical: '/txs',
        isUnlisted: !shown.isFirst || kind !== undefined,
        api: [kind === undefined ? '/transaction' : `/transaction?kind=${kind}&cursor=`],
        body: html`<h1>Transactions</h1>${filterForm(site, '/txs', [selectHtml('kind', 'Kind', kinds, kind)])}${list}${pagingLinks(site, '/txs', shown, { query: { kind } })}`,
      };
    },
  });
}
