/** `/txs`: the transactions of the main chain, newest first. */

import { BY_TRANSACTION, rangedList } from '../../serving/pagination/ranged-list.ts';
import { LISTED_KINDS, TRANSACTION_LIST } from '../../store/queries/transactions/transactions.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { html } from '../html.ts';
import { filterForm, parseChoice, selectHtml } from '../parts/filter-form.ts';
import { KIND_WORDS } from '../parts/kind-words.ts';
import { parseListStart, startField, startProblemBanner, startQuery, timesOf } from '../parts/list-start-field.ts';
import { pagingLinks, parseListPage, readListPage } from '../parts/paging.ts';
import { transactionTable } from '../parts/transaction-table.ts';
import { readListedTransactions } from '../read/listed-transactions.ts';
import { newestFirst } from '../words/catalogue.ts';

export function transactionsPage({ site, answers }: ExplorerContext): AnyPage {
  return definePage({
    path: '/txs',
    parse: ({ query: { at, ...query } }) => {
      const kind = parseChoice(query, 'kind', LISTED_KINDS) ?? undefined;
      return { kind, start: parseListStart(answers, { at }), page: parseListPage(query, TRANSACTION_LIST, { kind }) };
    },
    read: async (store, { kind, start, page }) => {
      const shown = await readListPage(store, rangedList(TRANSACTION_LIST, start, BY_TRANSACTION), page, { kind });
      return { ...shown, ...(await readListedTransactions(answers.network, store, shown.tip, shown.entries)) };
    },
    render: (shown, { kind, start }) => {
      const list = transactionTable(site, shown, {
        caption: newestFirst('Transactions'),
        times: timesOf(start),
        empty:
          start.range !== null
            ? 'There are none up to then.'
            : kind === undefined
              ? 'There are no transactions yet.'
              : 'There are none of this kind.',
      });
      const kinds = LISTED_KINDS.map((each) => [each, KIND_WORDS[each]] as const);
      const query = { kind, at: start.text || undefined };
      const api = new URLSearchParams({ ...(kind !== undefined && { kind }), ...startQuery(start) });
      return {
        title: 'Transactions',
        section: 'transactions',
        canonical: '/txs',
        isUnlisted: !shown.isFirst || kind !== undefined || start.text !== '',
        api: [api.size === 0 ? '/transaction' : `/transaction?${api}&cursor=`],
        ...(start.problem !== null && { status: 400 }),
        body: html`<h1>Transactions</h1>${startProblemBanner(start)}${filterForm(site, '/txs', [selectHtml('kind', 'Kind', kinds, kind), startField(start)])}${list}${pagingLinks(site, '/txs', shown, { query })}`,
      };
    },
  });
}
