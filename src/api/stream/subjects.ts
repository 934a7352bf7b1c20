/** The subjects that a client may subscribe to: addresses, tokens, pools, orders and pairs. */
import { destinationAddress, orderAddress, poolAddress, tokenAddress } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Destination, Id } from '../../chain/types.ts';
import { badRequest } from '../errors/api-error.ts';
import {
  parseAddress,
  parseOrderId,
  parsePoolId,
  parseTokenId,
  parseTradingPair,
  type Query,
} from '../parse/parameters.ts';

/** Names a subject within the program: its kind and its id. */
export type SubjectKey = string;

export const subjectKey = {
  address: (destination: Destination): SubjectKey => `a${destination}`,
  token: (id: Id): SubjectKey => `t${id}`,
  pool: (id: Id): SubjectKey => `p${id}`,
  order: (id: Id): SubjectKey => `o${id}`,
  /** The same in both directions. */
  pair: (first: Currency, second: Currency): SubjectKey =>
    first < second ? `x${first}/${second}` : `x${second}/${first}`,
};

/** Does it need the contents of transactions to be found? */
export function needsTransactionBodies(key: SubjectKey): boolean {
  return !key.startsWith('a') && !key.startsWith('t');
}

const SUBJECT_PARAMETERS = ['address', 'token', 'pool', 'order', 'pair'] as const;
type SubjectParameter = (typeof SUBJECT_PARAMETERS)[number];

export const MAX_SUBJECTS = 100;

/** The subjects of a query, each with the text by which events name it. Throws an ApiError. */
export function parseSubjects(network: Network, query: Query): Map<SubjectKey, string> {
  const given = SUBJECT_PARAMETERS.flatMap((parameter) =>
    [query[parameter] ?? []].flat().map((text) => ({ parameter, text })),
  );
  if (given.length > MAX_SUBJECTS) throw badRequest('Too many subjects');
  return new Map(given.map(({ parameter, text }) => parseSubject(network, parameter, text)));
}

function parseSubject(network: Network, parameter: SubjectParameter, text: string): [SubjectKey, string] {
  switch (parameter) {
    case 'address': {
      const destination = parseAddress(network, text);
      return [subjectKey.address(destination), destinationAddress(network, destination)];
    }
    case 'token': {
      const id = parseTokenId(network, text);
      return [subjectKey.token(id), tokenAddress(network, id)];
    }
    case 'pool': {
      const id = parsePoolId(network, text);
      return [subjectKey.pool(id), poolAddress(network, id)];
    }
    case 'order': {
      const id = parseOrderId(network, text);
      return [subjectKey.order(id), orderAddress(network, id)];
    }
    case 'pair': {
      const sides = parseTradingPair(network, text);
      return [subjectKey.pair(...sides), sides.map((side) => sideText(network, side)).join('_')];
    }
  }
}

function sideText(network: Network, currency: Currency): string {
  return currency === COIN ? network.coinTicker : tokenAddress(network, currency);
}
