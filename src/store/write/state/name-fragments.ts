import { type NameFragment, nameFragmentKey } from '../../../ledger/rows.ts';
import type { StateTableSpec } from './spec.ts';

export const nameFragments: StateTableSpec<NameFragment> = {
  table: 'name_fragments',
  columns: {
    key: { fragment: 'text', token_id: 'bytea' },
    fixed: { is_whole: 'boolean' },
    changing: {},
  },
  keyFields: (row) => [row.fragment, row.tokenId],
  fixedFields: (row) => [row.isWhole],
  changingFields: () => [],
  fromRecord: (record: { fragment: string; token_id: string; is_whole: boolean }) => ({
    fragment: record.fragment,
    tokenId: record.token_id,
    isWhole: record.is_whole,
  }),
  keyOf: nameFragmentKey,
};
