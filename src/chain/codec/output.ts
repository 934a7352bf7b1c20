/** Outputs of transactions and block rewards (docs/protocol.md#outputs). */
import { unknownKind } from '../scale/decode-error.ts';
import { bytesFromHex } from '../scale/hex.ts';
import { decodeWhole, type Reader } from '../scale/reader.ts';
import { Writer } from '../scale/writer.ts';
import type { Hex, TxOutput } from '../types.ts';
import { readDestination, writeDestination } from './destination.ts';
import { readHtlc, writeHtlc } from './htlc.ts';
import { readNftIssuance, writeNftIssuance } from './nft.ts';
import { readOrderData, writeOrderData } from './order.ts';
import { readStakePoolData, writeStakePoolData } from './pool.ts';
import { readTimeLock, writeTimeLock } from './time-lock.ts';
import { readTokenIssuance, writeTokenIssuance } from './token.ts';
import { readAmount, readOutputValue, writeAmount, writeOutputValue } from './value.ts';

export function readOutput(reader: Reader): TxOutput {
  const tag = reader.u8('an output');
  switch (tag) {
    case 0:
      return { type: 'Transfer', value: readOutputValue(reader), destination: readDestination(reader) };
    case 1:
      return {
        type: 'LockThenTransfer',
        value: readOutputValue(reader),
        destination: readDestination(reader),
        lock: readTimeLock(reader),
      };
    case 2:
      return { type: 'Burn', value: readOutputValue(reader) };
    case 3:
      return { type: 'CreateStakePool', poolId: reader.hex(32, 'a pool id'), data: readStakePoolData(reader) };
    case 4:
      return {
        type: 'ProduceBlockFromStake',
        destination: readDestination(reader),
        poolId: reader.hex(32, 'a pool id'),
      };
    case 5:
      return { type: 'CreateDelegationId', destination: readDestination(reader), poolId: reader.hex(32, 'a pool id') };
    case 6:
      return { type: 'DelegateStaking', amount: readAmount(reader), delegationId: reader.hex(32, 'a delegation id') };
    case 7:
      return { type: 'IssueFungibleToken', issuance: readTokenIssuance(reader) };
    case 8:
      return {
        type: 'IssueNft',
        tokenId: reader.hex(32, 'a token id'),
        metadata: readNftIssuance(reader),
        destination: readDestination(reader),
      };
    case 9:
      return { type: 'DataDeposit', data: reader.byteVector('deposited data') };
    case 10:
      return { type: 'Htlc', value: readOutputValue(reader), contract: readHtlc(reader) };
    case 11:
      return { type: 'CreateOrder', order: readOrderData(reader) };
    default:
      return reader.fail('the kind of an output: 0 to 11', `${tag}`, reader.position - 1);
  }
}

export function writeOutput(writer: Writer, output: TxOutput): void {
  switch (output.type) {
    case 'Transfer':
      writer.u8(0);
      writeOutputValue(writer, output.value);
      writeDestination(writer, output.destination);
      break;
    case 'LockThenTransfer':
      writer.u8(1);
      writeOutputValue(writer, output.value);
      writeDestination(writer, output.destination);
      writeTimeLock(writer, output.lock);
      break;
    case 'Burn':
      writer.u8(2);
      writeOutputValue(writer, output.value);
      break;
    case 'CreateStakePool':
      writer.u8(3);
      writer.hex(output.poolId, 32);
      writeStakePoolData(writer, output.data);
      break;
    case 'ProduceBlockFromStake':
      writer.u8(4);
      writeDestination(writer, output.destination);
      writer.hex(output.poolId, 32);
      break;
    case 'CreateDelegationId':
      writer.u8(5);
      writeDestination(writer, output.destination);
      writer.hex(output.poolId, 32);
      break;
    case 'DelegateStaking':
      writer.u8(6);
      writeAmount(writer, output.amount);
      writer.hex(output.delegationId, 32);
      break;
    case 'IssueFungibleToken':
      writer.u8(7);
      writeTokenIssuance(writer, output.issuance);
      break;
    case 'IssueNft':
      writer.u8(8);
      writer.hex(output.tokenId, 32);
      writeNftIssuance(writer, output.metadata);
      writeDestination(writer, output.destination);
      break;
    case 'DataDeposit':
      writer.u8(9);
      writer.byteVector(output.data);
      break;
    case 'Htlc':
      writer.u8(10);
      writeOutputValue(writer, output.value);
      writeHtlc(writer, output.contract);
      break;
    case 'CreateOrder':
      writer.u8(11);
      writeOrderData(writer, output.order);
      break;
    default:
      unknownKind(output);
  }
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
