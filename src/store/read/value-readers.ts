/** Values of the columns of a result, out of the bytes of its rows. */
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
    case TYPE_OIDS.bytea:
      return readHex;
    default: {
      const parse = client.getTypeParser(oid, 'text');
      return (bytes, start, end) => parse(bytes.toString('utf8', start, end));
    }
  }
}

const MINUS = 45;
const ZERO = 48;

function readInteger(bytes: Buffer, start: number, end: number): number {
  const isNegative = bytes[start] === MINUS;
  let value = 0;
  for (let i = isNegative ? start + 1 : start; i < end; i++) value = value * 10 + (bytes[i]! - ZERO);
  return isNegative ? -value : value;
}

/** Without the `\x` before it. */
function readHex(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('latin1', start + 2, end);
}
