/** The queries of lists and look-ups beyond the description, at their first pages and deep in them. */
import { INTERVALS } from '../src/chain/calendar.ts';
import { HISTORY_LIST } from '../src/store/queries/addresses/balance-history.ts';
import { BALANCE_DAY_LIST } from '../src/store/queries/addresses/balance-series.ts';
import { getStatisticsAt, listBalancesAt } from '../src/store/queries/addresses/balances-at-height.ts';
import { ADDRESS_HTLC_LIST, SECRET_HASH_HTLC_LIST } from '../src/store/queries/addresses/htlcs.ts';
import { OWNED_LIST } from '../src/store/queries/addresses/owned-coins-and-tokens.ts';
import { UNLOCK_LIST } from '../src/store/queries/addresses/unlocks.ts';
import { BLOCK_LIST, getBlockAtTime, POOL_BLOCK_LIST } from '../src/store/queries/blocks/block-lists.ts';
import { listBlockActors } from '../src/store/queries/blocks/blocks.ts';
import { getRangeBounds, rangeParameters, WHOLE_CHAIN } from '../src/store/queries/blocks/chain-points.ts';
import { getDeepestReorganisation, REORGANISATION_LIST } from '../src/store/queries/blocks/reorganisations.ts';
import { listChainDaysAgo } from '../src/store/queries/chain/chain-days-ago.ts';
import { MAX_COMPARED_TOKENS, type SearchTerms, searchIndex, searchTokens } from '../src/store/queries/chain/search.ts';
import { readSeries } from '../src/store/queries/chain/series.ts';
import { CANDLE_LIST } from '../src/store/queries/orders/candles.ts';
import { ORDER_FILL_LIST, TRADE_LIST } from '../src/store/queries/orders/fills.ts';
import { MARKET_LIST, marketList } from '../src/store/queries/orders/markets.ts';
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
} from '../src/store/queries/tokens/expanded-token-lists.ts';
import { ADDRESS_NFT_LIST, NFT_LIST, NFT_OWNER_LIST } from '../src/store/queries/tokens/nft-lists.ts';
import { TOKEN_EVENT_LIST } from '../src/store/queries/tokens/token-events.ts';
import { listOutspends } from '../src/store/queries/transactions/outspends.ts';
import { getStatementBounds, listStakesOfWallet, STATEMENT_LIST } from '../src/store/queries/wallets/statement.ts';
import {
  getTransactionRange,
  listWalletBalances,
  listWalletCreatedOutputs,
  listWalletTransactions,
  listWalletUnlistedSpends,
  listWalletUtxos,
} from '../src/store/queries/wallets/wallet-changes.ts';
import { type Finder, type ListedQuery, PAGE_ROWS, pages, single } from './listed-query.ts';

const HOURS_OF_ALL = { since: null, below: null, points: 500 };

/** The number of results of a search. */
const SEARCHED = 20;
/** Any will do. */
const DEPTH = 10n ** 14n;

export async function extensionQueries({ one, busiest, deepKey, deepPages }: Finder): Promise<ListedQuery[]> {
  const maker = await busiest('blocks', 'pool_id');
  const wanderer = await busiest('nft_owners', 'token_id');
  const concluder = await busiest('orders', 'conclude_destination', 'not is_concluded');
  const decommissioner = await busiest('pools', 'decommission_destination');
  const collector = await busiest('nfts', 'owner', 'owner is not null');
  const saver = await busiest('utxos', 'owner', 'unlock_time is not null');
  const refunder = await busiest('utxos', 'refund_owner', 'refund_owner is not null');
  const secretHash = await busiest('outputs', 'secret_hash', 'secret_hash is not null');
  const spent = await one('select tx_id as id from transactions where tx_index = 1');

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
  const range = { from: { time: 1_700_000_000n }, to: { height: 2_000_000_000 } };
  const everything = { owner: trader, currency: null, kinds: [], directions: [], range: WHOLE_CHAIN };
  const [middle] = [await one('select (max(height) / 2)::text as id from blocks')].map(Number) as [number];
  const delegation = await busiest('delegation_days', 'delegation_id');
  const poolOfDays = await busiest('pool_days', 'pool_id');
  const middleDay = Number(await one('select ((min(day) + max(day)) / 2)::text as id from delegation_days'));
  // The newest day is that of the rows of the state.
  const newestDay = Number(await one('select max(changed_day)::text as id from delegations'));
  const sharer = await busiest('delegations', 'pool_id');
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
  const base = await busiest('fills', 'base');
  const market = { base, quote: '' };
  const trades = { market, range: WHOLE_CHAIN };
  const candles = { market, interval: 'hour', from: null, to: null } as const;
  const filledOrder = await busiest('fills', 'order_id');
  const mintedToken = await busiest('token_events', 'token_id');
  const actedBlock = await one(
    `select b.block_id as id from transactions x join blocks b using (height) where actors is not null order by tx_index desc limit 1`,
  );
  const pools: ListedQuery[] = [];
  for (const sort of Object.keys(SORTED_POOL_LISTS) as PoolSort[]) {
    pools.push(...(await deepPages(SORTED_POOL_LISTS[sort], {})), ...(await deepPages(EXPANDED_POOL_LISTS[sort], {})));
  }
  const searched = (terms: Partial<SearchTerms>): ListedQuery =>
    single((store) => searchIndex(store, { ...terms, limit: SEARCHED }));
  const inRange = (of: NonNullable<SearchTerms['ids']>['of'], id: string): ListedQuery =>
    searched({ ids: { of, first: id.slice(0, 6), last: id.slice(0, 6).padEnd(80, 'f') } });

  return [
    ...(await deepPages(BLOCK_LIST, {})),
    ...(await deepPages(POOL_BLOCK_LIST, { poolId: maker })),
    single((store) => getBlockAtTime(store, 1_700_000_000 + 120 * 500)),
    single((store) => listChainDaysAgo(store, 30)),
    single((store) => listOutspends(store, { txId: spent, limit: 401 })),
    single((store) => listBlockActors(store, actedBlock)),
    single((store) => listConcludeKeys(store, [filledOrder])),
    ...(await deepPages(NFT_LIST, {})),
    ...(await deepPages(NFT_LIST, { sort: 'by_age' })),
    ...(await deepPages(ADDRESS_NFT_LIST, { owner: collector })),
    ...(await deepPages(NFT_OWNER_LIST, { tokenId: wanderer })),
    ...(await deepPages(ADDRESS_ORDER_LIST, { owner: concluder })),
    ...(await deepPages(ADDRESS_POOL_LIST, { owner: decommissioner })),
    ...pools,
    ...(await deepPages(EXPANDED_TOKEN_LIST, {})),
    ...(await deepPages(SORTED_TOKEN_LISTS.by_holders, {})),
    ...(await deepPages(SORTED_TOKEN_LISTS.by_height, {})),
    ...(await deepPages(SORTED_TOKEN_LISTS.frozen, {})),
    ...(await deepPages(SORTED_TOKEN_LISTS.locked, {})),
    ...(await deepPages(EXPANDED_TICKER_LIST, { fragment: 'a' })),
    ...(await deepPages(SECRET_HASH_HTLC_LIST, { secretHash })),
    ...(await deepPages(ADDRESS_HTLC_LIST, { owner: refunder })),
    ...(await deepPages(UNLOCK_LIST, { owner: saver })),
    ...(await deepPages(REORGANISATION_LIST, {})),
    single((store) => getDeepestReorganisation(store)),
    single((store) => getTransactionRange(store, 1, firstBlock)),
    single((store) => listWalletTransactions(store, owners, 3, 100_000, PAGE_ROWS)),
    single((store) => listWalletCreatedOutputs(store, owners, wholeBlock, PAGE_ROWS)),
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
    ...(await deepPages(HISTORY_LIST, everything)),
    ...pages(HISTORY_LIST, { ...everything, range }, await deepKey(HISTORY_LIST, everything)),
    ...(await deepPages(HISTORY_LIST, { ...everything, currency: '' })),
    ...pages(BALANCE_DAY_LIST, { owner: trader, currency: '', range: WHOLE_CHAIN }, { height: middle }),
    single((store) => listBalancesAt(store, trader, middle, null)),
    ...pages(DELEGATION_MOVE_LIST, { id: await busiest('delegation_transactions', 'delegation_id') }, { txIndex: 30 }),
    ...pages(DELEGATION_DAY_LIST, { id: delegation, days: ALL_DAYS }, { day: middleDay }),
    ...pages(POOL_DAY_LIST, { id: poolOfDays, days: ALL_DAYS }, { day: middleDay }),
    ...(await deepPages(REWARD_SHARE_LIST, { poolId: sharer, day: newestDay })),
    ...incomeOf(await modestStaker(false)),
    ...incomeOf(await modestStaker(true)),
    ...statementOf([unstaked], null),
    ...statementOf([unstaked], ''),
    ...statementOf([await modestStaker(false), await modestStaker(true)], ''),
    ...pages(OWNED_LIST, { owners: [modest], leastDepth: DEPTH }, { value: -1n, currency: '' }),
    // One with many outputs, of which some are HTLCs.
    single((store) => OWNED_LIST.read(store, { owners: [refunder], leastDepth: DEPTH, after: null, limit: PAGE_ROWS })),
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
    ...(await deepPages(TOKEN_EVENT_LIST, { tokenId: mintedToken })),
    ...(await deepPages(TOKEN_EVENT_LIST, { tokenId: mintedToken, kind: 'mint' })),
    ...pages(
      TOKEN_EVENT_LIST,
      { tokenId: mintedToken, kind: 'freeze' },
      { height: 30_000, position: 0, eventIndex: 0 },
    ),
    ...(await deepPages(MARKET_LIST, {})),
    ...(await deepPages(marketList('by_volume'), { leastDepth: DEPTH })),
    ...(await deepPages(marketList('by_change'), { leastDepth: DEPTH })),
    ...(await deepPages(TRADE_LIST, trades)),
    ...pages(TRADE_LIST, { ...trades, range }, await deepKey(TRADE_LIST, trades)),
    ...(await deepPages(ORDER_FILL_LIST, { orderId: filledOrder })),
    ...(await deepPages(CANDLE_LIST, candles)),
    ...pages(
      CANDLE_LIST,
      { ...candles, from: 1_700_000_000n, to: 1_900_000_000n },
      await deepKey(CANDLE_LIST, candles),
    ),
    searched({ height: 7 }),
    searched({ times: [1_700_000_000 + 120 * 500] }),
    searched({ periods: [{ from: 1_700_000_000, to: 1_700_000_000 + 120 * 500 }] }),
    ...['a', 'tka', 'art'].map((text) => single((store) => searchTokens(store, text, MAX_COMPARED_TOKENS))),
    inRange('block or transaction', spent),
    inRange('pool', maker),
    inRange('delegation', await one('select delegation_id as id from delegations limit 1')),
    inRange('token', wanderer),
    inRange('token', mintedToken),
    inRange('order', filledOrder),
    inRange('address', collector),
  ];
}
