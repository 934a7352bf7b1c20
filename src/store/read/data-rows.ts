/**
 * Takes the rows of results off a connection before the driver reads them. The driver makes a text of every value, by a call
 * into native code that costs more than all else that is done with a number.
 */
import type pg from 'pg';
import { socketOf } from '../postgres/connect.ts';

/** Receives the body of a `DataRow` message, which begins at `offset`. It must not keep the bytes. */
export type TakeDataRow = (bytes: Buffer, offset: number) => void;

/** https://www.postgresql.org/docs/current/protocol-message-formats.html */
const DATA_ROW = 'D'.charCodeAt(0);
/** Before the body of a message: its type, and its length without the type. */
const HEADER_BYTES = 5;

/** From now on `take` receives the rows, and the driver all other messages. The connection has to be open. */
export function takeDataRows(client: pg.Client, take: TakeDataRow): void {
  const socket = socketOf(client);
  const [driver] = socket.listeners('data') as ((bytes: Buffer) => void)[];
  socket.off('data', driver!);
  socket.on('data', splitMessages(take, driver!));
}

/** A function that takes what arrives in chunks: the rows go to `take`, all other messages, whole, to `other`. */
export function splitMessages(take: TakeDataRow, other: (bytes: Buffer) => void): (chunk: Buffer) => void {
  /** The beginning of a message that has not arrived whole, in chunks; and from how many bytes on there is more to do. */
  let begun: Buffer[] = [];
  let begunBytes = 0;
  let neededBytes = 0;

  return (chunk) => {
    let bytes = chunk;
    if (begunBytes > 0) {
      begun.push(chunk);
      begunBytes += chunk.length;
      if (begunBytes < neededBytes) return;
      bytes = Buffer.concat(begun, begunBytes);
    }
    let otherFrom = 0;
    let at = 0;
    neededBytes = HEADER_BYTES;
    while (at + HEADER_BYTES <= bytes.length) {
      const messageBytes = 1 + bytes.readUInt32BE(at + 1);
      if (at + messageBytes > bytes.length) {
        neededBytes = messageBytes;
        break;
      }
      if (bytes[at] === DATA_ROW) {
        if (otherFrom < at) other(bytes.subarray(otherFrom, at));
        take(bytes, at + HEADER_BYTES);
        otherFrom = at + messageBytes;
      }
      at += messageBytes;
    }
    begun = at < bytes.length ? [bytes.subarray(at)] : [];
    begunBytes = bytes.length - at;
    if (otherFrom < at) other(bytes.subarray(otherFrom, at));
  };
}
