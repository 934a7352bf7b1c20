/** Block headers and their consensus data (docs/protocol.md#consensus-data). */

import { unknownKind } from '../kind-facts.ts';
import { EncodeError } from '../scale/decode-error.ts';
import type { Reader } from '../scale/reader.ts';
import type { Writer } from '../scale/writer.ts';
import { faultOfCompact } from '../target.ts';
import type { BlockHeader, ConsensusData, Hex, PoSData } from '../types.ts';
import { readInput, writeInput } from './input.ts';
import { readWitness, writeWitness } from './witness.ts';

const BLOCK_VERSION = 1;
/** Tag, pre-output and proof. */
const VRF_RETURN_LENGTH = 97;
/** Kind byte and Schnorr signature. */
const SIGNATURE_LENGTH = 65;

export function readHeader(reader: Reader): BlockHeader {
  const version = reader.u8('a block');
  if (version !== BLOCK_VERSION) reader.fail('the version of a block: 1', `${version}`, reader.position - 1);
  return {
    prevBlockId: reader.hex(32, 'the id of the previous block'),
    txMerkleRoot: reader.hex(32, 'the merkle root of the transactions'),
    witnessMerkleRoot: reader.hex(32, 'the merkle root of the witnesses'),
    timestamp: readTimestamp(reader),
    consensus: readConsensusData(reader),
  };
}

export function writeHeader(writer: Writer, header: BlockHeader): void {
  writer.u8(BLOCK_VERSION);
  writer.hex(header.prevBlockId, 32);
  writer.hex(header.txMerkleRoot, 32);
  writer.hex(header.witnessMerkleRoot, 32);
  writeTimestamp(writer, header.timestamp);
  writeConsensusData(writer, header.consensus);
}

/** Seconds since the epoch, at most 2^53 − 1. */
export function readTimestamp(reader: Reader): number {
  return reader.compactNumber(8, 'a timestamp');
}

export function writeTimestamp(writer: Writer, timestamp: number): void {
  writer.compact(timestamp, 64);
}

/** The signature that follows the header: kind byte and 64 bytes, or null. */
export function readHeaderSignature(reader: Reader): Hex | null {
  const tag = reader.u8('the signature of a block');
  if (tag === 0) return null;
  if (tag !== 1) reader.fail('the kind of a block signature: 0 or 1', `${tag}`, reader.position - 1);
  return readKind0(reader, SIGNATURE_LENGTH, 'a signature');
}

export function writeHeaderSignature(writer: Writer, signature: Hex | null): void {
  writer.u8(signature === null ? 0 : 1);
  if (signature !== null) writeKind0(writer, signature, SIGNATURE_LENGTH);
}

function readConsensusData(reader: Reader): ConsensusData {
  const tag = reader.u8('consensus data');
  switch (tag) {
    case 0:
      return { type: 'None' };
    case 1:
      return { type: 'PoW', bits: reader.u32('the bits of a target'), nonce: reader.u128('a nonce') };
    case 2:
      return { type: 'PoS', data: readPoSData(reader) };
    default:
      return reader.fail('the kind of consensus data: 0 to 2', `${tag}`, reader.position - 1);
  }
}

function writeConsensusData(writer: Writer, consensus: ConsensusData): void {
  switch (consensus.type) {
    case 'None':
      writer.u8(0);
      break;
    case 'PoW':
      writer.u8(1);
      writer.u32(consensus.bits);
      writer.u128(consensus.nonce);
      break;
    case 'PoS':
      writer.u8(2);
      writePoSData(writer, consensus.data);
      break;
    default:
      unknownKind(consensus);
  }
}

function readPoSData(reader: Reader): PoSData {
  const data = {
    kernelInputs: reader.vector(readInput, 'the kernel inputs'),
    kernelWitness: reader.vector(readWitness, 'the kernel witnesses'),
    stakePoolId: reader.hex(32, 'a pool id'),
    vrfData: readKind0(reader, VRF_RETURN_LENGTH, 'VRF data'),
    compactTarget: reader.u32('a compact target'),
  };
  const fault = faultOfCompact(data.compactTarget);
  if (fault !== undefined)
    reader.fail('a compact target', `0x${data.compactTarget.toString(16)}: ${fault}`, reader.position - 4);
  return data;
}

function writePoSData(writer: Writer, data: PoSData): void {
  writer.vector(data.kernelInputs, writeInput);
  writer.vector(data.kernelWitness, writeWitness);
  writer.hex(data.stakePoolId, 32);
  writeKind0(writer, data.vrfData, VRF_RETURN_LENGTH);
  writer.u32(data.compactTarget);
}

/** Bytes whose first is a kind of which only 0 exists. */
function readKind0(reader: Reader, length: number, expected: string): Hex {
  const start = reader.position;
  const bytes = reader.hex(length, expected);
  if (reader.bytes[start] !== 0) reader.fail(`the kind of ${expected}: 0`, `${reader.bytes[start]}`, start);
  return bytes;
}

function writeKind0(writer: Writer, bytes: Hex, length: number): void {
  if (!bytes.startsWith('00')) throw new EncodeError(`kind byte 00 missing: "${bytes}"`);
  writer.hex(bytes, length);
}
