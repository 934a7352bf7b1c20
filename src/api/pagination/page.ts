/** A page of a list as a value, and the parameters `offset` and `items`. */
import { crc32 } from 'node:zlib';
import type { RowRange } from '../../store/queries/list.ts';
import { parseSortKey, type SortFields, sortKeyText } from '../../store/queries/sort-key.ts';
import { badRequest } from '../errors/api-error.ts';
import { lastValue, parseUnsigned, type Query } from '../parse/parameters.ts';

/** `offset`, `items` and `cursor` of a request. */
interface PageParameters {
  /** Entries of the list before the page. */
  readonly offset: bigint;
  readonly hasOffset: boolean;
  /** 1 … 100. */
  readonly items: number;
  /** Empty for the first page; undefined when the parameter is absent. */
  readonly cursor: string | undefined;
}

/** A page of a list, or all of it. `Key` is the list's sort key; `Whole` is null where it may be read whole. */
export interface ListPage<Key = unknown, Whole extends null = never> {
  /** Names the list and everything that selects its entries: what a cursor is bound to. */
  readonly list: string;
  /** The sort key of the entry before the page; null for the start of the list. */
  readonly after: Key | null;
  /** Entries to skip after that. */
  readonly skip: number;
  /** The parameter `offset`; null where it is absent or has no effect. */
  readonly offset: bigint | null;
  /** Maximum number of entries; null for all. */
  readonly limit: number | Whole;
  readonly shape: 'array' | 'envelope';
}

const DEFAULT_ITEMS = '10';
const MAX_ITEMS = 100n;
/** No list is longer; the sum of this and the length of a page fits PostgreSQL's `bigint`. */
const MAX_OFFSET = 10n ** 15n;

/** Validates `offset` and then `items`; throws the error 400. */
export function parsePageParameters(query: Query): PageParameters {
  const offsetText = lastValue(query, 'offset');
  const offset = offsetText === undefined ? 0n : parseUnsigned(offsetText, 'Invalid offset');
  const itemsMessage = 'Invalid number of items';
  const items = parseUnsigned(lastValue(query, 'items') ?? DEFAULT_ITEMS, itemsMessage, MAX_ITEMS);
  if (items === 0n) throw badRequest(itemsMessage);
  return { offset, hasOffset: offsetText !== undefined, items: Number(items), cursor: lastValue(query, 'cursor') };
}

/** An offset as a number that PostgreSQL takes. */
export function offsetNumber(offset: bigint): number {
  return Number(offset > MAX_OFFSET ? MAX_OFFSET : offset);
}

/** The rows of a page, and the one after it, which tells whether there is a next page. */
export function rowRange<Key, Whole extends null>({ after, skip, limit }: ListPage<Key, Whole>): RowRange<Key, Whole> {
  return { after, skip, limit: typeof limit === 'number' ? limit + 1 : limit };
}

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
