/** Issuances of fungible tokens (docs/protocol.md#token-issuance). */
import { unknownKind } from '../kind-facts.ts';
import type { Reader } from '../scale/reader.ts';
import type { Writer } from '../scale/writer.ts';
import type { TokenIssuance, TotalSupply } from '../types.ts';
import { readDestination, writeDestination } from './destination.ts';
import { readAmount, writeAmount } from './value.ts';

const ISSUANCE_VERSION = 1;

export function readTokenIssuance(reader: Reader): TokenIssuance {
  const version = reader.u8('a token issuance');
  if (version !== ISSUANCE_VERSION)
    reader.fail('the version of a token issuance: 1', `${version}`, reader.position - 1);
  return {
    ticker: reader.byteVector('a ticker'),
    numberOfDecimals: reader.u8('a number of decimals'),
    metadataUri: reader.byteVector('a metadata URI'),
    totalSupply: readTotalSupply(reader),
    authority: readDestination(reader),
    isFreezable: readYesNo(reader, 'whether a token is freezable'),
  };
}

export function writeTokenIssuance(writer: Writer, issuance: TokenIssuance): void {
  writer.u8(ISSUANCE_VERSION);
  writer.byteVector(issuance.ticker);
  writer.u8(issuance.numberOfDecimals);
  writer.byteVector(issuance.metadataUri);
  writeTotalSupply(writer, issuance.totalSupply);
  writeDestination(writer, issuance.authority);
  writer.u8(issuance.isFreezable ? 1 : 0);
}

/** An enum of No and Yes. */
export function readYesNo(reader: Reader, expected: string): boolean {
  const tag = reader.u8(expected);
  if (tag > 1) reader.fail(`${expected}: 0 or 1`, `${tag}`, reader.position - 1);
  return tag === 1;
}

function readTotalSupply(reader: Reader): TotalSupply {
  const tag = reader.u8('a total supply');
  switch (tag) {
    case 0:
      return { type: 'Fixed', amount: readAmount(reader) };
    case 1:
      return { type: 'Lockable' };
    case 2:
      return { type: 'Unlimited' };
    default:
      return reader.fail('the kind of a total supply: 0 to 2', `${tag}`, reader.position - 1);
  }
}

function writeTotalSupply(writer: Writer, supply: TotalSupply): void {
  switch (supply.type) {
    case 'Fixed':
      writer.u8(0);
      writeAmount(writer, supply.amount);
      break;
    case 'Lockable':
      writer.u8(1);
      break;
    case 'Unlimited':
      writer.u8(2);
      break;
    default:
      unknownKind(supply);
  }
}
