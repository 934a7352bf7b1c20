import { type TickerFragment, tickerFragmentKey } from '../../ledger/rows.ts';
import { bool, bytes, text } from '../copy.ts';
import type { StateTableSpec } from './spec.ts';

export const tickerFragments: StateTableSpec<TickerFragment> = {
  table: 'ticker_fragments',
  columns: { fragment: 'text', is_nft: 'boolean', token_id: 'bytea' },
  keyLength: 3,
  keyFields: (row) => [text(row.fragment), bool(row.isNft), bytes(row.tokenId)],
  fields: (row) => [text(row.fragment), bool(row.isNft), bytes(row.tokenId)],
  fromRecord: (record: { fragment: string; is_nft: boolean; token_id: string }) => ({
    fragment: record.fragment,
    isNft: record.is_nft,
    tokenId: record.token_id,
  }),
  keyOf: tickerFragmentKey,
};
