// What a watched thing has: read from the API, and remembered in the browser.
// @ts-check
import { storedText, storeText } from './settings.js';
import { LIST_KEY } from './watch-list.js';

/**
 * @typedef {object} Facts
 * @property {number} events how many happened since it was first read
 * @property {number} uncounted `events` after the last reading that found more than it counts; 0 if none did
 * @property {number} place the newest event's place in the list
 * @property {string} newest its path
 * @property {number} time its time, in seconds since the epoch
 * @property {string | null} value in whole units; null if there is none
 * @property {string} unit
 * @property {number} revision another number after any change
 * @property {boolean} isRefused the server does not know what this is
 * @property {Tokens} [tokens] what an address has of each, by id, unless they are too many
 */
/** @typedef {Record<string, [amount: string, ticker: string]>} Tokens */
/**
 * What is remembered of a thing. `seen`: when the visitor last looked.
 *
 * @typedef {object} Memory
 * @property {Facts} now
 * @property {Facts} seen
 */

const API = new URL('../../api/v2/', import.meta.url);
export const STORED_VALUES_KEY = `${LIST_KEY} values`;
const MAX_REQUEST_MS = 15_000;
/** The most tokens of an address that are remembered. */
const MAX_TOKENS = 50;

/** The JSON of the API, which differs a little between its profiles. @typedef {any} Json */

/** What is taken of the answers, by the first part of a thing. @type {Record<string, (answer: Json, coin: string) => { value: string | null, unit: string, all?: unknown, tokens?: Tokens }>} */
const FACTS = {
  // What tokens are worth changes by itself.
  address: ({ balances, total: { staked, orders, htlcs, tokens } }, coin) => {
    const own = balances.find((/** @type {Json} */ { currency }) => currency.type === 'Coin');
    const amounts = tokens.map((/** @type {Json} */ { currency, amount }) => [currency, amount]);
    return {
      value: own?.balance.decimal ?? '0',
      unit: coin,
      ...(balances.length <= MAX_TOKENS && { tokens: tokensIn(balances) }),
      all: [balances, staked.pools, staked.delegations, orders, htlcs, amounts],
    };
  },
  delegation: ({ balance }, coin) => ({ value: balance.decimal, unit: coin }),
  pool: ({ staker_balance: own, delegations_balance: delegated }, coin) => ({
    value: sumOfDecimals(own.decimal, delegated.decimal),
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

/** @param {Json[]} balances @returns {Tokens} */
const tokensIn = (balances) =>
  Object.fromEntries(
    balances
      .filter(({ currency }) => currency.type === 'Token')
      .map(({ currency, ticker, balance }) => [currency.token_id, [balance.decimal, visible(ticker ?? '?')]]),
  );

/** The lists of what happens to things, newest first. @type {Record<string, (id: string) => string>} */
const EVENTS = {
  address: (id) => `address/${id}/transactions`,
  delegation: (id) => `delegation/${id}/transactions`,
  pool: (id) => `pool/${id}/blocks`,
  token: (id) => `token/${id}/events`,
  market: (id) => `order/pair/${id}/trades`,
};
/** The most events that a reading counts: a page of a list. */
const MAX_COUNTED = 100;

/** @param {Json} entry @returns {number} */
const placeOf = (entry) => entry.tx_global_index ?? entry.height;

/**
 * Reads what has happened since `before`.
 *
 * @param {string} thing
 * @param {Facts | undefined} before
 * @param {RequestInit} request
 */
async function readEvents(thing, before, request) {
  const [kind = '', id = ''] = thing.split('/');
  const path = `${EVENTS[kind]?.(id)}?items=${before ? MAX_COUNTED : 1}`;
  const response = await fetch(new URL(path, API), request);
  if (![200, 400, 404].includes(response.status)) throw new Error(`status ${response.status}`);
  /** @type {Json[]} */
  const entries = response.ok ? (await response.json()).items : [];
  const { events = 0, uncounted = 0, place = -1 } = before ?? {};
  const found = before ? entries.filter((entry) => placeOf(entry) > place).length : 0;
  const [first] = entries;
  return {
    events: events + found,
    uncounted: found === MAX_COUNTED ? events + found : uncounted,
    place: first ? placeOf(first) : -1,
    newest: !first ? '' : first.tx_id ? `tx/${first.tx_id}` : `block/${first.block_id}`,
    time: first?.timestamp ?? 0,
  };
}

/**
 * Reads a thing that was read before, or not; `tip`: the newest block that is known, which the answer must not be older than. Throws if the server cannot
 * answer now.
 *
 * @param {string} thing
 * @param {string} coin the ticker of the coin
 * @param {string} tip
 * @param {Facts | undefined} before
 * @returns {Promise<{ facts: Facts, tip: string }>}
 */
export async function fetchFacts(thing, coin, tip, before) {
  const [kind = '', id = ''] = thing.split('/');
  const headers = { ...(tip !== '' && { 'x-min-tip': tip }) };
  const signal = AbortSignal.timeout(MAX_REQUEST_MS);
  // The response to an address' own path has its whole history.
  const response =
    kind === 'address'
      ? await fetch(new URL('balances', API), {
          method: 'POST',
          body: JSON.stringify({ addresses: [id], expand: true }),
          headers,
          signal,
        })
      : await fetch(new URL(thing, API), { headers, signal });
  const { status } = response;
  if (![200, 400, 404].includes(status)) throw new Error(`status ${status}`);
  const answer = await response.json();
  const taken = (status === 200 && FACTS[kind]?.(answer, coin)) || {
    value: null,
    unit: '',
    all: undefined,
    tokens: undefined,
  };
  const revision = hashOf(JSON.stringify(taken.all ?? answer));
  // It may have more than the block of the answer, but not less.
  const events = await readEvents(thing, before, { headers, signal });
  const { value, unit, tokens } = taken;
  const facts = {
    value,
    unit: visible(unit),
    revision,
    isRefused: status === 400,
    ...(tokens && { tokens }),
    ...events,
  };
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
export function sumOfDecimals(first, second, sign = 1n) {
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
    const entries = Object.entries(JSON.parse(storedText(STORED_VALUES_KEY) ?? '{}'));
    return new Map(entries.filter(([, { now, seen }]) => areFacts(now) && areFacts(seen)));
  } catch {
    return new Map();
  }
}

/** @param {unknown} text */
const isAmount = (text) => /^\d+(\.\d+)?$/.test(String(text));

/** @param {Partial<Facts> | undefined} facts */
export const areFacts = (facts) =>
  (facts?.value === null || isAmount(facts?.value)) &&
  Object.values(facts?.tokens ?? {}).every((token) => isAmount(token?.[0]) && typeof token[1] === 'string') &&
  typeof facts?.unit === 'string' &&
  /^((tx|block)\/[0-9a-f]{64})?$/.test(String(facts.newest)) &&
  [facts.revision, facts.events, facts.uncounted, facts.place, facts.time].every(Number.isFinite) &&
  Math.abs(Number(facts.time)) < 8.64e12;

/** @param {Map<string, Memory>} values */
export const rememberValues = (values) => storeText(STORED_VALUES_KEY, JSON.stringify(Object.fromEntries(values)));
