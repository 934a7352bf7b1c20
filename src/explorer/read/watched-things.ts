/** Reads what watched things have, and what has changed since the visitor saw them. The browser keeps what it saw as a text. */
import { requestedPair } from '../../answers/markets.ts';
import { readTokenLabels, type TokenLabels } from '../../answers/token-label.ts';
import { parseDelegationId, parsePoolId } from '../../chain/address.ts';
import type { Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms } from '../../chain/types.ts';
import { ApiError } from '../../serving/errors/api-error.ts';
import { parseJsonObject } from '../../serving/parse/json-object.ts';
import { MAX_SUBJECTS } from '../../serving/parse/parameters.ts';
import {
  listWatchedAddresses,
  listWatchedDelegations,
  listWatchedMarkets,
  listWatchedNfts,
  listWatchedPools,
  listWatchedTokenChanges,
  listWatchedTokens,
  NOTHING_SINCE,
  type WatchedRow,
} from '../../store/queries/chain/watched-things.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotRows, SnapshotTip } from '../../store/read/query.ts';
import { badInput } from '../page-error.ts';
import { contentHash } from '../static-files.ts';
import { parseAddressInput, parseTokenIdInput, parseVisitorId, parseVisitorPair, problemOf } from '../visitor-input.ts';
import { say, type Words } from '../words/catalogue.ts';
import { tokensOfCurrencies } from './order-values.ts';

/** The longest name of a thing, and the longest text of what was seen of it. */
const MAX_TEXT_LENGTH = 400;
/** The size of the longest list, with room for the JSON around it. */
export const MAX_WATCH_LIST_BYTES = MAX_SUBJECTS * (2 * MAX_TEXT_LENGTH + 16);
/** The most tokens of which a row says that an address has more or less. */
export const MAX_TOKEN_CHANGES = 3;

/** What was seen of a thing. */
interface Seen extends Pick<WatchedRow, 'value' | 'second_value'> {
  readonly text: string;
  /** Of the newest event and its block; −1 and 0 without any. */
  readonly height: number;
  readonly timestamp: number;
  /** Of {@link HASHED}. */
  readonly hashes: readonly string[];
}

/** What of a thing is only remembered by a hash. */
export const HASHED = ['event_id', 'stakes', 'orders'] as const;

const KINDS = {
  address: {
    parse: (network: Network, id: string) => [parseAddressInput(network, id)],
    read: listWatchedAddresses,
  },
  delegation: {
    parse: (network: Network, id: string) => [parseVisitorId(network, 'a delegation', id, parseDelegationId)],
    read: listWatchedDelegations,
  },
  pool: {
    parse: (network: Network, id: string) => [parseVisitorId(network, 'a pool', id, parsePoolId)],
    read: listWatchedPools,
  },
  token: {
    parse: (network: Network, id: string) => [parseTokenIdInput(network, id)],
    read: listWatchedTokens,
  },
  nft: {
    parse: (network: Network, id: string) => [parseTokenIdInput(network, id, 'an NFT')],
    read: listWatchedNfts,
  },
  market: { parse: parseVisitorPair, read: null },
} as const;

/** The kinds of things that can be watched, as the first part of the path of their pages. */
export type WatchedKind = keyof typeof KINDS;

interface AskedThing {
  readonly kind: WatchedKind;
  /** As it was sent. */
  readonly id: string;
  /** The hash in the id, or both currencies of a pair; null if it is no id of this network. */
  readonly key: readonly Currency[] | null;
  /** Why it is none. */
  readonly problem: Words | null;
  /** Null the first time. */
  readonly seen: Seen | null;
}

export interface WatchedThing extends AskedThing {
  /** Null for no id of this network. */
  readonly row: WatchedRow | null;
  /** What to remember of it. */
  readonly state: string;
  /** At most one more than {@link MAX_TOKEN_CHANGES}. */
  readonly tokenChanges: readonly { readonly currency: Currency; readonly change: Atoms }[];
}

/** Parses `{"things": [["pool/mpool1…", "what was seen"], ["market/…", null]]}`. Throws the error 400. */
export function parseWatchList(network: Network, body: Buffer): AskedThing[] {
  const { things } = parseJsonObject('watch list', body);
  const refusal = badInput(
    say('This is not a watch list: it needs at most {most} entries, each with an id.', { most: MAX_SUBJECTS }),
  );
  if (!Array.isArray(things) || things.length > MAX_SUBJECTS) throw refusal;
  const asked = things.map((each: unknown) => {
    const [thing, seen] = Array.isArray(each) ? (each as unknown[]) : [];
    if (!isShort(thing) || !(seen === null || isShort(seen))) throw refusal;
    const [kind = '', id = ''] = thing.split('/');
    if (!Object.hasOwn(KINDS, kind)) throw refusal;
    return {
      kind: kind as WatchedKind,
      id,
      ...keyOf(network, kind as WatchedKind, id),
      seen: seen === null ? null : parseSeen(seen),
    };
  });
  // The same again and again could take long.
  if (new Set(asked.map(({ kind, id }) => `${kind}/${id}`)).size < asked.length) throw refusal;
  return asked;
}

const isShort = (text: unknown): text is string => typeof text === 'string' && text.length <= MAX_TEXT_LENGTH;

function keyOf(network: Network, kind: WatchedKind, id: string): Pick<AskedThing, 'key' | 'problem'> {
  try {
    return { key: KINDS[kind].parse(network, id), problem: null };
  } catch (error) {
    if (error instanceof ApiError) return { key: null, problem: problemOf(id, error) };
    throw error;
  }
}

const SEEN = /^(-1|\d{1,9})\.(\d{1,12})\.(\d{0,39})\.(\d{0,39})((?:\.[0-9a-f]{10}){3})$/;

/** Another version may have made the text, or the browser may have damaged it: then nothing was seen. */
function parseSeen(text: string): Seen | null {
  const [, height, timestamp, value, secondValue, hashes = ''] = SEEN.exec(text) ?? [];
  if (height === undefined) return null;
  const atoms = (digits: string | undefined) => (digits ? BigInt(digits) : null);
  return {
    text,
    height: Number(height),
    timestamp: Number(timestamp),
    value: atoms(value),
    second_value: atoms(secondValue),
    hashes: hashes.slice(1).split('.'),
  };
}

function stateOf(row: WatchedRow): string {
  const { height, timestamp, value, second_value } = row;
  const hashes = HASHED.map((name) => contentHash(String(row[name])));
  return [height ?? -1, timestamp ?? 0, value ?? '', second_value ?? '', ...hashes].join('.');
}

/** Reads all things at one tip; `known`: a tip, for a list without any. Throws SnapshotChanged. */
export async function readWatchedThings(
  store: QueryRunner,
  asked: readonly AskedThing[],
  known: SnapshotTip,
): Promise<{ readonly tip: SnapshotTip; readonly things: readonly WatchedThing[]; readonly labels: TokenLabels }> {
  const kinds = Object.keys(KINDS) as WatchedKind[];
  const ofKind = (kind: WatchedKind) => asked.filter((each) => each.kind === kind && each.key !== null);
  const groups = kinds.map(ofKind).filter(({ length }) => length > 0);
  const visited = ofKind('address').filter(({ seen }) => seen !== null);
  const [changes, ...found] = await Promise.all([
    visited.length === 0
      ? { tip: null, rows: [] }
      : listWatchedTokenChanges(store, keysOf(visited), visited.map(sinceOf), MAX_TOKEN_CHANGES + 1),
    ...groups.map((group) => readGroup(store, group)),
  ]);
  const tip = found.length === 0 ? known : requireSameTip(...found, ...(changes.tip === null ? [] : [changes]));
  const rows = new Map(groups.flatMap((group, g) => group.map((each, i) => [each, found[g]!.rows[i]!] as const)));
  const things = asked.map((each) => {
    const row = rows.get(each) ?? null;
    const place = visited.indexOf(each) + 1;
    const tokenChanges = changes.rows.filter((change) => change.place === place);
    const seen = row !== null && isOfOtherChain(each.seen, row, known) ? null : each.seen;
    return { ...each, row, seen, state: row === null ? '' : stateOf(row), tokenChanges };
  });
  const named = asked.flatMap(({ kind, key }) => (kind === 'token' || kind === 'market' ? (key ?? []) : []));
  const tokens = tokensOfCurrencies([...named, ...changes.rows.map(({ currency }) => currency)]);
  return { tip, things, labels: await readTokenLabels(store, tip, tokens) };
}

/** The blocks that another server may be ahead. */
const MAX_AHEAD = 10;

/** Was a thing seen on a chain that has begun anew since then? It had events, and has none; or the chain was much longer. */
const isOfOtherChain = (seen: Seen | null, row: WatchedRow, tip: SnapshotTip): boolean =>
  seen !== null && seen.height >= 0 && (row.height === null || seen.height > tip.height + MAX_AHEAD);

function readGroup(store: QueryRunner, group: readonly AskedThing[]): Promise<SnapshotRows<WatchedRow>> {
  const since = group.map(sinceOf);
  const { read } = KINDS[group[0]!.kind];
  if (read !== null) return read(store, keysOf(group), since);
  const markets = group.map(({ key }) => requestedPair(key as [Currency, Currency]).market);
  return listWatchedMarkets(
    store,
    markets.map(({ base }) => base),
    markets.map(({ quote }) => quote),
    since,
  );
}

const keysOf = (group: readonly AskedThing[]) => group.map(({ key }) => key![0]!);
const sinceOf = ({ seen }: AskedThing) => seen?.height ?? NOTHING_SINCE;
