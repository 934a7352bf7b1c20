import { DecodeError } from './decode-error.ts';

/** The bytes that a text of hex digits (either case, no prefix) stands for. Throws DecodeError when it is not hex. */
export function bytesFromHex(text: string): Buffer {
  const bytes = Buffer.from(text, 'hex');
  if (bytes.length * 2 !== text.length) {
    throw new DecodeError(
      bytes.length,
      'pairs of hex digits',
      text.length % 2 ? 'an odd number of characters' : 'other characters',
    );
  }
  return bytes;
}
