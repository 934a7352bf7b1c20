/** The parts that the schemas of routes share: parameters, queries and responses. */
import Type, { type TSchema } from 'typebox';
import { schemaRef, unsignedInteger } from '../../render/schemas/common.ts';

/** JSON of a schema, as the body of a request or a response. */
export const jsonContent = (schema: TSchema) => ({ content: { 'application/json': { schema } } });

const REASONS: Readonly<Record<number, string>> = {
  400: 'The request is malformed',
  403: 'The route is not enabled',
  404: 'There is no such thing',
  413: 'The body is too long',
  429: 'This client has more in progress than its even share, or asks more often than the operator allows; try again after a while',
  500: 'Something went wrong here',
  503: 'The index is being built, the database or the node cannot be reached, or there is too much to do; try again after a while',
};

const ETAG = {
  type: 'string',
  description:
    'Of the tip and the response profile: the response stays the same until the tip changes. For `If-None-Match`.',
};
const RETRY_AFTER = { type: 'integer', format: 'int32', minimum: 1, description: 'Seconds after which to try again' };
/** A response 200 without an `ETag`, because it does not depend on the chain alone. */
export function okResponseWithoutEtag(schema: TSchema, description: string, headers?: object): object {
  return { description, ...(headers && { headers }), ...jsonContent(schema) };
}

/** The error responses of a route by status; 429, 500 and 503 are always among them. */
export function errorResponses(statuses: readonly number[], reasons: Readonly<Record<number, string>> = {}) {
  const response: Record<string, object> = {};
  for (const status of new Set([...statuses, 429, 500, 503])) {
    response[status] = {
      description: reasons[status] ?? REASONS[status]!,
      ...((status === 429 || status === 503) && { headers: { 'retry-after': RETRY_AFTER } }),
      ...jsonContent(schemaRef('Error')),
    };
  }
  return response;
}

/** The responses of a route that does not depend on the chain alone: 200 without an `ETag`, and the errors by status. */
export function responsesWithoutEtag(schema: TSchema, statuses: readonly number[] = [], headers?: object) {
  return { 200: okResponseWithoutEtag(schema, 'Success', headers), ...errorResponses(statuses) };
}

/** The responses of a route: 200 with an `ETag`, 304, and the errors by status. */
export function responsesWithEtag(schema: TSchema, statuses: readonly number[] = [], headers?: object) {
  return {
    ...responsesWithoutEtag(schema, statuses, { etag: ETAG, ...headers }),
    304: { description: 'The response is still the one of `If-None-Match`', headers: { etag: ETAG }, type: 'null' },
  };
}

export const OFFSET_PARAMETER = Type.Optional(
  unsignedInteger({ description: 'How many entries to leave out; none unless given. Has no effect with `cursor`.' }),
);
/** The parameter `items` of lists with pages of up to so many entries. */
export const itemsParameter = (maximum: number) =>
  Type.Optional(
    unsignedInteger({
      format: 'int32',
      minimum: 1,
      maximum,
      default: 10,
      description: 'How many entries to give at most',
    }),
  );
export const ITEMS_PARAMETER = itemsParameter(100);

// `format` names the kind of id; the OpenAPI document chooses its examples by it.
const hexId = (format: string, of: string) =>
  Type.String({
    pattern: '^(0x)?[0-9a-fA-F]{64}$',
    format,
    description: `${of}: 64 hex digits, \`0x\` before them or not`,
  });
const bech32 = (format: string, of: string) =>
  Type.String({ minLength: 1, format, description: `${of} of this network: bech32m text` });

export const HEIGHT_PARAMETER = Type.Object({
  height: unsignedInteger({ description: 'Height on the main chain; the genesis has 0' }),
});
export const BLOCK_ID_PARAMETER = Type.Object({ id: hexId('block-id', 'Block id') });
export const TRANSACTION_ID_PARAMETER = Type.Object({ id: hexId('transaction-id', 'Transaction id') });
export const OUTPUT_PARAMETERS = Type.Object({
  ...TRANSACTION_ID_PARAMETER.properties,
  index: unsignedInteger({
    maximum: 0xffff_ffff,
    description: 'Position among the outputs of the transaction, from 0',
  }),
});
export const ADDRESS_PARAMETER = Type.Object({ address: bech32('address', 'Address') });
export const POOL_ID_PARAMETER = Type.Object({ id: bech32('pool-id', 'Pool id') });
export const DELEGATION_ID_PARAMETER = Type.Object({ id: bech32('delegation-id', 'Delegation id') });
export const TOKEN_ID_PARAMETER = Type.Object({ id: bech32('token-id', 'Token id') });
export const NFT_ID_PARAMETER = Type.Object({ id: bech32('nft-id', 'Token id of an NFT') });
export const ORDER_ID_PARAMETER = Type.Object({ id: bech32('order-id', 'Order id') });
export const TICKER_PARAMETER = Type.Object({
  ticker: Type.String({ minLength: 1, description: 'A ticker or a part of one, in any case' }),
});
export const SECRET_HASH_PARAMETER = Type.Object({
  hash: Type.String({
    pattern: '^(0x)?[0-9a-fA-F]{40}$',
    format: 'secret-hash',
    description: 'The hash of a secret: 40 hex digits, `0x` before them or not',
  }),
});
export const PAIR_PARAMETER = Type.Object({
  pair: Type.String({
    minLength: 3,
    format: 'pair',
    description: '`FIRST_SECOND`: each the ticker of the coin, in any case, or a token id',
  }),
});

/** A part of the description of lists that are sorted by a value that changes. */
export const CHANGING_SORT_WARNING =
  'A cursor is a position in this order: an entry whose value moves across it between two pages is repeated or skipped.';
