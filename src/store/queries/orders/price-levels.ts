/** The order book: the open orders of a pair by exact price. */
import type { Currency } from '../../../chain/currency.ts';
import type { Atoms } from '../../../chain/types.ts';
import { defineQuery } from '../../read/query.ts';
import type { List, NotNull } from '../lists/define-list.ts';
import { frozenSinceSql } from '../tokens/tokens.ts';

/** The fields of the level are null in the one row of a book that has no levels after the page's beginning. */
export interface PriceLevelRow {
  /** True where both currencies are the coin or a token or NFT that was issued. */
  readonly exists: boolean;
  /** The decimals; null for the coin and for NFTs. */
  readonly ask_decimals: number | null;
  readonly give_decimals: number | null;
  /** The height of the block since which one of the two is frozen; null if none is. */
  readonly frozen_since: number | null;
  /** floor(give · 10^78 / ask) of every order on the level. */
  readonly price: Atoms | null;
  /** Sums of what is left in the orders; their ratio is the exact price. */
  readonly ask_balance: Atoms | null;
  readonly give_balance: Atoms | null;
  readonly order_count: number | null;
}

type Parameters = [askCurrency: Currency, giveCurrency: Currency, after: Atoms | null, rowLimit: number];

function priceLevels(name: string, { after, order }: { readonly after: string; readonly order: string }) {
  return defineQuery<Parameters, PriceLevelRow>({
    name,
    parameters: { ask_currency: 'bytea', give_currency: 'bytea', after: 'numeric', row_limit: 'integer' },
    select: `
      select c.*, l.price, l.ask_balance, l.give_balance, l.order_count
      from (
        select (:ask_currency = '' or ask.token_id is not null or ask_nft.token_id is not null)
                 and (:give_currency = '' or give.token_id is not null or give_nft.token_id is not null) as exists,
               ask.decimals as ask_decimals, give.decimals as give_decimals,
               least(${frozenSinceSql('ask')}, ${frozenSinceSql('give')}) as frozen_since
        from (select 1) one
        left join tokens ask on ask.token_id = :ask_currency
        left join tokens give on give.token_id = :give_currency
        left join nfts ask_nft on ask_nft.token_id = :ask_currency
        left join nfts give_nft on give_nft.token_id = :give_currency
      ) c
      left join lateral (
        select price, ask_balance, give_balance, order_count from price_levels
        where ask_currency = :ask_currency and give_currency = :give_currency and price ${after}
        order by price ${order} limit :row_limit
      ) l on true`,
  });
}

const PRICE_LEVELS_UPWARDS = priceLevels('price_levels_upwards', {
  after: "> coalesce(:after, '-Infinity')",
  order: 'asc',
});

const PRICE_LEVELS_DOWNWARDS = priceLevels('price_levels_downwards', {
  after: "< coalesce(:after, 'Infinity')",
  order: 'desc',
});

/** A row with a level. */
export type PriceLevelEntryRow = NotNull<PriceLevelRow, 'price' | 'ask_balance' | 'give_balance' | 'order_count'>;

/** What the orders of a side of the book do with base. */
export type BookSide = 'buys' | 'sells';

/**
 * A side as the API writes it. An order that buys base asks for base. (`/market` calls the best price of the orders that buy base its `bid`.)
 */
export const SIDES_OF_BOOK = { ask: 'buys', bid: 'sells' } as const satisfies Record<string, BookSide>;

/** The open orders on one side of a pair. */
export interface BookSelection {
  readonly base: Currency;
  readonly quote: Currency;
  readonly side: BookSide;
  /** `worst`: from those that give least for what they ask; `best`: from those that give most, the best for a taker. */
  readonly order: 'worst' | 'best';
}

interface LevelKey {
  readonly price: Atoms;
}

/** The price levels of one side of a pair. At least one row, which says whether there are such currencies. */
export const PRICE_LEVEL_LIST: List<BookSelection, LevelKey, PriceLevelRow, PriceLevelEntryRow> = {
  // Cursors have the API's name of the side.
  name: ({ base, quote, side, order }) => `book ${base}_${quote} ${side === 'buys' ? 'ask' : 'bid'} ${order}`,
  fields: { price: 'bigint' },
  sortKey: ({ price }) => ({ price }),
  isEntry: (row): row is PriceLevelEntryRow => row.price !== null,
  read: (store, { base, quote, side, order, after, limit }) => {
    const [askCurrency, giveCurrency] = side === 'buys' ? [base, quote] : [quote, base];
    // Seen from the other side of the pair, prices are inverted and so is their order: both sides are read alike.
    const query = order === 'worst' ? PRICE_LEVELS_UPWARDS : PRICE_LEVELS_DOWNWARDS;
    return store.query(query, askCurrency, giveCurrency, after?.price ?? null, limit);
  },
};
