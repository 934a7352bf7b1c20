/**
 * The ways in which lists are given in pages: what the OpenAPI document says of the parameters and of the response, and how
 * a request is parsed. One rule holds for every list: with the parameter `cursor`, even an empty one (the first page), the
 * response is the envelope `{"items":[…],"next_cursor":"…" or null}`; without it, most lists are bare arrays.
 */
import Type, { type TProperties, type TSchema } from 'typebox';
import { nullable, strictObject } from '../../render/schemas/common.ts';
import type { List } from '../../store/queries/list.ts';
import { badRequest } from '../errors/api-error.ts';
import type { Query } from '../parse/parameters.ts';
import { ITEMS, OFFSET, unsignedInteger } from '../schemas/route.ts';
import { decodeCursor, type ListPage, LONGEST_CURSOR, offsetNumber, parsePageParameters } from './page.ts';

/** What a page needs to know of its list. */
type NamedList<Selection, Key extends object> = Pick<List<Selection, Key, never>, 'name' | 'fields'>;

/** `Whole` is null where a list may be given whole. */
export interface Paging<Whole extends null = never> {
  /** The parameters of the query. */
  readonly parameters: TProperties;
  /** The schema of the response. */
  readonly schema: (entry: TSchema) => TSchema;
  /** The page that is asked for. Throws the error 400, about `offset`, `items` and `cursor` in this order. */
  readonly parse: <Selection, Key extends object>(
    query: Query,
    list: NamedList<Selection, Key>,
    selection: Selection,
  ) => ListPage<Key, Whole>;
}

/** The headers of a page that lead to the next one. */
export const NEXT_PAGE = {
  'x-next-cursor': { type: 'string', description: 'The `cursor` of the next page; absent on the last one' },
  link: { type: 'string', description: 'The URL of the next page, `rel="next"`; absent on the last one' },
};

const envelope = (entry: TSchema) =>
  strictObject({
    items: Type.Array(entry),
    next_cursor: { ...nullable(Type.String()), description: 'The `cursor` of the next page; null on the last one' },
  });
const arrayOrEnvelope = (entry: TSchema) => Type.Union([Type.Array(entry), envelope(entry)]);

const cursor = (description = '') =>
  Type.Optional(
    Type.String({
      maxLength: LONGEST_CURSOR,
      pattern: '^[A-Za-z0-9_-]*$',
      format: 'cursor',
      description:
        'Where to go on: the `next_cursor` of the page before, or nothing for the first page. It stays right while ' +
        `blocks arrive. ${description}`,
    }),
  );

/**
 * By offset, a bare array, or by cursor. mintlayer-core's SDKs send both `offset` and `cursor`: the offset is validated
 * then, and has no effect.
 */
export const OFFSET_OR_CURSOR: Paging = {
  parameters: {
    offset: OFFSET,
    items: ITEMS,
    cursor: cursor('With it, even an empty one, the page is an object with `items` and `next_cursor`.'),
  },
  schema: arrayOrEnvelope,
  parse: (query, list, selection) => {
    const { cursor, offset, hasOffset, items } = parsePageParameters(query);
    if (cursor !== undefined) return pageAfter(cursor, items, list, selection);
    return {
      list: list.name(selection),
      after: null,
      skip: offsetNumber(offset),
      offset: hasOffset ? offset : null,
      limit: items,
      shape: 'array',
    };
  },
};

/** Whole, as a bare array, or by cursor. Without `cursor`, `items` is ignored, so it is no documented parameter. */
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

/** Always an envelope. `offset` is validated, because mintlayer-core's SDKs send it, and has no effect. */
export const ENVELOPE: Paging = {
  parameters: {
    offset: Type.Optional(unsignedInteger({ description: 'Has no effect: this list is paged by `cursor`' })),
    items: ITEMS,
    cursor: cursor(),
  },
  schema: envelope,
  parse: parseEnvelope,
};

/** By cursor only, always an envelope: for lists that mintlayer-core does not have. `offset` is the error 400. */
export const CURSOR_ONLY: Paging = {
  parameters: { items: ITEMS, cursor: cursor() },
  schema: envelope,
  parse: (query, list, selection) => {
    if (query.offset !== undefined) throw badRequest('Invalid offset: this list is paged by cursor');
    return parseEnvelope(query, list, selection);
  },
};

function parseEnvelope<Selection, Key extends object>(
  query: Query,
  list: NamedList<Selection, Key>,
  selection: Selection,
): ListPage<Key> {
  const { cursor = '', items } = parsePageParameters(query);
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
