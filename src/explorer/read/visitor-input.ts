/** Parses what visitors type or follow, with error messages for them. */
import { badRequest } from '../../api/errors/api-error.ts';
import { AddressError, parseDestination, parseOrderId, parseTokenId } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import { DecodeError } from '../../chain/scale/codec-errors.ts';
import type { Atoms, Destination, Hex, Id } from '../../chain/types.ts';

/**
 * Parses the id or address in a path. `what`: the expected thing, such as "a pool"; `parse`: a function of
 * `src/chain/address.ts`. Throws the error 400, which says what is wrong.
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
      return `This is not the address of ${what}: its checksum is wrong. Check for mistyped or missing characters`;
    case 'wrong kind':
      return `This is an address of ${name}, but not that of ${what}`;
    case 'wrong network':
      return `This is not an address of ${name}, but of another network`;
  }
}

/** The most digits of a whole number: more than any supply has in practice. */
const MAX_WHOLE_DIGITS = 30;

/** A number whose commas separate thousands, such as 1,000 or 1,234,567.5. */
const COMMA_THOUSANDS = /^[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;

/** Parses an amount of whole coins to atoms: {@link parseVisitorAmount}. */
export function parseCoins({ coinDecimals, coinTicker }: Network, text: string): Atoms {
  return parseVisitorAmount(text, { decimals: coinDecimals, unit: coinTicker });
}

/**
 * Parses an amount in whole units, such as "1000", "1,000", "0.5", "0,5" or "1000 ML", to atoms. A single comma before three
 * digits separates thousands. Throws the error 400.
 */
export function parseVisitorAmount(
  text: string,
  { decimals, unit }: { readonly decimals: number; readonly unit: string },
): Atoms {
  const plain = withoutUnit(text.replace(/[\s'_]/g, ''), unit);
  const match = /^(\d+)(?:[.,](\d*?)0*)?$/.exec(COMMA_THOUSANDS.test(plain) ? plain.replaceAll(',', '') : plain);
  const [, whole = '', fraction = ''] = match ?? [];
  const isPossible = match !== null && whole.length <= MAX_WHOLE_DIGITS && fraction.length <= decimals;
  if (!isPossible) {
    const example = decimals === 0 ? '1000' : '1000 or 0.5';
    throw badRequest(`Enter an amount of ${unit} such as ${example}, with at most ${decimals} decimals`);
  }
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** A unit that begins with a digit could be a part of the number. */
function withoutUnit(text: string, unit: string): string {
  const isThere = /^\D/.test(unit) && text.toLowerCase().endsWith(unit.toLowerCase());
  return isThere ? text.slice(0, -unit.length) : text;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Returns the first second of a day, UTC. Throws the error 400. */
export function firstSecondOfDay(day: string): number {
  const time = DAY.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(time)) throw badRequest('A day has the form 2026-01-31');
  return Math.max(0, time / 1_000);
}

/** Parses the id of a token. Throws the error 400 with the reason, as the functions below. */
export function parseTokenIdInput(network: Network, text: string, what = 'a token'): Id {
  return parseVisitorId(network, what, text, parseTokenId);
}

export function parseOrderIdInput(network: Network, text: string): Id {
  return parseVisitorId(network, 'an order', text, parseOrderId);
}

/** Parses the address of a wallet. */
export function parseAddressInput(network: Network, text: string): Destination {
  return parseVisitorId(network, 'a wallet', text, parseDestination);
}

/** Does a text look like a ticker? Longer texts, and those with a 1, are ids. */
export function looksLikeTicker(text: string): boolean {
  return /^[^1]{1,20}$/.test(text);
}

/** Parses the id of a token, or the ticker of the coin in upper or lower case. */
export function parseVisitorCurrency({ coinTicker, ...network }: Network, text: string): Currency {
  const name = text.trim();
  if (name.toLowerCase() === coinTicker.toLowerCase()) return COIN;
  if (looksLikeTicker(name)) {
    throw badRequest(
      `A currency is ${coinTicker} or a token id. "${name}" looks like a ticker; several tokens can have the same ticker, so search for its id`,
    );
  }
  return parseTokenIdInput({ coinTicker, ...network }, name);
}

/** Parses both currencies of `FIRST_SECOND`, as in the API. */
export function parseVisitorPair(network: Network, text: string): readonly [base: Currency, quote: Currency] {
  const sides = text.split('_');
  if (sides.length !== 2) {
    throw badRequest(`A market is named by two currencies joined by _, each ${network.coinTicker} or a token id`);
  }
  return [parseVisitorCurrency(network, sides[0]!), parseVisitorCurrency(network, sides[1]!)];
}

/** Parses the hash of an HTLC's secret. */
export function parseSecretHashInput(text: string): Hex {
  const match = /^(?:0x)?([0-9a-fA-F]{40})$/.exec(text);
  if (match === null) {
    throw badRequest(`The hash of a secret has 40 characters (0–9, a–f); this text has ${text.length}`);
  }
  return match[1]!.toLowerCase();
}
