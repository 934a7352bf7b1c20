import type { Atoms, TotalSupply } from '../../../chain/types.ts';
import type { Token } from '../../../ledger/rows.ts';
import { stateTable } from './spec.ts';

export const tokens = stateTable<Token>()({
  table: 'tokens',
  key: {
    token_id: ['bytea', (row) => row.tokenId],
  },
  fixed: {
    creation_height: ['integer', (row) => row.creationHeight],
    ticker: ['bytea', (row) => row.ticker],
    decimals: ['smallint', (row) => row.decimals],
    total_supply_type: ['text', (row) => row.totalSupply.type],
    total_supply: ['numeric | null', (row) => (row.totalSupply.type === 'Fixed' ? row.totalSupply.amount : null)],
  },
  changing: {
    metadata_uri: ['bytea', (row) => row.metadataUri],
    circulating_supply: ['numeric', (row) => row.circulatingSupply],
    is_locked: ['boolean', (row) => row.isLocked],
    is_frozen: ['boolean', (row) => row.isFrozen],
    is_freezable: ['boolean', (row) => row.isFreezable],
    is_unfreezable: ['boolean | null', (row) => row.isUnfreezable],
    authority: ['bytea', (row) => row.authority],
    next_nonce: ['numeric', (row) => row.nextNonce],
  },
  fromRecord: (record) => ({
    tokenId: record.token_id,
    creationHeight: record.creation_height,
    ticker: record.ticker,
    decimals: record.decimals,
    metadataUri: record.metadata_uri,
    totalSupply: totalSupply(record.total_supply_type as TotalSupply['type'], record.total_supply),
    circulatingSupply: record.circulating_supply,
    isLocked: record.is_locked,
    isFrozen: record.is_frozen,
    isFreezable: record.is_freezable,
    isUnfreezable: record.is_unfreezable,
    authority: record.authority,
    nextNonce: record.next_nonce,
  }),
  keyOf: (row) => row.tokenId,
});

function totalSupply(type: TotalSupply['type'], amount: Atoms | null): TotalSupply {
  return type === 'Fixed' ? { type, amount: amount ?? 0n } : { type };
}
