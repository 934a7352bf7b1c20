import type { TotalSupply } from '../../../chain/types.ts';
import type { Token } from '../../../ledger/rows.ts';
import type { StateTableSpec } from './spec.ts';

export const tokens: StateTableSpec<Token> = {
  table: 'tokens',
  columns: {
    key: { token_id: 'bytea' },
    fixed: {
      creation_height: 'integer',
      ticker: 'bytea',
      decimals: 'smallint',
      total_supply_type: 'text',
      total_supply: 'numeric',
    },
    changing: {
      metadata_uri: 'bytea',
      circulating_supply: 'numeric',
      is_locked: 'boolean',
      is_frozen: 'boolean',
      is_freezable: 'boolean',
      is_unfreezable: 'boolean',
      authority: 'bytea',
      next_nonce: 'numeric',
    },
  },
  keyFields: (row) => [row.tokenId],
  fixedFields: (row) => [
    row.creationHeight,
    row.ticker,
    row.decimals,
    row.totalSupply.type,
    row.totalSupply.type === 'Fixed' ? row.totalSupply.amount : null,
  ],
  changingFields: (row) => [
    row.metadataUri,
    row.circulatingSupply,
    row.isLocked,
    row.isFrozen,
    row.isFreezable,
    row.isUnfreezable,
    row.authority,
    row.nextNonce,
  ],
  fromRecord: (record: TokenRecord) => ({
    tokenId: record.token_id,
    creationHeight: record.creation_height,
    ticker: record.ticker,
    decimals: record.decimals,
    metadataUri: record.metadata_uri,
    totalSupply: totalSupply(record),
    circulatingSupply: record.circulating_supply,
    isLocked: record.is_locked,
    isFrozen: record.is_frozen,
    isFreezable: record.is_freezable,
    isUnfreezable: record.is_unfreezable,
    authority: record.authority,
    nextNonce: record.next_nonce,
  }),
  keyOf: (row) => row.tokenId,
};

interface TokenRecord {
  token_id: string;
  creation_height: number;
  ticker: string;
  decimals: number;
  metadata_uri: string;
  total_supply_type: TotalSupply['type'];
  total_supply: bigint | null;
  circulating_supply: bigint;
  is_locked: boolean;
  is_frozen: boolean;
  is_freezable: boolean;
  is_unfreezable: boolean | null;
  authority: string;
  next_nonce: bigint;
}

function totalSupply(record: TokenRecord): TotalSupply {
  const type = record.total_supply_type;
  return type === 'Fixed' ? { type, amount: record.total_supply ?? 0n } : { type };
}
