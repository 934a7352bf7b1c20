import { metadataFromHex, metadataToHex } from '../../../chain/codec/nft.ts';
import type { Nft } from '../../../ledger/rows.ts';
import { stateTable } from './spec.ts';

export const nftTable = stateTable<Nft>()({
  table: 'nfts',
  key: { token_id: 'bytea' },
  fixed: {
    creation_height: 'integer',
    metadata: 'bytea',
  },
  changing: { owner: 'bytea | null' },
  encoders: { metadata: (row) => metadataToHex(row.metadata) },
  decoders: { metadata: (record) => metadataFromHex(record.metadata) },
  keyOf: (row) => row.tokenId,
});
