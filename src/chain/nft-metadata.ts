/** The metadata of an NFT as bytes, the way it is stored (wire-format section 2.7, without the issuance's version). */
import { readNftMetadata, writeNftMetadata } from './codec/nft.ts';
import { bytesFromHex } from './scale/hex.ts';
import { decodeWhole } from './scale/reader.ts';
import { Writer } from './scale/writer.ts';
import type { Hex, NftMetadata } from './types.ts';

/** Throws EncodeError. */
export function nftMetadataHex(metadata: NftMetadata): Hex {
  const writer = new Writer();
  writeNftMetadata(writer, metadata);
  return writer.finishHex();
}

/** The metadata that the bytes, or the hex, are. Throws DecodeError. */
export function decodeNftMetadata(encoded: Uint8Array | Hex): NftMetadata {
  const bytes = typeof encoded === 'string' ? bytesFromHex(encoded) : encoded;
  return decodeWhole(bytes, readNftMetadata, 'the metadata of an NFT');
}
