/** `/mempool`: pending transactions, highest fee rate first. */
import { currentPendingSet } from '../../answers/pending/pending-transactions.ts';
import { decimalText } from '../../chain/decimal-text.ts';
import { MAX_BLOCK_BYTES } from '../../chain/networks/network.ts';
import type { MempoolTotals } from '../../mempool/mempool-totals.ts';
import { nextBlocks } from '../../mempool/projected-blocks.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { amountColumn, coinAmount, countHtml, exactAmount } from '../parts/amount.ts';
import { paceText, readNewestBlocks } from '../parts/chain-pace.ts';
import { barChart, partsOfWholeBar } from '../parts/chart.ts';
import { percentage, roundedText } from '../parts/number.ts';
import { pagingLinks, parseListPage, shownPage } from '../parts/paging.ts';
import { banner, tile, tiles } from '../parts/properties-and-badges.ts';
import { numberColumn, table } from '../parts/table.ts';
import { transactionTable } from '../parts/transaction-table.ts';
import { readSentenceNames, summariesOf } from '../read/listed-transactions.ts';
import {
  listedPending,
  PENDING_BY_FEE_RATE,
  transactionsAfterSortKey,
  transactionsByFeeRate,
} from '../read/pending-transactions.ts';
import type { Site } from '../site-urls.ts';
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
      const next = nextBlocks(pool);
      const rows = transactionsAfterSortKey(transactions, page.after, page.limit + 1);
      const { entries, ...place } = shownPage(PENDING_BY_FEE_RATE, page, rows);
      const listed = await listedPending(answers, store, pool, entries);
      const names = await readSentenceNames(answers.network, store, null, summariesOf(listed));
      const { rows: blocks } = await readNewestBlocks(store);
      return { tip: null, dependsOnMempool: true, pool: state, totals, next, blocks, isComplete, listed, names, place };
    },
    render: ({ totals, next, blocks, isComplete, listed, names, place }) => {
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
        description: say('The pending transactions of Mintlayer {network} by fee rate: {count} at the moment.', {
          network: site.network.name,
          count: totals.count,
        }),
        section: 'mempool',
        canonical: '/mempool',
        isUnlisted: !isFirst,
        live: 'mempool',
        api: ['/mempool', '/mempool/blocks', '/mempool/transactions'],
        body: html`<h1>Mempool</h1>${!isComplete && banner(html`The node has more pending transactions than are shown here.`, 'warning')}${tiles(
          [
            tile('Pending transactions', countHtml(totals.count)),
            tile('Size', html`${countHtml(totals.bytes)} <span class="unit">bytes</span>`),
            tile('Fees', coinAmount(site, totals.totalFee, { isRounded: true }), 'total, as far as known'),
          ],
        )}${isFirst && totals.count > 0 && strip(site, next, paceText(blocks))}${isFirst && totals.feeHistogram.length > 1 && histogram(site, totals)}<h2 id="pending">Pending transactions</h2>${list}${pages}`,
      };
    },
  });
}

/** Renders the next blocks, as a node would make them now. */
function strip(site: Site, { blocks, more }: ReturnType<typeof nextBlocks>, pace: Html | null): Html {
  const cards = blocks.map(({ count, bytes, bands, totalFee, lowestRate, highestRate }, i) => {
    const [part, whole] = [BigInt(bytes), BigInt(MAX_BLOCK_BYTES)];
    const [lowest, highest, fees] = [lowestRate, highestRate, totalFee].map((atoms) =>
      coinAmount(site, atoms, { isRounded: 'inline' }),
    );
    const rates = highestRate > lowestRate ? html`${lowest} to ${highest} per kB` : html`${lowest} per kB`;
    return tile(
      i === 0 ? 'Next block' : say('Block {number} from now', { number: i + 1 }),
      html`${percentage(part, whole)} <span class="unit">full</span>`,
      count === 1
        ? html`One transaction, ${rates}, fees ${fees}`
        : html`${countHtml(count)} transactions, ${rates}, fees ${fees}`,
      partsOfWholeBar(textOf('Size by fee rate, highest first'), bands.map(BigInt), part, { isShaded: true }),
    );
  });
  const rest = more.count > 0 && html`<p>${countHtml(more.count)} more transactions are for later blocks.</p>`;
  return html`<section aria-labelledby="blocks"><h2 id="blocks">Next blocks</h2>${tiles(cards)}${rest}<p class="muted">Projected by fee rate, highest first. A block has room for ${countHtml(MAX_BLOCK_BYTES)} bytes of transactions. ${pace !== null && html`${pace}.`}</p></section>`;
}

function histogram(site: Site, { feeHistogram }: MempoolTotals): Html {
  const { coinTicker, coinDecimals } = site.network;
  const steps = feeHistogram.toReversed();
  // The table below has all digits.
  const rateText = (atoms: bigint) => `${roundedText(decimalText(atoms, coinDecimals))} ${coinTicker}`;
  const lowest = rateText(steps[0]!.atomsPerKilobyte);
  const highest = rateText(steps.at(-1)!.atomsPerKilobyte);
  return barChart({
    title: 'Size by fee rate, bytes',
    description: say('Bytes of pending transactions by fee rate per kB, from {lowest} to {highest}.', {
      lowest,
      highest,
    }),
    points: steps.map(({ bytes, atomsPerKilobyte }) => ({
      x: Number(atomsPerKilobyte),
      name: textOf(say('{rate} per kB', { rate: rateText(atomsPerKilobyte) })),
      value: textOf(say('{count} bytes', { count: bytes })),
    })),
    values: table(feeHistogram, {
      caption: 'Mempool by fee rate, highest first',
      isCaptionShown: true,
      id: 'histogram',
      columns: [
        amountColumn(say('Fee rate, {unit}/kB', { unit: coinTicker }), (step) =>
          exactAmount(step.atomsPerKilobyte, coinDecimals),
        ),
        numberColumn('Size, bytes', ({ bytes }) => countHtml(bytes)),
      ],
    }),
  });
}
