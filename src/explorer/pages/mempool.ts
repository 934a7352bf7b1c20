/** `/mempool`: pending transactions, highest fee rate first. */

import { readNewestBlocks } from '../../answers/block-time.ts';
import { FEE_RATES_MAX_AGE_MS, knownFastestRate } from '../../answers/known-fee-rates.ts';
import { currentPendingSet } from '../../answers/pending/pending-transactions-interface.ts';
import { MAX_BLOCK_BYTES } from '../../chain/networks/network.ts';
import { nextBlocks, type ProjectedTransaction, transactionsOfNextBlock } from '../../mempool/projected-blocks.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { coinAmount, countHtml } from '../parts/amount.ts';
import { blockTiles } from '../parts/block-tiles.ts';
import { paceText } from '../parts/chain-pace.ts';
import { meter } from '../parts/chart.ts';
import { percentage } from '../parts/number.ts';
import { pageOfRows, pagingLinks, parseListPage } from '../parts/paging.ts';
import { banner, tile, tiles } from '../parts/properties-and-badges.ts';
import { transactionTable } from '../parts/transaction-table.ts';
import { readSentenceNames, summariesOf } from '../read/listed-transactions.ts';
import {
  listedPending,
  PENDING_BY_FEE_RATE,
  transactionsAfterSortKey,
  transactionsByFeeRate,
} from '../read/pending-transactions.ts';
import type { Site } from '../site.ts';
import { say, textOf } from '../words/catalogue.ts';

export function mempoolPage({ site, answers }: ExplorerContext): AnyPage {
  return definePage({
    path: '/mempool',
    mayDependOnMempool: true,
    parse: ({ query }) => ({ page: parseListPage(query, PENDING_BY_FEE_RATE, {}) }),
    read: async (store, { page }) => {
      const pool = await currentPendingSet(answers);
      const state = { pool, revision: pool.revision };
      const { totals, isComplete, transactions } = transactionsByFeeRate(pool);
      // Before anything is awaited: the set goes on changing.
      const [next, ofNext] = [nextBlocks(pool), transactionsOfNextBlock(pool)];
      const rows = transactionsAfterSortKey(transactions, page.after, page.limit + 1);
      const { entries, ...place } = pageOfRows(PENDING_BY_FEE_RATE, page, rows);
      const listed = await listedPending(answers, store, pool, entries);
      const names = await readSentenceNames(answers.network, store, null, summariesOf(listed));
      const { tip, rows: blocks } = await readNewestBlocks(store);
      const fastest = await knownFastestRate(answers);
      return {
        ...{ tip, dependsOnMempool: true, pool: state, maxAgeMs: FEE_RATES_MAX_AGE_MS },
        ...{ totals, next, ofNext, fastest, blocks, isComplete, listed, names, place },
      };
    },
    render: ({ totals, next, ofNext, fastest, blocks, isComplete, listed, names, place }) => {
      const { isFirst } = place;
      const list = transactionTable(
        site,
        { listed, names },
        {
          caption: 'Pending transactions, highest fee rate first',
          empty: isFirst
            ? 'There are no pending transactions: the mempool is empty.'
            : 'There are no more transactions on this page: the mempool has changed.',
          isOfOneBlock: true,
          hasFeeRate: true,
        },
      );
      const pages = pagingLinks(site, '/mempool', place, { anchor: 'pending' });
      return {
        title: 'Mempool',
        section: 'mempool',
        canonical: '/mempool',
        isUnlisted: !isFirst,
        live: 'mempool',
        api: ['/mempool', '/mempool/blocks', '/mempool/transactions'],
        body: html`<h1>Mempool</h1>${!isComplete && banner(html`The node has more pending transactions than are shown here.`, 'warning')}${tiles(
          [
            fastest !== null &&
              tile(
                html`<a href="${site.href('/fees')}">Fee rate for the next block</a>`,
                coinAmount(site, fastest, { isRounded: true }),
                'per kB',
              ),
            tile('Pending transactions', countHtml(totals.count)),
            tile('Size', html`${countHtml(totals.bytes)} <span class="unit">bytes</span>`),
            tile('Fees', coinAmount(site, totals.totalFee, { isRounded: true }), 'of all pending transactions'),
          ],
        )}${isFirst && totals.count > 0 && strip(site, next, ofNext, paceText(blocks))}<section aria-labelledby="pending"><h2 id="pending">Pending transactions</h2>${list}${pages}</section>`,
      };
    },
  });
}

/** Renders the next blocks, as a node would make them now. */
function strip(
  site: Site,
  { blocks, more }: ReturnType<typeof nextBlocks>,
  ofNext: readonly ProjectedTransaction[],
  pace: Html | null,
): Html {
  const cards = blocks.map(({ count, bytes, totalFee, lowestRate, highestRate }, i) => {
    const [lowest, highest, fees] = [lowestRate, highestRate, totalFee].map((atoms) =>
      coinAmount(site, atoms, { isRounded: 'inline' }),
    );
    const rates = highestRate > lowestRate ? html`${lowest} to ${highest} per kB` : html`${lowest} per kB`;
    return tile(
      i === 0 ? 'Next block' : say('Block {number} from now', { number: i + 1 }),
      html`${percentage(BigInt(bytes), BigInt(MAX_BLOCK_BYTES))} <span class="unit">full</span>`,
      count === 1
        ? html`One transaction, ${rates}, fees ${fees}`
        : html`${countHtml(count)} transactions, ${rates}, fees ${fees}`,
      i === 0
        ? html`${meter(textOf('Next block'), BigInt(bytes), BigInt(MAX_BLOCK_BYTES))}${blockTiles(site, ofNext)}`
        : null,
    );
  });
  const rest = more.count > 0 && html`<p>${countHtml(more.count)} more transactions are for later blocks.</p>`;
  const heading = cards.length > 1 && html`<h2>Next blocks</h2>`;
  return html`<section id="blocks" aria-label="${textOf('Next blocks')}">${heading}${tiles(cards)}${rest}<p class="muted">Each rectangle is a transaction: the area shows its size, the number and the colour its fee rate. A block has room for ${countHtml(MAX_BLOCK_BYTES)} bytes of transactions. ${pace !== null && html`${pace}.`}</p></section>`;
}
