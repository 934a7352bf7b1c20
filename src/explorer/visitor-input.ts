/** Parses what visitors type or follow, with error messages for them. */

import { AddressError, parseDestination, parseOrderId, parseTokenId } from '../chain/address.ts';
import { COIN, type Currency } from '../chain/currency.ts';
import type { Network } from '../chain/networks/network.ts';
import { DecodeError } from '../chain/scale/codec-errors.ts';
import type { Atoms, Destination, Hex, Id } from '../chain/types.ts';
import type { ApiError } from '../serving/errors/api-error.ts';
import { badInput, wordsOfError } from './page-error.ts';
import { Phrase, say, type Words } from './words/catalogue.ts';

/**
 * Parses the id or address in a path. `what`: the expected thing, such as "a pool"; `parse`: a function of
 * `src/chain/address.ts`. Throws the error 400, which says what is wrong.
 */
export function parseVisitorId<Value>(
  network: Network,
  what: ExpectedThing,
  text: string,
  parse: (network: Network, text: string) => Value,
): Value {
  try {
    return parse(network, text);
  } catch (error) {
    if (error instanceof AddressError) throw badInput(reasonOf(error, network, what));
    if (error instanceof DecodeError)
      throw badInput(say('{problem}: {reason}.', { problem: say(NOT_OF[what]), reason: error.message }));
    throw error;
  }
}

function reasonOf({ reason }: AddressError, { name }: Network, what: ExpectedThing): Words {
  switch (reason) {
    case 'damaged':
      return say('{problem}: it is incomplete or mistyped.', {
        problem: say(NOT_OF[what]),
      });
    case 'wrong kind':
      return say('{problem}: it names something else on {name}.', { problem: say(NOT_OF[what]), name });
    case 'wrong network':
      return say('This is not an address of {name}, but of another network.', { name });
  }
}

/** Says which of several texts is wrong, and why: `error` is that of its parser. */
export function problemOf(text: string, error: ApiError): Words {
  const words = wordsOfError(error);
  return say('{name}: {value}', {
    name: text.slice(0, 24),
    value: typeof words === 'string' ? new Phrase(words, {}) : words,
  });
}

/** What the id or address of a path may be of. */
type ExpectedThing = keyof typeof NOT_OF;

const NOT_OF = {
  'a wallet': 'This is not a wallet address',
  'a pool': 'This is not the id of a pool',
  'a delegation': 'This is not the id of a delegation',
  'a token': 'This is not the id of a token',
  'an NFT': 'This is not the id of an NFT',
  'an order': 'This is not the id of an order',
} as const;

/** The most digits of a whole number: more than any supply has in practice. */
const MAX_WHOLE_DIGITS = 30;

/** A number whose commas separate thousands, such as 1,000 or 1,234,567.5. */
const COMMA_THOUSANDS = /^[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;
/** A number whose points separate thousands, such as 1.234,5 or 1.234.567. The point of 1.234 separates decimals, as on pages. */
const POINT_THOUSANDS = /^[1-9]\d{0,2}(?:(\.\d{3})+,\d*|(\.\d{3}){2,})$/;

/** What was typed into the field of an amount. */
export interface TypedAmount {
  /** As it was typed; empty if nothing was. */
  readonly text: string;
  /** Null if nothing was typed, or nothing that is an amount. */
  readonly atoms: Atoms | null;
  /** Why it is no amount. */
  readonly problem: Words | null;
}

interface AmountUnit {
  readonly decimals: number;
  readonly unit: string;
}

/** Reads an amount of whole coins: {@link readTypedAmount}. */
export const readTypedCoins = ({ coinDecimals, coinTicker }: Network, text: string | undefined): TypedAmount =>
  readTypedAmount(text, { decimals: coinDecimals, unit: coinTicker });

/** Reads an amount in whole units. A page shows what is wrong beside its form, with what was typed. */
export function readTypedAmount(typed: string | undefined, unit: AmountUnit): TypedAmount {
  const text = typed?.trim() ?? '';
  const atoms = text === '' ? null : parseAmount(text, unit);
  return { text, atoms, problem: text === '' || atoms !== null ? null : expectedAmount(unit) };
}

function expectedAmount({ decimals, unit }: AmountUnit): Words {
  if (decimals === 0) return say('Enter an amount of {unit} such as 1000, without decimals.', { unit });
  return say('Enter an amount of {unit} such as 1000 or 0.5, with at most {decimals} decimals.', { unit, decimals });
}

/**
 * Parses "1000", "1,000", "1 000", "0.5", "0,5", ".5", "1.234,5" or "1000 ML" to atoms. A single comma before three digits separates
 * thousands. Returns null for other texts.
 */
function parseAmount(text: string, { decimals, unit }: AmountUnit): Atoms | null {
  const plain = withoutUnit(text.replace(/[\s'’_]/g, ''), unit);
  const separator = COMMA_THOUSANDS.test(plain) ? ',' : POINT_THOUSANDS.test(plain) ? '.' : null;
  const match = /^(?=[.,]?\d)(\d*)(?:[.,](\d*?)0*)?$/.exec(
    separator === null ? plain : plain.replaceAll(separator, ''),
  );
  const [, whole = '', fraction = ''] = match ?? [];
  if (match === null || whole.length > MAX_WHOLE_DIGITS || fraction.length > decimals) return null;
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
  if (Number.isNaN(time)) throw badInput('A day has the form 2026-01-31.');
  return Math.max(0, time / 1_000);
}

/** Parses the id of a token. Throws the error 400 with the reason, as the functions below. */
export function parseTokenIdInput(network: Network, text: string, what: ExpectedThing = 'a token'): Id {
  return parseVisitorId(network, what, text, parseTokenId);
}

export function parseOrderIdInput(network: Network, text: string): Id {
  return parseVisitorId(network, 'an order', text, parseOrderId);
}

/** Parses the address of a wallet. */
export function parseAddressInput(network: Network, text: string): Destination {
  return parseVisitorId(network, 'a wallet', text, parseDestination);
}

/** May a text be the ticker of a token? Longer texts, and those with a 1, are ids. */
export function isTokenTicker({ coinTicker }: Network, text: string): boolean {
  return /^[^1]{1,20}$/.test(text) && text.toLowerCase() !== coinTicker.toLowerCase();
}

/** Parses the id of a token, or the ticker of the coin in upper or lower case. */
export function parseVisitorCurrency(network: Network, text: string): Currency {
  const { coinTicker: unit } = network;
  const name = text.trim();
  if (name.toLowerCase() === unit.toLowerCase()) return COIN;
  if (isTokenTicker(network, name)) {
    throw badInput(
      say(
        'A currency is {unit} or a token id. "{name}" looks like a ticker; several tokens can have the same ticker, so search for its id.',
        { unit, name },
      ),
    );
  }
  return parseTokenIdInput(network, name);
}

/** Parses both currencies of `FIRST_SECOND`, as in the API. */
export function parseVisitorPair(network: Network, text: string): readonly [base: Currency, quote: Currency] {
  const sides = text.split('_');
  if (sides.length !== 2) {
    throw badInput(
      say('A market is named by two currencies joined by _, each {unit} or a token id.', { unit: network.coinTicker }),
    );
  }
  const [base, quote] = sides.map((side) => parseVisitorCurrency(network, side)) as [Currency, Currency];
  if (base === quote) throw badInput('A market is of two different currencies.');
  return [base, quote];
}

/** Parses the hash of an HTLC's secret. */
export function parseSecretHashInput(text: string): Hex {
  const match = /^(?:0x)?([0-9a-fA-F]{40})$/.exec(text);
  if (match === null) {
    throw badInput(
      say('The hash of a secret has 40 characters (0–9, a–f); this text has {length}.', { length: text.length }),
    );
  }
  return match[1]!.toLowerCase();
}
