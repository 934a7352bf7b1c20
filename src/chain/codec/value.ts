/** The value of an output: coins or tokens (docs/protocol.md#output-values). */
import type { OutputValue, TokenDataV0 } from '../types.ts';
import { AMOUNT_CODEC, byteVector, id, u8, union } from './codec.ts';
import { NFT_METADATA_CODEC } from './nft.ts';

const TOKEN_ID = id('a token id');

/** The tags of legacy token data start at 1. */
const TOKEN_DATA_V0 = union<TokenDataV0>('legacy token data', {
  TokenTransfer: { index: 1, fields: { tokenId: TOKEN_ID, amount: AMOUNT_CODEC } },
  TokenIssuance: {
    index: 2,
    fields: {
      ticker: byteVector('a ticker'),
      amountToIssue: AMOUNT_CODEC,
      numberOfDecimals: u8('a number of decimals'),
      metadataUri: byteVector('a metadata URI'),
    },
  },
  NftIssuance: { index: 3, fields: { metadata: NFT_METADATA_CODEC } },
});

export const OUTPUT_VALUE_CODEC = union<OutputValue>('an output value', {
  Coin: {
    index: 0,
    read: (reader) => ({ type: 'Coin', amount: AMOUNT_CODEC.read(reader) }),
    write: (writer, value) => AMOUNT_CODEC.write(writer, value.amount),
  },
  TokenV0: { index: 1, fields: { data: TOKEN_DATA_V0 } },
  TokenV1: {
    index: 2,
    read: (reader) => ({ type: 'TokenV1', tokenId: reader.hex(32, 'a token id'), amount: AMOUNT_CODEC.read(reader) }),
    write(writer, value) {
      writer.hex(value.tokenId, 32);
      AMOUNT_CODEC.write(writer, value.amount);
    },
  },
});
