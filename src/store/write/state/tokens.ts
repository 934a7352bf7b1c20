import type { Atoms, TotalSupply } from '../../../chain/types.ts';
import type { Token } from '../../../ledger/rows.ts';
import { stateTable } from './spec.ts';

export const tokenTable = stateTable<Token>()({
  table: 'tokens',
  key: { token_id: 'bytea' },
  fixed: {
    creation_height: 'integer',
    ticker: 'bytea',
    decimals: 'smallint',
    total_supply_type: 'text',
    total_supply: 'numeric | null',
  },
  changing: {
    metadata_uri: 'bytea',
    circulating_supply: 'numeric',
    is_locked: 'boolean',
    is_frozen: 'boolean',
    is_freezable: 'boolean',
    is_unfreezable: 'boolean | null',
    authority: 'bytea',
    next_nonce: 'numeric',
  },
  encoders: {
    total_supply_type: (row) => row.totalSupply.type,
    total_supply: (row) => (row.totalSupply.type === 'Fixed' ? row.totalSupply.amount : null),
  },
  decoders: {
    totalSupply: (record) => totalSupply(record.total_supply_type as TotalSupply['type'], record.total_supply),
  },
  keyOf: (row) => row.tokenId,
});

function totalSupply(type: TotalSupply['type'], amount: Atoms | null): TotalSupply {
  return type === 'Fixed' ? { type, amount: amount ?? 0n } : { type };
}
