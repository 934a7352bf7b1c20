/** Stake pools (docs/protocol.md#stake-pool-data). */
import { EncodeError } from '../scale/decode-error.ts';
import type { Reader } from '../scale/reader.ts';
import type { Writer } from '../scale/writer.ts';
import type { Hex, StakePoolData } from '../types.ts';
import { readDestination, writeDestination } from './destination.ts';
import { readAmount, writeAmount } from './value.ts';

const MAX_PER_THOUSAND = 1000;
/** Key kind and 32 bytes. */
const VRF_KEY_LENGTH = 33;

export function readStakePoolData(reader: Reader): StakePoolData {
  return {
    pledge: readAmount(reader),
    staker: readDestination(reader),
    vrfPublicKey: readVrfKey(reader),
    decommissionKey: readDestination(reader),
    marginRatioPerThousand: readPerThousand(reader),
    costPerBlock: readAmount(reader),
  };
}

export function writeStakePoolData(writer: Writer, data: StakePoolData): void {
  writeAmount(writer, data.pledge);
  writeDestination(writer, data.staker);
  if (!data.vrfPublicKey.startsWith('00')) throw new EncodeError(`not a VRF public key: "${data.vrfPublicKey}"`);
  writer.hex(data.vrfPublicKey, VRF_KEY_LENGTH);
  writeDestination(writer, data.decommissionKey);
  if (data.marginRatioPerThousand > MAX_PER_THOUSAND) {
    throw new EncodeError(`a margin ratio of ${data.marginRatioPerThousand} per thousand`);
  }
  writer.u16(data.marginRatioPerThousand);
  writeAmount(writer, data.costPerBlock);
}

/** Kind byte and 32 bytes, as hex. */
export function readVrfKey(reader: Reader): Hex {
  const start = reader.position;
  const key = reader.hex(VRF_KEY_LENGTH, 'a VRF public key');
  if (reader.bytes[start] !== 0) reader.fail('the kind of a VRF public key: 0', `${reader.bytes[start]}`, start);
  return key;
}

function readPerThousand(reader: Reader): number {
  const value = reader.u16('a margin ratio per thousand');
  if (value > MAX_PER_THOUSAND) reader.fail('a margin ratio of 0 to 1000', `${value}`, reader.position - 2);
  return value;
}
