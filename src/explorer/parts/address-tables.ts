/** Lists of what an address has or may use: balances, pools, orders, NFTs, tokens. */

import type { TokenLabels } from '../../api/present/token-label.ts';
import { metadataFromHex } from '../../chain/codec/nft.ts';
import { COIN } from '../../chain/currency.ts';
import { percentText } from '../../chain/decimal-text.ts';
import type { Id } from '../../chain/types.ts';
import type { BalanceRow } from '../../store/queries/addresses.ts';
import type { ListedNftRow } from '../../store/queries/nft-lists.ts';
import type { OrderRow } from '../../store/queries/orders.ts';
import type { PoolRow } from '../../store/queries/pools.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { AMOUNT_COLUMN, amount, exactAmount, fractionLength } from './amount.ts';
import { badge } from './badge.ts';
import { chainBytes } from './chain-text.ts';
import { currencyDecimals, currencyUnit } from './currency.ts';
import { heightLink, nftLink, orderLink, poolLink, tokenLink } from './ids.ts';
import type { OutputTableOptions } from './output-tables.ts';
import { coinColumn } from './pool-table.ts';
import { table } from './table.ts';
import { time } from './time.ts';

/** Each in its own unit. */
export function balanceTable(
  site: Site,
  labels: TokenLabels,
  rows: readonly BalanceRow[],
  options: OutputTableOptions,
): Html {
  const column = (atomsOf: (row: BalanceRow) => bigint): Html[] => {
    const amounts = rows.map((row) => exactAmount(atomsOf(row), currencyDecimals(site, labels, row.currency)));
    const fraction = fractionLength(amounts);
    return amounts.map((each) => amount(each, { fraction }));
  };
  const spendable = column((row) => row.amount);
  const locked = column((row) => row.locked);
  const all = column((row) => row.amount + row.locked);
  return table({
    ...options,
    isCaptionHidden: true,
    columns: [
      { label: 'Currency' },
      { label: 'Spendable', kind: AMOUNT_COLUMN },
      { label: 'Locked', kind: AMOUNT_COLUMN },
      { label: 'In all', kind: AMOUNT_COLUMN },
      { label: 'Id' },
    ],
    rows: rows.map(({ currency }, i) => [
      currencyUnit(site, labels, currency),
      spendable[i]!,
      locked[i]!,
      all[i]!,
      currency === COIN ? html`<span class="muted">the coin</span>` : currencyLink(site, labels, currency),
    ]),
  });
}

function currencyLink(site: Site, labels: TokenLabels, token: Id): Html {
  const isNft = labels.get(token)?.metadata !== null && labels.has(token);
  return isNft ? nftLink(site, token) : tokenLink(site, token);
}

/** Pools without what only the ranking knows. */
export function ownPoolTable(site: Site, pools: readonly PoolRow[], options: OutputTableOptions): Html {
  const coin = coinColumn(site);
  const stakes = coin(pools.map(({ staker_balance, delegations_balance }) => staker_balance + delegations_balance));
  const pledges = coin(pools.map(({ staker_balance }) => staker_balance));
  const costs = coin(pools.map(({ cost_per_block }) => cost_per_block));
  const { coinTicker } = site.network;
  return table({
    ...options,
    isCaptionHidden: true,
    columns: [
      { label: 'Pool' },
      { label: `Stake, ${coinTicker}`, kind: AMOUNT_COLUMN },
      { label: `Pledge and rewards, ${coinTicker}`, kind: AMOUNT_COLUMN },
      { label: 'Margin', kind: AMOUNT_COLUMN },
      { label: `Cost per block, ${coinTicker}`, kind: AMOUNT_COLUMN },
      { label: 'Since block', kind: AMOUNT_COLUMN },
    ],
    rows: pools.map((pool, i) => [
      poolLink(site, pool.pool_id),
      stakes[i]!,
      pledges[i]!,
      percentText(pool.margin_ratio_per_thousand),
      costs[i]!,
      heightLink(site, pool.creation_height),
    ]),
  });
}

/** Orders that the address may conclude. */
export function ownOrderTable(
  site: Site,
  labels: TokenLabels,
  orders: readonly OrderRow[],
  options: OutputTableOptions,
): Html {
  const give = (order: OrderRow, atoms: bigint) =>
    amount(exactAmount(atoms, order.give_decimals), { unit: currencyUnit(site, labels, order.give_currency) });
  const ask = (order: OrderRow, atoms: bigint) =>
    amount(exactAmount(atoms, order.ask_decimals), { unit: currencyUnit(site, labels, order.ask_currency) });
  return table({
    ...options,
    isCaptionHidden: true,
    columns: [
      { label: 'Order' },
      { label: 'State' },
      { label: 'Still gives', kind: AMOUNT_COLUMN },
      { label: 'Still asks', kind: AMOUNT_COLUMN },
      { label: 'Gave at first', kind: AMOUNT_COLUMN },
      { label: 'Asked at first', kind: AMOUNT_COLUMN },
      { label: 'Since block', kind: AMOUNT_COLUMN },
    ],
    rows: orders.map((order) => [
      orderLink(site, order.order_id),
      orderState(order),
      give(order, order.give_balance),
      ask(order, order.ask_balance),
      give(order, order.initially_given),
      ask(order, order.initially_asked),
      heightLink(site, order.creation_height),
    ]),
  });
}

function orderState({ is_frozen, ask_balance }: OrderRow): Html {
  if (is_frozen) return badge('frozen', 'warning');
  return ask_balance === 0n ? badge('filled') : badge('open', 'good');
}

export function ownNftTable(site: Site, nfts: readonly ListedNftRow[], options: OutputTableOptions): Html {
  return table({
    ...options,
    isCaptionHidden: true,
    columns: [
      { label: 'NFT' },
      { label: 'Name', kind: 'wide' },
      { label: 'Ticker' },
      { label: 'Issued in block', kind: AMOUNT_COLUMN },
      { label: 'Time' },
    ],
    rows: nfts.map((nft) => {
      const { name, ticker } = metadataFromHex(nft.metadata);
      return [
        nftLink(site, nft.token_id),
        chainBytes(name, { most: 60 }),
        chainBytes(ticker, { most: 24 }),
        heightLink(site, nft.creation_height),
        time(nft.creation_timestamp),
      ];
    }),
  });
}

/** Tokens that the address has authority over. */
export function ownTokenTable(
  site: Site,
  labels: TokenLabels,
  tokens: readonly Id[],
  options: OutputTableOptions,
): Html {
  return table({
    ...options,
    isCaptionHidden: true,
    columns: [{ label: 'Token' }, { label: 'Ticker' }, { label: 'Decimals', kind: AMOUNT_COLUMN }],
    rows: tokens.map((token) => [
      tokenLink(site, token),
      currencyUnit(site, labels, token),
      currencyDecimals(site, labels, token),
    ]),
  });
}
