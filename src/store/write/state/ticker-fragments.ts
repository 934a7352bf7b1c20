import { type TickerFragment, tickerFragmentKey } from '../../../ledger/rows.ts';
import type { StateTableSpec } from './spec.ts';

export const tickerFragments: StateTableSpec<TickerFragment> = {
  table: 'ticker_fragments',
  columns: {
    key: { fragment: 'text', is_nft: 'boolean', token_id: 'bytea' },
    fixed: { is_whole: 'boolean' },
    changing: {},
  },
  keyFields: (row) => [row.fragment, row.isNft, row.tokenId],
  fixedFields: (row) => [row.isWhole],
  changingFields: () => [],
  fromRecord: (record: { fragment: string; is_nft: boolean; token_id: string; is_whole: boolean }) => ({
    fragment: record.fragment,
    isNft: record.is_nft,
    tokenId: record.token_id,
    isWhole: record.is_whole,
  }),
  keyOf: tickerFragmentKey,
};
