/** NFT issuances (docs/protocol.md#nft-metadata). */
import { bytesFromHex } from '../scale/hex.ts';
import { decodeWhole, type Reader } from '../scale/reader.ts';
import { Writer } from '../scale/writer.ts';
import type { Hex, NftMetadata } from '../types.ts';
import { readPublicKey, writePublicKey } from './destination.ts';

const ISSUANCE_VERSION = 0;

/** The version tag and the metadata, as in an IssueNft output. */
export function readNftIssuance(reader: Reader): NftMetadata {
  const version = reader.u8('an NFT issuance');
  if (version !== ISSUANCE_VERSION) reader.fail('the version of an NFT issuance: 0', `${version}`, reader.position - 1);
  return readNftMetadata(reader);
}

export function writeNftIssuance(writer: Writer, metadata: NftMetadata): void {
  writer.u8(ISSUANCE_VERSION);
  writeNftMetadata(writer, metadata);
}

export function readNftMetadata(reader: Reader): NftMetadata {
  return {
    creator: readCreator(reader),
    name: reader.byteVector('the name of an NFT'),
    description: reader.byteVector('the description of an NFT'),
    ticker: reader.byteVector('the ticker of an NFT'),
    iconUri: reader.byteVector('the icon URI of an NFT'),
    additionalMetadataUri: reader.byteVector('the additional metadata URI of an NFT'),
    mediaUri: reader.byteVector('the media URI of an NFT'),
    mediaHash: reader.byteVector('the media hash of an NFT'),
  };
}

export function writeNftMetadata(writer: Writer, metadata: NftMetadata): void {
  if (metadata.creator === null) writer.u8(0);
  else {
    writer.u8(1);
    writePublicKey(writer, metadata.creator);
  }
  writer.byteVector(metadata.name);
  writer.byteVector(metadata.description);
  writer.byteVector(metadata.ticker);
  writer.byteVector(metadata.iconUri);
  writer.byteVector(metadata.additionalMetadataUri);
  writer.byteVector(metadata.mediaUri);
  writer.byteVector(metadata.mediaHash);
}

function readCreator(reader: Reader): Hex | null {
  const tag = reader.u8('the creator of an NFT');
  if (tag === 0) return null;
  if (tag !== 1) reader.fail('the creator of an NFT: 0 or 1', `${tag}`, reader.position - 1);
  return readPublicKey(reader);
}

/** The metadata as hex, without the issuance's version, the way it is stored. Throws EncodeError. */
export function metadataToHex(metadata: NftMetadata): Hex {
  const writer = new Writer();
  writeNftMetadata(writer, metadata);
  return writer.finishHex();
}

/** The metadata that the hex is. Throws DecodeError. */
export function metadataFromHex(hex: Hex): NftMetadata {
  return decodeWhole(bytesFromHex(hex), readNftMetadata, 'the metadata of an NFT');
}
