/** The events that a client wants: their types, and subjects (addresses, tokens, pools, delegations, orders and pairs). */
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  pairName,
  poolAddress,
  tokenAddress,
} from '../../chain/address.ts';
import type { Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Destination, Id } from '../../chain/types.ts';
import { badRequest } from '../../serving/errors/api-error.ts';
import {
  lastQueryValue,
  MAX_SUBJECTS,
  parseAddress,
  parseDelegationIdParameter,
  parseOrderIdParameter,
  parsePoolIdParameter,
  parseTokenIdParameter,
  parseTradingPair,
  type UrlQuery,
} from '../../serving/parse/parameters.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';

export const EVENT_TYPES = [
  'tx_seen',
  'block',
  'reorg',
  'lag',
  'tx_dropped',
  'activity',
  'status',
  'keepalive',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export interface EventFilter {
  readonly types: ReadonlySet<EventType>;
  /** The subjects with their texts; null: the chain as a whole. */
  readonly subjects: ReadonlyMap<SubjectKey, string> | null;
  /** Do some subjects need the contents of transactions? */
  readonly needsTransactionBodies: boolean;
  /** Does the client want every `tx_dropped`, or only those of transactions that touched its subjects? */
  readonly takesAllDropped: boolean;
}

/** Parses the filter of a query. Throws an ApiError. */
export function parseEventFilter(network: Network, profile: ResponseProfile, query: UrlQuery): EventFilter {
  const { explainsRefusals } = profile.events;
  if (explainsRefusals && Object.keys(query).some((name) => !PARAMETERS.includes(name))) {
    throw badRequest(`Invalid parameter: known are ${PARAMETERS.join(', ')}`);
  }
  const named = parseTypes(lastQueryValue(query, 'types'), explainsRefusals);
  const subjects = parseSubjects(network, query);
  const isAboutSubjects = subjects.size > 0;
  const types = new Set(named ?? defaultTypes(profile, isAboutSubjects));
  if (isAboutSubjects) types.add('activity').add('reorg');
  return {
    types,
    subjects: isAboutSubjects ? subjects : null,
    needsTransactionBodies: [...subjects.keys()].some(needsTransactionBodies),
    takesAllDropped: !isAboutSubjects || named?.has('tx_dropped') === true,
  };
}

/** Parses the types; null if the client names none. */
function parseTypes(text: string | undefined, explainsRefusals: boolean): Set<EventType> | null {
  if (text === undefined) return null;
  return new Set(
    text.split(',').map((part) => {
      const name = part.trim().toLowerCase();
      const type = EVENT_TYPES.find((known) => known === name);
      if (type === undefined) {
        throw badRequest(explainsRefusals ? `Invalid types: known are ${EVENT_TYPES.join(', ')}` : 'Bad request');
      }
      return type;
    }),
  );
}

function defaultTypes(profile: ResponseProfile, isAboutSubjects: boolean): EventType[] {
  const dropped: EventType[] = profile.events.areDroppedTold ? ['tx_dropped'] : [];
  return isAboutSubjects ? ['activity', 'reorg', 'lag', ...dropped] : ['tx_seen', 'block', 'reorg', 'lag', ...dropped];
}

/** The key of a subject within the program: its kind and its id. */
export type SubjectKey = string;

export const subjectKey = {
  address: (destination: Destination): SubjectKey => `a${destination}`,
  token: (id: Id): SubjectKey => `t${id}`,
  pool: (id: Id): SubjectKey => `p${id}`,
  delegation: (id: Id): SubjectKey => `d${id}`,
  order: (id: Id): SubjectKey => `o${id}`,
  /** A pair, the same in both directions. */
  pair: (first: Currency, second: Currency): SubjectKey =>
    first < second ? `x${first}/${second}` : `x${second}/${first}`,
};

/** Does this subject need the contents of transactions? */
function needsTransactionBodies(key: SubjectKey): boolean {
  return !key.startsWith('a') && !key.startsWith('t');
}

const SUBJECT_PARAMETERS = ['address', 'token', 'pool', 'delegation', 'order', 'pair'] as const;

type SubjectParameter = (typeof SUBJECT_PARAMETERS)[number];

const PARAMETERS: readonly string[] = ['types', ...SUBJECT_PARAMETERS, 'last_event_id'];

/** Parses the subjects of a query, each with the text by which events name it. Throws an ApiError. */
function parseSubjects(network: Network, query: UrlQuery): Map<SubjectKey, string> {
  const given = SUBJECT_PARAMETERS.flatMap((parameter) =>
    [query[parameter] ?? []].flat().map((text) => ({ parameter, text })),
  );
  if (given.length > MAX_SUBJECTS) throw badRequest('Too many subjects');
  return new Map(given.map(({ parameter, text }) => parseSubject(network, parameter, text)));
}

const PARSERS = {
  address: [parseAddress, destinationAddress],
  token: [parseTokenIdParameter, tokenAddress],
  pool: [parsePoolIdParameter, poolAddress],
  delegation: [
    (network: Network, text: string) => parseDelegationIdParameter(network, text, 'Invalid delegation Id'),
    delegationAddress,
  ],
  order: [parseOrderIdParameter, orderAddress],
} as const;

function parseSubject(network: Network, parameter: SubjectParameter, text: string): [SubjectKey, string] {
  if (parameter === 'pair') {
    const sides = parseTradingPair(network, text);
    return [subjectKey.pair(...sides), pairName(network, ...sides)];
  }
  const [parse, addressOf] = PARSERS[parameter];
  const id = parse(network, text);
  return [subjectKey[parameter](id), addressOf(network, id)];
}
