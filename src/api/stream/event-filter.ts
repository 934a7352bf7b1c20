/** Which events a client wants. */
import type { Network } from '../../chain/networks/network.ts';
import { badRequest } from '../errors/api-error.ts';
import { lastValue, type Query } from '../parse/parameters.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import { needsTransactionBodies, parseSubjects, type SubjectKey } from './subjects.ts';

export const EVENT_TYPES = ['tx_seen', 'block', 'reorg', 'lag', 'tx_dropped', 'activity'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface EventFilter {
  readonly types: ReadonlySet<EventType>;
  /** Its subjects, with the texts that name them; null: the chain as a whole. */
  readonly subjects: ReadonlyMap<SubjectKey, string> | null;
  /** Are there subjects that need the contents of transactions? */
  readonly needsTransactionBodies: boolean;
  /** Does it want every `tx_dropped`, or only those of what touched its subjects? */
  readonly takesAllDropped: boolean;
}

/** The filter of a query. Throws an ApiError. */
export function parseEventFilter(network: Network, profile: ResponseProfile, query: Query): EventFilter {
  const named = parseTypes(lastValue(query, 'types'));
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

/** Null when the client names none. */
function parseTypes(text: string | undefined): Set<EventType> | null {
  if (text === undefined) return null;
  return new Set(
    text.split(',').map((part) => {
      const name = part.trim().toLowerCase();
      const type = EVENT_TYPES.find((known) => known === name);
      if (type === undefined) throw badRequest('Bad request');
      return type;
    }),
  );
}

function defaultTypes(profile: ResponseProfile, isAboutSubjects: boolean): EventType[] {
  const dropped: EventType[] = profile.events.areDroppedTold ? ['tx_dropped'] : [];
  return isAboutSubjects ? ['activity', 'reorg', 'lag', ...dropped] : ['tx_seen', 'block', 'reorg', 'lag', ...dropped];
}
