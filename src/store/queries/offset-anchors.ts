/** To be removed with the last handler that names anchors by query: use the lists (POOL_LISTS, OPEN_ORDER_LIST, …). */
import type { Currency } from '../../chain/currency.ts';
import type { Id } from '../../chain/types.ts';
import type { BatchedQuery, Parameter } from '../read/batched-query.ts';
import { POOL_DELEGATION_LIST } from './delegations.ts';
import type { AnchorRow } from './keyset.ts';
import { OPEN_ORDER_LIST, PAIR_ORDER_LIST } from './orders.ts';
import { POOL_LISTS } from './pools.ts';
import { TICKER_LIST, TOKEN_ID_LIST } from './tokens.ts';
import { TOKEN_TRANSACTION_LIST } from './transactions.ts';

export { ANCHOR_STEP, type AnchorRow } from './keyset.ts';

export type AnchorQuery<P extends readonly Parameter[]> = BatchedQuery<P, AnchorRow>;

export const POOLS_BY_HEIGHT_ANCHORS = POOL_LISTS.by_height.anchors.query as AnchorQuery<[]>;
export const POOLS_BY_PLEDGE_ANCHORS = POOL_LISTS.by_pledge.anchors.query as AnchorQuery<[]>;
export const POOL_DELEGATION_ANCHORS = POOL_DELEGATION_LIST.anchors.query as AnchorQuery<[poolId: Id]>;
export const TOKEN_ANCHORS = TOKEN_ID_LIST.anchors.query as AnchorQuery<[]>;
export const TICKER_ANCHORS = TICKER_LIST.anchors.query as AnchorQuery<[fragment: string]>;
export const TOKEN_TRANSACTION_ANCHORS = TOKEN_TRANSACTION_LIST.anchors.query as AnchorQuery<[tokenId: Id]>;
export const OPEN_ORDER_ANCHORS = OPEN_ORDER_LIST.anchors.query as AnchorQuery<[]>;
export const PAIR_ORDER_ANCHORS = PAIR_ORDER_LIST.anchors.query as AnchorQuery<[low: Currency, high: Currency]>;
