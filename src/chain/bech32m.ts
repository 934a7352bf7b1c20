/** Bech32m texts of payloads (wire-format section 5). */
import { bech32m } from '@scure/base';
import type { Hex } from './types.ts';

const MAX_TEXT_LENGTH = 1023;
const MAX_PREFIX_LENGTH = 83;
/** Payloads per generation of the cache. */
const CACHE_SIZE = 8192;

/**
 * Encodes payloads under one prefix. What was encoded lately is remembered, in two generations: when the young one is
 * full it becomes the old one, and what is asked for again moves on.
 */
export class Bech32mEncoder {
  readonly #prefix: string;
  #young = new Map<Hex, string>();
  #old = new Map<Hex, string>();

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  encode(payload: Hex): string {
    const known = this.#young.get(payload);
    if (known !== undefined) return known;
    const text =
      this.#old.get(payload) ??
      bech32m.encode(this.#prefix, bech32m.toWords(Buffer.from(payload, 'hex')), MAX_TEXT_LENGTH);
    if (this.#young.size >= CACHE_SIZE) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(payload, text);
    return text;
  }
}

/**
 * Prefix and payload of a bech32m text; null when it is none. As in mintlayer-core, the bits that fill up the last
 * character are dropped unread, where the library would refuse some of them.
 */
export function decodeBech32m(text: string): { readonly prefix: string; readonly payload: Buffer } | null {
  if (text.length > MAX_TEXT_LENGTH) return null;
  const decoded = bech32m.decodeUnsafe(text, MAX_TEXT_LENGTH);
  if (!decoded || decoded.prefix.length > MAX_PREFIX_LENGTH) return null;
  return { prefix: decoded.prefix, payload: bytesOfWords(decoded.words) };
}

/** Five-bit words as bytes, most significant bit first. */
function bytesOfWords(words: readonly number[]): Buffer {
  const bytes = Buffer.alloc((words.length * 5) >> 3);
  let pending = 0;
  let pendingBits = 0;
  let length = 0;
  for (const word of words) {
    pending = ((pending << 5) | word) & 0xfff;
    pendingBits += 5;
    if (pendingBits < 8) continue;
    pendingBits -= 8;
    bytes[length++] = (pending >> pendingBits) & 0xff;
  }
  return bytes;
}
