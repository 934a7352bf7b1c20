/**
 * Keyset cursors: where the next page of a list begins, as an opaque text for clients. A cursor holds the sort key of the
 * last entry shown, and a checksum over it and the name of the list: damage, or a cursor of another list, is detected.
 */
import { crc32 } from 'node:zlib';
import { parseSortKey, type SortFields, sortKeyText } from '../../store/queries/sort-key.ts';
import { badRequest } from '../errors/api-error.ts';

const CHECKSUM_BYTES = 4;
/** Maximum length of a cursor, in characters. */
export const LONGEST_CURSOR = 1_024;

/** The cursor after the entry with this sort key. `list` names the list and everything that selects its entries. */
export function encodeCursor<Key extends object>(list: string, fields: SortFields<Key>, key: Key): string {
  const payload = Buffer.from(sortKeyText(fields, key), 'latin1');
  return Buffer.concat([payload, checksum(list, payload)]).toString('base64url');
}

/** The sort key in a cursor; throws the error 400 when it is damaged or of another list. */
export function decodeCursor<Key extends object>(list: string, fields: SortFields<Key>, cursor: string): Key {
  const bytes = cursor.length > LONGEST_CURSOR ? Buffer.alloc(0) : Buffer.from(cursor, 'base64url');
  if (bytes.length < CHECKSUM_BYTES || bytes.toString('base64url') !== cursor) throw badRequest('Invalid cursor');
  const payload = bytes.subarray(0, -CHECKSUM_BYTES);
  const isIntact = checksum(list, payload).equals(bytes.subarray(-CHECKSUM_BYTES));
  const key = isIntact ? parseSortKey(fields, payload.toString('latin1')) : null;
  if (key === null) throw badRequest('Invalid cursor');
  return key;
}

function checksum(list: string, payload: Buffer): Buffer {
  const bytes = Buffer.alloc(CHECKSUM_BYTES);
  bytes.writeUInt32BE(crc32(payload, crc32(list)));
  return bytes;
}
