/** Addresses: the text forms of destinations, ids and keys (docs/protocol.md#addresses). */
import { Bech32mEncoder, decodeBech32m, RecentMap } from './bech32m.ts';
import { DESTINATION_CODEC } from './codec/destination.ts';
import { COIN, type Currency } from './currency.ts';
import { isSecp256k1Point } from './curve-points.ts';
import { KNOWN_NETWORKS } from './networks/known-networks.ts';
import type { AddressPrefixes, Network } from './networks/network.ts';
import { DecodeError, EncodeError } from './scale/codec-errors.ts';
import { decodeWhole, type ScaleReader } from './scale/reader.ts';
import type { Destination, Hex, Id } from './types.ts';

type AddressKind = keyof AddressPrefixes;

const ID_BYTES = 32;

/** The kinds of a destination; the position is the first byte. */
const DESTINATION_KINDS = ['anyoneCanSpend', 'publicKeyHash', 'publicKey', 'scriptHash', 'classicMultisig'] as const;
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

/** ASCII without lower-case letters: other letters that become ASCII in lower case must not. */
const UPPER_CASE = /^[!-`{-~]+$/;

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

const encoders = new Map<string, Bech32mEncoder>();

function encode(network: Network, kind: AddressKind, payload: Hex): string {
  const prefix = network.prefixes[kind];
  let encoder = encoders.get(prefix);
  if (encoder === undefined) {
    encoder = new Bech32mEncoder(prefix);
    encoders.set(prefix, encoder);
  }
  return encoder.encode(payload);
}

// ----------------------------------------------------------------------------------------------------- reading

/** Each `parse…` takes a text in either case, but not in both, and throws AddressError. */
export function parseDestination(network: Network, text: string): Destination {
  const { kind, payload } = parse(network, text, DESTINATION_KINDS);
  const destination = decoded(text, payload, DESTINATION_CODEC.read);
  if (kind !== destinationKind(destination)) throw damaged(text, 'its prefix belongs to another kind of destination');
  if (kind === 'publicKey' && !isPublicKey(destination.slice(4))) throw damaged(text, 'no such public key exists');
  return destination;
}

/** The public keys that exist, of those that were asked for lately: a wallet asks for the same ones again and again. */
const recentPublicKeys = new RecentMap<true>();

function isPublicKey(point: Hex): boolean {
  if (recentPublicKeys.get(point) === true) return true;
  if (!isSecp256k1Point(point)) return false;
  recentPublicKeys.set(point, true);
  return true;
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
  if (payload.length !== ID_BYTES) throw damaged(text, `an id has ${ID_BYTES} bytes, not ${payload.length}`);
  return payload.toString('hex');
}

/** Checksum and prefix checked, the payload not yet. */
function parse<K extends AddressKind>(
  network: Network,
  text: string,
  kinds: readonly K[],
): { readonly kind: K; readonly payload: Buffer } {
  const found = decodeBech32m(UPPER_CASE.test(text) ? text.toLowerCase() : text);
  if (!found) throw damaged(text, 'it is not bech32m with a matching checksum');
  const kind = kinds.find((candidate) => network.prefixes[candidate] === found.prefix);
  if (kind !== undefined) return { kind, payload: found.payload };
  if (Object.values(network.prefixes).includes(found.prefix)) {
    throw new AddressError('wrong kind', `${shown(text)} is the address of something else`);
  }
  const home = KNOWN_NETWORKS.find(({ prefixes }) => Object.values(prefixes).includes(found.prefix));
  const where = home ? ` but on ${home.name}` : '';
  throw new AddressError('wrong network', `${shown(text)} is not an address on ${network.name}${where}`);
}

function decoded<T>(text: string, payload: Buffer, read: (reader: ScaleReader) => T): T {
  try {
    return decodeWhole(payload, read, 'the payload');
  } catch (error) {
    if (error instanceof DecodeError) throw damaged(text, error.message);
    throw error;
  }
}

function damaged(text: string, how: string): AddressError {
  return new AddressError('damaged', `${shown(text)} is not an address: ${how}`);
}

/** Somebody else's text: never longer than a real address. */
function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
