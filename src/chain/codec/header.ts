/** Block headers and their consensus data (docs/protocol.md#consensus-data). */

import { compactTargetFault } from '../compact-target.ts';
import type { BlockHeader, ConsensusData, PoSData } from '../types.ts';
import { behindVersion, bytesAfterKindZero, type Codec, id, optional, struct, u32, union, vector } from './codec.ts';
import { SIGNATURE_CODEC } from './destination.ts';
import { INPUT_CODEC } from './input.ts';
import { WITNESS_CODEC } from './witness.ts';

/** Seconds since the epoch, at most 2^53 − 1. */
export const TIMESTAMP_CODEC: Codec<number> = {
  read: (reader) => reader.compactNumber(8, 'a timestamp'),
  write: (writer, timestamp) => writer.compact(timestamp, 64),
};

const COMPACT_TARGET: Codec<number> = {
  read(reader) {
    const target = reader.u32('a compact target');
    const fault = compactTargetFault(target);
    if (fault !== undefined) reader.fail('a compact target', `0x${target.toString(16)}: ${fault}`, reader.position - 4);
    return target;
  },
  write: (writer, target) => writer.u32(target),
};

const POS_DATA = struct<PoSData>({
  kernelInputs: vector('the kernel inputs', INPUT_CODEC),
  kernelWitness: vector('the kernel witnesses', WITNESS_CODEC),
  stakePoolId: id('a pool id'),
  // Tag, pre-output and proof.
  vrfData: bytesAfterKindZero(97, 'VRF data'),
  compactTarget: COMPACT_TARGET,
});

const POW_NONCE: Codec<bigint> = {
  read: (reader) => reader.u128('a nonce'),
  write: (writer, nonce) => writer.u128(nonce),
};

const CONSENSUS_DATA = union<ConsensusData>('consensus data', {
  None: { index: 0, fields: {} },
  PoW: { index: 1, fields: { bits: u32('the bits of a target'), nonce: POW_NONCE } },
  PoS: { index: 2, fields: { data: POS_DATA } },
});

export const { read: readHeader, write: writeHeader } = behindVersion(
  1,
  'a block',
  struct<BlockHeader>({
    prevBlockId: id('the id of the previous block'),
    txMerkleRoot: id('the merkle root of the transactions'),
    witnessMerkleRoot: id('the merkle root of the witnesses'),
    timestamp: TIMESTAMP_CODEC,
    consensus: CONSENSUS_DATA,
  }),
);

/** The signature that follows the header, or null. */
export const { read: readHeaderSignature, write: writeHeaderSignature } = optional(
  'the signature of a block',
  SIGNATURE_CODEC,
  'the kind of a block signature',
);
