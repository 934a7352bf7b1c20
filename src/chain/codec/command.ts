/** Commands to tokens and orders that stand among a transaction's inputs (docs/protocol.md#inputs). */
import { unknownKind } from '../scale/decode-error.ts';
import type { Reader } from '../scale/reader.ts';
import type { Writer } from '../scale/writer.ts';
import type { AccountCommand, OrderAccountCommand } from '../types.ts';
import { readDestination, writeDestination } from './destination.ts';
import { readYesNo } from './token.ts';
import { readAmount, writeAmount } from './value.ts';

const TOKEN_ID = 'a token id';
const ORDER_ID = 'an order id';

export function readAccountCommand(reader: Reader): AccountCommand {
  const tag = reader.u8('an account command');
  switch (tag) {
    case 0:
      return { type: 'MintTokens', tokenId: reader.hex(32, TOKEN_ID), amount: readAmount(reader) };
    case 1:
      return { type: 'UnmintTokens', tokenId: reader.hex(32, TOKEN_ID) };
    case 2:
      return { type: 'LockTokenSupply', tokenId: reader.hex(32, TOKEN_ID) };
    case 3:
      return {
        type: 'FreezeToken',
        tokenId: reader.hex(32, TOKEN_ID),
        isUnfreezable: readYesNo(reader, 'whether a token can be unfrozen'),
      };
    case 4:
      return { type: 'UnfreezeToken', tokenId: reader.hex(32, TOKEN_ID) };
    case 5:
      return {
        type: 'ChangeTokenAuthority',
        tokenId: reader.hex(32, TOKEN_ID),
        newAuthority: readDestination(reader),
      };
    case 6:
      return { type: 'ConcludeOrder', orderId: reader.hex(32, ORDER_ID) };
    case 7:
      return {
        type: 'FillOrder',
        orderId: reader.hex(32, ORDER_ID),
        fillAmount: readAmount(reader),
        destination: readDestination(reader),
      };
    case 8:
      return {
        type: 'ChangeTokenMetadataUri',
        tokenId: reader.hex(32, TOKEN_ID),
        metadataUri: reader.byteVector('a metadata URI'),
      };
    default:
      return reader.fail('the kind of an account command: 0 to 8', `${tag}`, reader.position - 1);
  }
}

export function writeAccountCommand(writer: Writer, command: AccountCommand): void {
  switch (command.type) {
    case 'MintTokens':
      writer.u8(0);
      writer.hex(command.tokenId, 32);
      writeAmount(writer, command.amount);
      break;
    case 'UnmintTokens':
      writer.u8(1);
      writer.hex(command.tokenId, 32);
      break;
    case 'LockTokenSupply':
      writer.u8(2);
      writer.hex(command.tokenId, 32);
      break;
    case 'FreezeToken':
      writer.u8(3);
      writer.hex(command.tokenId, 32);
      writer.u8(command.isUnfreezable ? 1 : 0);
      break;
    case 'UnfreezeToken':
      writer.u8(4);
      writer.hex(command.tokenId, 32);
      break;
    case 'ChangeTokenAuthority':
      writer.u8(5);
      writer.hex(command.tokenId, 32);
      writeDestination(writer, command.newAuthority);
      break;
    case 'ConcludeOrder':
      writer.u8(6);
      writer.hex(command.orderId, 32);
      break;
    case 'FillOrder':
      writer.u8(7);
      writer.hex(command.orderId, 32);
      writeAmount(writer, command.fillAmount);
      writeDestination(writer, command.destination);
      break;
    case 'ChangeTokenMetadataUri':
      writer.u8(8);
      writer.hex(command.tokenId, 32);
      writer.byteVector(command.metadataUri);
      break;
    default:
      unknownKind(command);
  }
}

export function readOrderAccountCommand(reader: Reader): OrderAccountCommand {
  const tag = reader.u8('an order command');
  switch (tag) {
    case 0:
      return { type: 'FillOrder', orderId: reader.hex(32, ORDER_ID), fillAmount: readAmount(reader) };
    case 1:
      return { type: 'FreezeOrder', orderId: reader.hex(32, ORDER_ID) };
    case 2:
      return { type: 'ConcludeOrder', orderId: reader.hex(32, ORDER_ID) };
    default:
      return reader.fail('the kind of an order command: 0 to 2', `${tag}`, reader.position - 1);
  }
}

export function writeOrderAccountCommand(writer: Writer, command: OrderAccountCommand): void {
  switch (command.type) {
    case 'FillOrder':
      writer.u8(0);
      writer.hex(command.orderId, 32);
      writeAmount(writer, command.fillAmount);
      break;
    case 'FreezeOrder':
      writer.u8(1);
      writer.hex(command.orderId, 32);
      break;
    case 'ConcludeOrder':
      writer.u8(2);
      writer.hex(command.orderId, 32);
      break;
    default:
      unknownKind(command);
  }
}
