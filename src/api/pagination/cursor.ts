/**
 * Keyset cursors: where the next page of a list begins, as an opaque text for clients. A cursor holds the sort key of the
 * last entry shown, and a checksum over it and the name of the list: damage, or a cursor of another list, is detected.
 */
import { crc32 } from 'node:zlib';
import { LARGEST_HEIGHT } from '../../chain/networks/network.ts';
import { badRequest } from '../route/api-error.ts';

/** The kinds of fields that sort keys are made of, with their types. */
interface FieldTypes {
  readonly height: number;
  readonly index: number;
  readonly amount: bigint;
  readonly price: bigint;
  readonly rank: bigint;
  readonly moment: bigint;
  readonly id: string;
  readonly currency: string;
  readonly owner: string;
  readonly flag: boolean;
}
type FieldKind = keyof FieldTypes;

/** The fields of a sort key by name, in the order of their weight: `{ height: 'height', poolId: 'id' }`. */
export type SortFields = Readonly<Record<string, FieldKind>>;
/** A sort key with these fields. */
export type SortKey<Fields extends SortFields> = { readonly [Name in keyof Fields]: FieldTypes[Fields[Name]] };

const PATTERNS: Readonly<Record<FieldKind, RegExp>> = {
  height: /^(?:0|[1-9][0-9]{0,9})$/,
  index: /^(?:0|[1-9][0-9]{0,14})$/,
  amount: /^(?:0|[1-9][0-9]{0,99})$/,
  price: /^(?:0|[1-9][0-9]{0,149})$/,
  // −1: it has none.
  rank: /^(?:-1|0|[1-9][0-9]{0,99})$/,
  // Seconds since the epoch, of which what follows from a lock may be very many: at most 2 · 10^18.
  moment: /^(?:0|[1-9][0-9]{0,17}|1[0-9]{18})$/,
  id: /^[0-9a-f]{64}$/,
  // Empty: the coin.
  currency: /^(?:[0-9a-f]{64})?$/,
  owner: /^(?:[0-9a-f]{2}){1,64}$/,
  flag: /^[01]$/,
};

const CHECKSUM_BYTES = 4;
/** Maximum length of a cursor, in characters. */
export const LONGEST_CURSOR = 1_024;

/** The cursor after the entry with this sort key. `list` names the list and everything that selects its entries. */
export function encodeCursor(list: string, key: object): string {
  const texts = Object.values(key).map((value) => (typeof value === 'boolean' ? Number(value) : value));
  const payload = Buffer.from(texts.join('.'), 'latin1');
  return Buffer.concat([payload, checksum(list, payload)]).toString('base64url');
}

/** The sort key in a cursor; throws the error 400 when it is damaged or of another list. */
export function decodeCursor<const Fields extends SortFields>(
  list: string,
  fields: Fields,
  cursor: string,
): SortKey<Fields> {
  const bytes = cursor.length > LONGEST_CURSOR ? Buffer.alloc(0) : Buffer.from(cursor, 'base64url');
  if (bytes.length < CHECKSUM_BYTES || bytes.toString('base64url') !== cursor) throw badRequest('Invalid cursor');
  const payload = bytes.subarray(0, -CHECKSUM_BYTES);
  if (!checksum(list, payload).equals(bytes.subarray(-CHECKSUM_BYTES))) throw badRequest('Invalid cursor');
  const texts = payload.toString('latin1').split('.');
  const names = Object.keys(fields);
  if (texts.length !== names.length) throw badRequest('Invalid cursor');
  const key: Record<string, FieldTypes[FieldKind]> = {};
  names.forEach((name, i) => {
    key[name] = decodeField(fields[name]!, texts[i]!);
  });
  return key as SortKey<Fields>;
}

function decodeField(kind: FieldKind, text: string): FieldTypes[FieldKind] {
  if (!PATTERNS[kind].test(text)) throw badRequest('Invalid cursor');
  switch (kind) {
    case 'height': {
      const height = Number(text);
      // Its column holds no larger one.
      if (height > LARGEST_HEIGHT) throw badRequest('Invalid cursor');
      return height;
    }
    case 'index':
      return Number(text);
    case 'amount':
    case 'price':
    case 'rank':
    case 'moment':
      return BigInt(text);
    case 'flag':
      return text === '1';
    case 'id':
    case 'currency':
    case 'owner':
      return text;
  }
}

function checksum(list: string, payload: Buffer): Buffer {
  const bytes = Buffer.alloc(CHECKSUM_BYTES);
  bytes.writeUInt32BE(crc32(payload, crc32(list)));
  return bytes;
}
