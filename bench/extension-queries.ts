/** The queries of lists and look-ups beyond the description, at their first pages and deep in them. */
import { INTERVALS } from '../src/chain/calendar.ts';
import type { Atoms, Id } from '../src/chain/types.ts';
import { listRefundable, OWNED_LIST } from '../src/store/queries/addresses/address-holdings.ts';
import type { OutputSortKey } from '../src/store/queries/addresses/address-outputs.ts';
import { type ChangeSortKey, HISTORY_LIST } from '../src/store/queries/addresses/balance-history.ts';
import { BALANCE_DAY_LIST } from '../src/store/queries/addresses/balance-series.ts';
import { getStatisticsAt, listBalancesAt } from '../src/store/queries/addresses/balances-at-height.ts';
import { ADDRESS_HTLC_LIST, SECRET_HASH_HTLC_LIST } from '../src/store/queries/addresses/htlcs.ts';
import { UNLOCK_LIST } from '../src/store/queries/addresses/unlocks.ts';
import { BLOCK_LIST, getBlockAtTime, POOL_BLOCK_LIST } from '../src/store/queries/blocks/block-lists.ts';
import { listBlockActors } from '../src/store/queries/blocks/blocks.ts';
import { getRangeBounds, rangeParameters, WHOLE_CHAIN } from '../src/store/queries/blocks/chain-points.ts';
import { REORGANISATION_LIST } from '../src/store/queries/blocks/reorganisations.ts';
import { listDayTotals } from '../src/store/queries/chain/day-totals.ts';
import { type SearchTerms, searchIndex, searchTokens } from '../src/store/queries/chain/search.ts';
import { readSeries } from '../src/store/queries/chain/series.ts';
import { CANDLE_LIST } from '../src/store/queries/orders/candles.ts';
import { type FillKey, ORDER_FILL_LIST, TRADE_LIST } from '../src/store/queries/orders/fills.ts';
import { MARKET_LIST, type MarketKey, marketList } from '../src/store/queries/orders/markets.ts';
import { ADDRESS_ORDER_LIST, listConcludeKeys } from '../src/store/queries/orders/orders.ts';
import { DELEGATION_MOVE_LIST } from '../src/store/queries/pools/delegations.ts';
import {
  ADDRESS_POOL_LIST,
  EXPANDED_POOL_LISTS,
  type PoolSort,
  SORTED_POOL_LISTS,
} from '../src/store/queries/pools/pool-lists.ts';
import {
  ALL_DAYS,
  DELEGATION_DAY_LIST,
  POOL_DAY_LIST,
  REWARD_SHARE_LIST,
} from '../src/store/queries/pools/staking-days.ts';
import { STAKING_INCOME_LIST } from '../src/store/queries/pools/staking-income.ts';
import {
  EXPANDED_TICKER_LIST,
  EXPANDED_TOKEN_LIST,
  SORTED_TOKEN_LISTS,
  type SortedTokenKey,
} from '../src/store/queries/tokens/expanded-token-lists.ts';
import { ADDRESS_NFT_LIST, NFT_LIST, NFT_OWNER_LIST } from '../src/store/queries/tokens/nft-lists.ts';
import { TOKEN_EVENT_LIST, type TokenEventKey } from '../src/store/queries/tokens/token-events.ts';
import { listOutspends } from '../src/store/queries/transactions/outspends.ts';
import { getStatementBounds, listStakesOfWallet, STATEMENT_LIST } from '../src/store/queries/wallets/statement.ts';
import {
  getTransactionRange,
  listWalletBalances,
  listWalletCreated,
  listWalletTransactions,
  listWalletUnlistedSpends,
  listWalletUtxos,
} from '../src/store/queries/wallets/wallet-changes.ts';
import { type Finder, type ListedQuery, PAGE_ROWS, pages, single } from './list-and-lookup-queries.ts';

const HOURS_OF_ALL = { since: null, below: null, points: 500 };

/** The number of results of a search. */
const SEARCHED = 20;

/** The sort expression of each order of pools. */
const MEMPOOL_ORDERS: Readonly<Record<PoolSort, string>> = {
  by_height: 'creation_height desc',
  by_pledge: 'staker_balance desc',
  by_stake: 'total_stake desc',
  by_blocks: 'blocks_month desc',
  by_margin: 'margin_ratio_per_thousand',
  by_apy: 'apy_rank desc',
};

/** `keyAt` gives the sort key of the entry before the deep page. */
export async function extensionQueries({ one, busiest, keyAt }: Finder): Promise<ListedQuery[]> {
  const maker = await busiest('blocks', 'pool_id');
  const wanderer = await busiest('nft_owners', 'token_id');
  const concluder = await busiest('orders', 'conclude_destination', 'not is_concluded');
  const decommissioner = await busiest('pools', 'decommission_destination');
  const collector = await busiest('nfts', 'owner', 'owner is not null');
  const saver = await busiest('utxos', 'owner', 'unlock_time is not null');
  const refunder = await busiest('utxos', 'refund_owner', 'refund_owner is not null');
  const secretHash = await busiest('outputs', 'secret_hash', 'secret_hash is not null');
  const spent = await one('select tx_id as id from transactions where tx_index = 1');

  const block = await keyAt<{ height: number }>('select height from blocks order by height desc');
  const made = await keyAt<{ height: number }>(
    `select height from blocks where pool_id = '\\x${maker}' order by height desc`,
  );
  const youngest = <Key extends object>(table: string, id: string, where: string) =>
    keyAt<Key & { height: number }>(
      `select creation_height as height, ${id} from ${table} where ${where} order by creation_height desc, 2`,
    );
  const nft = await youngest<{ tokenId: Id }>('nfts', 'token_id as "tokenId"', 'true');
  const ownNft = await youngest<{ tokenId: Id }>('nfts', 'token_id as "tokenId"', `owner = '\\x${collector}'`);
  const order = await youngest<{ orderId: Id }>(
    'orders',
    'order_id as "orderId"',
    `conclude_destination = '\\x${concluder}' and not is_concluded`,
  );
  const ownPool = await youngest<{ poolId: Id }>(
    'pools',
    'pool_id as "poolId"',
    `decommission_destination = '\\x${decommissioner}' and staker_balance > 0`,
  );
  const owner = await keyAt<{ txIndex: number }>(
    `select tx_index as "txIndex" from nft_owners where token_id = '\\x${wanderer}' order by tx_index desc`,
  );
  const newestOutput = (table: string, where: string) =>
    keyAt<OutputSortKey>(
      `select height, position, output_index as "outputIndex" from ${table} where ${where}
       order by height desc, position desc, output_index desc`,
    );
  const contract = await newestOutput('outputs', `secret_hash = '\\x${secretHash}'`);
  const refundable = await newestOutput('utxos', `refund_owner = '\\x${refunder}'`);
  const anchor = { height: 1_000_000, time: 1_800_000_000 };
  const unlock = await keyAt<{ opensAt: bigint } & OutputSortKey>(
    `select opens_at::numeric as "opensAt", height, position, output_index as "outputIndex"
     from (select unlock_time as opens_at, height, position, output_index from utxos
            where owner = '\\x${saver}' and unlock_time is not null
           union all
           select ${anchor.time} + (unlock_height - ${anchor.height}) * 120, height, position, output_index from utxos
            where owner = '\\x${saver}' and unlock_height is not null) as locked
     order by opens_at, height, position, output_index`,
  );
  const tokenId = await keyAt<{ tokenId: Id; isNft: boolean }>(
    'select token_id as "tokenId", false as "isNft" from tokens order by token_id',
  );
  const reorganisation = await keyAt<{ reorganisationId: number }>(
    'select reorganisation_id as "reorganisationId" from reorganisations order by reorganisation_id desc',
  );
  const firstBlock = await one('select block_id as id from blocks where height = 1');
  const wallet = await one(
    `select string_agg(encode(owner, 'hex'), ',') as id
     from (select owner from address_transactions group by owner order by count(*) desc, owner limit 2) most`,
  );
  const owners = wallet.split(',');
  const modest = await one('select owner as id from balances group by owner order by count(*), owner limit 1');
  const wholeBlock = { height: 1, position: 1_000 };
  const anyPoint = { height: 1_000_000, position: 0 };
  const trader = await busiest('balance_changes', 'owner');
  const mover = await busiest('balance_changes', 'owner', "currency > ''");
  const moved = await busiest('balance_changes', 'currency', `owner = '\\x${mover}' and currency > ''`);
  const changeAt = (where: string) =>
    keyAt<ChangeSortKey>(
      `select height, position + 1 as place, currency from balance_changes where ${where}
       order by height desc, position desc, currency desc`,
    );
  const change = await changeAt(`owner = '\\x${trader}'`);
  const coinChange = await changeAt(`owner = '\\x${trader}' and currency = ''`);
  const range = { from: { time: 1_700_000_000n }, to: { height: 2_000_000_000 } };
  const everything = { owner: trader, currency: null, kinds: [], directions: [], range: WHOLE_CHAIN };
  const inRangeOfTime = { ...everything, range };
  const [middle] = [await one('select (max(height) / 2)::text as id from blocks')].map(Number) as [number];
  const delegation = await busiest('delegation_days', 'delegation_id');
  const poolOfDays = await busiest('pool_days', 'pool_id');
  const middleDay = Number(await one('select ((min(day) + max(day)) / 2)::text as id from delegation_days'));
  // The newest day is that of the rows of the state.
  const newestDay = Number(await one('select max(changed_day)::text as id from delegations'));
  const sharer = await busiest('delegations', 'pool_id');
  const share = await keyAt<{ delegationId: Id }>(
    `select delegation_id as "delegationId" from delegations where pool_id = '\\x${sharer}' order by delegation_id`,
  );
  /** Returns the owner of the fewest stakes, one of them of this kind and with days: each page looks at every stake. */
  const modestStaker = (isPool: boolean) =>
    one(
      `select owner as id
       from (select spend_destination as owner, false as is_pool, delegation_id in (select delegation_id from delegation_days) as has_days
             from delegations
             union all
             select decommission_destination, true, pool_id in (select pool_id from pool_days) from pools) stakes
       group by owner having bool_or(has_days and is_pool = ${isPool}) order by count(*), owner limit 1`,
    );
  const incomeOf = (owner: string) =>
    pages(STAKING_INCOME_LIST, { owners: [owner], days: ALL_DAYS }, { day: middleDay, stakeId: delegation });
  const unstaked = await busiest(
    'balance_changes',
    'owner',
    'owner not in (select spend_destination from delegations union select decommission_destination from pools)',
  );
  const statementOf = (owners: readonly string[], currency: string | null) =>
    pages(STATEMENT_LIST, { owners, currency, days: ALL_DAYS }, { height: middle, place: 2, id: '' });
  const held = await keyAt<SortedTokenKey>(
    `select holders as value, currency as "tokenId" from statistics where holders > 1 and currency > '' order by holders desc, currency`,
  );
  const issued = await keyAt<SortedTokenKey>(
    `select creation_height as value, token_id as "tokenId" from tokens order by creation_height desc, token_id`,
  );
  const market = await keyAt<MarketKey>(
    `select last_height + 1 as newest, base, quote from markets order by last_height desc, base desc, quote desc`,
  );
  const base = await busiest('fills', 'base');
  const filledOrder = await busiest('fills', 'order_id');
  const filled = (where: string) =>
    keyAt<FillKey>(
      `select height, position, input_index as "inputIndex" from fills where ${where}
       order by height desc, position desc, input_index desc`,
    );
  const trade = await filled(`base = '\\x${base}'`);
  const fill = await filled(`order_id = '\\x${filledOrder}'`);
  const candle = await keyAt<{ start: bigint }>(
    `select start::numeric from candles where base = '\\x${base}' and hours = 1 order by start desc`,
  );
  const mintedToken = await busiest('token_events', 'token_id');
  const actedBlock = await one(
    `select b.block_id as id from transactions x join blocks b using (height) where actors is not null order by tx_index desc limit 1`,
  );
  const event = await keyAt<TokenEventKey>(
    `select height, position, event_index as "eventIndex" from token_events where token_id = '\\x${mintedToken}'
     order by height desc, position desc, event_index desc`,
  );
  const pools: ListedQuery[] = [];
  for (const sort of Object.keys(MEMPOOL_ORDERS) as PoolSort[]) {
    const column = MEMPOOL_ORDERS[sort].replace(' desc', '');
    const deep = await keyAt<{ sortKey: Atoms; poolId: Id }>(
      `select ${column}::numeric as "sortKey", pool_id as "poolId" from pools where staker_balance > 0
       order by ${MEMPOOL_ORDERS[sort]}, pool_id`,
    );
    pools.push(...pages(SORTED_POOL_LISTS[sort], {}, deep), ...pages(EXPANDED_POOL_LISTS[sort], {}, deep));
  }
  const searched = (terms: Partial<SearchTerms>): ListedQuery =>
    single((store) => searchIndex(store, { ...terms, limit: SEARCHED }));
  const inRange = (of: NonNullable<SearchTerms['ids']>['of'], id: string): ListedQuery =>
    searched({ ids: { of, first: id.slice(0, 6), last: id.slice(0, 6).padEnd(80, 'f') } });

  return [
    ...pages(BLOCK_LIST, {}, block),
    ...pages(POOL_BLOCK_LIST, { poolId: maker }, made),
    single((store) => getBlockAtTime(store, 1_700_000_000 + 120 * 500)),
    single((store) => listDayTotals(store, 30)),
    single((store) => listOutspends(store, { txId: spent, limit: 401 })),
    single((store) => listBlockActors(store, actedBlock)),
    single((store) => listConcludeKeys(store, [filledOrder])),
    ...pages(NFT_LIST, {}, nft),
    ...pages(NFT_LIST, { sort: 'by_age' }, nft),
    ...pages(ADDRESS_NFT_LIST, { owner: collector }, ownNft),
    ...pages(NFT_OWNER_LIST, { tokenId: wanderer }, owner),
    ...pages(ADDRESS_ORDER_LIST, { owner: concluder }, order),
    ...pages(ADDRESS_POOL_LIST, { owner: decommissioner }, ownPool),
    ...pools,
    ...pages(EXPANDED_TOKEN_LIST, {}, tokenId),
    ...pages(SORTED_TOKEN_LISTS.by_holders, {}, held),
    ...pages(SORTED_TOKEN_LISTS.by_height, {}, issued),
    ...pages(EXPANDED_TICKER_LIST, { fragment: 'a' }, tokenId),
    ...pages(SECRET_HASH_HTLC_LIST, { secretHash }, contract),
    ...pages(ADDRESS_HTLC_LIST, { owner: refunder }, refundable),
    ...pages(UNLOCK_LIST, { owner: saver }, { ...unlock, anchorHeight: anchor.height, anchorTime: anchor.time }),
    ...pages(REORGANISATION_LIST, {}, reorganisation),
    single((store) => getTransactionRange(store, 1, firstBlock)),
    single((store) => listWalletTransactions(store, owners, { after: 3, byteLimit: 100_000, limit: PAGE_ROWS })),
    single((store) => listWalletCreated(store, owners, wholeBlock, PAGE_ROWS)),
    single((store) => listWalletUnlistedSpends(store, owners, wholeBlock, PAGE_ROWS)),
    single((store) =>
      listWalletUtxos(store, owners, {
        from: { height: 1, position: 1, outputIndex: 0 },
        last: anyPoint,
        limit: PAGE_ROWS,
      }),
    ),
    single((store) => listWalletBalances(store, [modest], PAGE_ROWS)),
    single((store) => getRangeBounds(store, ...rangeParameters(range))),
    ...pages(HISTORY_LIST, everything, change),
    ...pages(HISTORY_LIST, inRangeOfTime, change),
    ...pages(HISTORY_LIST, { ...everything, currency: '' }, coinChange),
    ...pages(BALANCE_DAY_LIST, { owner: trader, currency: '', range: WHOLE_CHAIN }, { height: middle }),
    single((store) => listBalancesAt(store, trader, middle, null)),
    ...pages(DELEGATION_MOVE_LIST, { id: await busiest('delegation_transactions', 'delegation_id') }, { txIndex: 30 }),
    ...pages(DELEGATION_DAY_LIST, { id: delegation, days: ALL_DAYS }, { day: middleDay }),
    ...pages(POOL_DAY_LIST, { id: poolOfDays, days: ALL_DAYS }, { day: middleDay }),
    ...pages(REWARD_SHARE_LIST, { poolId: sharer, day: newestDay }, share),
    ...incomeOf(await modestStaker(false)),
    ...incomeOf(await modestStaker(true)),
    ...statementOf([unstaked], null),
    ...statementOf([unstaked], ''),
    ...statementOf([await modestStaker(false), await modestStaker(true)], ''),
    single((store) => listRefundable(store, [refunder])),
    ...pages(OWNED_LIST, { owners: [modest], refundable: new Map([['', 1n]]) }, { value: -1n, currency: '' }),
    single((store) => getStatementBounds(store, [modest], null, middleDay, newestDay)),
    single((store) => listStakesOfWallet(store, [modest], null)),
    ...INTERVALS.flatMap((interval) =>
      [HOURS_OF_ALL, { since: 480_000, below: 490_000, points: 500 }].map((hours) =>
        single((store) => readSeries(store, 'transactions', interval, hours)),
      ),
    ),
    single((store) => readSeries(store, 'active_addresses', 'month', HOURS_OF_ALL)),
    single((store) => getStatisticsAt(store, moved, middle, null)),
    single((store) => getStatisticsAt(store, '', null, 1_700_000_000n)),
    ...pages(TOKEN_EVENT_LIST, { tokenId: mintedToken }, event),
    ...pages(MARKET_LIST, {}, market),
    ...pages(marketList('by_volume'), {}, { rank: -1n, ...market }),
    ...pages(marketList('by_change'), {}, { rank: -1n, ...market }),
    ...pages(TRADE_LIST, { market: { base, quote: '' }, range: WHOLE_CHAIN }, trade),
    ...pages(TRADE_LIST, { market: { base, quote: '' }, range }, trade),
    ...pages(ORDER_FILL_LIST, { orderId: filledOrder }, fill),
    ...pages(CANDLE_LIST, { market: { base, quote: '' }, interval: 'hour', from: null, to: null }, candle),
    ...pages(
      CANDLE_LIST,
      { market: { base, quote: '' }, interval: 'hour', from: 1_700_000_000n, to: 1_900_000_000n },
      candle,
    ),
    searched({ height: 7 }),
    searched({ times: [1_700_000_000 + 120 * 500] }),
    searched({ periods: [{ from: 1_700_000_000, to: 1_700_000_000 + 120 * 500 }] }),
    searched({ text: 'a' }),
    searched({ text: 'tka' }),
    searched({ text: 'art' }),
    single((store) => searchTokens(store, 'art', 200)),
    inRange('block or transaction', spent),
    inRange('pool', maker),
    inRange('delegation', await one('select delegation_id as id from delegations limit 1')),
    inRange('token', wanderer),
    inRange('token', tokenId.tokenId),
    inRange('order', order.orderId),
    inRange('address', collector),
  ];
}
