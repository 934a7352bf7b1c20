/** Bech32m texts of payloads (docs/protocol.md#addresses). */
import type { Hex } from './types.ts';

const MAX_TEXT_LENGTH = 1023;
const MAX_PREFIX_LENGTH = 83;

/** Entries per generation. */
const GENERATION_SIZE = 8192;

/**
 * Remembers what was used lately, in two generations: when the young one is full it becomes the old one, and what is asked for
 * again moves on. So an entry costs no more than in a plain map.
 */
export class RecentMap<Value> {
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

/**
 * Encodes payloads under one prefix. Every output that is indexed shows an address, so this is written for speed: the
 * prefix's part of the checksum is computed once, and what was encoded lately is remembered.
 */
export class Bech32mEncoder {
  readonly #start: string;
  readonly #prefixState: number;
  readonly #texts = new RecentMap<string>();

  constructor(prefix: string) {
    this.#start = `${prefix}1`;
    this.#prefixState = prefixState(prefix);
  }

  encode(payload: Hex): string {
    const known = this.#texts.get(payload);
    if (known !== undefined) return known;
    const text = this.#start + dataPart(payload, this.#prefixState);
    this.#texts.set(payload, text);
    return text;
  }
}

const CHARACTERS = Buffer.from('qpzry9x8gf2tvdw0s3jn54khce6mua7l', 'latin1');
const CHECKSUM_LENGTH = 6;
const CHECKSUM_CONSTANT = 0x2bc830a3;
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
/** The change of the checksum's state for each value of the five bits that leave it. */
const REMAINDERS = Int32Array.from({ length: 32 }, (_, bits) =>
  GENERATORS.reduce((sum, generator, i) => ((bits >> i) & 1 ? sum ^ generator : sum), 0),
);

function advance(state: number, word: number): number {
  return ((state & 0x1ffffff) << 5) ^ word ^ REMAINDERS[state >>> 25]!;
}

function prefixState(prefix: string): number {
  let state = 1;
  for (let i = 0; i < prefix.length; i++) state = advance(state, prefix.charCodeAt(i) >> 5);
  state = advance(state, 0);
  for (let i = 0; i < prefix.length; i++) state = advance(state, prefix.charCodeAt(i) & 31);
  return state;
}

const scratch = Buffer.alloc(MAX_TEXT_LENGTH);

/** The payload in words of five bits, the last one filled up with zeros, and the checksum. */
function dataPart(payload: Hex, start: number): string {
  let state = start;
  let length = 0;
  let bits = 0;
  let bitCount = 0;
  for (let i = 0; i < payload.length; i++) {
    bits = (bits << 4) | hexDigit(payload.charCodeAt(i));
    bitCount += 4;
    if (bitCount < 5) continue;
    bitCount -= 5;
    const word = (bits >> bitCount) & 31;
    bits &= 15;
    state = advance(state, word);
    scratch[length++] = CHARACTERS[word]!;
  }
  if (bitCount > 0) {
    const word = (bits << (5 - bitCount)) & 31;
    state = advance(state, word);
    scratch[length++] = CHARACTERS[word]!;
  }
  for (let i = 0; i < CHECKSUM_LENGTH; i++) state = advance(state, 0);
  state ^= CHECKSUM_CONSTANT;
  for (let i = CHECKSUM_LENGTH - 1; i >= 0; i--) scratch[length++] = CHARACTERS[(state >> (5 * i)) & 31]!;
  return scratch.toString('latin1', 0, length);
}

/** The value of a lower-case hex digit. */
function hexDigit(code: number): number {
  return code < 58 ? code - 48 : code - 87;
}

/** The five bits of a character, by its code; −1 if the character is not valid. */
const WORDS = Int8Array.from({ length: 128 }, (_, code) => CHARACTERS.indexOf(code));
/** The characters of a prefix: `!` to `~`. */
const FIRST_CODE = 33;
const LAST_CODE = 126;

/**
 * Prefix and payload of a bech32m text in lower case; null when it is none. As in mintlayer-core, the bits that fill up
 * the last character are dropped unread.
 */
export function decodeBech32m(text: string): { readonly prefix: string; readonly payload: Buffer } | null {
  const separator = text.lastIndexOf('1');
  const wordCount = text.length - separator - 1 - CHECKSUM_LENGTH;
  if (text.length > MAX_TEXT_LENGTH || separator < 1 || separator > MAX_PREFIX_LENGTH || wordCount < 0) return null;
  const prefix = text.slice(0, separator);
  for (let i = 0; i < separator; i++) {
    const code = prefix.charCodeAt(i);
    if (code < FIRST_CODE || code > LAST_CODE || isUpperCase(code)) return null;
  }
  let state = prefixState(prefix);
  const payload = Buffer.allocUnsafe((wordCount * 5) >> 3);
  let length = 0;
  let bits = 0;
  let bitCount = 0;
  for (let i = 0; i < wordCount + CHECKSUM_LENGTH; i++) {
    const word = WORDS[text.charCodeAt(separator + 1 + i)] ?? -1;
    if (word < 0) return null;
    state = advance(state, word);
    if (i >= wordCount) continue;
    bits = ((bits << 5) | word) & 0xfff;
    bitCount += 5;
    if (bitCount < 8) continue;
    bitCount -= 8;
    payload[length++] = (bits >> bitCount) & 0xff;
  }
  return state === CHECKSUM_CONSTANT ? { prefix, payload } : null;
}

function isUpperCase(code: number): boolean {
  return code >= 65 && code <= 90;
}
