/**
 * The ways of paging: for each, the parameters and the response in the OpenAPI document, and how a request is parsed.
 * With the parameter `cursor`, even an empty one (the first page), the response is the envelope
 * `{"items":[…],"next_cursor":"…" or null}`. Without it, `OFFSET_OR_CURSOR` and `WHOLE_OR_CURSOR` give bare arrays; the
 * other ways always give the envelope.
 */
import { crc32 } from 'node:zlib';
import Type, { type TProperties, type TSchema } from 'typebox';
import { nullable, oneOf, strictObject, unsignedInteger } from '../../render/schemas/common.ts';
import type { List, RowRange } from '../../store/queries/lists/define-list.ts';
import { parseSortKey, type SortFields, sortKeyText } from '../../store/queries/lists/sort-key-text.ts';
import { badRequest } from '../errors/api-error.ts';
import { lastQueryValue, parseUnsigned, type UrlQuery } from '../parse/parameters.ts';
import { ITEMS_PARAMETER, itemsParameter, OFFSET_PARAMETER } from '../schemas/parameters-and-responses.ts';

/** `offset`, `items` and `cursor` of a request. */
interface PageParameters {
  /** The number of entries before the page; null if the parameter is missing. */
  readonly offset: bigint | null;
  /** The number of entries, 1 … 100, or more where a list has longer pages. */
  readonly items: number;
  /** The cursor; empty for the first page, undefined if the parameter is missing. */
  readonly cursor: string | undefined;
}

/** A page of a list, or the whole list. `Key`: the list's sort key; `Whole`: null if the list may be read whole. */
export interface ListPage<Key = unknown, Whole extends null = never> {
  /** The name of the list, including everything that selects its entries. Cursors are bound to it. */
  readonly list: string;
  /** The sort key of the entry before the page; null for the start of the list. */
  readonly after: Key | null;
  /** Entries to skip after that one. */
  readonly skip: number;
  /** The parameter `offset`; null if it is missing or has no effect. */
  readonly offset: bigint | null;
  /** The maximum number of entries; null for all. */
  readonly limit: number | Whole;
  readonly shape: 'array' | 'envelope';
}

const DEFAULT_ITEMS = '10';
const MAX_ITEMS = 100n;
/** The largest offset. No list is longer, and with the length of a page it fits PostgreSQL's `bigint`. */
const MAX_OFFSET = 10n ** 15n;

/** Validates `offset` and then `items`, which is at most `maxItems`; throws the error 400. */
function parsePageParameters(query: UrlQuery, maxItems = MAX_ITEMS): PageParameters {
  const offsetText = lastQueryValue(query, 'offset');
  const offset = offsetText === undefined ? null : parseUnsigned(offsetText, 'Invalid offset');
  const itemsMessage = 'Invalid number of items';
  const items = parseUnsigned(lastQueryValue(query, 'items') ?? DEFAULT_ITEMS, itemsMessage, maxItems);
  if (items === 0n) throw badRequest(itemsMessage);
  return { offset, items: Number(items), cursor: lastQueryValue(query, 'cursor') };
}

/** Converts an offset to a number that PostgreSQL accepts. */
export function boundedOffset(offset: bigint): number {
  return Number(offset > MAX_OFFSET ? MAX_OFFSET : offset);
}

/** Returns the range of a page's rows. It includes the row after the page, which shows that there is a next page. */
export function rowRange<Key, Whole extends null>({ after, skip, limit }: ListPage<Key, Whole>): RowRange<Key, Whole> {
  return { after, skip, limit: typeof limit === 'number' ? limit + 1 : limit };
}

const CHECKSUM_BYTES = 4;
/** The maximum length of a cursor, in characters. */
const MAX_CURSOR_LENGTH = 1_024;

/**
 * Makes the cursor after the entry with this sort key. `list`: the name of the list, including everything that selects
 * its entries.
 */
export function encodeCursor<Key extends object>(list: string, fields: SortFields<Key>, key: Key): string {
  const payload = Buffer.from(sortKeyText(fields, key), 'latin1');
  return Buffer.concat([payload, checksum(list, payload)]).toString('base64url');
}

/** Returns the sort key in a cursor. Throws the error 400 if the cursor is damaged or of another list. */
function decodeCursor<Key extends object>(list: string, fields: SortFields<Key>, cursor: string): Key {
  const bytes = cursor.length > MAX_CURSOR_LENGTH ? Buffer.alloc(0) : Buffer.from(cursor, 'base64url');
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

/** The parts of a list that its pages need. */
type NamedList<Selection, Key extends object> = Pick<List<Selection, Key, never>, 'name' | 'fields'>;

/** A way of paging. `Whole`: null if a list may be sent whole. */
export interface Paging<Whole extends null = never> {
  /** The query parameters. */
  readonly parameters: TProperties;
  /** The schema of the response. */
  readonly schema: (entry: TSchema) => TSchema;
  /** Parses the requested page. Throws the error 400, for `offset`, `items` and `cursor` in this order. */
  readonly parse: <Selection, Key extends object>(
    query: UrlQuery,
    list: NamedList<Selection, Key>,
    selection: Selection,
  ) => ListPage<Key, Whole>;
}

/** The headers of a page with the URL of the next one. */
export const NEXT_PAGE_HEADERS = {
  'x-next-cursor': { type: 'string', description: 'The `cursor` of the next page; absent on the last one' },
  link: { type: 'string', description: 'The URL of the next page, `rel="next"`; absent on the last one' },
};

/** Named after its entries, if they have a name. */
const envelope = (entry: TSchema & { readonly $ref?: string; readonly title?: string }) => {
  const name = entry.title ?? entry.$ref?.replace('#', '');
  return strictObject(
    {
      items: Type.Array(entry),
      next_cursor: { ...nullable(Type.String()), description: 'The `cursor` of the next page; null on the last one' },
    },
    name === undefined ? {} : { title: `${name}Page` },
  );
};
const arrayOrEnvelope = (entry: TSchema) => oneOf([Type.Array(entry), envelope(entry)]);

const cursor = (description = '') =>
  Type.Optional(
    Type.String({
      maxLength: MAX_CURSOR_LENGTH,
      pattern: '^[A-Za-z0-9_-]*$',
      format: 'cursor',
      description:
        'Where to continue: the `next_cursor` of the previous page, or nothing for the first page. It stays valid while ' +
        `blocks arrive; in a list sorted by a value that changes, an entry may move across it. ${description}`,
    }),
  );

/**
 * Pages by offset, as a bare array, or by cursor. mintlayer-core's SDKs send both parameters: then the offset is
 * validated, but has no effect.
 */
export const OFFSET_OR_CURSOR: Paging = {
  parameters: {
    offset: OFFSET_PARAMETER,
    items: ITEMS_PARAMETER,
    cursor: cursor('With it, even an empty one, the page is an object with `items` and `next_cursor`.'),
  },
  schema: arrayOrEnvelope,
  parse: (query, list, selection) => {
    const { cursor, offset, items } = parsePageParameters(query);
    if (cursor !== undefined) return pageAfter(cursor, items, list, selection);
    return {
      list: list.name(selection),
      after: null,
      skip: boundedOffset(offset ?? 0n),
      offset,
      limit: items,
      shape: 'array',
    };
  },
};

/** The whole list, as a bare array, or pages by cursor. Without `cursor`, `items` is ignored and not documented. */
export const WHOLE_OR_CURSOR: Paging<null> = {
  parameters: {
    cursor: cursor(
      'With it, even an empty one, a page is given as an object with `items` and `next_cursor`; `items` (1 to 100, 10 ' +
        'unless given) says how many entries it has at most. Without it everything is given as an array.',
    ),
  },
  schema: arrayOrEnvelope,
  parse: (query, list, selection) => {
    if (query.cursor !== undefined) return parseEnvelope(query, list, selection);
    return { list: list.name(selection), after: null, skip: 0, offset: null, limit: null, shape: 'array' };
  },
};

/** Always an envelope. `offset` is validated, because mintlayer-core's SDKs send it, but has no effect. */
export const CURSOR_IGNORING_OFFSET: Paging = {
  parameters: {
    offset: Type.Optional(unsignedInteger({ description: 'Has no effect: this list is paged by `cursor`' })),
    items: ITEMS_PARAMETER,
    cursor: cursor(),
  },
  schema: envelope,
  parse: parseEnvelope,
};

/**
 * Pages by cursor only, always an envelope: for lists that mintlayer-core does not have. `offset` causes the error 400.
 */
export const CURSOR_ONLY: Paging = cursorOnly(MAX_ITEMS);

/** The same with pages of up to `maxItems` entries, for lists of short entries. */
export function cursorOnly(maxItems: bigint): Paging {
  return {
    parameters: { items: itemsParameter(Number(maxItems)), cursor: cursor() },
    schema: envelope,
    parse: (query, list, selection) => {
      if (query.offset !== undefined) throw badRequest('Invalid offset: this list is paged by cursor');
      return parseEnvelope(query, list, selection, maxItems);
    },
  };
}

function parseEnvelope<Selection, Key extends object>(
  query: UrlQuery,
  list: NamedList<Selection, Key>,
  selection: Selection,
  maxItems = MAX_ITEMS,
): ListPage<Key> {
  const { cursor = '', items } = parsePageParameters(query, maxItems);
  return pageAfter(cursor, items, list, selection);
}

function pageAfter<Selection, Key extends object>(
  cursor: string,
  limit: number,
  { name, fields }: NamedList<Selection, Key>,
  selection: Selection,
): ListPage<Key> {
  const list = name(selection);
  const after = cursor === '' ? null : decodeCursor(list, fields, cursor);
  return { list, after, skip: 0, offset: null, limit, shape: 'envelope' };
}
