/** Outputs of transactions and block rewards (docs/protocol.md#outputs). */
import { bytesFromHex } from '../scale/hex.ts';
import { decodeWhole, type Reader } from '../scale/reader.ts';
import { Writer } from '../scale/writer.ts';
import type { Hex, TxOutput } from '../types.ts';
import { readDestination, writeDestination } from './destination.ts';
import { readHtlc, writeHtlc } from './htlc.ts';
import { kindCodec } from './kind-codec.ts';
import { readNftIssuance, writeNftIssuance } from './nft.ts';
import { readOrderData, writeOrderData } from './order.ts';
import { readStakePoolData, writeStakePoolData } from './pool.ts';
import { readTimeLock, writeTimeLock } from './time-lock.ts';
import { readTokenIssuance, writeTokenIssuance } from './token.ts';
import { readAmount, readOutputValue, writeAmount, writeOutputValue } from './value.ts';

const OUTPUT = kindCodec<TxOutput>('an output', {
  Transfer: {
    index: 0,
    read: (reader) => ({ type: 'Transfer', value: readOutputValue(reader), destination: readDestination(reader) }),
    write(writer, value) {
      writeOutputValue(writer, value.value);
      writeDestination(writer, value.destination);
    },
  },
  LockThenTransfer: {
    index: 1,
    read: (reader) => ({
      type: 'LockThenTransfer',
      value: readOutputValue(reader),
      destination: readDestination(reader),
      lock: readTimeLock(reader),
    }),
    write(writer, value) {
      writeOutputValue(writer, value.value);
      writeDestination(writer, value.destination);
      writeTimeLock(writer, value.lock);
    },
  },
  Burn: {
    index: 2,
    read: (reader) => ({ type: 'Burn', value: readOutputValue(reader) }),
    write(writer, value) {
      writeOutputValue(writer, value.value);
    },
  },
  CreateStakePool: {
    index: 3,
    read: (reader) => ({
      type: 'CreateStakePool',
      poolId: reader.hex(32, 'a pool id'),
      data: readStakePoolData(reader),
    }),
    write(writer, value) {
      writer.hex(value.poolId, 32);
      writeStakePoolData(writer, value.data);
    },
  },
  ProduceBlockFromStake: {
    index: 4,
    read: (reader) => ({
      type: 'ProduceBlockFromStake',
      destination: readDestination(reader),
      poolId: reader.hex(32, 'a pool id'),
    }),
    write(writer, value) {
      writeDestination(writer, value.destination);
      writer.hex(value.poolId, 32);
    },
  },
  CreateDelegationId: {
    index: 5,
    read: (reader) => ({
      type: 'CreateDelegationId',
      destination: readDestination(reader),
      poolId: reader.hex(32, 'a pool id'),
    }),
    write(writer, value) {
      writeDestination(writer, value.destination);
      writer.hex(value.poolId, 32);
    },
  },
  DelegateStaking: {
    index: 6,
    read: (reader) => ({
      type: 'DelegateStaking',
      amount: readAmount(reader),
      delegationId: reader.hex(32, 'a delegation id'),
    }),
    write(writer, value) {
      writeAmount(writer, value.amount);
      writer.hex(value.delegationId, 32);
    },
  },
  IssueFungibleToken: {
    index: 7,
    read: (reader) => ({ type: 'IssueFungibleToken', issuance: readTokenIssuance(reader) }),
    write(writer, value) {
      writeTokenIssuance(writer, value.issuance);
    },
  },
  IssueNft: {
    index: 8,
    read: (reader) => ({
      type: 'IssueNft',
      tokenId: reader.hex(32, 'a token id'),
      metadata: readNftIssuance(reader),
      destination: readDestination(reader),
    }),
    write(writer, value) {
      writer.hex(value.tokenId, 32);
      writeNftIssuance(writer, value.metadata);
      writeDestination(writer, value.destination);
    },
  },
  DataDeposit: {
    index: 9,
    read: (reader) => ({ type: 'DataDeposit', data: reader.byteVector('deposited data') }),
    write(writer, value) {
      writer.byteVector(value.data);
    },
  },
  Htlc: {
    index: 10,
    read: (reader) => ({ type: 'Htlc', value: readOutputValue(reader), contract: readHtlc(reader) }),
    write(writer, value) {
      writeOutputValue(writer, value.value);
      writeHtlc(writer, value.contract);
    },
  },
  CreateOrder: {
    index: 11,
    read: (reader) => ({ type: 'CreateOrder', order: readOrderData(reader) }),
    write(writer, value) {
      writeOrderData(writer, value.order);
    },
  },
});

/** Throws DecodeError. */
export function readOutput(reader: Reader): TxOutput {
  return OUTPUT.read(reader);
}

/** Throws EncodeError. */
export function writeOutput(writer: Writer, output: TxOutput): void {
  OUTPUT.write(writer, output);
}

/** Throws EncodeError. */
export function encodeOutput(output: TxOutput): Buffer {
  const writer = new Writer(96);
  writeOutput(writer, output);
  return writer.finish();
}

/** The output that the hex is. Throws DecodeError. */
export function outputFromHex(hex: Hex): TxOutput {
  return decodeWhole(bytesFromHex(hex), readOutput, 'an output');
}
