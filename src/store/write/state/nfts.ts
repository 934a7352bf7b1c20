import { metadataFromHex, metadataToHex } from '../../../chain/codec/nft.ts';
import type { Nft } from '../../../ledger/rows.ts';
import type { StateTableSpec } from './spec.ts';

export const nfts: StateTableSpec<Nft> = {
  table: 'nfts',
  columns: {
    key: { token_id: 'bytea' },
    fixed: { creation_height: 'integer', metadata: 'bytea' },
    changing: { owner: 'bytea' },
  },
  keyFields: (row) => [row.tokenId],
  fixedFields: (row) => [row.creationHeight, metadataToHex(row.metadata)],
  changingFields: (row) => [row.owner],
  fromRecord: (record: { token_id: string; creation_height: number; owner: string | null; metadata: string }) => ({
    tokenId: record.token_id,
    creationHeight: record.creation_height,
    owner: record.owner,
    metadata: metadataFromHex(record.metadata),
  }),
  keyOf: (row) => row.tokenId,
};
