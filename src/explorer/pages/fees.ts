/** `/fees`: the node's fee rates, the fees of usual transactions at these rates, and the fees of the newest transactions. */

import { type FeeExample, type FeeExampleKind, feeExamples, minimumFee } from '../../answers/fee-examples.ts';
import { readFeeRatePoints, readLeastFeeRate } from '../../answers/fee-rate-cache.ts';
import { FEE_RATES_MAX_AGE_MS } from '../../answers/known-fee-rates.ts';
import { feeRate, interpolateFeeRate, type RecommendedFeeRates, recommendedFeeRates } from '../../chain/fee-rate.ts';
import type { Atoms } from '../../chain/types.ts';
import { listNewestFees } from '../../store/queries/transactions/transactions.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { amountColumn, coinAmount, coinColumn, countHtml, exactAmount } from '../parts/amount.ts';
import { tile, tiles } from '../parts/properties-and-badges.ts';
import { column, inCard, numberColumn, table } from '../parts/table.ts';
import type { Site } from '../site.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';

/** The default of the API's `/feerate`, which wallets use. */
const DEFAULT_MEGABYTES = 5n;
/** The number of confirmed transactions whose fees are shown. */
const NEWEST = 100;

export function feesPage({ site, answers }: ExplorerContext): AnyPage {
  return definePage({
    path: '/fees',
    mayDependOnMempool: true,
    parse: () => null,
    read: async (store) => {
      const [points, { tip, rows }] = await Promise.all([
        readFeeRatePoints(answers.feeRates),
        listNewestFees(store, NEWEST),
      ]);
      const paid = rows.map(({ fee, size }) => feeRate(fee, size)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      const least = await readLeastFeeRate(answers.feeRates!, points);
      const rates = recommendedFeeRates(points, least);
      const usual = interpolateFeeRate(points, DEFAULT_MEGABYTES);
      // The rates can change without a new block, and so can the node's state.
      const cached = { dependsOnMempool: true, maxAgeMs: FEE_RATES_MAX_AGE_MS };
      return { tip, rates, usual, paid, ...cached };
    },
    render: ({ tip, rates, usual, paid }) => {
      const [{ bytes }] = feeExamples(site.network, tip.height + 1) as [FeeExample];
      return {
        title: 'Fees',
        section: 'fees',
        canonical: '/fees',
        live: 'status',
        api: ['/feerate/recommended', '/feerate', '/transaction?items=100'],
        body: html`<h1>Fees</h1>${tiles([
          tile(
            'Fee rate for the next block',
            coinAmount(site, rates.fastest, { isRounded: true }),
            html`per kB (${countHtml(1_000)} bytes)`,
          ),
          paid.length > 0 &&
            tile(
              'Median fee rate',
              coinAmount(site, paid[Math.floor((paid.length - 1) / 2)]!, { isRounded: true }),
              html`per kB, median of the last ${countHtml(paid.length)} transactions`,
            ),
          tile(
            'To send coins',
            coinAmount(site, minimumFee(bytes, rates.fastest), { isRounded: true }),
            html`for about ${countHtml(bytes)} bytes`,
          ),
        ])}${rateTable(site, rates)}${usualTable(site, tip.height + 1, rates, usual)}`,
      };
    },
  });
}

/** How soon a transaction should be in a block. */
const SPEEDS: readonly (readonly [keyof RecommendedFeeRates, Words])[] = [
  ['fastest', 'Next block'],
  ['half_hour', 'Half an hour'],
  ['hour', 'An hour'],
  ['economy', 'A day (economy)'],
  ['minimum', 'Minimum accepted'],
];

function rateTable(site: Site, rates: RecommendedFeeRates): Html | null {
  // Nobody waits longer for the same rate.
  const speeds = SPEEDS.filter(([speed], i) => i === 0 || rates[speed] !== rates[SPEEDS[i - 1]![0]]);
  if (speeds.length === 1) return null;
  const list = table(speeds, {
    caption: 'Fee rates by how soon a transaction should be in a block',
    id: 'rates',
    columns: [
      column('Confirmed within', ([, name]) => textOf(name)),
      amountColumn(say('Fee rate, {unit}/kB', { unit: site.network.coinTicker }), ([speed]) =>
        exactAmount(rates[speed], site.network.coinDecimals),
      ),
    ],
  });
  return html`<section aria-labelledby="fee-rates"><h2 id="fee-rates">Fee rates</h2>${list}<p class="muted">From the node’s mempool, less than a minute ago.</p></section>`;
}

const EXAMPLE_NAMES: Readonly<Record<FeeExampleKind, Words>> = {
  SendCoins: 'Send coins',
  SendCoinsOfTenOutputs: 'Send coins, spending ten outputs',
  SendTokens: 'Send a token',
  Delegate: 'Delegate to a pool',
  Withdraw: 'Withdraw from a delegation',
  CreateOrder: 'Create an order',
  FillOrder: 'Fill an order',
  IssueToken: 'Issue a token',
  MintTokens: 'Mint a token',
  UnmintTokens: 'Unmint a token',
  LockTokenSupply: 'Lock the supply of a token',
  FreezeToken: 'Freeze a token',
  UnfreezeToken: 'Unfreeze a token',
  ChangeTokenAuthority: 'Change the authority of a token',
  ChangeTokenMetadataUri: 'Change the metadata of a token',
  IssueNft: 'Issue an NFT',
  DepositData: 'Store 100 bytes of data',
};

function usualTable(site: Site, height: number, rates: RecommendedFeeRates, usual: Atoms): Html {
  const isAllOne = rates.fastest === rates.hour && rates.fastest === usual;
  const feeColumn = (label: Words, rate: Atoms) =>
    coinColumn<FeeExample>(site, label, ({ bytes }) => minimumFee(bytes, rate));
  const list = table(feeExamples(site.network, height), {
    caption: say('Estimated cost in {unit} for the next block, with one signature per input', {
      unit: site.network.coinTicker,
    }),
    isCaptionShown: true,
    id: 'usual',
    columns: [
      column('Transaction', ({ kind }) => textOf(EXAMPLE_NAMES[kind])),
      inCard.off(numberColumn('Size, bytes (about)', ({ bytes }) => countHtml(bytes))),
      inCard.off(feeColumn('Fee', rates.fastest)),
      coinColumn(site, 'Protocol fee (burned)', ({ burned }) => burned || null),
      inCard.top(coinColumn(site, 'Total', ({ bytes, burned }) => minimumFee(bytes, rates.fastest) + burned)),
      !isAllOne && inCard.off(feeColumn('Fee, an hour', rates.hour)),
      !isAllOne && inCard.off(feeColumn('Fee, as wallets pay', usual)),
    ],
  });
  return html`<section aria-labelledby="usual-costs"><h2 id="usual-costs">Cost of typical transactions</h2>${list}<p class="muted">The fee goes to the pool. Token, NFT and data operations also pay a protocol fee, which is burned.</p></section>`;
}
