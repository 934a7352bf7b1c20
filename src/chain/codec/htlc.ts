/** Hashed timelock contracts (docs/protocol.md#htlcs). */
import type { Reader } from '../scale/reader.ts';
import type { Writer } from '../scale/writer.ts';
import type { HashedTimelockContract } from '../types.ts';
import { readDestination, writeDestination } from './destination.ts';
import { readTimeLock, writeTimeLock } from './time-lock.ts';

export function readHtlc(reader: Reader): HashedTimelockContract {
  return {
    secretHash: reader.hex(20, 'the hash of a secret'),
    spendKey: readDestination(reader),
    refundTimelock: readTimeLock(reader),
    refundKey: readDestination(reader),
  };
}

export function writeHtlc(writer: Writer, contract: HashedTimelockContract): void {
  writer.hex(contract.secretHash, 20);
  writeDestination(writer, contract.spendKey);
  writeTimeLock(writer, contract.refundTimelock);
  writeDestination(writer, contract.refundKey);
}
