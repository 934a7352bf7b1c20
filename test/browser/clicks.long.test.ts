/** What somebody looks for who begins at `/` and only clicks: a year of a delegation's rewards, and the fills of an order. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { identifyBlock } from '../../src/chain/codec/block.ts';
import { decimalText } from '../../src/chain/decimal-text.ts';
import type { Atoms } from '../../src/chain/types.ts';
import { Simulation } from '../../src/devnet/sim/simulation.ts';
import { MIX_PRESETS, type TransactionMix } from '../../src/devnet/sim/transaction-mix.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { SIMULATED_NETWORK as network } from '../support/simulated-chain.ts';
import type { TestServer } from '../support/web-server.ts';
import { beforeInBrowser } from './chromium.ts';
import { Visitor } from './visitor.ts';

/** A block a day: some fourteen months, in which the first pool of the list is lucky. */
const BLOCKS = 430;
const YEAR: TransactionMix = {
  ...MIX_PRESETS.demo,
  drawsByStake: false,
  name: 'year',
  blockSeconds: { from: 40_000, to: 130_000 },
  markets: 2,
  weights: { ...MIX_PRESETS.demo.weights, poolCreate: 0, poolDecommission: 0 },
};
const DAY_MS = 86_400_000;
const DAYS_OF_YEAR = 365;

let server: TestServer;
let page: Page;
const skip = beforeInBrowser(async (browser, scope) => {
  const index = await TestIndex.create(scope, network);
  const blocks = new Simulation({ network, seed: 'a year', mix: YEAR, undoDepth: 0 }).mine(BLOCKS);
  const identified = blocks.map(({ bytes }) => identifyBlock(bytes));
  await index.follow(identified, identified.length);
  server = await index.serve(scope);
  const visitor = await Visitor.open(browser, { width: 1_440, hasScript: true }, server.url);
  page = visitor.page;
});

/** Opens the part of the page that has the link, and follows it. */
async function click(link: Locator): Promise<void> {
  for (const fold of await link.locator('xpath=ancestor::details[not(@open)]').all())
    await fold.locator('summary').first().click();
  await Promise.all([page.waitForNavigation({ waitUntil: 'load' }), link.click()]);
}

const main = () => page.getByRole('main');

/** A cell of a table: the amount in it, its text, and where its link leads. */
interface Cell {
  readonly atoms: string | null;
  readonly text: string;
  readonly path: string | null;
}

/** The rows of the table with this caption, by the labels of its columns. */
async function rowsOf(caption: string): Promise<Readonly<Record<string, Cell>>[]> {
  return page.evaluate<Readonly<Record<string, Cell>>[]>(`(() => {
    const tables = Array.from(document.querySelectorAll('main table'));
    const { tHead, tBodies } = tables.find(({ caption }) => caption.textContent === ${JSON.stringify(caption)});
    const labels = Array.from(tHead.rows[0].cells, (cell) => cell.textContent);
    return Array.from(tBodies[0].rows, ({ cells }) => Object.fromEntries(labels.map((label, i) => [label, {
      atoms: cells[i].querySelector('[data-atoms]')?.dataset.atoms ?? null,
      text: cells[i].textContent,
      path: cells[i].querySelector('a')?.pathname ?? null,
    }])));
  })()`);
}

/** The same of this page and of all that follow. */
async function allRowsOf(caption: string): Promise<Readonly<Record<string, Cell>>[]> {
  const rows = await rowsOf(caption);
  const next = main().getByRole('link', { name: 'Next page' });
  while ((await next.count()) > 0) {
    await click(next);
    rows.push(...(await rowsOf(caption)));
  }
  return rows;
}

/** The amount that the page names so, in atoms. */
async function amountNamed(name: string): Promise<Atoms> {
  const named = main().locator('div', { has: page.locator(`dt:text-is("${name}")`) });
  return BigInt((await named.locator('[data-atoms]').first().getAttribute('data-atoms'))!);
}

const sum = (amounts: readonly Atoms[]): Atoms => amounts.reduce((all, amount) => all + amount, 0n);
const atomsOf = (rows: readonly Readonly<Record<string, Cell>>[], label: string): Atoms[] =>
  rows.map((row) => BigInt(row[label]!.atoms!));
const linkTo = (path: string) => main().locator(`a[href="${path}"]`).first();

it('a year of the rewards of a delegation is found by clicks, and its sums agree', { skip }, async () => {
  const ticker = network.coinTicker;
  await page.goto(`${server.url}/`);
  await click(page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Pools' }));
  await click(main().locator('#pools tbody a.thing').first());
  const delegations = await rowsOf('Delegations of the pool, largest first');
  const balances = atomsOf(delegations, `Balance, ${ticker}`);
  const largest = balances.reduce((most, balance, i) => (balance > balances[most]! ? i : most), 0);
  const delegation = delegations[largest]!.Delegation!.path!;
  await click(linkTo(delegation));
  const earned = await amountNamed('Rewards');
  const [deposited, withdrawn] = [await amountNamed('Deposited'), await amountNamed('Withdrawn')];
  assert.equal(deposited + earned - withdrawn, balances[largest]);

  await click(main().getByRole('link', { name: 'All days' }));
  const days = await allRowsOf('Rewards by day, newest first');
  const rewards = atomsOf(days, `Rewards, ${ticker}`);
  const dates = days.map((row) => row['Day (UTC)']!.text);
  assert.deepEqual(dates, [...new Set(dates)].sort().reverse());
  const [newest, oldest] = [Date.parse(dates[0]!), Date.parse(dates.at(-1)!)];
  assert.ok(newest - oldest > DAYS_OF_YEAR * DAY_MS, `${dates.at(-1)} to ${dates[0]}`);
  assert.ok(rewards.filter((atoms) => atoms > 0n).length > 50, `${rewards.length} days`);
  assert.equal(sum(rewards), earned);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    main().getByRole('link', { name: 'Download CSV' }).click(),
  ]);
  const [head, ...records] = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
  const column = head!.split(',').indexOf('rewards');
  const exported = records.map((record) => record.split(','));
  assert.deepEqual(
    exported.map((fields) => [fields[0], fields[column]]),
    dates.map((date, i) => [date, decimalText(rewards[i]!, network.coinDecimals)]),
  );

  // The statement of its owner over the last year has the same days, oldest first, without those of nothing.
  const first = new Date(newest - (DAYS_OF_YEAR - 1) * DAY_MS).toISOString().slice(0, 10);
  await click(linkTo(delegation));
  await click(main().locator('dl.facts a[href^="/address/"]').first());
  await click(main().getByRole('link', { name: 'Statement' }));
  await page.getByLabel('From').fill(first);
  await page.getByLabel('To', { exact: true }).fill(dates[0]!);
  await click(main().getByRole('button', { name: 'Show' }));
  const lines = await allRowsOf('Transactions and staking, oldest first');
  const own = lines.filter((row) => row.Type!.path === delegation && row['Staking rewards']!.atoms !== null);
  const inYear = rewards.filter((_, i) => dates[i]! >= first);
  assert.ok(inYear.length < rewards.length, 'the delegation is older than the year');
  assert.deepEqual(atomsOf(own, 'Staking rewards'), inYear.filter((atoms) => atoms > 0n).reverse());
});

it('the fills of an order are found by clicks, from a market and one of its trades', { skip }, async () => {
  await page.goto(`${server.url}/`);
  await click(page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Markets' }));
  await click(main().locator('tbody a').first());
  const market = page.url();
  const trades = await rowsOf('Trades, newest first');
  // An order with several fills that is not concluded: what it was paid is known.
  let fills: Awaited<ReturnType<typeof allRowsOf>> = [];
  for (const trade of trades) {
    await click(linkTo(trade.Transaction!.path!));
    await click(main().locator('a[href^="/order/"]').first());
    const isPaid = (await main().locator('dt:text-is("Paid in")').count()) > 0;
    fills = isPaid ? await allRowsOf('Fills, newest first') : [];
    if (fills.length > 1) break;
    await page.goto(market);
  }
  assert.ok(fills.length > 1, 'one of the trades is of an order with several');
  const [paid, taken] = [await amountNamed('Paid in'), await amountNamed('Paid out')];
  const ofTrade = Object.keys(trades[0]!)
    .filter((label) => trades[0]![label]!.atoms !== null)
    .slice(-2);
  const sums = ofTrade.map((label) => sum(atomsOf(fills, label)));
  assert.deepEqual(sums.sort(), [paid, taken].sort());
  const ofOrder = fills.map((fill) => fill.Transaction!.path);
  assert.ok(trades.some((trade) => ofOrder.includes(trade.Transaction!.path)));
});
