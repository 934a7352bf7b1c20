/** Who holds a currency. */
import type { Currency } from '../../chain/currency.ts';
import type { Atoms, Destination } from '../../chain/types.ts';
import { question } from './question.ts';

/** `owner` and `total` are null in the one row of a currency that nobody holds. */
export interface HolderRow {
  /** True for the coin and for every token and NFT that was issued. */
  readonly exists: boolean;
  /** Null for the coin and for NFTs. */
  readonly decimals: number | null;
  readonly circulating_supply: Atoms;
  readonly owner: Destination | null;
  /** Spendable and locked. */
  readonly total: Atoms | null;
}

/** Who holds most of a token, or of the coin for an empty id, from a place in the list on. */
export const HOLDERS = question<
  [currency: Currency, total: Atoms | 'Infinity', owner: Destination, skipped: number, items: number],
  HolderRow
>({
  name: 'holders',
  asked: { currency: 'bytea', total: 'numeric', owner: 'bytea', skipped: 'bigint', items: 'integer' },
  key: 'exists',
  // First the rest of those with exactly the total of the place, then all with less: two walks along one index.
  select: `
    select c.*, h.owner, h.total
    from (
      select q.currency = '' or k.token_id is not null or n.token_id is not null as exists,
             k.decimals, coalesce(s.circulating_supply, 0) as circulating_supply
      from (select 1) one
      left join statistics s on s.currency = q.currency
      left join tokens k on k.token_id = q.currency
      left join nfts n on n.token_id = q.currency
    ) c
    left join lateral (
      (select owner, total from balances
       where currency = q.currency and total = q.total and owner > q.owner
       order by owner limit q.items + q.skipped)
      union all
      (select owner, total from balances
       where currency = q.currency and total < q.total
       order by total desc, owner limit q.items + q.skipped)
      offset q.skipped limit q.items
    ) h on true`,
});
