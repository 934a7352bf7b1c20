/** Every named query behind a list, at its first page and deep in it, and those for one thing, as the routes run them. */
import type pg from 'pg';
import {
  listPaidOutputs,
  listUtxosAsJson,
  type OutputSortKey,
  SPENDABLE_UTXO_LIST,
} from '../src/store/queries/addresses/address-outputs.ts';
import { getAddress, getAddressCounts } from '../src/store/queries/addresses/addresses.ts';
import { getBlockPage } from '../src/store/queries/blocks/block-lists.ts';
import {
  getBlock,
  getBlockIdAtHeight,
  getBlockLeaves,
  getBlockTransactionIds,
} from '../src/store/queries/blocks/blocks.ts';
import {
  listWatchedAddresses,
  listWatchedDelegations,
  listWatchedMarkets,
  listWatchedPools,
  listWatchedTokenChanges,
  listWatchedTokens,
} from '../src/store/queries/chain/watched-things.ts';
import { getOrder, OPEN_ORDER_LISTS, PAIR_ORDER_LIST } from '../src/store/queries/orders/orders.ts';
import { PRICE_LEVEL_LIST } from '../src/store/queries/orders/price-levels.ts';
import {
  ADDRESS_DELEGATION_LIST,
  getDelegation,
  POOL_DELEGATION_LIST,
} from '../src/store/queries/pools/delegations.ts';
import { getExpandedPool, SORTED_POOL_LISTS } from '../src/store/queries/pools/pool-lists.ts';
import { getPool } from '../src/store/queries/pools/pools.ts';
import { getStatistics } from '../src/store/queries/tokens/currency-statistics.ts';
import { HOLDER_BALANCE_LIST, HOLDER_LISTS } from '../src/store/queries/tokens/holders.ts';
import {
  AUTHORITY_TOKEN_LIST,
  getToken,
  getTokenSummary,
  listTokenDecimals,
  TICKER_LIST,
  TOKEN_ID_LIST,
} from '../src/store/queries/tokens/tokens.ts';
import {
  ADDRESS_TRANSACTION_BODY_LIST,
  ADDRESS_TRANSACTION_LIST,
  getTransaction,
  getTransactionOutput,
  getTransactionPosition,
  listNewestFees,
  TOKEN_TRANSACTION_BODY_LIST,
  TOKEN_TRANSACTION_LIST,
  TRANSACTION_LIST,
} from '../src/store/queries/transactions/transactions.ts';
import { extensionQueries } from './extension-queries.ts';
import { finderIn, firstPage, type ListedQuery, note, PAGE_ROWS, pages, single } from './listed-query.ts';
import { meshQueries } from './mesh-queries.ts';

/** `depth`: entries before the deep page. */
export async function listedQueries(client: pg.Client, transactions: number, depth: number): Promise<ListedQuery[]> {
  const finder = finderIn(client, depth);
  const { one, busiest, deepPages } = finder;
  const whale = await busiest('address_transactions', 'owner');
  const pool = await busiest('delegations', 'pool_id');
  const token = await busiest('token_transactions', 'token_id');
  const transaction = await one(
    `select tx_id as id from transactions where tx_index = ${Math.floor(transactions / 2)}`,
  );
  const block = await one(`select block_id as id from blocks where height = ${Math.floor(transactions / 6)}`);
  const delegation = await one('select delegation_id as id from delegations order by delegation_id limit 1');
  const order = await one('select order_id as id from orders order by order_id limit 1');
  const {
    rows: [output],
  } = await client.query<OutputSortKey>(
    `select height, position, output_index as "outputIndex" from outputs where owner = '\\x${whale}'
     order by height, position, output_index offset ${depth} limit 1`,
  );
  const spendable = { owner: whale, spendableOnly: true, refundWaitsForLock: true };
  const firstOutputs = { after: null, limit: PAGE_ROWS };

  return [
    single((store) => getBlock(store, { blockId: block, limit: null })),
    ...[block, 7].map((each) => single((store) => getBlockPage(store, { block: each, first: 0, pageSize: 25 }))),
    single((store) => getBlockTransactionIds(store, block)),
    single((store) => getBlockIdAtHeight(store, 7)),
    single((store) => getTransaction(store, transaction)),
    single((store) => getTransactionOutput(store, transaction, 0)),
    single((store) => getTransactionPosition(store, transaction)),
    single((store) => getBlockLeaves(store, block)),
    single((store) => getPool(store, pool)),
    single((store) => getExpandedPool(store, pool)),
    single((store) => getDelegation(store, delegation)),
    single((store) => getToken(store, token)),
    single((store) => getTokenSummary(store, token)),
    single((store) => getAddressCounts(store, whale)),
    single((store) => listTokenDecimals(store, [token])),
    single((store) => getOrder(store, order)),
    single((store) => getStatistics(store, token)),
    single((store) => listWatchedAddresses(store, [whale], [-1])),
    single((store) => listWatchedDelegations(store, [delegation], [-1])),
    single((store) => listWatchedPools(store, [pool], [-1])),
    single((store) => listWatchedTokens(store, [token], [-1])),
    single((store) => listWatchedMarkets(store, [token], [''], [-1])),
    single((store) => listWatchedTokenChanges(store, [whale], [-1], 4)),
    ...pages(TRANSACTION_LIST, {}, { txIndex: transactions - depth }),
    ...pages(TRANSACTION_LIST, { kind: 'order_fill' }, { txIndex: transactions - depth }),
    note('deep, by offset', (store) =>
      TRANSACTION_LIST.read(store, { after: null, skip: transactions - 100, limit: PAGE_ROWS }),
    ),
    ...(await deepPages(ADDRESS_TRANSACTION_LIST, { owner: whale })),
    ...(await deepPages(ADDRESS_TRANSACTION_BODY_LIST, { owner: whale })),
    ...(await deepPages(TOKEN_TRANSACTION_BODY_LIST, { tokenId: token })),
    firstPage((store) => listNewestFees(store, PAGE_ROWS)),
    ...(await deepPages(TOKEN_TRANSACTION_LIST, { tokenId: token })),
    ...(await deepPages(SPENDABLE_UTXO_LIST, { owner: whale, refundWaitsForLock: true })),
    firstPage((store) => listUtxosAsJson(store, { ...spendable, ...firstOutputs, withBlocks: false })),
    firstPage((store) => listUtxosAsJson(store, { ...spendable, ...firstOutputs, withBlocks: true })),
    firstPage((store) => listPaidOutputs(store, { owner: whale, ...firstOutputs })),
    note('deep, by cursor', (store) => listPaidOutputs(store, { owner: whale, after: output!, limit: PAGE_ROWS })),
    firstPage((store) => getAddress(store, { owner: whale, limit: 1_001 })),
    ...(await deepPages(ADDRESS_DELEGATION_LIST, { owner: whale })),
    ...(await deepPages(AUTHORITY_TOKEN_LIST, { owner: whale })),
    ...(await deepPages(SORTED_POOL_LISTS.by_height, {})),
    ...(await deepPages(SORTED_POOL_LISTS.by_pledge, {})),
    ...(await deepPages(POOL_DELEGATION_LIST, { poolId: pool })),
    ...(await deepPages(TOKEN_ID_LIST, {})),
    ...(await deepPages(TICKER_LIST, { fragment: 'a' })),
    ...(await deepPages(OPEN_ORDER_LISTS.by_height, {})),
    ...(await deepPages(OPEN_ORDER_LISTS.by_age, {})),
    // The index has the lower and the higher of the two currencies, not the columns.
    ...(await deepPages(PAIR_ORDER_LIST, { pair: ['', token] }, { fetchesSkipped: true })),
    ...(await deepPages(PRICE_LEVEL_LIST, { base: '', quote: token, side: 'buys', order: 'worst' })),
    ...(await deepPages(PRICE_LEVEL_LIST, { base: '', quote: token, side: 'buys', order: 'best' })),
    ...(await deepPages(HOLDER_LISTS.amount, { currency: token })),
    ...(await deepPages(HOLDER_LISTS.amount, { currency: '' })),
    ...(await deepPages(HOLDER_LISTS.total, { currency: token })),
    ...(await deepPages(HOLDER_LISTS.total, { currency: '' })),
    ...(await deepPages(HOLDER_BALANCE_LIST, { currency: token })),
    ...(await extensionQueries(finder)),
    ...(await meshQueries(finder, depth)),
  ];
}
