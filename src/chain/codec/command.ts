/** Commands to tokens and orders that stand among a transaction's inputs (docs/protocol.md#inputs). */
import type { Reader } from '../scale/reader.ts';
import type { Writer } from '../scale/writer.ts';
import type { AccountCommand, OrderAccountCommand } from '../types.ts';
import { readDestination, writeDestination } from './destination.ts';
import { kindCodec } from './kind-codec.ts';
import { readYesNo } from './token.ts';
import { readAmount, writeAmount } from './value.ts';

const TOKEN_ID = 'a token id';
const ORDER_ID = 'an order id';

const ACCOUNT_COMMAND = kindCodec<AccountCommand>('an account command', {
  MintTokens: {
    index: 0,
    read: (reader) => ({ type: 'MintTokens', tokenId: reader.hex(32, TOKEN_ID), amount: readAmount(reader) }),
    write(writer, value) {
      writer.hex(value.tokenId, 32);
      writeAmount(writer, value.amount);
    },
  },
  UnmintTokens: {
    index: 1,
    read: (reader) => ({ type: 'UnmintTokens', tokenId: reader.hex(32, TOKEN_ID) }),
    write(writer, value) {
      writer.hex(value.tokenId, 32);
    },
  },
  LockTokenSupply: {
    index: 2,
    read: (reader) => ({ type: 'LockTokenSupply', tokenId: reader.hex(32, TOKEN_ID) }),
    write(writer, value) {
      writer.hex(value.tokenId, 32);
    },
  },
  FreezeToken: {
    index: 3,
    read: (reader) => ({
      type: 'FreezeToken',
      tokenId: reader.hex(32, TOKEN_ID),
      isUnfreezable: readYesNo(reader, 'whether a token can be unfrozen'),
    }),
    write(writer, value) {
      writer.hex(value.tokenId, 32);
      writer.u8(value.isUnfreezable ? 1 : 0);
    },
  },
  UnfreezeToken: {
    index: 4,
    read: (reader) => ({ type: 'UnfreezeToken', tokenId: reader.hex(32, TOKEN_ID) }),
    write(writer, value) {
      writer.hex(value.tokenId, 32);
    },
  },
  ChangeTokenAuthority: {
    index: 5,
    read: (reader) => ({
      type: 'ChangeTokenAuthority',
      tokenId: reader.hex(32, TOKEN_ID),
      newAuthority: readDestination(reader),
    }),
    write(writer, value) {
      writer.hex(value.tokenId, 32);
      writeDestination(writer, value.newAuthority);
    },
  },
  ConcludeOrder: {
    index: 6,
    read: (reader) => ({ type: 'ConcludeOrder', orderId: reader.hex(32, ORDER_ID) }),
    write(writer, value) {
      writer.hex(value.orderId, 32);
    },
  },
  FillOrder: {
    index: 7,
    read: (reader) => ({
      type: 'FillOrder',
      orderId: reader.hex(32, ORDER_ID),
      fillAmount: readAmount(reader),
      destination: readDestination(reader),
    }),
    write(writer, value) {
      writer.hex(value.orderId, 32);
      writeAmount(writer, value.fillAmount);
      writeDestination(writer, value.destination);
    },
  },
  ChangeTokenMetadataUri: {
    index: 8,
    read: (reader) => ({
      type: 'ChangeTokenMetadataUri',
      tokenId: reader.hex(32, TOKEN_ID),
      metadataUri: reader.byteVector('a metadata URI'),
    }),
    write(writer, value) {
      writer.hex(value.tokenId, 32);
      writer.byteVector(value.metadataUri);
    },
  },
});

const ORDER_ACCOUNT_COMMAND = kindCodec<OrderAccountCommand>('an order command', {
  FillOrder: {
    index: 0,
    read: (reader) => ({ type: 'FillOrder', orderId: reader.hex(32, ORDER_ID), fillAmount: readAmount(reader) }),
    write(writer, value) {
      writer.hex(value.orderId, 32);
      writeAmount(writer, value.fillAmount);
    },
  },
  FreezeOrder: {
    index: 1,
    read: (reader) => ({ type: 'FreezeOrder', orderId: reader.hex(32, ORDER_ID) }),
    write(writer, value) {
      writer.hex(value.orderId, 32);
    },
  },
  ConcludeOrder: {
    index: 2,
    read: (reader) => ({ type: 'ConcludeOrder', orderId: reader.hex(32, ORDER_ID) }),
    write(writer, value) {
      writer.hex(value.orderId, 32);
    },
  },
});

/** Throws DecodeError. */
export function readAccountCommand(reader: Reader): AccountCommand {
  return ACCOUNT_COMMAND.read(reader);
}

/** Throws EncodeError. */
export function writeAccountCommand(writer: Writer, command: AccountCommand): void {
  ACCOUNT_COMMAND.write(writer, command);
}

/** Throws DecodeError. */
export function readOrderAccountCommand(reader: Reader): OrderAccountCommand {
  return ORDER_ACCOUNT_COMMAND.read(reader);
}

/** Throws EncodeError. */
export function writeOrderAccountCommand(writer: Writer, command: OrderAccountCommand): void {
  ORDER_ACCOUNT_COMMAND.write(writer, command);
}
