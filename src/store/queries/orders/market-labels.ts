/** The labels of the two currencies of a market. */
import { TOKEN_LABEL_COLUMNS, type TokenLabelRow } from '../tokens/tokens.ts';

/** The columns of {@link TokenLabelRow} for each currency; all are null for the coin. */
export type PairLabelsRow = {
  readonly [Name in keyof TokenLabelRow as `${'base' | 'quote'}_${Name}`]: TokenLabelRow[Name];
};

/** The columns of a label, and the table that has them. */
const LABEL: Readonly<Record<keyof TokenLabelRow, 'token' | 'nft'>> = {
  ticker: 'token',
  decimals: 'token',
  ticker_is_shared: 'token',
  is_unfreezable: 'token',
  frozen_since: 'token',
  metadata: 'nft',
};

/** The names of these columns, of the subquery `l`. */
export const PAIR_LABELS = ['base', 'quote']
  .flatMap((side) => Object.keys(LABEL).map((name) => `l.${side}_${name}`))
  .join(', ');

export function labelOfSide(side: 'base' | 'quote', row: PairLabelsRow): TokenLabelRow {
  return {
    ticker: row[`${side}_ticker`],
    decimals: row[`${side}_decimals`],
    ticker_is_shared: row[`${side}_ticker_is_shared`],
    is_unfreezable: row[`${side}_is_unfreezable`],
    frozen_since: row[`${side}_frozen_since`],
    metadata: row[`${side}_metadata`],
  };
}

/** The labels of the pair seen from the other side. */
export const exchangedLabels = (row: PairLabelsRow): PairLabelsRow => ({
  base_ticker: row.quote_ticker,
  base_decimals: row.quote_decimals,
  base_ticker_is_shared: row.quote_ticker_is_shared,
  base_is_unfreezable: row.quote_is_unfreezable,
  base_frozen_since: row.quote_frozen_since,
  base_metadata: row.quote_metadata,
  quote_ticker: row.base_ticker,
  quote_decimals: row.base_decimals,
  quote_ticker_is_shared: row.base_ticker_is_shared,
  quote_is_unfreezable: row.base_is_unfreezable,
  quote_frozen_since: row.base_frozen_since,
  quote_metadata: row.base_metadata,
});

/** The label of a currency as the tables `AS_token` and `AS_nft`; nothing is looked up for the coin. */
const labelJoinsSql = (currency: string, as: string): string => `
    left join lateral (
      select token_id, ${TOKEN_LABEL_COLUMNS} from tokens where ${currency} > '' and token_id = ${currency} offset 0
    ) ${as}_token on true
    left join lateral (
      select token_id, metadata from nfts
      where ${currency} > '' and ${as}_token.token_id is null and token_id = ${currency} offset 0
    ) ${as}_nft on true`;

const isKnownSql = (currency: string, as: string): string =>
  `(${currency} = '' or ${as}_token.token_id is not null or ${as}_nft.token_id is not null)`;

/**
 * The labels of the currencies base and quote of `from` (`:` for parameters, or the alias of a row with a dot), as a subquery of one row. `exists`: are both issued, or is there such a
 * market? An order may ask for a token that is not issued.
 */
export const pairLabelsSql = (from: string): string => `
    select ${isKnownSql(`${from}base`, 'base')} and ${isKnownSql(`${from}quote`, 'quote')}
             or exists (select from markets where base = ${from}base and quote = ${from}quote) as exists,
           ${['base', 'quote'].flatMap((side) => Object.entries(LABEL).map(([name, table]) => `${side}_${table}.${name} as ${side}_${name}`)).join(', ')}
    from (select 1) one ${labelJoinsSql(`${from}base`, 'base')} ${labelJoinsSql(`${from}quote`, 'quote')}
    offset 0`;
