// What a watched thing has: read from the API, and remembered in the browser.
// @ts-check
import { keep, stored } from './settings.js';
import { LIST_KEY } from './watch-list.js';

/**
 * `value`: in whole units, null if there is none; `revision`: another number after any change. `isRefused`: the server does not
 * know what this is.
 *
 * @typedef {object} Facts
 * @property {string | null} value
 * @property {string} unit
 * @property {number} revision
 * @property {boolean} isRefused
 */
/**
 * What is remembered of a thing. `seen`: when the visitor last looked.
 *
 * @typedef {object} Memory
 * @property {Facts} now
 * @property {Facts} seen
 */

const API = new URL('../../api/v2/', import.meta.url);
export const VALUES_KEY = `${LIST_KEY} values`;
const MAX_REQUEST_MS = 15_000;

/** The JSON of the API, which differs a little between its profiles. @typedef {any} Json */

/** What is taken of the answers, by the first part of a thing. @type {Record<string, (answer: Json, coin: string) => { value: string | null, unit: string, all?: unknown }>} */
const FACTS = {
  address: ({ balances }, coin) => {
    const own = balances.find((/** @type {Json} */ { currency }) => currency.type === 'Coin');
    return { value: own?.balance.decimal ?? '0', unit: coin, all: balances };
  },
  delegation: ({ balance }, coin) => ({ value: balance.decimal, unit: coin }),
  pool: ({ staker_balance: own, delegations_balance: delegated }, coin) => ({
    value: sumOf(own.decimal, delegated.decimal),
    unit: coin,
  }),
  token: ({ circulating_supply: supply, token_ticker: ticker }) => ({
    value: supply.decimal,
    unit: ticker.string ?? ticker,
  }),
  // The volume of the day changes by itself.
  market: ({ base, quote, last_price: price, bid, ask, trades, open_orders: orders }) => ({
    value: price?.decimal ?? null,
    unit: `${quote.ticker ?? '?'} / ${base.ticker ?? '?'}`,
    all: [price, bid, ask, trades, orders],
  }),
};

/**
 * Reads a thing; `tip`: the newest block that is known, which the answer must not be older than. Throws if the server cannot
 * answer now.
 *
 * @param {string} thing
 * @param {string} coin the ticker of the coin
 * @param {string} tip
 * @returns {Promise<{ facts: Facts, tip: string }>}
 */
export async function readThing(thing, coin, tip) {
  const [kind = '', id = ''] = thing.split('/');
  const headers = { ...(tip !== '' && { 'x-min-tip': tip }) };
  const signal = AbortSignal.timeout(MAX_REQUEST_MS);
  // The response to an address' own path has its whole history.
  const response =
    kind === 'address'
      ? await fetch(new URL('balances', API), {
          method: 'POST',
          body: JSON.stringify({ addresses: [id] }),
          headers,
          signal,
        })
      : await fetch(new URL(thing, API), { headers, signal });
  const { status } = response;
  if (![200, 400, 404].includes(status)) throw new Error(`status ${status}`);
  const answer = await response.json();
  const taken = (status === 200 && FACTS[kind]?.(answer, coin)) || { value: null, unit: '' };
  const revision = hashOf(JSON.stringify(taken.all ?? answer));
  const facts = { value: taken.value, unit: visible(taken.unit), revision, isRefused: status === 400 };
  return { facts, tip: response.headers.get('x-chain-tip') ?? '' };
}

/** Makes characters visible that would hide what a ticker is. @param {string} text */
const visible = (text) => text.replace(/\p{C}/gu, '\ufffd');

/** @param {string} text */
function hashOf(text) {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}

/** The exact sum of two decimal numbers, or their difference. @param {string} first @param {string} second */
export function sumOf(first, second, sign = 1n) {
  const parts = [first, second].map((text) => text.split('.'));
  const digits = Math.max(...parts.map(([, fraction = '']) => fraction.length));
  const [one = 0n, other = 0n] = parts.map(([whole = '', fraction = '']) =>
    BigInt(whole + fraction.padEnd(digits, '0')),
  );
  const sum = one + sign * other;
  const text = String(sum < 0n ? -sum : sum).padStart(digits + 1, '0');
  const fraction = text.slice(text.length - digits).replace(/0+$/, '');
  return `${sum < 0n ? '-' : ''}${text.slice(0, text.length - digits)}${fraction && `.${fraction}`}`;
}

/** What is remembered, by thing; what cannot be read is left out. @returns {Map<string, Memory>} */
export function rememberedValues() {
  try {
    const entries = Object.entries(JSON.parse(stored(VALUES_KEY) ?? '{}'));
    return new Map(entries.filter(([, { now, seen }]) => areFacts(now) && areFacts(seen)));
  } catch {
    return new Map();
  }
}

/** @param {Partial<Facts> | undefined} facts */
export const areFacts = (facts) =>
  (facts?.value === null || /^\d+(\.\d+)?$/.test(String(facts?.value))) &&
  typeof facts?.unit === 'string' &&
  typeof facts.revision === 'number';

/** @param {Map<string, Memory>} values */
export const rememberValues = (values) => keep(VALUES_KEY, JSON.stringify(Object.fromEntries(values)));
