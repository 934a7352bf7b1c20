/** Lists of pools. */
import { decimalText, percentText } from '../../chain/decimal-text.ts';
import type { Atoms } from '../../chain/types.ts';
import type { ExpandedPoolRow, PoolSort } from '../../store/queries/pool-lists.ts';
import { Attributes, type Html, html, type Url } from '../html.ts';
import type { Site } from '../site.ts';
import { AMOUNT_COLUMN, amount, type ExactAmount, exactAmount, fractionLength } from './amount.ts';
import { heightLink, poolLink } from './ids.ts';
import { apyText, expectedBlocksText, rewardsOf, stakeShareText } from './pool-facts.ts';
import { type Column, table } from './table.ts';

/** How a list of pools is sorted, and the links to its other orders. */
export interface PoolOrder {
  readonly sort: PoolSort;
  readonly link: (sort: PoolSort) => Url;
}

interface PoolTableOptions {
  readonly caption: string;
  readonly order: PoolOrder;
  /** Shows what so many atoms would have got in a year. */
  readonly coins: Atoms | null;
}

/** Living pools with all that is known of them. */
export function poolTable(
  site: Site,
  pools: readonly ExpandedPoolRow[],
  { caption, order, coins }: PoolTableOptions,
): Html {
  const { coinDecimals, coinTicker } = site.network;
  const coin = coinColumn(site);
  const stakes = coin(pools.map(({ total_stake }) => total_stake));
  const pledges = coin(pools.map(({ staker_balance }) => staker_balance));
  const costs = coin(pools.map(({ cost_per_block }) => cost_per_block));
  const effective = coin(pools.map(({ effective_stake }) => effective_stake));
  const rewards = coins === null ? null : coin(pools.map((pool) => rewardsOf(pool, coins)?.ofYear ?? null));
  const expected = aligned(pools.map(expectedBlocksText));
  const head = (label: string, sort: PoolSort, kind?: Column['kind']): Column => ({
    label: html`<a href="${order.link(sort)}">${label}</a>`,
    kind,
    sorted: order.sort !== sort ? undefined : sort === 'by_margin' ? 'ascending' : 'descending',
  });
  const plain = (label: string): Column => ({ label, kind: AMOUNT_COLUMN });
  return table({
    caption,
    id: 'pools',
    columns: [
      { label: 'Pool' },
      head('Yearly rate', 'by_apy', AMOUNT_COLUMN),
      ...(coins === null ? [] : [plain(`${decimalText(coins, coinDecimals)} ${coinTicker} in a year`)]),
      head(`Stake, ${coinTicker}`, 'by_stake', AMOUNT_COLUMN),
      plain('Share'),
      head(`Pledge, ${coinTicker}`, 'by_pledge', AMOUNT_COLUMN),
      head('Margin', 'by_margin', AMOUNT_COLUMN),
      plain(`Cost per block, ${coinTicker}`),
      plain('Delegations'),
      head('Blocks, 30 days', 'by_blocks', AMOUNT_COLUMN),
      plain('Expected'),
      plain(`Effective stake, ${coinTicker}`),
      head('Since block', 'by_height', AMOUNT_COLUMN),
    ],
    rows: pools.map((pool, i) => [
      poolLink(site, pool.pool_id),
      apyText(pool),
      ...(rewards === null ? [] : [rewards[i]!]),
      stakes[i]!,
      stakeShareText(pool),
      pledges[i]!,
      percentText(pool.margin_ratio_per_thousand),
      costs[i]!,
      pool.delegation_count,
      pool.blocks_month,
      expected[i]!,
      effective[i]!,
      heightLink(site, pool.creation_height),
    ]),
    empty: 'There are no living pools: nobody stakes.',
  });
}

/** The form that asks what so many coins would get. `sort` and the like stay as they are. */
export function coinsForm(
  site: Site,
  path: string,
  { coinsText, sort }: { readonly coinsText: string; readonly sort?: string | undefined },
): Html {
  return html`<form class="coins" action="${site.href(path)}" method="get">${
    sort !== undefined && html`<input type="hidden" name="sort" value="${sort}">`
  }<label for="coins">What would I get for</label> <input id="coins" name="coins" value="${coinsText}" inputmode="decimal" size="9" maxlength="30" autocomplete="off" placeholder="1000"> <span>${site.network.coinTicker}?</span> <button type="submit">Show</button></form>`;
}

/** Amounts of the coin below each other, aligned at the point; null is a dash. */
export function coinColumn({ network }: Site): (amounts: readonly (Atoms | null)[]) => Html[] {
  return (amounts) => {
    const exact = amounts.map((atoms) => (atoms === null ? null : exactAmount(atoms, network.coinDecimals)));
    const fraction = fractionLength(exact.filter((each): each is ExactAmount => each !== null));
    return exact.map((each) => (each === null ? html`<span class="muted">–</span>` : amount(each, { fraction })));
  };
}

/** Decimal numbers below each other, aligned at the point. */
function aligned(texts: readonly string[]): Html[] {
  const parts = texts.map((text) => text.split('.') as [whole: string, fraction?: string]);
  const longest = Math.max(0, ...parts.map(([, fraction = '']) => fraction.length));
  return parts.map(([whole, fraction]) => {
    const room = Attributes.of({ class: `f${longest}` });
    return html`<span class="amount">${whole}<span${room}>${fraction === undefined ? '' : `.${fraction}`}</span></span>`;
  });
}
