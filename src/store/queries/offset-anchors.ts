/**
 * The sort keys of every hundredth entry of a list: a page by offset is then read from the milestone before it, however
 * deep it is. Making them walks along all of the list once.
 */
import type { Currency } from '../../chain/currency.ts';
import type { Id } from '../../chain/types.ts';
import { type BatchedQuery, batchedQuery, type Parameter } from '../read/batched-query.ts';

/** Entries from one milestone to the next. */
export const ANCHOR_STEP = 100;

export interface AnchorRow {
  /** The keys in the order of the list, a space between them; the fields of a key as in its list's cursors, with dots. */
  readonly keys: string;
}

export type AnchorQuery<P extends readonly Parameter[]> = BatchedQuery<P, AnchorRow>;

/** `key` is made of the columns of `listed`, which numbers the entries by `place` from 1 on. */
function anchors<P extends readonly Parameter[]>(definition: {
  readonly list: string;
  readonly asked: Parameters<typeof batchedQuery>[0]['asked'];
  readonly key: string;
  readonly listed: string;
}): AnchorQuery<P> {
  const { list, asked, key, listed } = definition;
  return batchedQuery<P, AnchorRow>({
    name: `milestones_of_${list}`,
    asked,
    key: 'keys',
    select: `
      select coalesce(string_agg(${key}, ' ' order by place), '') as keys
      from (${listed}) listed where place % ${ANCHOR_STEP} = 0`,
  });
}

export const POOLS_BY_HEIGHT_ANCHORS = anchors<[]>({
  list: 'pools_by_height',
  asked: {},
  key: `creation_height || '.' || encode(pool_id, 'hex')`,
  listed: `
    select creation_height, pool_id, row_number() over (order by creation_height desc, pool_id) as place
    from pools where staker_balance > 0`,
});

export const POOLS_BY_PLEDGE_ANCHORS = anchors<[]>({
  list: 'pools_by_pledge',
  asked: {},
  key: `staker_balance || '.' || encode(pool_id, 'hex')`,
  listed: `
    select staker_balance, pool_id, row_number() over (order by staker_balance desc, pool_id) as place
    from pools where staker_balance > 0`,
});

export const POOL_DELEGATION_ANCHORS = anchors<[poolId: Id]>({
  list: 'delegations_of_pool',
  asked: { pool_id: 'bytea' },
  key: `encode(delegation_id, 'hex')`,
  listed: `
    select delegation_id, row_number() over (order by delegation_id) as place
    from delegations where pool_id = q.pool_id`,
});

export const TOKEN_ANCHORS = anchors<[]>({
  list: 'tokens',
  asked: {},
  key: `is_nft || '.' || encode(token_id, 'hex')`,
  listed: `
    select 0 as is_nft, token_id, row_number() over (order by token_id) as place from tokens
    union all
    select 1, token_id, (select count(*) from tokens) + row_number() over (order by token_id) from nfts`,
});

export const TICKER_ANCHORS = anchors<[fragment: string]>({
  list: 'tokens_by_ticker',
  asked: { fragment: 'text' },
  key: `is_nft::int || '.' || encode(token_id, 'hex')`,
  listed: `
    select is_nft, token_id, row_number() over (order by is_nft, token_id) as place
    from ticker_fragments where fragment = q.fragment`,
});

export const TOKEN_TRANSACTION_ANCHORS = anchors<[tokenId: Id]>({
  list: 'transactions_of_token',
  asked: { token_id: 'bytea' },
  key: 'tx_index::text',
  listed: `
    select tx_index, row_number() over (order by tx_index desc) as place
    from token_transactions where token_id = q.token_id`,
});

export const OPEN_ORDER_ANCHORS = anchors<[]>({
  list: 'open_orders',
  asked: {},
  key: `creation_height || '.' || encode(order_id, 'hex')`,
  listed: `
    select creation_height, order_id, row_number() over (order by creation_height desc, order_id) as place
    from orders where is_open`,
});

export const PAIR_ORDER_ANCHORS = anchors<[low: Currency, high: Currency]>({
  list: 'open_orders_of_pair',
  asked: { low: 'bytea', high: 'bytea' },
  key: `creation_height || '.' || encode(order_id, 'hex')`,
  listed: `
    select creation_height, order_id, row_number() over (order by creation_height desc, order_id) as place
    from orders
    where is_open and least(ask_currency, give_currency) = q.low and greatest(ask_currency, give_currency) = q.high`,
});
