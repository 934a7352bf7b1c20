/** Who holds a currency. */
import type { Currency } from '../../chain/currency.ts';
import type { Atoms, Destination } from '../../chain/types.ts';
import { batchedQuery } from '../read/batched-query.ts';

/** The fields of the holder are null in the one row of a list without holders after the place. */
export interface HolderRow {
  /** True for the coin and for every token and NFT that was issued. */
  readonly exists: boolean;
  /** Null for the coin and for NFTs. */
  readonly decimals: number | null;
  readonly circulating_supply: Atoms;
  readonly owner: Destination | null;
  /** Spendable. */
  readonly amount: Atoms | null;
  /** Under a time lock. */
  readonly locked: Atoms | null;
  /** Both together. */
  readonly total: Atoms | null;
}

/** Holders by `column`, the largest first, ties by owner, from a place in the list on. */
function holders(name: string, { column, listed }: { readonly column: string; readonly listed: string }) {
  return batchedQuery<[currency: Currency, place: Atoms | 'Infinity', owner: Destination, items: number], HolderRow>({
    name,
    asked: { currency: 'bytea', place: 'numeric', owner: 'bytea', items: 'integer' },
    key: 'exists',
    // First the rest of those with exactly the amount of the place, then all with less: two walks along one index.
    select: `
    select c.*, h.owner, h.amount, h.locked, h.total
    from (
      select q.currency = '' or k.token_id is not null or n.token_id is not null as exists,
             k.decimals, coalesce(s.circulating_supply, 0) as circulating_supply
      from (select 1) one
      left join statistics s on s.currency = q.currency
      left join tokens k on k.token_id = q.currency
      left join nfts n on n.token_id = q.currency
    ) c
    left join lateral (
      (select owner, amount, locked, total from balances
       where currency = q.currency and ${column} = q.place and ${listed} and owner > q.owner
       order by owner limit q.items)
      union all
      (select owner, amount, locked, total from balances
       where currency = q.currency and ${column} < q.place and ${listed}
       order by ${column} desc, owner limit q.items)
      limit q.items
    ) h on true`,
  });
}

/** Who has most of a token, or of the coin for an empty id, that can be spent now. */
export const HOLDERS_BY_AMOUNT = holders('holders_by_amount', { column: 'amount', listed: 'amount > 0' });

/** The same by all that they have, time-locked or not. */
export const HOLDERS_BY_TOTAL = holders('holders_by_total', { column: 'total', listed: 'true' });
