/** `/`: the chain at a glance. */

import type { AnswersContext } from '../../answers/answers-context.ts';
import { readNewestBlocks } from '../../answers/block-time.ts';
import { FEE_RATES_MAX_AGE_MS, knownFeeRatePoints } from '../../answers/known-fee-rates.ts';
import { expectedApr } from '../../answers/pool-figures.ts';
import { COIN } from '../../chain/currency.ts';
import { interpolateFeeRate } from '../../chain/fee-rate.ts';
import { MAX_BLOCK_BYTES } from '../../chain/networks/network.ts';
import type { Atoms } from '../../chain/types.ts';
import { nextBlocks, type ProjectedBlock } from '../../mempool/projected-blocks.ts';
import type { ListedBlockRow } from '../../store/queries/blocks/block-lists.ts';
import { type ChainDaysAgoRow, listChainDaysAgo } from '../../store/queries/chain/chain-days-ago.ts';
import { EXPANDED_POOL_LISTS } from '../../store/queries/pools/pool-lists.ts';
import { getStatistics, type StatisticsRow } from '../../store/queries/tokens/currency-statistics.ts';
import { TRANSACTION_LIST } from '../../store/queries/transactions/transactions.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import type { ChainWarning } from '../chain-status.ts';
import { type AnyPage, definePage, type ExplorerContext, type PageData } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { activityCharts } from '../parts/activity-sparklines.ts';
import { coinAmount, countHtml, exactAmount, unknownHtml } from '../parts/amount.ts';
import { paceText } from '../parts/chain-pace.ts';
import { meter } from '../parts/chart.ts';
import { poolLink } from '../parts/id-links.ts';
import { searchForm } from '../parts/layout.ts';
import { percentage, roundedText } from '../parts/number.ts';
import { badge, banner, tile, tiles } from '../parts/properties-and-badges.ts';
import { timeHtml, utcText } from '../parts/time.ts';
import { type ListedTransactions, transactionTable } from '../parts/transaction-table.ts';
import { readConfirmedTransactions, readSentenceNames, summariesOf } from '../read/listed-transactions.ts';
import { listedPending, newestPendingTransactions, pendingSetAt } from '../read/pending-transactions.ts';
import type { Site } from '../site.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';

/** The number of newest blocks, and of newest transactions, that are shown. */
const ROWS = 10;
/** The most pending transactions among these rows. */
const PENDING_ROWS = 5;
/** What the sparklines show, besides the blocks. */
const CHARTED_DAYS = 30;
/** The largest pools, which say what staking pays. */
const APR_POOLS = 10;
/** The width of a transaction in the picture of a block, and of the gap after it. */
const SQUARE = 10;
/** The default of the API's `/feerate`. */
const FEE_RATE_MEGABYTES = 5n;

interface HomeData extends PageData {
  readonly tip: SnapshotTip;
  readonly warnings: readonly ChainWarning[];
  /** The newest blocks, more than the list shows. */
  readonly blocks: readonly ListedBlockRow[];
  readonly days: readonly ChainDaysAgoRow[];
  /** The newest transactions, pending ones first. */
  readonly transactions: ListedTransactions;
  /** Confirmed transactions. */
  readonly transactionCount: number;
  readonly supply: StatisticsRow;
  /** Atoms per 1,000 bytes; null if the node does not respond. */
  readonly feeRate: Atoms | null;
  /** Pending transactions; null while they are unknown. */
  readonly pendingCount: number | null;
  /** The next block as a node would make it now; null if nothing is pending. */
  readonly next: ProjectedBlock | null;
  /** What the largest pools that pay something pay without luck, as an APR in millionths, by their stakes; null without one. */
  readonly apr: bigint | null;
  /** Is the index known to follow its node? */
  readonly isUpToDate: boolean;
}

export function homePage({ site, answers, status }: ExplorerContext): AnyPage {
  return definePage<null, HomeData>({
    path: '/',
    mayDependOnMempool: true,
    parse: () => null,
    read: async (store) => {
      const [warnings, points, chain] = await Promise.all([
        status.warnings(),
        knownFeeRatePoints(answers),
        readChain(answers, store),
      ]);
      const feeRate = points && interpolateFeeRate(points, FEE_RATE_MEGABYTES);
      return { ...chain, warnings, feeRate, isUpToDate: status.isUpToDate };
    },
    render: (data) => ({
      title: null,
      description: say(
        'Mintlayer {network}: block {height}, {transactionCount} transactions. Search blocks, transactions, addresses, pools and tokens.',
        { network: site.network.name, height: data.tip.height, transactionCount: data.transactionCount },
      ),
      canonical: '/',
      hasOwnSearch: true,
      live: 'all',
      api: ['/chain/tip', '/statistics/coin', '/feerate', '/mempool', '/block', '/transaction'],
      body: html`<section class="hero"><h1>Mintlayer explorer</h1>${searchForm(site, { isLarge: true })}<div class="heading">${stateOf(data)}<a href="${site.href('/blocks')}">All blocks</a></div>${blocksOf(site, data)}</section>${tilesOf(site, data)}${transactionsOf(site, data)}`,
    }),
  });
}

/** Reads the chain and the mempool at one tip. */
async function readChain(
  answers: AnswersContext,
  store: QueryRunner,
): Promise<Omit<HomeData, 'warnings' | 'feeRate' | 'isUpToDate'>> {
  const [blocks, days, transactions, statistics, pools] = await Promise.all([
    readNewestBlocks(store),
    listChainDaysAgo(store, CHARTED_DAYS),
    TRANSACTION_LIST.read(store, { after: null, limit: ROWS }),
    getStatistics(store, COIN),
    EXPANDED_POOL_LISTS.by_stake.read(store, { after: null, limit: APR_POOLS }),
  ]);
  const tip = requireSameTip(blocks, days, transactions, statistics, pools);
  const paying = pools.rows
    .map((pool) => ({ stake: pool.total_stake, rate: expectedApr(answers.network, pool) ?? 0n }))
    .filter(({ rate }) => rate > 0n);
  const sumOf = (value: (each: (typeof paying)[number]) => bigint) =>
    paying.reduce((sum, each) => sum + value(each), 0n);
  const [confirmed, state] = await Promise.all([
    readConfirmedTransactions(answers.network, store, tip, transactions.rows),
    pendingSetAt(answers, tip),
  ]);
  const pending =
    state === null
      ? []
      : await listedPending(answers, store, state.pool, newestPendingTransactions(state.pool, PENDING_ROWS));
  const listed = [...pending, ...confirmed].slice(0, ROWS);
  return {
    tip,
    blocks: blocks.rows,
    days: days.rows.toSorted((a, b) => a.days_ago - b.days_ago),
    transactions: { listed, names: await readSentenceNames(answers.network, store, tip, summariesOf(listed)) },
    transactionCount: (transactions.rows[0]?.tx_index ?? -1) + 1,
    supply: statistics.rows[0]!,
    pendingCount: state === null ? null : state.pool.size,
    next: state === null ? null : (nextBlocks(state.pool).blocks[0] ?? null),
    apr: paying.length === 0 ? null : sumOf(({ stake, rate }) => stake * rate) / sumOf(({ stake }) => stake),
    // The banners can change without a new block.
    dependsOnMempool: true,
    ...(state && { pool: state, maxAgeMs: FEE_RATES_MAX_AGE_MS }),
  };
}

function warningBanner(warning: ChainWarning): Html {
  switch (warning.type) {
    case 'quiet':
      return banner(html`No new blocks: the newest block is from ${utcText(warning.since)}.`);
    case 'not_ready':
      return banner(html`The database of this server is behind: what pages show may be old.`, 'warning');
    case 'behind':
      return banner(
        html`This index is ${countHtml(warning.blocks)} blocks behind its node: its newest block is from ${utcText(warning.since)}.`,
        'warning',
      );
    case 'node_behind':
      return banner(
        html`The node is ${countHtml(warning.blocks)} blocks behind this index. Pending transactions are not known.`,
        'warning',
      );
    case 'node_on_another_branch':
      return banner(
        html`The node is on another branch of the chain than this index. Pending transactions are not known.`,
        'warning',
      );
    case 'node_away':
      return banner(html`The node is not reachable. Blocks, pending transactions and fee rates may be old.`, 'warning');
    case 'node_of_another_network':
      return banner(
        html`The node belongs to another network, so it is not used. Blocks may be out of date.`,
        'warning',
      );
  }
}

/** Says what is wrong; if nothing is, how fast the chain goes. It always takes the same place, so nothing moves. */
function stateOf({ warnings: [warning], ...data }: HomeData): Html {
  return html`<div class="state">${warning ? warningBanner(warning) : speedOf(data)}</div>`;
}

function speedOf({ isUpToDate, blocks }: Omit<HomeData, 'warnings'>): Html | null {
  const pace = paceText(blocks);
  return pace && html`<p id="pace">${isUpToDate && html`${badge('up to date', 'good')} `}${pace}</p>`;
}

function tilesOf(site: Site, data: HomeData): Html {
  const { blocks, days, supply, feeRate } = data;
  const minted = percentage(supply.circulating_supply, site.network.finalSupply);
  const staked = percentage(supply.staked, supply.circulating_supply);
  const charts = activityCharts(site, { blocks, days });
  const linked = (path: string, name: Words): Html => html`<a href="${site.href(path)}">${textOf(name)}</a>`;
  const feeRateName = linked('/fees', 'Fee rate');
  return tiles([
    tile(linked('/txs', 'Transactions'), countHtml(data.transactionCount), ofLastDay(days), charts.transactionsOfDays),
    tile(
      linked('/statistics', 'Circulating supply'),
      coinAmount(site, supply.circulating_supply, { isRounded: true }),
      html`${minted} of the final supply`,
      meter(minted, supply.circulating_supply, site.network.finalSupply),
    ),
    tile(
      linked('/pools', 'Staked'),
      coinAmount(site, supply.staked, { isRounded: true }),
      html`${data.apr !== null && html`≈ ${percentage(data.apr, 1_000_000n)} APR · `}${html`${staked} of supply`}`,
      meter(staked, supply.staked, supply.circulating_supply),
    ),
    feeRate === null
      ? tile(feeRateName, unknownHtml(), 'no data from the node', charts.feeRates)
      : tile(
          feeRateName,
          coinAmount(site, feeRate, { isRounded: true }),
          'per kB, enough for the next block',
          charts.feeRates,
        ),
  ]);
}

function ofLastDay([now, yesterday]: readonly ChainDaysAgoRow[]): Html | null {
  return now && yesterday ? html`${countHtml(now.transactions - yesterday.transactions)} in 24 hours` : null;
}

/** The next block and the newest ones, beside each other. */
function blocksOf(site: Site, { blocks, ...data }: HomeData): Html {
  const newest = blocks
    .slice(0, ROWS)
    .map(
      ({ height, timestamp, tx_count, pool_id }) =>
        html`<li id="block-${height}"><a href="${site.href(`/block/${height}`)}">${height}</a>${timeHtml(timestamp)}<span>${html`${countHtml(tx_count)} tx`}</span>${squares(tx_count)}${pool_id !== null && poolLink(site, pool_id)}</li>`,
    );
  return html`<ol class="strip steady" id="newest-blocks" aria-label="Newest blocks">${nextBlockOf(site, data)}${newest}</ol>`;
}

/** The lowest and the highest fee rate of the next block. */
function ratesOf({ network: { coinDecimals, coinTicker } }: Site, { lowestRate, highestRate }: ProjectedBlock): Html {
  const [lowest, highest] = [lowestRate, highestRate].map((rate) =>
    roundedText(exactAmount(rate, coinDecimals).decimal),
  );
  return html`<span>${lowest === highest ? lowest : `${lowest} – ${highest}`} <span class="unit">${`${coinTicker}/kB`}</span></span>`;
}

/** A square for each transaction of a block, as many as have room. */
function squares(count: number): Html {
  return html`<svg class="squares" width="${count * SQUARE}" height="8" aria-hidden="true"></svg>`;
}

/** Draws how full the next block would be now; an empty one, too, so nothing moves. */
function nextBlockOf(site: Site, { pendingCount, next }: Pick<HomeData, 'pendingCount' | 'next'>): Html | false {
  if (!site.hasPage('/mempool')) return false;
  const [part, whole] = [BigInt(next?.bytes ?? 0), BigInt(MAX_BLOCK_BYTES)];
  const full = percentage(part, whole);
  const known =
    pendingCount !== null &&
    html`<span>${html`${countHtml(pendingCount)} pending`}</span><span>${html`${full} full`}</span>${meter(full, part, whole)}${next && ratesOf(site, next)}`;
  return html`<li class="next"><a href="${site.href('/mempool')}">Next block</a>${known || html`<span>${unknownHtml()}</span>`}</li>`;
}

function transactionsOf(site: Site, { transactions }: HomeData): Html {
  const list = transactionTable(site, transactions, {
    caption: 'Transactions, pending first',
    id: 'newest-transactions',
    hasSize: false,
    empty: 'There are no transactions yet.',
  });
  return html`<section aria-labelledby="transactions"><div class="heading"><h2 id="transactions">Newest transactions</h2><span>${site.hasPage('/mempool') && html`<a href="${site.href('/mempool')}">All pending</a> · `}<a href="${site.href('/txs')}">All transactions</a></span></div>${list}</section>`;
}
