import { metadataFromHex, metadataToHex } from '../../../chain/codec/nft.ts';
import type { Nft } from '../../../ledger/rows.ts';
import { stateTable } from './spec.ts';

export const nfts = stateTable<Nft>()({
  table: 'nfts',
  key: {
    token_id: ['bytea', (row) => row.tokenId],
  },
  fixed: {
    creation_height: ['integer', (row) => row.creationHeight],
    metadata: ['bytea', (row) => metadataToHex(row.metadata)],
  },
  changing: {
    owner: ['bytea | null', (row) => row.owner],
  },
  fromRecord: (record) => ({
    tokenId: record.token_id,
    creationHeight: record.creation_height,
    owner: record.owner,
    metadata: metadataFromHex(record.metadata),
  }),
  keyOf: (row) => row.tokenId,
});
