import { type TickerFragment, tickerFragmentKey } from '../../../ledger/rows.ts';
import { stateTable } from './spec.ts';

export const tickerFragments = stateTable<TickerFragment>()({
  table: 'ticker_fragments',
  key: {
    fragment: ['text', (row) => row.fragment],
    is_nft: ['boolean', (row) => row.isNft],
    token_id: ['bytea', (row) => row.tokenId],
  },
  fixed: {},
  changing: {},
  fromRecord: (record) => ({
    fragment: record.fragment,
    isNft: record.is_nft,
    tokenId: record.token_id,
  }),
  keyOf: tickerFragmentKey,
});
