import { type TickerFragment, tickerFragmentKey } from '../../../ledger/rows.ts';
import { stateTable } from './spec.ts';

export const tickerFragmentTable = stateTable<TickerFragment>()({
  table: 'ticker_fragments',
  key: {
    fragment: 'text',
    is_nft: 'boolean',
    token_id: 'bytea',
  },
  fixed: { is_whole: 'boolean' },
  changing: {},
  encoders: {},
  decoders: {},
  keyOf: tickerFragmentKey,
});
