/** What the declarations of routes have in common. */
import Type, { type TProperties, type TSchema } from 'typebox';
import { named } from './common.ts';

const REASONS: Readonly<Record<number, string>> = {
  400: 'The request is malformed',
  403: 'The route is not enabled',
  404: 'There is no such thing',
  413: 'The body is too long',
  500: 'The node refused, or something went wrong here',
  503: 'The index is being built, or the database or the node cannot be reached; try again after a while',
};

/** The answers of a route: its success, and the errors that it may give; 503 is always among them. */
export function answers(success: TSchema, errors: readonly number[] = []): Record<string, object> {
  const response: Record<string, object> = {
    200: { ...success, description: 'Success' },
    304: { description: 'The tip is still the one of `If-None-Match`', type: 'null' },
  };
  for (const status of [...errors, 503].sort()) response[status] = { description: REASONS[status]!, ...named('Error') };
  return response;
}

/** The same for a list with cursors. */
export function listAnswers(entry: TSchema, errors: readonly number[] = []): Record<string, object> {
  const response = answers(Type.Array(entry), errors);
  response[200] = {
    ...response[200],
    headers: {
      'x-next-cursor': { type: 'string', description: 'The `cursor` of the next page; absent on the last one' },
      link: { type: 'string', description: 'The URL of the next page, `rel="next"`' },
    },
  };
  return response;
}

export const OFFSET = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: 'How many entries to leave out',
  }),
);
export const ITEMS = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 100, default: 10, description: 'How many entries to give at most' }),
);
export const CURSOR = Type.Optional(
  Type.String({
    minLength: 1,
    description:
      'Where to go on: the `x-next-cursor` of the page before. Stays right while blocks arrive. Not together with `offset`.',
  }),
);

/** `offset`, `items` and `cursor`, with what a list takes besides. */
export function listQuery(more: TProperties = {}) {
  return Type.Object({ ...more, offset: OFFSET, items: ITEMS, cursor: CURSOR });
}

/** `items` and `cursor` of a list that gives everything when neither is there. */
export function optionalListQuery() {
  const optional = 'Everything is given when neither `items` nor `cursor` is there.';
  return Type.Object(
    { items: { ...ITEMS, description: `How many entries to give at most. ${optional}` }, cursor: CURSOR },
    { description: optional },
  );
}

const text = (description: string) => Type.String({ description });

export const BLOCK_ID_PARAMETER = Type.Object({ id: text('Block id: 64 hex digits') });
export const TRANSACTION_ID_PARAMETER = Type.Object({ id: text('Transaction id: 64 hex digits') });
export const ADDRESS_PARAMETER = Type.Object({ address: text('Bech32m address of the network') });
export const POOL_ID_PARAMETER = Type.Object({ id: text('Pool id') });
export const DELEGATION_ID_PARAMETER = Type.Object({ id: text('Delegation id') });
export const TOKEN_ID_PARAMETER = Type.Object({ id: text('Token id') });
export const ORDER_ID_PARAMETER = Type.Object({ id: text('Order id') });
