/**
 * Keyset cursors: where the next page of a list begins, as the client's opaque text. A cursor holds the sort key of the
 * last entry given and a checksum over it and the list's name, so that damage, or a cursor of another list, is found.
 */
import { crc32 } from 'node:zlib';
import { LARGEST_HEIGHT } from '../../chain/networks/network.ts';
import { badRequest } from '../route/api-error.ts';

/** The kinds of fields that sort keys are made of. */
export type CursorField = 'height' | 'index' | 'amount' | 'price' | 'id' | 'owner' | 'flag';

const FORMS: Readonly<Record<CursorField, RegExp>> = {
  height: /^(?:0|[1-9][0-9]{0,9})$/,
  index: /^(?:0|[1-9][0-9]{0,14})$/,
  amount: /^(?:0|[1-9][0-9]{0,99})$/,
  price: /^(?:0|[1-9][0-9]{0,149})$/,
  id: /^[0-9a-f]{64}$/,
  owner: /^(?:[0-9a-f]{2}){1,64}$/,
  flag: /^[01]$/,
};

const CHECKSUM_BYTES = 4;
/** Longer texts are no cursor. */
export const LONGEST_CURSOR = 1_024;

/**
 * The cursor after an entry with this sort key. `list` names the list and all that selects its entries, for example a
 * pool's delegations.
 */
export function encodeCursor(list: string, key: readonly (string | number | bigint)[]): string {
  const payload = Buffer.from(key.join('.'), 'latin1');
  return Buffer.concat([payload, checksum(list, payload)]).toString('base64url');
}

/** The sort key in a cursor; throws the error 400 when it is damaged or of another list. */
export function decodeCursor(list: string, fields: readonly CursorField[], cursor: string): string[] {
  const bytes = cursor.length > LONGEST_CURSOR ? Buffer.alloc(0) : Buffer.from(cursor, 'base64url');
  if (bytes.length < CHECKSUM_BYTES || bytes.toString('base64url') !== cursor) throw badRequest('Invalid cursor');
  const payload = bytes.subarray(0, -CHECKSUM_BYTES);
  if (!checksum(list, payload).equals(bytes.subarray(-CHECKSUM_BYTES))) throw badRequest('Invalid cursor');
  const key = payload.toString('latin1').split('.');
  const isOfList = key.length === fields.length && fields.every((field, i) => FORMS[field].test(key[i]!));
  // A key of the right form can still be beyond what a column holds.
  if (!isOfList || fields.some((field, i) => field === 'height' && Number(key[i]) > LARGEST_HEIGHT)) {
    throw badRequest('Invalid cursor');
  }
  return key;
}

function checksum(list: string, payload: Buffer): Buffer {
  const bytes = Buffer.alloc(CHECKSUM_BYTES);
  bytes.writeUInt32BE(crc32(payload, crc32(list)));
  return bytes;
}
