/** The labels of the two currencies of a market. */
import type { Hex } from '../../chain/types.ts';
import type { TokenLabelRow } from './tokens.ts';

/** The columns of {@link TokenLabelRow} for each currency; all are null for the coin. */
export interface PairLabelsRow {
  readonly base_ticker: Hex | null;
  readonly base_decimals: number | null;
  readonly base_metadata: Hex | null;
  readonly quote_ticker: Hex | null;
  readonly quote_decimals: number | null;
  readonly quote_metadata: Hex | null;
}

export function labelOf(side: 'base' | 'quote', row: PairLabelsRow): TokenLabelRow {
  return { ticker: row[`${side}_ticker`], decimals: row[`${side}_decimals`], metadata: row[`${side}_metadata`] };
}

/** The labels of the columns base and quote of `from`, and whether there are such currencies, as a subquery of one row. */
export const pairLabelsSql = (from: string): string => `
    select (${from}.base = '' or bk.token_id is not null or bn.token_id is not null)
             and (${from}.quote = '' or qk.token_id is not null or qn.token_id is not null) as exists,
           bk.ticker as base_ticker, bk.decimals as base_decimals, bn.metadata as base_metadata,
           qk.ticker as quote_ticker, qk.decimals as quote_decimals, qn.metadata as quote_metadata
    from (select 1) one
    left join tokens bk on bk.token_id = ${from}.base
    left join nfts bn on bn.token_id = ${from}.base
    left join tokens qk on qk.token_id = ${from}.quote
    left join nfts qn on qn.token_id = ${from}.quote
    offset 0`;
