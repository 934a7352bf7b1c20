/** Every named query behind a list, at its first page and deep in it, and those for one thing, as the routes run them. */
import type pg from 'pg';
import type { Atoms, Destination, Id } from '../src/chain/types.ts';
import {
  listPaidOutputs,
  listUtxosAsJson,
  type OutputSortKey,
  SPENDABLE_UTXO_LIST,
} from '../src/store/queries/addresses/address-outputs.ts';
import { getAddress, getAddressSummary } from '../src/store/queries/addresses/addresses.ts';
import { getBlockPage } from '../src/store/queries/blocks/block-lists.ts';
import {
  getBlock,
  getBlockIdAtHeight,
  getBlockLeaves,
  getBlockTransactionIds,
} from '../src/store/queries/blocks/blocks.ts';
import type { List } from '../src/store/queries/lists/define-list.ts';
import { ANCHOR_STEP } from '../src/store/queries/lists/keyset.ts';
import { getOrder, OPEN_ORDER_LISTS, PAIR_ORDER_LIST } from '../src/store/queries/orders/orders.ts';
import { PRICE_LEVEL_LIST } from '../src/store/queries/orders/price-levels.ts';
import {
  ADDRESS_DELEGATION_LIST,
  getDelegation,
  POOL_DELEGATION_LIST,
} from '../src/store/queries/pools/delegations.ts';
import { SORTED_POOL_LISTS } from '../src/store/queries/pools/pool-lists.ts';
import { getPool } from '../src/store/queries/pools/pools.ts';
import { HOLDER_BALANCE_LIST, HOLDER_LISTS } from '../src/store/queries/tokens/holders.ts';
import { getStatistics } from '../src/store/queries/tokens/statistics.ts';
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
import type { Query, QueryRunner, SqlValue } from '../src/store/read/query.ts';
import { extensionQueries } from './extension-queries.ts';

// biome-ignore lint/suspicious/noExplicitAny: queries of all kinds
type AnyQuery = Query<any, any>;

export interface ListedQuery {
  readonly query: AnyQuery;
  readonly place: 'one thing' | 'first page' | 'deep, by cursor' | 'deep, by offset' | 'offset anchors';
  readonly parameters: readonly SqlValue[];
  /** Are the entries between an anchor and the page read from the table, because the index has not all of its condition? */
  readonly fetchesSkipped?: boolean;
}

/** A page of ten, and one entry more to know whether there is a next page. */
export const PAGE_ROWS = 11;
/** The most entries between an anchor and the beginning of a page by offset. */
export const MAX_SKIP = ANCHOR_STEP - 1;

type Run = (store: QueryRunner) => Promise<unknown>;

/** Runs a named query against a store that only notes what it would run. */
function note(place: ListedQuery['place'], run: Run): ListedQuery {
  let noted: ListedQuery | undefined;
  const take = (query: AnyQuery, ...parameters: readonly SqlValue[]) => {
    noted = { query, place, parameters };
    return new Promise<never>(() => {});
  };
  void run({ query: take, queryLong: take });
  return noted!;
}

/**
 * Returns the statements of a list: its first page, a page after a key and, if it has deep offsets, an anchored page
 * with its anchors.
 */
export function pages<Selection, Key extends object>(
  { read, anchors }: Pick<List<Selection, Key, unknown>, 'read' | 'anchors'>,
  selection: Selection,
  deep: Key,
  { fetchesSkipped = false } = {},
): ListedQuery[] {
  const limit = PAGE_ROWS;
  const listed = [
    note('first page', (store) => read(store, { ...selection, after: null, limit })),
    note('deep, by cursor', (store) => read(store, { ...selection, after: deep, limit })),
  ];
  if (anchors !== undefined) {
    const skipping = note('deep, by offset', (store) =>
      read(store, { ...selection, after: deep, skip: MAX_SKIP, limit }),
    );
    listed.push(
      { ...skipping, fetchesSkipped },
      note('offset anchors', (store) => anchors.read(store, selection)),
    );
  }
  return listed;
}

export const single = (run: Run) => note('one thing', run);
const firstPage = (run: Run) => note('first page', run);

/** Finds what to ask a database for. */
export type Finder = ReturnType<typeof finderIn>;

function finderIn(client: pg.Client, depth: number) {
  const one = async (sql: string): Promise<string> => (await client.query<{ id: string }>(sql)).rows[0]!.id;
  return {
    one,
    /** The id with most rows. */
    busiest: (table: string, column: string, where = 'true') =>
      one(`select ${column} as id from ${table} where ${where} group by 1 order by count(*) desc, 1 limit 1`),
    /** The sort key at the depth. */
    async keyAt<Key extends object>(sql: string): Promise<Key> {
      const { rows } = await client.query<Key>(`${sql} offset ${depth} limit 1`);
      if (!rows[0]) throw new Error(`the database is too small: ${sql} has no entry ${depth}`);
      return rows[0];
    },
  };
}

/** `depth`: entries before the deep page. */
export async function listedQueries(client: pg.Client, transactions: number, depth: number): Promise<ListedQuery[]> {
  const finder = finderIn(client, depth);
  const { one, busiest, keyAt } = finder;
  const whale = await busiest('address_transactions', 'owner');
  const pool = await busiest('delegations', 'pool_id');
  const token = await busiest('token_transactions', 'token_id');
  const transaction = await one(
    `select tx_id as id from transactions where tx_index = ${Math.floor(transactions / 2)}`,
  );
  const block = await one(`select block_id as id from blocks where height = ${Math.floor(transactions / 6)}`);
  const poolByHeight = await keyAt<{ sortKey: number; poolId: Id }>(
    `select creation_height as "sortKey", pool_id as "poolId" from pools where staker_balance > 0
     order by creation_height desc, pool_id`,
  );
  const poolByPledge = await keyAt<{ sortKey: Atoms; poolId: Id }>(
    `select staker_balance as "sortKey", pool_id as "poolId" from pools where staker_balance > 0
     order by staker_balance desc, pool_id`,
  );
  const delegation = await keyAt<{ delegationId: Id }>(
    `select delegation_id as "delegationId" from delegations where pool_id = '\\x${pool}' order by delegation_id`,
  );
  const ownDelegation = await keyAt<{ delegationId: Id }>(
    `select delegation_id as "delegationId" from delegations where spend_destination = '\\x${whale}'
     order by delegation_id`,
  );
  const tokenId = await keyAt<{ tokenId: Id; isNft: boolean }>(
    'select token_id as "tokenId", false as "isNft" from tokens order by token_id',
  );
  const tokenTransaction = await keyAt<{ txIndex: number }>(
    `select tx_index as "txIndex" from token_transactions where token_id = '\\x${token}' order by tx_index desc`,
  );
  const addressTransaction = await keyAt<{ txIndex: number }>(
    `select tx_index as "txIndex" from address_transactions where owner = '\\x${whale}' order by tx_index desc`,
  );
  const outputKey = (table: string) =>
    keyAt<OutputSortKey>(
      `select height, position, output_index as "outputIndex" from ${table} where owner = '\\x${whale}'
       order by height, position, output_index`,
    );
  const [utxo, output] = [await outputKey('utxos'), await outputKey('outputs')];
  const order = await keyAt<{ height: number; orderId: Id }>(
    `select creation_height as height, order_id as "orderId" from orders where is_open
     order by creation_height desc, order_id`,
  );
  const holder = (currency: string) =>
    keyAt<{ amount: Atoms; owner: Destination }>(
      `select amount, owner from balances where currency = '\\x${currency}' and amount > 0 order by amount desc, owner`,
    );
  const price = await keyAt<{ price: Atoms }>(
    `select price from price_levels where ask_currency = '' and give_currency = '\\x${token}' order by price`,
  );
  const [tokenHolder, coinHolder] = [await holder(token), await holder('')];
  const spendable = { owner: whale, spendableOnly: true, refundWaitsForLock: true };
  const firstOutputs = { after: null, limit: PAGE_ROWS };

  return [
    single((store) => getBlock(store, { blockId: block, limit: null })),
    ...[block, 7].map((each) => single((store) => getBlockPage(store, { block: each, first: 0, pageSize: 25 }))),
    single((store) => getBlockTransactionIds(store, block)),
    single((store) => getBlockIdAtHeight(store, 7)),
    single((store) => getTransaction(store, transaction)),
    single((store) => getTransactionOutput(store, { txId: transaction, outputIndex: 0 })),
    single((store) => getTransactionPosition(store, transaction)),
    single((store) => getBlockLeaves(store, block)),
    single((store) => getPool(store, pool)),
    single((store) => getDelegation(store, delegation.delegationId)),
    single((store) => getToken(store, token)),
    single((store) => getTokenSummary(store, token)),
    single((store) => getAddressSummary(store, whale)),
    single((store) => listTokenDecimals(store, [token])),
    single((store) => getOrder(store, order.orderId)),
    single((store) => getStatistics(store, token)),
    ...pages(TRANSACTION_LIST, {}, { txIndex: transactions - depth }),
    ...pages(TRANSACTION_LIST, { kind: 'order_fill' }, { txIndex: transactions - depth }),
    note('deep, by offset', (store) =>
      TRANSACTION_LIST.read(store, { after: null, skip: transactions - 100, limit: PAGE_ROWS }),
    ),
    ...pages(ADDRESS_TRANSACTION_LIST, { owner: whale }, addressTransaction),
    ...pages(ADDRESS_TRANSACTION_BODY_LIST, { owner: whale }, addressTransaction),
    ...pages(TOKEN_TRANSACTION_BODY_LIST, { tokenId: token }, tokenTransaction),
    firstPage((store) => listNewestFees(store, PAGE_ROWS)),
    ...pages(TOKEN_TRANSACTION_LIST, { tokenId: token }, tokenTransaction),
    ...pages(SPENDABLE_UTXO_LIST, { owner: whale, refundWaitsForLock: true }, utxo),
    firstPage((store) => listUtxosAsJson(store, { ...spendable, ...firstOutputs, withBlocks: false })),
    firstPage((store) => listUtxosAsJson(store, { ...spendable, ...firstOutputs, withBlocks: true })),
    firstPage((store) => listPaidOutputs(store, { owner: whale, ...firstOutputs })),
    note('deep, by cursor', (store) => listPaidOutputs(store, { owner: whale, after: output, limit: PAGE_ROWS })),
    firstPage((store) => getAddress(store, { owner: whale, limit: 1_001 })),
    ...pages(ADDRESS_DELEGATION_LIST, { owner: whale }, ownDelegation),
    ...pages(AUTHORITY_TOKEN_LIST, { owner: whale }, tokenId),
    ...pages(SORTED_POOL_LISTS.by_height, {}, poolByHeight),
    ...pages(SORTED_POOL_LISTS.by_pledge, {}, poolByPledge),
    ...pages(POOL_DELEGATION_LIST, { poolId: pool }, delegation),
    ...pages(TOKEN_ID_LIST, {}, tokenId),
    ...pages(TICKER_LIST, { fragment: 'a' }, tokenId),
    ...pages(OPEN_ORDER_LISTS.by_height, {}, order),
    ...pages(OPEN_ORDER_LISTS.by_age, {}, order),
    // The index has the lower and the higher of the two currencies, not the columns.
    ...pages(PAIR_ORDER_LIST, { pair: ['', token] }, order, { fetchesSkipped: true }),
    ...(['worst', 'best'] as const).flatMap((each) =>
      pages(PRICE_LEVEL_LIST, { base: '', quote: token, side: 'ask', order: each }, price),
    ),
    ...(['amount', 'total'] as const).flatMap((sort) => [
      ...pages(HOLDER_LISTS[sort], { currency: token }, tokenHolder),
      ...pages(HOLDER_LISTS[sort], { currency: '' }, coinHolder),
    ]),
    ...pages(HOLDER_BALANCE_LIST, { currency: token }, tokenHolder),
    ...(await extensionQueries(finder)),
  ];
}
