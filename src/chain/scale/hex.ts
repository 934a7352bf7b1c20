import { DecodeError } from './codec-errors.ts';

/** Returns the bytes of a text of hex digits (either case, no prefix). Throws DecodeError if it is not hex. */
export function bytesFromHex(text: string): Buffer {
  const bytes = Buffer.from(text, 'hex');
  if (bytes.length * 2 !== text.length) {
    const found = text.length % 2 ? 'an odd number of characters' : 'other characters';
    throw new DecodeError(bytes.length, 'pairs of hex digits', found);
  }
  return bytes;
}

/** Returns the text of UTF-8 bytes; what is no UTF-8 becomes U+FFFD. */
export const utf8OfHex = (hex: string): string => Buffer.from(hex, 'hex').toString('utf8');
