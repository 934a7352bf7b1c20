import { type NameFragment, nameFragmentKey } from '../../../ledger/rows.ts';
import { stateTable } from './spec.ts';

export const nameFragmentTable = stateTable<NameFragment>()({
  table: 'name_fragments',
  key: { fragment: 'text', token_id: 'bytea' },
  fixed: { is_whole: 'boolean' },
  changing: {},
  encoders: {},
  decoders: {},
  keyOf: nameFragmentKey,
});
