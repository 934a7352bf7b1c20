/**
 * Parses paths and queries. Every function returns the value, or throws an {@link ApiError} with the text of
 * docs/api.md#errors. Integers are decimal and may begin with `+`. Integers beyond a signed 64-bit number are refused.
 */
import Type from 'typebox';
import * as chainAddress from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import { MAX_HEIGHT, type Network } from '../../chain/networks/network.ts';
import type { Atoms, Destination, Hex, Id } from '../../chain/types.ts';
import { AGE_SORTS } from '../../store/queries/lists/age-order.ts';
import { ApiError, badRequest } from '../errors/api-error.ts';

/** The query of a URL: a repeated parameter is an array. */
export type UrlQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

/** How many subjects a client of the event stream may choose, and a visitor may watch. */
export const MAX_SUBJECTS = 100;

const LARGEST = 2n ** 63n - 1n;
const UNSIGNED = /^\+?[0-9]+$/;
const HEX_ID = /^(?:0x)?([0-9a-fA-F]{64})$/;
const SECRET_HASH = /^(?:0x)?([0-9a-fA-F]{40})$/;

export interface UnknownParameterRule {
  /**
   * By path: the parameters that mintlayer-core knows. If a request is invalid, it is parsed again with only these. Null: invalid
   * parameters always get 400.
   */
  readonly knownParameters: Readonly<Record<string, readonly string[]>> | null;
}

/**
 * Parses a request to `path`, again without the unknown parameters if the request is invalid and the rule names the known ones.
 * Throws what `parse` throws.
 */
export function parseKnown<Request extends { readonly query: UrlQuery }, Parsed>(
  { knownParameters }: UnknownParameterRule,
  path: string,
  request: Request,
  parse: (request: Request) => Parsed,
): Parsed {
  try {
    return parse(request);
  } catch (error) {
    const known = knownParameters?.[path];
    if (known === undefined || !(error instanceof ApiError)) throw error;
    const query = Object.fromEntries(Object.entries(request.query).filter(([name]) => known.includes(name)));
    return parse({ ...request, query });
  }
}

/** The last value of a query parameter. */
export function lastQueryValue(query: UrlQuery, name: string): string | undefined {
  const value = query[name];
  return typeof value === 'object' ? value.at(-1) : value;
}

/** Parses an unsigned integer of at most `largest`; throws the error 400 with this message. */
export function parseUnsigned(text: string, message: string, largest = LARGEST): bigint {
  if (!UNSIGNED.test(text)) throw badRequest(message);
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  if (value > largest) throw badRequest(message);
  return value;
}

/** Parses a height; null for one that no chain will ever reach. */
export function parseBlockHeight(text: string): number | null {
  const height = parseUnsigned(text, 'Invalid block height');
  return height > MAX_HEIGHT ? null : Number(height);
}

export function parseBlockId(text: string): Id {
  return hexId(text, 'Invalid block Id');
}

export function parseTransactionId(text: string): Id {
  return hexId(text, 'Invalid transaction Id');
}

function hexId(text: string, message: string, form = HEX_ID): Hex {
  const match = form.exec(text);
  if (!match) throw badRequest(message);
  return match[1]!.toLowerCase();
}

/** Parses the index of an output: an unsigned number of 32 bits. */
export function parseOutputIndex(text: string): number {
  const message = `Invalid URL: Cannot parse value at index 1 with value \`${JSON.stringify(text)}\` to a \`u32\``;
  return Number(parseUnsigned(text, message, 0xffff_ffffn));
}

export function parseAddress(network: Network, text: string): Destination {
  return parsed(() => chainAddress.parseDestination(network, text), 'Invalid address');
}

/** The most addresses of a statement: as many as a URL holds. */
export const MAX_STATEMENT_ADDRESSES = 100;

/** Parses the parameter `address` of a path. */
export function addressParameter(network: Network) {
  return ({ params }: { readonly params: Readonly<Record<string, string>> }): Destination =>
    parseAddress(network, params.address!);
}

export function parsePoolIdParameter(network: Network, text: string): Id {
  return parsed(() => chainAddress.parsePoolId(network, text), 'Invalid pool Id');
}

export function parseDelegationIdParameter(network: Network, text: string, message: string): Id {
  return parsed(() => chainAddress.parseDelegationId(network, text), message);
}

export function parseTokenIdParameter(network: Network, text: string): Id {
  return parsed(() => chainAddress.parseTokenId(network, text), 'Invalid token Id');
}

export function parseNftId(network: Network, text: string): Id {
  return parsed(() => chainAddress.parseTokenId(network, text), 'Invalid NFT Id');
}

export function parseOrderIdParameter(network: Network, text: string): Id {
  return parsed(() => chainAddress.parseOrderId(network, text), 'Invalid order Id');
}

function parsed<Value>(parse: () => Value, message: string): Value {
  try {
    return parse();
  } catch {
    throw badRequest(message);
  }
}

/** Parses a currency: a token id; or the coin's ticker in upper or lower case. */
export function parseCurrency(network: Network, text: string): Currency {
  return text.toLowerCase() === network.coinTicker.toLowerCase() ? COIN : parseTokenIdParameter(network, text);
}

/** The parameter that selects a currency. */
export const CURRENCY_PARAMETER = {
  query: {
    currency: Type.Optional(
      Type.String({
        minLength: 1,
        format: 'currency',
        description: 'The ticker of the coin, in any case, or a token id',
      }),
    ),
  },
  /** Returns the currency; null without the parameter. Throws the error 400. */
  parse(network: Network, query: UrlQuery): Currency | null {
    const text = lastQueryValue(query, 'currency');
    return text === undefined ? null : parseCurrency(network, text);
  },
};

/** Parses `FIRST_SECOND`: two token ids; the coin is an empty id, or its ticker in upper or lower case. */
export function parseTradingPair(network: Network, text: string): readonly [first: Currency, second: Currency] {
  const sides = text.split('_');
  if (sides.length !== 2) throw badRequest('Invalid order trading pair');
  const [first, second] = sides.map((side) => parseCurrency(network, side));
  return [first!, second!];
}

/** Parses a number of seconds that must be given exactly once. The messages are those of mintlayer-core's framework. */
export function parseRequiredSeconds(query: UrlQuery, name: string): bigint {
  const value = query[name];
  const prefix = 'Failed to deserialize query string: ';
  if (value === undefined) throw badRequest(`${prefix}missing field \`${name}\``);
  if (typeof value === 'object') throw badRequest(`${prefix}duplicate field \`${name}\``);
  if (value === '') throw badRequest(`${prefix}cannot parse integer from empty string`);
  return parseUnsigned(
    value,
    `${prefix}${UNSIGNED.test(value) ? 'number too large to fit in target type' : 'invalid digit found in string'}`,
  );
}

/**
 * A query parameter that is one of `choices`, the first one unless given; `message` is that of the error 400. A single choice
 * needs no parameter: then there is none, and the query is not read.
 */
export function choiceParameter<Choice extends string>(
  name: string,
  choices: readonly Choice[],
  { description, message }: { readonly description: string; readonly message: string },
) {
  const [usual] = choices as readonly [Choice];
  const schema = Type.Optional(Type.Enum([...choices], { type: 'string', default: usual, description }));
  return {
    query: choices.length === 1 ? {} : { [name]: schema },
    parse(query: UrlQuery): Choice {
      if (choices.length === 1) return usual;
      const text = lastQueryValue(query, name) ?? usual;
      const choice = choices.find((known) => known === text);
      if (choice === undefined) throw badRequest(message);
      return choice;
    },
  };
}

/** The parameter of lists by the height at which their entries were created. */
export const AGE_SORT = choiceParameter('sort', AGE_SORTS, {
  description: 'The sort order: the youngest or the oldest first',
  message: 'Invalid sort order',
});

/** A query parameter that is `true` or, by default, `false`. */
function flagParameter(name: string, texts: Parameters<typeof choiceParameter>[2]) {
  const { query, parse } = choiceParameter(name, ['false', 'true'], texts);
  return { query, parse: (from: UrlQuery): boolean => parse(from) === 'true' };
}

export const WITH_MEMPOOL = flagParameter('with_mempool', {
  description:
    '`true`: outputs of pending transactions count, too, and `spent_in_mempool` names the pending transaction that spends an ' +
    'output; the response has no `ETag` then',
  message: 'Invalid with_mempool: `true` or `false` is expected',
});

const expandParameter = (description: string) =>
  flagParameter('expand', { description, message: 'Invalid expand: `true` or `false` is expected' });

/** The parameter of lists whose entries are short by default. */
export const EXPAND = expandParameter('`true`: entries with all that is known of each');
/** The parameter of addresses and wallets. */
export const EXPAND_OWNED = expandParameter('`true`: with `total`, all that is owned now');
/** The parameter of a pool. */
export const EXPAND_POOL = expandParameter('`true`: with all that is known of it, also when it was `decommissioned`');
/** The parameter of transactions. */
export const EXPAND_TRANSACTIONS = expandParameter(
  '`true`: with what a transaction did: `actions`, `net_changes` and `protocol_fee`',
);

/** A query parameter that is a list of some of `choices`, separated by commas. */
export function choicesParameter<Choice extends string>(name: string, choices: readonly Choice[], description: string) {
  const either = choices.join('|');
  const schema = Type.String({
    pattern: `^(${either})(,(${either}))*$`,
    description: `${description}; separated by commas: ${choices.map((choice) => `\`${choice}\``).join(', ')}`,
  });
  return {
    query: { [name]: Type.Optional(schema) },
    /** Returns the choices in their order, each once; none if the parameter is missing. Throws the error 400. */
    parse(query: UrlQuery): Choice[] {
      const words = lastQueryValue(query, name)?.split(',');
      if (words === undefined) return [];
      const unknown = words.find((word) => !choices.some((choice) => choice === word));
      if (unknown !== undefined) throw badRequest(`Invalid ${name}: known are ${choices.join(', ')}`);
      return choices.filter((choice) => words.includes(choice));
    },
  };
}

/** Parses the hash of an HTLC's secret. */
export function parseSecretHash(text: string): Hex {
  return hexId(text, 'Invalid secret hash', SECRET_HASH);
}

/** Returns the atoms of a decimal number, which must be more than 0. Throws the error 400. */
export function parsePositiveAmount(text: string, decimals: number): Atoms {
  const [, whole, fraction = ''] = /^(\d{1,30})(?:\.(\d{0,30}))?$/.exec(text) ?? [];
  if (whole === undefined || fraction.replace(/0+$/, '').length > decimals)
    throw badRequest(`Invalid amount: a number with at most ${decimals} decimals is expected`);
  const atoms = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
  if (atoms === 0n) throw badRequest('Invalid amount: more than 0 is expected');
  return atoms;
}
