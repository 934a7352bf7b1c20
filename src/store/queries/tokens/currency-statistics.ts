/** Supply of a currency. */
import type { Currency } from '../../../chain/currency.ts';
import type { Atoms } from '../../../chain/types.ts';
import { queryFunction } from '../../read/query.ts';

export interface StatisticsRow {
  /** True for the coin and for every token and NFT that was issued. */
  readonly exists: boolean;
  readonly circulating_supply: Atoms;
  readonly preminted: Atoms;
  readonly burned: Atoms;
  readonly staked: Atoms;
  /** The decimals; null for the coin and for NFTs. */
  readonly decimals: number | null;
  /** The limit of a fungible token with a fixed supply, otherwise null. */
  readonly total_supply: Atoms | null;
  /** The supply recorded for a fungible token; differs from the statistics if tokens were burned without unminting. */
  readonly token_circulating_supply: Atoms | null;
}

/** Reads the statistics of a token, an NFT or the coin: always one row. */
export const getStatistics = queryFunction<[currency: Currency], StatisticsRow>({
  name: 'statistics',
  parameters: { currency: 'bytea' },
  select: `
    select :currency = '' or k.token_id is not null or n.token_id is not null as exists,
           coalesce(s.circulating_supply, 0) as circulating_supply, coalesce(s.preminted, 0) as preminted,
           coalesce(s.burned, 0) as burned, coalesce(s.staked, 0) as staked,
           k.decimals, k.total_supply, k.circulating_supply as token_circulating_supply
    from (select 1) one
    left join statistics s on s.currency = :currency
    left join tokens k on k.token_id = :currency
    left join nfts n on n.token_id = :currency`,
});
