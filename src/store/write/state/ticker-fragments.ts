import { type TickerFragment, tickerFragmentKey } from '../../../ledger/rows.ts';
import type { StateTableSpec } from './spec.ts';

export const tickerFragments: StateTableSpec<TickerFragment> = {
  table: 'ticker_fragments',
  columns: {
    key: { fragment: 'text', is_nft: 'boolean', token_id: 'bytea' },
    fixed: {},
    changing: {},
  },
  keyFields: (row) => [row.fragment, row.isNft, row.tokenId],
  fixedFields: () => [],
  changingFields: () => [],
  fromRecord: (record: { fragment: string; is_nft: boolean; token_id: string }) => ({
    fragment: record.fragment,
    isNft: record.is_nft,
    tokenId: record.token_id,
  }),
  keyOf: tickerFragmentKey,
};
