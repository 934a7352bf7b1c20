/** Addresses: the text forms of destinations, ids and keys (docs/protocol.md#addresses). */
import { bech32m } from '@scure/base';
import { DESTINATION_LENGTHS } from './codec/destination.ts';
import { COIN, type Currency } from './currency.ts';
import { isSecp256k1Point } from './curve-points.ts';
import { KNOWN_NETWORKS } from './networks/known-networks.ts';
import type { AddressPrefixes, Network } from './networks/network.ts';
import { EncodeError } from './scale/codec-errors.ts';
import type { Destination, Hex, Id } from './types.ts';

type AddressKind = keyof AddressPrefixes;

const ID_BYTES = 32;
const MAX_TEXT_LENGTH = 1023;

/** The kinds of a destination; the position is the first byte, the tag. */
const DESTINATION_KINDS = ['anyoneCanSpend', 'publicKeyHash', 'publicKey', 'scriptHash', 'classicMultisig'] as const;
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

/** A text that is not the address that was asked for. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
  /** `wrong kind`: an address of this network, but of something else. */
  readonly reason: 'damaged' | 'wrong network' | 'wrong kind';

  constructor(reason: AddressError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Returns the kind of a destination from its first byte. */
export function destinationKind(destination: Destination): DestinationKind {
  const kind = DESTINATION_KINDS[destination.charCodeAt(1) - 48];
  if (kind === undefined || destination.charCodeAt(0) !== 48)
    throw new EncodeError(`not a destination: "${destination}"`);
  return kind;
}

// ----------------------------------------------------------------------------------------------------- writing

export function destinationAddress(network: Network, destination: Destination): string {
  return encode(network, destinationKind(destination), destination);
}

export function poolAddress(network: Network, poolId: Id): string {
  return encode(network, 'poolId', poolId);
}

export function delegationAddress(network: Network, delegationId: Id): string {
  return encode(network, 'delegationId', delegationId);
}

/** Returns the address of a fungible token or an NFT. */
export function tokenAddress(network: Network, tokenId: Id): string {
  return encode(network, 'tokenId', tokenId);
}

export function orderAddress(network: Network, orderId: Id): string {
  return encode(network, 'orderId', orderId);
}

/** Returns a currency as trading pairs name it: the ticker of the coin, or the address of a token. */
export function currencyInPair(network: Network, currency: Currency): string {
  return currency === COIN ? network.coinTicker : tokenAddress(network, currency);
}

/** Returns the name of a trading pair, `FIRST_SECOND`. */
export function pairName(network: Network, first: Currency, second: Currency): string {
  return `${currencyInPair(network, first)}_${currencyInPair(network, second)}`;
}

/** Returns the address of a VRF key: kind byte and 32 bytes. */
export function vrfKeyAddress(network: Network, vrfKey: Hex): string {
  return encode(network, 'vrfPublicKey', vrfKey);
}

/** Returns the address of the destination that a public key (kind byte and compressed point) unlocks. */
export function publicKeyAddress(network: Network, publicKey: Hex): string {
  return destinationAddress(network, `02${publicKey}`);
}

/** Entries per generation. */
const GENERATION_SIZE = 8192;

/**
 * Remembers what was used lately, in two generations: when the young one is full it becomes the old one, and what is asked for
 * again moves on. So an entry costs no more than in a plain map.
 */
class RecentMap<Value> {
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  get(key: string): Value | undefined {
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: Value): void {
    if (this.#young.size >= GENERATION_SIZE) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}

/** By prefix, the addresses of payloads: every output that is indexed shows an address, and most come again soon. */
const recentAddresses = new Map<string, RecentMap<string>>();

function encode(network: Network, kind: AddressKind, payload: Hex): string {
  const prefix = network.prefixes[kind];
  let recent = recentAddresses.get(prefix);
  if (recent === undefined) {
    recent = new RecentMap();
    recentAddresses.set(prefix, recent);
  }
  let address = recent.get(payload);
  if (address === undefined) {
    address = bech32m.encode(prefix, bech32m.toWords(Buffer.from(payload, 'hex')), MAX_TEXT_LENGTH);
    recent.set(payload, address);
  }
  return address;
}

// ----------------------------------------------------------------------------------------------------- reading

/** Each `parse…` takes a text in either case, but not in both, and throws AddressError. */
export function parseDestination(network: Network, text: string): Destination {
  const known = recentDestinations.get(text);
  if (known !== undefined && text.startsWith(`${network.prefixes[destinationKind(known)]}1`)) return known;
  const { kind, payload } = parse(network, text, DESTINATION_KINDS);
  const tag = DESTINATION_KINDS.indexOf(kind);
  if (payload[0] !== tag) throw damaged(text, 'its prefix belongs to another kind of destination');
  requireLength(text, payload, DESTINATION_LENGTHS[tag]!);
  const destination = payload.toString('hex');
  if (kind === 'publicKey' && !isPublicKey(destination.slice(2))) throw damaged(text, 'no such public key exists');
  // A copy of the text: as a part of a longer one it would keep that in memory.
  recentDestinations.set(Buffer.from(text).toString(), destination);
  return destination;
}

/** By address, the destinations that were asked for lately: a wallet asks for the same ones again and again. */
const recentDestinations = new RecentMap<Destination>();

/** A kind byte, which is 0, and a point. */
function isPublicKey(key: Hex): boolean {
  return key.startsWith('00') && isSecp256k1Point(key.slice(2));
}

export function parsePoolId(network: Network, text: string): Id {
  return parseId(network, text, 'poolId');
}

export function parseDelegationId(network: Network, text: string): Id {
  return parseId(network, text, 'delegationId');
}

/** Parses the id of a fungible token or an NFT. */
export function parseTokenId(network: Network, text: string): Id {
  return parseId(network, text, 'tokenId');
}

export function parseOrderId(network: Network, text: string): Id {
  return parseId(network, text, 'orderId');
}

function parseId(network: Network, text: string, kind: AddressKind): Id {
  const { payload } = parse(network, text, [kind]);
  requireLength(text, payload, ID_BYTES);
  return payload.toString('hex');
}

/** Checksum and prefix checked, the payload not yet. */
function parse<K extends AddressKind>(
  network: Network,
  text: string,
  kinds: readonly K[],
): { readonly kind: K; readonly payload: Buffer } {
  const found = bech32m.decodeUnsafe(text, MAX_TEXT_LENGTH);
  if (!found) throw damaged(text, 'it is not bech32m with a matching checksum');
  const kind = kinds.find((candidate) => network.prefixes[candidate] === found.prefix);
  if (kind !== undefined) return { kind, payload: payloadOf(found.words) };
  if (Object.values(network.prefixes).includes(found.prefix)) {
    throw new AddressError('wrong kind', `${shown(text)} is the address of something else`);
  }
  const home = KNOWN_NETWORKS.find(({ prefixes }) => Object.values(prefixes).includes(found.prefix));
  const where = home ? ` but on ${home.name}` : '';
  throw new AddressError('wrong network', `${shown(text)} is not an address on ${network.name}${where}`);
}

/** The bytes in words of five bits. As in mintlayer-core, the bits that fill up the last word are dropped unread. */
function payloadOf(words: readonly number[]): Buffer {
  const payload = Buffer.alloc((words.length * 5) >> 3);
  for (let i = 0; i < payload.length; i++) {
    const first = Math.floor((i * 8) / 5);
    const bits = (words[first]! << 10) | (words[first + 1]! << 5) | (words[first + 2] ?? 0);
    payload[i] = bits >> (7 - ((i * 8) % 5));
  }
  return payload;
}

function requireLength(text: string, payload: Buffer, length: number): void {
  if (payload.length !== length) throw damaged(text, `it has ${payload.length} bytes, not ${length}`);
}

function damaged(text: string, how: string): AddressError {
  return new AddressError('damaged', `${shown(text)} is not an address: ${how}`);
}

/** Somebody else's text: never longer than a real address. */
function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
