/** The list of pending transactions: pages by offset in the wanted order, and pages by cursor in the order of arrival. */

import { namePendingActors } from '../../answers/name-command-actors.ts';
import {
  currentPendingSet,
  MEMPOOL_SORTS,
  type MempoolSort,
  PENDING_SORTERS,
  whileMempoolIs,
} from '../../answers/pending/pending-transactions-interface.ts';
import type { PendingSet } from '../../mempool/pending-set.ts';
import { countedBytesOf, type PendingTransaction } from '../../mempool/pending-transaction.ts';
import { summarizeTransactionText } from '../../render/transaction-summary.ts';
import type { JsonBody } from '../../serving/pagination/list-result.ts';
import { encodeCursor, type ListPage, OFFSET_OR_CURSOR } from '../../serving/pagination/paging.ts';
import { choiceParameter, EXPAND_TRANSACTIONS, type UrlQuery } from '../../serving/parse/parameters.ts';
import type { SortFields } from '../../store/queries/lists/sort-key-text.ts';
import type { ApiContext } from '../api-context.ts';
import { withSummary } from '../present/transaction-summary.ts';

/** As encoded; the JSON has seven times as much. */
const BYTES_PER_UNIT = 8 * 1024;

export const MEMPOOL_ORDER = choiceParameter('order', MEMPOOL_SORTS, {
  description: '`insertion`: as the node accepted them; `dependency`: parents before their children',
  message: 'Invalid transaction ordering',
});

/** The list in the order of arrival. Its cursors are valid for one copy of the mempool, whose name is part of the list's. */
const ARRIVALS = {
  name: (pool: PendingSet | undefined) => `mempool ${pool?.name}`,
  fields: { arrival: 'int53' } satisfies SortFields<ArrivalKey>,
};
interface ArrivalKey {
  readonly arrival: number;
}

/** `order`: of a page by offset; null for a page by cursor. */
type MempoolPage = ListPage<ArrivalKey> & { readonly order: MempoolSort | null; readonly isExpanded: boolean };

export function parseMempoolPage({ pending }: ApiContext, query: UrlQuery): MempoolPage {
  const order = MEMPOOL_ORDER.parse(query);
  const page = OFFSET_OR_CURSOR.parse<PendingSet | undefined, ArrivalKey>(query, ARRIVALS, pending?.pool);
  return { ...page, order: page.shape === 'array' ? order : null, isExpanded: EXPAND_TRANSACTIONS.parse(query) };
}

/** The transactions of a page, and the sort key of the last one if there is a next page by cursor. */
function listed(pool: PendingSet, { order, after, skip, limit }: MempoolPage) {
  if (order !== null) return { transactions: PENDING_SORTERS[order](pool).slice(skip, skip + limit), last: null };
  const arrived = pool.arrivedAfter(after?.arrival ?? 0, limit + 1);
  const shown = arrived.slice(0, limit);
  return {
    transactions: shown.map(({ transaction }) => transaction),
    last: arrived.length > limit ? shown.at(-1)! : null,
  };
}

export function unitsOfMempoolPage({ pending }: ApiContext, page: MempoolPage): number {
  if (pending === null) return 1;
  const { transactions } = listed(pending.pool, page);
  return 1 + Math.floor(transactions.reduce((sum, each) => sum + countedBytesOf(each), 0) / BYTES_PER_UNIT);
}

/** Returns pending transactions as JSON. `isExpanded`: with what each did. Throws a StoreError. */
export async function pendingTexts(
  { network, store, pendingPresenter }: ApiContext,
  pool: PendingSet,
  transactions: readonly PendingTransaction[],
  isExpanded: boolean,
): Promise<string[]> {
  const texts = await Promise.all(transactions.map((each) => pendingPresenter.text(pool, each)));
  if (!isExpanded) return texts;
  const told = texts.map((text, i) => {
    const transaction = transactions[i]!;
    return { text, transaction, summary: summarizeTransactionText(network, text, transaction.height) };
  });
  const whole = told.flatMap(({ transaction, summary }) => (summary === null ? [] : [{ ...summary, transaction }]));
  await namePendingActors(network, store, pool, whole);
  return told.map(({ text, summary }) => withSummary(network, text, summary));
}

export async function readMempoolPage(context: ApiContext, page: MempoolPage) {
  for (;;) {
    const pool = await currentPendingSet(context);
    const { revision } = pool;
    const { transactions, last } = listed(pool, page);
    const texts = await pendingTexts(context, pool, transactions, page.isExpanded);
    // The pending set may have changed while decimals were read.
    if (pool.revision === revision) {
      return { tip: null, texts, last, isCurrent: whileMempoolIs({ pool, revision }, context) };
    }
  }
}

export function presentMempoolPage(
  { texts, last }: { readonly texts: readonly string[]; readonly last: ArrivalKey | null },
  page: MempoolPage,
): JsonBody {
  const array = `[${texts.join(',')}]`;
  const headers = ['x-mempool-ordering', page.order ?? 'arrival'];
  if (page.shape === 'array') return { text: array, headers };
  const cursor = last && encodeCursor(page.list, ARRIVALS.fields, last);
  return {
    text: `{"items":${array},"next_cursor":${JSON.stringify(cursor)}}`,
    headers,
    nextCursor: cursor ?? undefined,
  };
}
