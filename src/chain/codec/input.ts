/** Inputs of transactions (docs/protocol.md#inputs). */
import { unknownKind } from '../scale/decode-error.ts';
import type { Reader } from '../scale/reader.ts';
import type { Writer } from '../scale/writer.ts';
import type { TxInput } from '../types.ts';
import {
  readAccountCommand,
  readOrderAccountCommand,
  writeAccountCommand,
  writeOrderAccountCommand,
} from './command.ts';
import { readOutpoint, writeOutpoint } from './outpoint.ts';
import { readAmount, writeAmount } from './value.ts';

/** The only kind of account that is spent from. */
const DELEGATION_BALANCE = 0;

export function readInput(reader: Reader): TxInput {
  const tag = reader.u8('an input');
  switch (tag) {
    case 0:
      return { type: 'Utxo', outpoint: readOutpoint(reader) };
    case 1:
      return readAccount(reader);
    case 2:
      return { type: 'AccountCommand', nonce: reader.compact(8, 'a nonce'), command: readAccountCommand(reader) };
    case 3:
      return { type: 'OrderAccountCommand', command: readOrderAccountCommand(reader) };
    default:
      return reader.fail('the kind of an input: 0 to 3', `${tag}`, reader.position - 1);
  }
}

export function writeInput(writer: Writer, input: TxInput): void {
  switch (input.type) {
    case 'Utxo':
      writer.u8(0);
      writeOutpoint(writer, input.outpoint);
      break;
    case 'Account':
      writer.u8(1);
      writer.compact(input.nonce, 64);
      writer.u8(DELEGATION_BALANCE);
      writer.hex(input.delegationId, 32);
      writeAmount(writer, input.amount);
      break;
    case 'AccountCommand':
      writer.u8(2);
      writer.compact(input.nonce, 64);
      writeAccountCommand(writer, input.command);
      break;
    case 'OrderAccountCommand':
      writer.u8(3);
      writeOrderAccountCommand(writer, input.command);
      break;
    default:
      unknownKind(input);
  }
}

function readAccount(reader: Reader): TxInput {
  const nonce = reader.compact(8, 'a nonce');
  const kind = reader.u8('the kind of an account');
  if (kind !== DELEGATION_BALANCE) reader.fail('the kind of an account: 0', `${kind}`, reader.position - 1);
  return { type: 'Account', nonce, delegationId: reader.hex(32, 'a delegation id'), amount: readAmount(reader) };
}
