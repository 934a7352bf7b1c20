/** Values of the columns of a result, out of the bytes of its rows: numbers without a text in between. */
import type pg from 'pg';
import { TYPE_OIDS } from '../postgres/connect.ts';

/** Gives the value whose text is in these bytes. */
export type ValueReader = (bytes: Buffer, start: number, end: number) => unknown;

/** The reader for the columns of a type: it gives what the client's parser gives. */
export function valueReader(client: pg.Client, oid: number): ValueReader {
  switch (oid) {
    case TYPE_OIDS.smallint:
    case TYPE_OIDS.integer:
    case TYPE_OIDS.bigint:
      return readInteger;
    case TYPE_OIDS.numeric:
      return readNumeric;
    case TYPE_OIDS.bytea:
      return readHex;
    default: {
      const parse = client.getTypeParser(oid, 'text');
      return (bytes, start, end) => parse(bytes.toString('utf8', start, end));
    }
  }
}

/** So many digits V8 adds up as integers of 32 bits, in a quarter of the time that doubles take. */
const FAST_DIGITS = 9;
const FAST_UNIT = 10 ** FAST_DIGITS;
const ZERO = 48;

function readInteger(bytes: Buffer, start: number, end: number): number {
  const value = readSafeInteger(bytes, start, end);
  return value < 0 ? Number(bytes.toString('latin1', start, end)) : value;
}

/** Throws a SyntaxError where it is not a whole number. */
function readNumeric(bytes: Buffer, start: number, end: number): bigint {
  const value = readSafeInteger(bytes, start, end);
  return BigInt(value < 0 ? bytes.toString('latin1', start, end) : value);
}

/** A number of digits alone that a double holds exactly; -1 for another one. */
function readSafeInteger(bytes: Buffer, start: number, end: number): number {
  const middle = Math.max(start, end - FAST_DIGITS);
  if (middle - start > FAST_DIGITS) return -1;
  const high = readDigits(bytes, start, middle);
  const low = readDigits(bytes, middle, end);
  const value = high * FAST_UNIT + low;
  return high < 0 || low < 0 || value > Number.MAX_SAFE_INTEGER ? -1 : value;
}

/** Up to {@link FAST_DIGITS} digits; -1 where something else stands among them. */
function readDigits(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = bytes[i]! - ZERO;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** Without the `\x` before it. */
function readHex(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('latin1', start + 2, end);
}
