/** Every question behind a list, at its first page and deep in it, and those for one thing, as the routes ask them. */
import type pg from 'pg';
import { ADDRESS, TOKENS_OF_AUTHORITY } from '../src/store/queries/addresses.ts';
import { BLOCK, BLOCK_LEAVES, BLOCK_TRANSACTION_IDS } from '../src/store/queries/blocks.ts';
import { BLOCK_ID_AT_HEIGHT } from '../src/store/queries/chain.ts';
import { DELEGATION, DELEGATIONS_OF_ADDRESS, DELEGATIONS_OF_POOL } from '../src/store/queries/delegations.ts';
import { HOLDERS_BY_AMOUNT, HOLDERS_BY_TOTAL } from '../src/store/queries/holders.ts';
import {
  ANCHOR_STEP,
  type AnchorQuery,
  OPEN_ORDER_ANCHORS,
  PAIR_ORDER_ANCHORS,
  POOL_DELEGATION_ANCHORS,
  POOLS_BY_HEIGHT_ANCHORS,
  POOLS_BY_PLEDGE_ANCHORS,
  TICKER_ANCHORS,
  TOKEN_ANCHORS,
  TOKEN_TRANSACTION_ANCHORS,
} from '../src/store/queries/offset-anchors.ts';
import { OPEN_ORDERS, OPEN_ORDERS_OF_PAIR, ORDER } from '../src/store/queries/orders.ts';
import { POOL, POOLS_BY_HEIGHT, POOLS_BY_PLEDGE } from '../src/store/queries/pools.ts';
import { PRICE_LEVELS_DOWNWARDS, PRICE_LEVELS_UPWARDS } from '../src/store/queries/price-levels.ts';
import { STATISTICS } from '../src/store/queries/statistics.ts';
import { TOKEN, TOKEN_DECIMALS, TOKEN_IDS, TOKEN_IDS_BY_TICKER } from '../src/store/queries/tokens.ts';
import {
  ADDRESS_TRANSACTIONS_BELOW,
  TOKEN_TRANSACTIONS_BELOW,
  TRANSACTION,
  TRANSACTION_OUTPUT,
  TRANSACTION_PLACE,
  TRANSACTIONS_BELOW,
} from '../src/store/queries/transactions.ts';
import { OUTPUTS, UTXO_LIST, UTXO_LIST_WITH_BLOCKS, UTXOS } from '../src/store/queries/utxos.ts';
import type { BatchedQuery, Parameter } from '../src/store/read/batched-query.ts';

// biome-ignore lint/suspicious/noExplicitAny: questions of all kinds
type AnyQuestion = BatchedQuery<any, any>;

export interface ListedQuestion {
  readonly question: AnyQuestion;
  readonly place: 'one thing' | 'first page' | 'deep, by cursor' | 'deep, by offset' | 'milestones';
  readonly parameters: readonly Parameter[];
}

type OutputPlace = [height: number, position: number, outputIndex: number];

/** A page of ten, and one entry more to know whether there is a next page. */
export const PAGE_ROWS = 11;
const ABOVE_ALL = 0x7fff_ffff;
/** A page by offset begins at most so many entries after a milestone. */
const FURTHEST = ANCHOR_STEP - 1;

/** `depth`: entries before the deep page. */
export async function listedQuestions(
  client: pg.Client,
  transactions: number,
  depth: number,
): Promise<ListedQuestion[]> {
  const place = async <Key extends Parameter[]>(sql: string): Promise<Key> => {
    const { rows } = await client.query<Key>({ text: `${sql} offset ${depth} limit 1`, rowMode: 'array' });
    if (!rows[0]) throw new Error(`the database is too small: ${sql} has no entry ${depth}`);
    return rows[0];
  };
  const one = async (sql: string): Promise<string> => (await client.query<{ id: string }>(sql)).rows[0]!.id;
  const busiest = (table: string, column: string) =>
    one(`select ${column} as id from ${table} group by 1 order by count(*) desc, 1 limit 1`);

  const whale = await busiest('address_transactions', 'owner');
  const pool = await busiest('delegations', 'pool_id');
  const token = await busiest('token_transactions', 'token_id');
  const top = Number.MAX_SAFE_INTEGER;
  const items = PAGE_ROWS;
  const all = <P extends readonly Parameter[], Row>(
    question: BatchedQuery<P, Row>,
    first: P,
    deep: { readonly cursor?: P; readonly offset?: P } = {},
  ): ListedQuestion[] => [
    { question, place: 'first page', parameters: first },
    ...(deep.cursor ? [{ question, place: 'deep, by cursor' as const, parameters: deep.cursor }] : []),
    ...(deep.offset ? [{ question, place: 'deep, by offset' as const, parameters: deep.offset }] : []),
  ];
  const milestones = <P extends readonly Parameter[]>(question: AnchorQuery<P>, ...parameters: P): ListedQuestion => ({
    question,
    place: 'milestones',
    parameters,
  });

  const single = <P extends readonly Parameter[], Row>(
    question: BatchedQuery<P, Row>,
    ...parameters: P
  ): ListedQuestion => ({
    question,
    place: 'one thing',
    parameters,
  });

  const transaction = await one(
    `select tx_id as id from transactions where tx_index = ${Math.floor(transactions / 2)}`,
  );
  const block = await one(`select block_id as id from blocks where height = ${Math.floor(transactions / 6)}`);
  const poolByHeight = await place<[number, string]>(
    'select creation_height, pool_id from pools where staker_balance > 0 order by creation_height desc, pool_id',
  );
  const poolByPledge = await place<[bigint, string]>(
    'select staker_balance, pool_id from pools where staker_balance > 0 order by staker_balance desc, pool_id',
  );
  const delegation = await place<[string]>(
    `select delegation_id from delegations where pool_id = '\\x${pool}' order by delegation_id`,
  );
  const ownDelegation = await place<[string]>(
    `select delegation_id from delegations where spend_destination = '\\x${whale}' order by delegation_id`,
  );
  const tokenId = await place<[string]>('select token_id from tokens order by token_id');
  const tokenTransaction = await place<[number]>(
    `select tx_index from token_transactions where token_id = '\\x${token}' order by tx_index desc`,
  );
  const addressTransaction = await place<[number]>(
    `select tx_index from address_transactions where owner = '\\x${whale}' order by tx_index desc`,
  );
  const utxo = await place<OutputPlace>(
    `select height, position, output_index from utxos where owner = '\\x${whale}' order by height, position, output_index`,
  );
  const output = await place<OutputPlace>(
    `select height, position, output_index from outputs where owner = '\\x${whale}' order by height, position, output_index`,
  );
  const order = await place<[number, string]>(
    'select creation_height, order_id from orders where is_open order by creation_height desc, order_id',
  );
  const holder = (currency: string) =>
    place<[bigint, string]>(
      `select amount, owner from balances where currency = '\\x${currency}' and amount > 0 order by amount desc, owner`,
    );
  const [price] = await place<[bigint]>(
    `select price from price_levels where ask_currency = '' and give_currency = '\\x${token}' order by price`,
  );
  const [tokenHolder, coinHolder] = [await holder(token), await holder('')];
  const before: OutputPlace = [-1, -1, -1];

  return [
    single(BLOCK, block, null),
    single(BLOCK_TRANSACTION_IDS, block),
    single(BLOCK_ID_AT_HEIGHT, 7),
    single(TRANSACTION, transaction),
    single(TRANSACTION_OUTPUT, transaction, 0),
    single(TRANSACTION_PLACE, transaction),
    single(BLOCK_LEAVES, block),
    single(POOL, pool),
    single(DELEGATION, delegation[0]),
    single(TOKEN, token),
    single(TOKEN_DECIMALS, token),
    single(ORDER, order[1]),
    single(STATISTICS, token),
    ...all(TRANSACTIONS_BELOW, [null, 0, items], {
      cursor: [transactions - depth, 0, items],
      offset: [null, transactions - 100, items],
    }),
    ...all(ADDRESS_TRANSACTIONS_BELOW, [whale, top, items], { cursor: [whale, ...addressTransaction, items] }),
    ...all(TOKEN_TRANSACTIONS_BELOW, [token, top, 0, items], {
      cursor: [token, ...tokenTransaction, 0, items],
      offset: [token, ...tokenTransaction, FURTHEST, items],
    }),
    ...all(UTXOS, [whale, true, true, ...before, items], { cursor: [whale, true, true, ...utxo, items] }),
    ...all(UTXO_LIST, [whale, true, true, ...before, items]),
    ...all(UTXO_LIST_WITH_BLOCKS, [whale, true, true, ...before, items]),
    ...all(OUTPUTS, [whale, ...before, items], { cursor: [whale, ...output, items] }),
    ...all(ADDRESS, [whale, 1_001]),
    ...all(DELEGATIONS_OF_ADDRESS, [whale, '', items], { cursor: [whale, ...ownDelegation, items] }),
    ...all(TOKENS_OF_AUTHORITY, [whale, '', items], { cursor: [whale, ...tokenId, items] }),
    ...all(POOLS_BY_HEIGHT, [ABOVE_ALL, '', 0, items], {
      cursor: [...poolByHeight, 0, items],
      offset: [...poolByHeight, FURTHEST, items],
    }),
    ...all(POOLS_BY_PLEDGE, ['Infinity', '', 0, items], {
      cursor: [...poolByPledge, 0, items],
      offset: [...poolByPledge, FURTHEST, items],
    }),
    ...all(DELEGATIONS_OF_POOL, [pool, '', 0, items], {
      cursor: [pool, ...delegation, 0, items],
      offset: [pool, ...delegation, FURTHEST, items],
    }),
    ...all(TOKEN_IDS, [false, '', 0, items], {
      cursor: [false, ...tokenId, 0, items],
      offset: [false, ...tokenId, FURTHEST, items],
    }),
    ...all(TOKEN_IDS_BY_TICKER, ['a', false, '', 0, items], {
      cursor: ['a', false, ...tokenId, 0, items],
      offset: ['a', false, ...tokenId, FURTHEST, items],
    }),
    ...all(OPEN_ORDERS, [ABOVE_ALL, '', 0, items], {
      cursor: [...order, 0, items],
      offset: [...order, FURTHEST, items],
    }),
    ...all(OPEN_ORDERS_OF_PAIR, ['', token, ABOVE_ALL, '', 0, items], {
      cursor: ['', token, ...order, 0, items],
      offset: ['', token, ...order, FURTHEST, items],
    }),
    ...[PRICE_LEVELS_UPWARDS, PRICE_LEVELS_DOWNWARDS].flatMap((question) =>
      all(question, ['', token, null, items], { cursor: ['', token, price, items] }),
    ),
    ...[HOLDERS_BY_AMOUNT, HOLDERS_BY_TOTAL].flatMap((question) => [
      ...all(question, [token, 'Infinity', '', items], { cursor: [token, ...tokenHolder, items] }),
      ...all(question, ['', 'Infinity', '', items], { cursor: ['', ...coinHolder, items] }),
    ]),
    milestones(POOLS_BY_HEIGHT_ANCHORS),
    milestones(POOLS_BY_PLEDGE_ANCHORS),
    milestones(POOL_DELEGATION_ANCHORS, pool),
    milestones(TOKEN_ANCHORS),
    milestones(TICKER_ANCHORS, 'a'),
    milestones(TOKEN_TRANSACTION_ANCHORS, token),
    milestones(OPEN_ORDER_ANCHORS),
    milestones(PAIR_ORDER_ANCHORS, '', token),
  ];
}
