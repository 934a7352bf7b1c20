/** The questions of lists and look-ups beyond the description, at their first pages and deep in them. */
import type pg from 'pg';
import { BLOCK_AT_TIME, BLOCKS_BELOW, POOL_BLOCKS_BELOW } from '../src/store/queries/block-lists.ts';
import { HTLCS_OF_ADDRESS, HTLCS_OF_SECRET_HASH } from '../src/store/queries/htlcs.ts';
import { NFT_OWNERS_BELOW, NFTS_BY_HEIGHT, NFTS_OF_OWNER } from '../src/store/queries/nft-lists.ts';
import { ANCHOR_STEP } from '../src/store/queries/offset-anchors.ts';
import { ORDERS_OF_CONCLUDER } from '../src/store/queries/orders.ts';
import {
  EXPANDED_POOLS,
  firstPlace,
  POOLS_OF_DECOMMISSIONER,
  type PoolSort,
  SORTED_POOL_ANCHORS,
  SORTED_POOLS,
} from '../src/store/queries/pool-lists.ts';
import { REORGANISATIONS_BELOW } from '../src/store/queries/reorganisations.ts';
import { SEARCH, type SearchTerms, searchParameters } from '../src/store/queries/search.ts';
import { EXPANDED_TOKENS, EXPANDED_TOKENS_BY_TICKER } from '../src/store/queries/token-lists.ts';
import { OUTSPENDS } from '../src/store/queries/transactions.ts';
import { FIRST_UNLOCK_PLACE, UNLOCKS_OF_ADDRESS } from '../src/store/queries/unlocks.ts';
import type { Parameter } from '../src/store/read/batched-query.ts';
import { firstAndDeep, type ListedQuestion, PAGE_ROWS } from './listed-questions.ts';

const ABOVE_ALL = 0x7fff_ffff;
/** A page by offset begins at most so many entries after an anchor. */
const FURTHEST = ANCHOR_STEP - 1;
/** As many of each kind as a search gives in all. */
const SEARCHED = 20;

/** What each order of pools goes by. */
const POOL_ORDERS: Readonly<Record<PoolSort, string>> = {
  by_height: 'creation_height desc',
  by_pledge: 'staker_balance desc',
  by_stake: 'total_stake desc',
  by_blocks: 'blocks_month desc',
  by_margin: 'margin_ratio_per_thousand',
  by_apy: 'apy_rank desc',
};

/** `place` gives the key of the entry at the depth. */
export async function lookUpQuestions(
  client: pg.Client,
  place: <Key extends Parameter[]>(sql: string) => Promise<Key>,
): Promise<ListedQuestion[]> {
  const one = async (sql: string): Promise<string> => (await client.query<{ id: string }>(sql)).rows[0]!.id;
  const busiest = (table: string, column: string, where = 'true') =>
    one(`select ${column} as id from ${table} where ${where} group by 1 order by count(*) desc, 1 limit 1`);
  const items = PAGE_ROWS;
  const all = firstAndDeep;

  const maker = await busiest('blocks', 'pool_id');
  const wanderer = await busiest('nft_owners', 'token_id');
  const concluder = await busiest('orders', 'conclude_destination', 'not is_concluded');
  const decommissioner = await busiest('pools', 'decommission_destination');
  const collector = await busiest('nfts', 'owner', 'owner is not null');
  const saver = await busiest('utxos', 'owner', 'unlock_time is not null');
  const refunder = await busiest('utxos', 'refund_owner', 'refund_owner is not null');
  const secretHash = await busiest('outputs', 'secret_hash', 'secret_hash is not null');
  const spent = await one('select tx_id as id from transactions where tx_index = 1');

  const descending = 'order by height desc, position desc, output_index desc';
  const block = await place<[number]>('select height from blocks order by height desc');
  const made = await place<[number]>(`select height from blocks where pool_id = '\\x${maker}' order by height desc`);
  const nft = await place<[number, string]>(
    'select creation_height, token_id from nfts order by creation_height desc, token_id',
  );
  const ownNft = await place<[number, string]>(
    `select creation_height, token_id from nfts where owner = '\\x${collector}' order by creation_height desc, token_id`,
  );
  const owner = await place<[number]>(
    `select tx_index from nft_owners where token_id = '\\x${wanderer}' order by tx_index desc`,
  );
  const order = await place<[number, string]>(
    `select creation_height, order_id from orders where conclude_destination = '\\x${concluder}' and not is_concluded
     order by creation_height desc, order_id`,
  );
  const ownPool = await place<[number, string]>(
    `select creation_height, pool_id from pools where decommission_destination = '\\x${decommissioner}' and staker_balance > 0
     order by creation_height desc, pool_id`,
  );
  const contract = await place<[number, number, number]>(
    `select height, position, output_index from outputs where secret_hash = '\\x${secretHash}' ${descending}`,
  );
  const refundable = await place<[number, number, number]>(
    `select height, position, output_index from utxos where refund_owner = '\\x${refunder}' ${descending}`,
  );
  const anchor = { height: ABOVE_ALL >> 1, timestamp: 1_800_000_000 };
  const unlock = await place<[bigint, number, number, number]>(
    `select opens_at::numeric, height, position, output_index
     from (select unlock_time as opens_at, height, position, output_index from utxos
            where owner = '\\x${saver}' and unlock_time is not null
           union all
           select ${anchor.timestamp} + (unlock_height - ${anchor.height}) * 120, height, position, output_index from utxos
            where owner = '\\x${saver}' and unlock_height is not null) as locked
     order by opens_at, height, position, output_index`,
  );
  const tokenId = await place<[string]>('select token_id from tokens order by token_id');
  const reorganisation = await place<[number]>(
    'select reorganisation_id from reorganisations order by reorganisation_id desc',
  );

  const pools: ListedQuestion[] = [];
  for (const sort of Object.keys(POOL_ORDERS) as PoolSort[]) {
    const column = POOL_ORDERS[sort].replace(' desc', '');
    const deep = await place<[bigint, string]>(
      `select ${column}::numeric, pool_id from pools where staker_balance > 0 order by ${POOL_ORDERS[sort]}, pool_id`,
    );
    for (const queries of [SORTED_POOLS, EXPANDED_POOLS]) {
      pools.push(
        ...all(queries[sort], [firstPlace(sort), '', 0, items], {
          cursor: [...deep, 0, items],
          offset: [...deep, FURTHEST, items],
        }),
      );
    }
    pools.push({ question: SORTED_POOL_ANCHORS[sort], place: 'milestones', parameters: [] });
  }
  const search = (terms: Partial<SearchTerms>): ListedQuestion => ({
    question: SEARCH,
    place: 'one thing',
    parameters: searchParameters({ height: null, ids: null, text: null, time: null, ...terms }, SEARCHED),
  });
  const inRange = (of: NonNullable<SearchTerms['ids']>['of'], id: string): ListedQuestion =>
    search({ ids: { of, first: id.slice(0, 6), last: id.slice(0, 6).padEnd(80, 'f') } });

  return [
    ...all(BLOCKS_BELOW, [ABOVE_ALL, items], { cursor: [...block, items] }),
    ...all(POOL_BLOCKS_BELOW, [maker, ABOVE_ALL, items], { cursor: [maker, ...made, items] }),
    { question: BLOCK_AT_TIME, place: 'one thing', parameters: [1_700_000_000 + 120 * 500] },
    { question: OUTSPENDS, place: 'one thing', parameters: [spent] },
    ...all(NFTS_BY_HEIGHT, [ABOVE_ALL, '', items], { cursor: [...nft, items] }),
    ...all(NFTS_OF_OWNER, [collector, ABOVE_ALL, '', items], { cursor: [collector, ...ownNft, items] }),
    ...all(NFT_OWNERS_BELOW, [wanderer, Number.MAX_SAFE_INTEGER, items], { cursor: [wanderer, ...owner, items] }),
    ...all(ORDERS_OF_CONCLUDER, [concluder, ABOVE_ALL, '', items], { cursor: [concluder, ...order, items] }),
    ...all(POOLS_OF_DECOMMISSIONER, [decommissioner, ABOVE_ALL, '', items], {
      cursor: [decommissioner, ...ownPool, items],
    }),
    ...pools,
    ...all(EXPANDED_TOKENS, [false, '', 0, items], {
      cursor: [false, ...tokenId, 0, items],
      offset: [false, ...tokenId, FURTHEST, items],
    }),
    ...all(EXPANDED_TOKENS_BY_TICKER, ['a', false, '', 0, items], {
      cursor: ['a', false, ...tokenId, 0, items],
      offset: ['a', false, ...tokenId, FURTHEST, items],
    }),
    ...all(HTLCS_OF_SECRET_HASH, [secretHash, ABOVE_ALL, ABOVE_ALL, ABOVE_ALL, items], {
      cursor: [secretHash, ...contract, items],
    }),
    ...all(HTLCS_OF_ADDRESS, [refunder, ABOVE_ALL, ABOVE_ALL, ABOVE_ALL, items], {
      cursor: [refunder, ...refundable, items],
    }),
    ...all(UNLOCKS_OF_ADDRESS, [saver, ...FIRST_UNLOCK_PLACE, items], {
      cursor: [saver, anchor.height, anchor.timestamp, ...unlock, items],
    }),
    ...all(REORGANISATIONS_BELOW, [Number.MAX_SAFE_INTEGER, items], { cursor: [...reorganisation, items] }),
    search({ height: 7 }),
    search({ time: 1_700_000_000 + 120 * 500 }),
    search({ text: 'a' }),
    search({ text: 'tka' }),
    search({ text: 'art' }),
    inRange('block or transaction', spent),
    inRange('pool', maker),
    inRange('delegation', await one('select delegation_id as id from delegations limit 1')),
    inRange('token', wanderer),
    inRange('token', tokenId[0]),
    inRange('order', order[1]),
    inRange('address', collector),
  ];
}
