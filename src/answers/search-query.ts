/** Parses a search text into everything that it may mean. */
import {
  AddressError,
  parseDelegationId,
  parseDestination,
  parseOrderId,
  parsePoolId,
  parseTokenId,
} from '../chain/address.ts';
import { KNOWN_NETWORKS } from '../chain/networks/known-networks.ts';
import { type AddressPrefixes, MAX_HEIGHT, type Network } from '../chain/networks/network.ts';
import type { Destination, Hex, Id } from '../chain/types.ts';
import { badRequest } from '../serving/errors/api-error.ts';
import { lastQueryValue, parseTradingPair, type UrlQuery } from '../serving/parse/parameters.ts';
import type { SearchedIdKind, SearchTerms } from '../store/queries/chain/search.ts';
import { findPeriods, findTimes, type SearchedPeriod } from './dates-in-text.ts';

export const MAX_SEARCH_TEXT_LENGTH = 1_000;

interface ParsedTerms extends SearchTerms {
  /** Tokens and NFTs with this text in their ticker or name; lower case. */
  readonly text: string | null;
  /** With their names. */
  readonly periods: readonly SearchedPeriod[];
}

export interface SearchQuery {
  /** The terms to look for. */
  readonly terms: ParsedTerms;
  /** A whole address of this network, even if it has no transaction yet. */
  readonly address: Destination | null;
  /** A whole id in hex, which may be that of a pending transaction. */
  readonly hexId: Id | null;
  /** A hash in hex, which may be that of an HTLC's secret. */
  readonly secretHash: Hex | null;
  /** A trading pair. */
  readonly pair: ReturnType<typeof parseTradingPair> | null;
  /** Two tickers, in lower case: of the token or the coin. */
  readonly tickers: readonly [first: string, second: string] | null;
  /** The reason why a text in the form of an address or an id is not one of this network. */
  readonly problem: SearchProblem | null;
}

/** `other_network`: the address belongs to the network `name`. `wrong_checksum`: it is mistyped, cut off or too long. */
export type SearchProblem =
  | { readonly type: 'other_network'; readonly name: string }
  | { readonly type: 'wrong_checksum' };

/** The minimum length of the beginning of an id. */
const MIN_PREFIX_LENGTH = 6;
/** Longer texts match nothing: tickers and names are much shorter. */
const MAX_TEXT_LENGTH = 200;
const ID_LENGTH = 64;
const SECRET_HASH_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const CHARACTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

/** Also as "block 1234", and with separated thousands. */
const HEIGHT = /^(?:#|block )?(\d{1,10}|\d{1,3}(?:[ ,'_]\d{3})+)$/;
const PAIR = /^[0-9a-z]+_[0-9a-z]+$/;
/** The segments of a path before a height and before a pair. Elsewhere, a text such as 24/7 is no path. */
const BEFORE_HEIGHT = /^(?:block|chain)$/;
const BEFORE_PAIR = /^(?:market|pair)$/;
const HEX = /^(?:0x)?([0-9a-f]{6,64})$/;
/** No prefix contains a 1. The data of a mistyped address may have characters that bech32 has not. */
const BECH32 = /^([a-z]{1,83})1([0-9a-z]+)$/;
const BECH32_DATA = /^[02-9ac-hj-np-z]+$/;
/** Around an id in a text: quotes, brackets, a comma. */
const AROUND_ID = /^["'`<([{]{1,4}|["'`>)\]},;.]{1,4}$/g;
/** The end of a shortened id, as explorers show it: its beginning is enough. */
const SHORTENED = /(?<=^[0-9a-z]{6,})(?:…|\.{3})[0-9a-z]+$/;
/** At the end of an outpoint. */
const OUTPUT_INDEX = /(?<=^[0-9a-f]{64}):\d+$/;
/** Longer texts with white space are ids that were broken into lines, if they are ids without it. */
const MIN_BROKEN_LENGTH = 40;
/** Tickers have up to 12 letters and digits. */
const TICKERS = /^([a-z0-9]{1,12})(?:\s*[-/_:]\s*|\s+)([a-z0-9]{1,12})$/;

interface Kind {
  readonly of: SearchedIdKind;
  /** The length of the encoded bytes. */
  readonly bytes: number;
  /** Throws AddressError. */
  readonly parse: (network: Network, text: string) => Hex;
}

const ADDRESS_LENGTHS = { anyoneCanSpend: 1, publicKeyHash: 21, publicKey: 35, scriptHash: 33, classicMultisig: 21 };
const address = (bytes: number): Kind => ({ of: 'address', bytes, parse: parseDestination });
const KINDS: Readonly<Record<Exclude<keyof AddressPrefixes, 'vrfPublicKey'>, Kind>> = {
  anyoneCanSpend: address(ADDRESS_LENGTHS.anyoneCanSpend),
  publicKeyHash: address(ADDRESS_LENGTHS.publicKeyHash),
  publicKey: address(ADDRESS_LENGTHS.publicKey),
  scriptHash: address(ADDRESS_LENGTHS.scriptHash),
  classicMultisig: address(ADDRESS_LENGTHS.classicMultisig),
  poolId: { of: 'pool', bytes: 32, parse: parsePoolId },
  delegationId: { of: 'delegation', bytes: 32, parse: parseDelegationId },
  tokenId: { of: 'token', bytes: 32, parse: parseTokenId },
  orderId: { of: 'order', bytes: 32, parse: parseOrderId },
};

/** Returns the text to search for, trimmed. Throws the error 400. */
export function parseSearchText(query: UrlQuery): string {
  const text = lastQueryValue(query, 'q') ?? '';
  if (text.trim() === '') throw badRequest('Invalid search: nothing is searched for');
  if ([...text].length > MAX_SEARCH_TEXT_LENGTH) throw badRequest('Invalid search: the text is too long');
  return text.trim();
}

/** Parses any text. `now`: seconds since the epoch, from which "yesterday" counts. */
export function parseSearchQuery(network: Network, text: string, now: number): SearchQuery {
  const words = text.trim().toLowerCase();
  const id = pastedId(words);
  const isText = words !== '' && words.length <= MAX_TEXT_LENGTH && !words.includes('\0');
  const query: SearchQuery = {
    terms: {
      height: heightIn(id),
      ids: null,
      text: isText ? words : null,
      times: findTimes(words, now),
      periods: findPeriods(words, now),
    },
    address: null,
    hexId: null,
    secretHash: null,
    pair: pairIn(network, id),
    tickers: tickersIn(words),
    problem: null,
  };
  const hex = HEX.exec(id)?.[1];
  if (hex !== undefined) {
    const ids = { of: 'any', first: evenHex(hex), last: hex.padEnd(ID_LENGTH, 'f') } as const;
    return {
      ...query,
      terms: { ...query.terms, ids },
      hexId: hex.length === ID_LENGTH ? hex : null,
      secretHash: hex.length === SECRET_HASH_LENGTH ? hex : null,
    };
  }
  return BECH32.test(id) ? withBech32(network, id, query) : query;
}

/** Returns the id, height or pair in what people paste: a quoted or shortened id, an outpoint, a URL or path, an id broken into lines. */
function pastedId(words: string): string {
  const bare = words.replace(AROUND_ID, '').replace(SHORTENED, '');
  const segments = bare.includes('/') ? bare.replace(/[?#].*$/s, '').split('/') : [bare];
  const ids = segments.map((segment) => {
    const joined = segment.replace(/\s/g, '');
    return (joined.length < MIN_BROKEN_LENGTH ? segment : joined).replace(OUTPUT_INDEX, '');
  });
  const isMeant = (id: string, before = '') => {
    if (HEIGHT.test(id)) return BEFORE_HEIGHT.test(before);
    return PAIR.test(id) ? BEFORE_PAIR.test(before) : HEX.test(id) || BECH32.test(id);
  };
  return ids.findLast((id, i) => isMeant(id, ids[i - 1])) ?? bare;
}

function heightIn(text: string): number | null {
  const digits = HEIGHT.exec(text)?.[1]?.replace(/\D/g, '');
  return digits !== undefined && Number(digits) <= MAX_HEIGHT ? Number(digits) : null;
}

function pairIn(network: Network, text: string): SearchQuery['pair'] {
  if (!PAIR.test(text)) return null;
  try {
    return parseTradingPair(network, text);
  } catch {
    return null;
  }
}

function tickersIn(words: string): SearchQuery['tickers'] {
  const match = TICKERS.exec(words);
  return match === null ? null : [match[1]!, match[2]!];
}

function withBech32(network: Network, words: string, query: SearchQuery): SearchQuery {
  const [, prefix, data] = BECH32.exec(words) as unknown as [string, string, string];
  const own = kindOf(network, prefix);
  if (own === undefined) {
    const home = KNOWN_NETWORKS.find((known) => kindOf(known, prefix) !== undefined);
    if (home === undefined) return query;
    return { ...query, problem: problemOf(kindOf(home, prefix)!, home, words, data) ?? otherNetwork(home) };
  }
  const problem = problemOf(own, network, words, data);
  if (problem !== null) return { ...query, problem };
  if (words.length < MIN_PREFIX_LENGTH || !BECH32_DATA.test(data)) return query;
  const ids = { of: own.of, ...rangeOf(data.slice(0, groupsOf(own)), own.bytes) };
  const isWhole = data.length === groupsOf(own) + CHECKSUM_LENGTH;
  return {
    ...query,
    terms: { ...query.terms, ids },
    address: isWhole && own.of === 'address' ? own.parse(network, words) : null,
  };
}

function otherNetwork({ name }: Network): SearchProblem {
  return { type: 'other_network', name };
}

function kindOf({ prefixes }: Network, prefix: string): Kind | undefined {
  const found = Object.entries(KINDS).find(([name]) => prefixes[name as keyof typeof KINDS] === prefix);
  return found?.[1];
}

/** Returns the number of characters without the checksum. */
function groupsOf({ bytes }: Kind): number {
  return Math.ceil((bytes * 8) / 5);
}

/** Returns the problem of a complete id. The beginning of an id has no checksum yet, and no problem. */
function problemOf(kind: Kind, network: Network, words: string, data: string): SearchProblem | null {
  if (data.length < groupsOf(kind) + CHECKSUM_LENGTH) return null;
  try {
    kind.parse(network, words);
    return null;
  } catch (error) {
    if (error instanceof AddressError) return { type: 'wrong_checksum' };
    throw error;
  }
}

/** Returns the range of byte strings whose encoding begins with these characters. */
function rangeOf(data: string, bytes: number): { readonly first: Hex; readonly last: Hex } {
  let bits = '';
  for (const character of data) bits += CHARACTERS.indexOf(character).toString(2).padStart(5, '0');
  const hexOf = (filling: '0' | '1') => {
    const all = bits.slice(0, bytes * 8).padEnd(bytes * 8, filling);
    return BigInt(`0b${all}`)
      .toString(16)
      .padStart(bytes * 2, '0');
  };
  return { first: hexOf('0'), last: hexOf('1') };
}

/** Returns whole bytes: an odd number of digits gets a zero at the end. */
function evenHex(hex: Hex): Hex {
  return hex.length % 2 === 0 ? hex : `${hex}0`;
}
