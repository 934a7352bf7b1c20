/** The body of a request about the addresses of a wallet. */
import Type from 'typebox';
import type { Network } from '../../chain/networks/network.ts';
import type { Destination } from '../../chain/types.ts';
import { badRequest } from '../errors/api-error.ts';
import { parseJsonObject } from './json-object.ts';
import { parseAddress } from './parameters.ts';

export const MAX_WALLET_ADDRESSES = 500;
/** The addresses that cost as much to look up as a small response. */
export const WALLET_ADDRESSES_PER_UNIT = 16;

export const WALLET_ADDRESSES_SCHEMA = Type.Array(
  Type.String({ minLength: 1, description: 'An address of this network' }),
  {
    minItems: 1,
    maxItems: MAX_WALLET_ADDRESSES,
  },
);

interface WalletBody {
  /** The owners of the addresses, each once. */
  readonly owners: readonly Destination[];
  /** The other fields of the object, not checked yet. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Parses a JSON object with the field `addresses`. Throws the error 400. */
export function parseWalletBody(network: Network, body: Buffer): WalletBody {
  const { addresses, ...fields } = parseJsonObject('wallet', body);
  const isList = Array.isArray(addresses) && addresses.length >= 1 && addresses.length <= MAX_WALLET_ADDRESSES;
  if (!isList || !addresses.every((address) => typeof address === 'string')) {
    throw badRequest(`Invalid addresses: an array of 1 to ${MAX_WALLET_ADDRESSES} texts is expected`);
  }
  return { owners: [...new Set(addresses.map((address) => parseAddress(network, address)))], fields };
}
