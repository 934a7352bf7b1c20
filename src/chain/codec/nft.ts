/** NFT issuances (docs/protocol.md#nft-metadata). */
import { bytesFromHex } from '../scale/hex.ts';
import { decodeWhole } from '../scale/reader.ts';
import { encodeToBuffer } from '../scale/writer.ts';
import type { Hex, NftMetadata } from '../types.ts';
import { behindVersion, byteVector, optional, struct } from './codec.ts';
import { PUBLIC_KEY_CODEC } from './destination.ts';

export const NFT_METADATA_CODEC = struct<NftMetadata>({
  creator: optional('the creator of an NFT', PUBLIC_KEY_CODEC),
  name: byteVector('the name of an NFT'),
  description: byteVector('the description of an NFT'),
  ticker: byteVector('the ticker of an NFT'),
  iconUri: byteVector('the icon URI of an NFT'),
  additionalMetadataUri: byteVector('the additional metadata URI of an NFT'),
  mediaUri: byteVector('the media URI of an NFT'),
  mediaHash: byteVector('the media hash of an NFT'),
});

/** The issuance data in an IssueNft output. */
export const NFT_ISSUANCE_CODEC = behindVersion(0, 'an NFT issuance', NFT_METADATA_CODEC);

/** Encodes metadata as hex without the version of the issuance, as it is stored. Throws EncodeError. */
export function nftMetadataToHex(metadata: NftMetadata): Hex {
  return encodeToBuffer(NFT_METADATA_CODEC.write, metadata).toString('hex');
}

/** Decodes stored metadata. Throws DecodeError. */
export function nftMetadataFromHex(hex: Hex): NftMetadata {
  return decodeWhole(bytesFromHex(hex), NFT_METADATA_CODEC.read, 'the metadata of an NFT');
}
