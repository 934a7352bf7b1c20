/** What an output carries: coins or tokens (docs/protocol.md#output-values). */
import { unknownKind } from '../kind-facts.ts';
import type { Reader } from '../scale/reader.ts';
import type { Writer } from '../scale/writer.ts';
import type { Atoms, OutputValue, TokenDataV0 } from '../types.ts';
import { readNftMetadata, writeNftMetadata } from './nft.ts';

export function readAmount(reader: Reader): Atoms {
  return reader.compact(16, 'an amount');
}

export function writeAmount(writer: Writer, amount: Atoms): void {
  writer.compact(amount, 128);
}

export function readOutputValue(reader: Reader): OutputValue {
  const tag = reader.u8('an output value');
  switch (tag) {
    case 0:
      return { type: 'Coin', amount: readAmount(reader) };
    case 1:
      return { type: 'TokenV0', data: readTokenDataV0(reader) };
    case 2:
      return { type: 'TokenV1', tokenId: reader.hex(32, 'a token id'), amount: readAmount(reader) };
    default:
      return reader.fail('the kind of an output value: 0 to 2', `${tag}`, reader.position - 1);
  }
}

export function writeOutputValue(writer: Writer, value: OutputValue): void {
  switch (value.type) {
    case 'Coin':
      writer.u8(0);
      writeAmount(writer, value.amount);
      break;
    case 'TokenV0':
      writer.u8(1);
      writeTokenDataV0(writer, value.data);
      break;
    case 'TokenV1':
      writer.u8(2);
      writer.hex(value.tokenId, 32);
      writeAmount(writer, value.amount);
      break;
    default:
      unknownKind(value);
  }
}

/** Its tags start at 1. */
function readTokenDataV0(reader: Reader): TokenDataV0 {
  const tag = reader.u8('legacy token data');
  switch (tag) {
    case 1:
      return { type: 'TokenTransfer', tokenId: reader.hex(32, 'a token id'), amount: readAmount(reader) };
    case 2:
      return {
        type: 'TokenIssuance',
        ticker: reader.byteVector('a ticker'),
        amountToIssue: readAmount(reader),
        numberOfDecimals: reader.u8('a number of decimals'),
        metadataUri: reader.byteVector('a metadata URI'),
      };
    case 3:
      return { type: 'NftIssuance', metadata: readNftMetadata(reader) };
    default:
      return reader.fail('the kind of legacy token data: 1 to 3', `${tag}`, reader.position - 1);
  }
}

function writeTokenDataV0(writer: Writer, data: TokenDataV0): void {
  switch (data.type) {
    case 'TokenTransfer':
      writer.u8(1);
      writer.hex(data.tokenId, 32);
      writeAmount(writer, data.amount);
      break;
    case 'TokenIssuance':
      writer.u8(2);
      writer.byteVector(data.ticker);
      writeAmount(writer, data.amountToIssue);
      writer.u8(data.numberOfDecimals);
      writer.byteVector(data.metadataUri);
      break;
    case 'NftIssuance':
      writer.u8(3);
      writeNftMetadata(writer, data.metadata);
      break;
    default:
      unknownKind(data);
  }
}
