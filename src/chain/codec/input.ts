/** Inputs of transactions (docs/protocol.md#inputs). */
import type { Reader } from '../scale/reader.ts';
import type { Writer } from '../scale/writer.ts';
import type { TxInput } from '../types.ts';
import {
  readAccountCommand,
  readOrderAccountCommand,
  writeAccountCommand,
  writeOrderAccountCommand,
} from './command.ts';
import { kindCodec } from './kind-codec.ts';
import { readOutpoint, writeOutpoint } from './outpoint.ts';
import { readAmount, writeAmount } from './value.ts';

/** The only kind of account that is spent from. */
const DELEGATION_BALANCE = 0;

const INPUT = kindCodec<TxInput>('an input', {
  Utxo: {
    index: 0,
    read: (reader) => ({ type: 'Utxo', outpoint: readOutpoint(reader) }),
    write(writer, value) {
      writeOutpoint(writer, value.outpoint);
    },
  },
  Account: {
    index: 1,
    read: (reader) => readAccount(reader),
    write(writer, value) {
      writer.compact(value.nonce, 64);
      writer.u8(DELEGATION_BALANCE);
      writer.hex(value.delegationId, 32);
      writeAmount(writer, value.amount);
    },
  },
  AccountCommand: {
    index: 2,
    read: (reader) => ({
      type: 'AccountCommand',
      nonce: reader.compact(8, 'a nonce'),
      command: readAccountCommand(reader),
    }),
    write(writer, value) {
      writer.compact(value.nonce, 64);
      writeAccountCommand(writer, value.command);
    },
  },
  OrderAccountCommand: {
    index: 3,
    read: (reader) => ({ type: 'OrderAccountCommand', command: readOrderAccountCommand(reader) }),
    write(writer, value) {
      writeOrderAccountCommand(writer, value.command);
    },
  },
});

/** Throws DecodeError. */
export function readInput(reader: Reader): TxInput {
  return INPUT.read(reader);
}

/** Throws EncodeError. */
export function writeInput(writer: Writer, input: TxInput): void {
  INPUT.write(writer, input);
}

function readAccount(reader: Reader): Extract<TxInput, { type: 'Account' }> {
  const nonce = reader.compact(8, 'a nonce');
  const kind = reader.u8('the kind of an account');
  if (kind !== DELEGATION_BALANCE) reader.fail('the kind of an account: 0', `${kind}`, reader.position - 1);
  return { type: 'Account', nonce, delegationId: reader.hex(32, 'a delegation id'), amount: readAmount(reader) };
}
