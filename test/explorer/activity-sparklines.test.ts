/** The sparklines of the first page, from blocks and days. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { regtestPos } from '../../src/chain/networks/known-networks.ts';
import { markupOf } from '../../src/explorer/html.ts';
import { activityCharts } from '../../src/explorer/parts/activity-sparklines.ts';
import { Site } from '../../src/explorer/site.ts';
import { StaticFiles } from '../../src/explorer/static-files.ts';
import type { ListedBlockRow } from '../../src/store/queries/blocks/block-lists.ts';

const site = new Site(regtestPos, '', '', new StaticFiles());
/** Newest first, as lists of blocks are. */
const blocks = [
  { tx_count: 3, fees: 3_000n, size: 1_000 },
  { tx_count: 0, fees: 0n, size: 500 },
  { tx_count: 9, fees: 1_000n, size: 2_000 },
] as ListedBlockRow[];
const days = [
  { days_ago: 0, height: 90, transactions: 100 },
  { days_ago: 1, height: 40, transactions: 60 },
  { days_ago: 2, height: 30, transactions: 55 },
  { days_ago: 3, height: 0, transactions: 0 },
];

it('sparklines go from the oldest value to the newest, and name the range in words', () => {
  const charts = activityCharts(site, { blocks, days });
  const shown = Object.values(charts).map((chart) => {
    const [, title] = /<title>(.*)<\/title>/.exec(markupOf(chart))!;
    const [, line] = /class="line" d="M([^"]*)"/.exec(markupOf(chart))!;
    // The lowest value is at the bottom (22), the highest at the top (2).
    return [title, line!.split('L').map((point) => Number(point.split(' ')[1]))];
  });
  assert.deepEqual(shown, [
    ['Transactions in each of the last 3 days: from 5 to 55, the last 40', [2, 22, 8]],
    [
      'Fees per kB of the newest 2 blocks with transactions: from 0.000000005 RML to 0.00000003 RML, the last 0.00000003 RML',
      [22, 2],
    ],
  ]);
});

it('there is no sparkline of a single value', () => {
  const charts = activityCharts(site, { blocks: blocks.slice(0, 1), days: days.slice(0, 2) });
  assert.deepEqual(Object.values(charts), [null, null]);
});
