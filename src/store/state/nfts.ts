import { metadataFromHex, metadataToHex } from '../../chain/codec/nft.ts';
import type { Nft } from '../../ledger/rows.ts';
import { bytes, numeric } from '../copy.ts';
import type { StateTableSpec } from './spec.ts';

export const nfts: StateTableSpec<Nft> = {
  table: 'nfts',
  columns: { token_id: 'bytea', creation_height: 'integer', owner: 'bytea', metadata: 'bytea' },
  keyLength: 1,
  keyFields: (row) => [bytes(row.tokenId)],
  fields: (row) => [
    bytes(row.tokenId),
    numeric(row.creationHeight),
    bytes(row.owner),
    bytes(metadataToHex(row.metadata)),
  ],
  fromRecord: (record: { token_id: string; creation_height: number; owner: string | null; metadata: string }) => ({
    tokenId: record.token_id,
    creationHeight: record.creation_height,
    owner: record.owner,
    metadata: metadataFromHex(record.metadata),
  }),
  keyOf: (row) => row.tokenId,
};
