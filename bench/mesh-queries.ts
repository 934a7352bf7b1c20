/** The queries of the Mesh API that no other route has. */
import { listBalancesOfOwnerAt } from '../src/store/queries/addresses/balances-at-height.ts';
import { listUnlockedAt } from '../src/store/queries/addresses/unlocked-at-height.ts';
import { listBlockEvents } from '../src/store/queries/blocks/added-and-removed-blocks.ts';
import { getBlockAt } from '../src/store/queries/blocks/block-by-id-or-height.ts';
import { listOrdersAt } from '../src/store/queries/orders/orders-at-height.ts';
import { getPoolOfDelegation } from '../src/store/queries/pools/delegations.ts';
import * as stakes from '../src/store/queries/pools/stakes-at-height.ts';
import { listTransactionsUpTo } from '../src/store/queries/transactions/transactions-up-to-height.ts';
import { type Finder, firstPage, type ListedQuery, note, PAGE_ROWS, single } from './listed-query.ts';

/** `depth`: entries before a deep page. */
export async function meshQueries({ one, busiest }: Finder, depth: number): Promise<ListedQuery[]> {
  const middle = Number(await one('select (max(height) / 2)::text as id from blocks'));
  const block = await one(`select block_id as id from blocks where height = ${middle}`);
  const unlocking = Number(
    await one('select height::text as id from balance_changes where position = -1 order by height desc limit 1'),
  );
  const trader = await busiest('balance_changes', 'owner');
  const whale = await busiest('address_transactions', 'owner');
  const pool = await busiest('delegations', 'pool_id');
  const delegation = await busiest('delegation_days', 'delegation_id');
  const poolOfDelegation = await one(`select pool_id as id from delegations where delegation_id = '\\x${delegation}'`);
  const filledOrder = await busiest('fills', 'order_id');
  return [
    single((store) => getBlockAt(store, block, null)),
    single((store) => getBlockAt(store, null, middle)),
    single((store) => getBlockAt(store, null, null)),
    firstPage((store) => listBlockEvents(store, null, PAGE_ROWS)),
    firstPage((store) => listBlockEvents(store, 0, PAGE_ROWS)),
    note('deep, by offset', (store) => listBlockEvents(store, depth, PAGE_ROWS)),
    single((store) => listUnlockedAt(store, unlocking)),
    single((store) => listBalancesOfOwnerAt(store, trader, middle)),
    single((store) => listOrdersAt(store, [filledOrder], middle)),
    single((store) => stakes.listPoolAt(store, pool, middle)),
    single((store) => stakes.listPoolEventsOfDay(store, pool, middle)),
    single((store) => stakes.listDelegationsBeforeDay(store, pool, middle, null)),
    single((store) => stakes.listDelegationsBeforeDay(store, poolOfDelegation, middle, delegation)),
    single((store) => getPoolOfDelegation(store, delegation)),
    firstPage((store) => listTransactionsUpTo(store, whale, middle, 0, PAGE_ROWS)),
  ];
}
