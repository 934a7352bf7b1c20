/** `/mempool`: what waits for a block, the dearest first. */
import { currentPendingPool } from '../../api/pending/pending-transactions.ts';
import { decimalText } from '../../chain/decimal-text.ts';
import type { PoolTotals } from '../../mempool/totals.ts';
import { type Html, html } from '../html.ts';
import { type AnyPage, definePage, type Explorer } from '../page.ts';
import { amountColumn, coinAmount, count, exactAmount } from '../parts/amount.ts';
import { barChart } from '../parts/chart.ts';
import { paging, parseListPage, shownPage } from '../parts/paging.ts';
import { banner, tile, tiles } from '../parts/property-list.ts';
import { numberColumn, table } from '../parts/table.ts';
import { transactionTable } from '../parts/transaction-table.ts';
import { afterSortKey, listedPending, PENDING_BY_RATE, transactionsByFeeRate } from '../read/pending.ts';
import type { Site } from '../site.ts';

export function mempoolPage({ site, api }: Explorer): AnyPage {
  return definePage({
    path: '/mempool',
    mayDependOnMempool: true,
    parse: ({ query }) => ({ page: parseListPage(query, PENDING_BY_RATE, {}) }),
    read: async (_, { page }) => {
      const pool = await currentPendingPool(api);
      const state = { pool, revision: pool.revision };
      const { totals, isComplete, transactions } = transactionsByFeeRate(pool);
      const rows = afterSortKey(transactions, page.after, page.limit + 1);
      const { entries, ...place } = shownPage(PENDING_BY_RATE, page, rows);
      const listed = listedPending(api.network, entries);
      return { tip: null, dependsOnMempool: true, pool: state, totals, isComplete, listed, place };
    },
    render: ({ totals, isComplete, listed, place }) => {
      const { isFirst } = place;
      const list = transactionTable(site, listed, {
        caption: 'Pending transactions, the dearest first',
        empty: isFirst
          ? 'Nothing is pending: the node’s mempool is empty.'
          : 'There are no cheaper ones any more: the mempool has changed.',
        isOfOneBlock: true,
        hasFeeRate: true,
      });
      return {
        title: 'Mempool',
        description: `The pending transactions of Mintlayer ${site.network.name} by fee rate: ${totals.count} at the moment.`,
        section: 'mempool',
        canonical: '/mempool',
        isUnlisted: !isFirst,
        api: ['/mempool', '/mempool/transactions'],
        body: html`<h1>Mempool</h1>${!isComplete && banner(html`The node has so many pending transactions that not all of them are known here.`, 'warning')}${tiles(
          [
            tile('Pending', count(totals.count), 'transactions that wait for a block'),
            tile('Size', html`${count(totals.bytes)} <span class="unit">bytes</span>`, 'of all together'),
            tile('Fees', coinAmount(site, totals.totalFee), 'of those whose fee is known'),
          ],
        )}${isFirst && totals.feeHistogram.length > 1 && histogram(site, totals)}<h2 id="pending">By fee rate</h2>${list}${paging(
          site,
          '/mempool',
          place,
          { anchor: 'pending' },
        )}`,
      };
    },
  });
}

function histogram(site: Site, { feeHistogram }: PoolTotals): Html {
  const { coinTicker, coinDecimals } = site.network;
  const steps = feeHistogram.toReversed();
  const rateText = (atoms: bigint) => `${decimalText(atoms, coinDecimals)} ${coinTicker}`;
  const lowest = rateText(steps[0]!.atomsPerKilobyte);
  const highest = rateText(steps.at(-1)!.atomsPerKilobyte);
  return barChart({
    title: 'Bytes by fee rate',
    description: `Pending bytes by what their transactions pay for 1,000 bytes, from ${lowest} to ${highest}.`,
    points: steps.map(({ bytes }, i) => ({ x: i, y: bytes })),
    from: lowest,
    to: highest,
    label: (bytes) => `${Math.round(bytes)} bytes`,
    values: table(feeHistogram, {
      caption: 'Fee rates of the mempool, the dearest first',
      isCaptionShown: true,
      id: 'histogram',
      columns: [
        amountColumn(`${coinTicker} per 1,000 bytes`, (step) => exactAmount(step.atomsPerKilobyte, coinDecimals)),
        numberColumn('Bytes', ({ bytes }) => count(bytes)),
      ],
      empty: '',
    }),
    empty: '',
  });
}
