/** What visitors type or follow, with errors in words for them. */

import { badRequest } from '../../api/errors/api-error.ts';
import { AddressError } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import { DecodeError } from '../../chain/scale/decode-error.ts';
import type { Atoms } from '../../chain/types.ts';

/**
 * The id or address in a path. `what` is what it must be, as in "a pool"; `parse` is one of `src/chain/address.ts`. Throws
 * the error 400, which says what is wrong with it.
 */
export function parseVisitorId<Value>(
  network: Network,
  what: string,
  text: string,
  parse: (network: Network, text: string) => Value,
): Value {
  try {
    return parse(network, text);
  } catch (error) {
    if (error instanceof AddressError) throw badRequest(reasonOf(error, network, what));
    if (error instanceof DecodeError) throw badRequest(`This is not the address of ${what}: ${error.message}`);
    throw error;
  }
}

function reasonOf({ reason }: AddressError, { name }: Network, what: string): string {
  switch (reason) {
    case 'damaged':
      return `This is not the address of ${what}: its checksum does not fit. A character is wrong, missing or too many`;
    case 'wrong kind':
      return `This is an address of ${name}, but not that of ${what}`;
    case 'wrong network':
      return `This is not an address of ${name}, but of another network`;
  }
}

/** More than there will ever be of any coin. */
const LONGEST_WHOLE = 15;

/** A number of whole coins as one types it, "1000" or "0.5", in atoms. Throws the error 400. */
export function parseCoins({ coinDecimals, coinTicker }: Network, text: string): Atoms {
  const match = /^(\d+)(?:[.,](\d*))?$/.exec(text.replace(/[\s'_]/g, ''));
  const [, whole = '', fraction = ''] = match ?? [];
  const isPossible = match !== null && whole.length <= LONGEST_WHOLE && fraction.length <= coinDecimals;
  if (!isPossible) {
    throw badRequest(`A number of coins is wanted, as in 1000 or 0.5: ${coinTicker} has ${coinDecimals} decimals`);
  }
  return BigInt(whole + fraction.padEnd(coinDecimals, '0'));
}
