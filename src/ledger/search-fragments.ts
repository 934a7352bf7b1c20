/** Splits a ticker or a name into its substrings, so that a search for any of them finds it. */
import type { Hex } from '../chain/types.ts';

/** The length up to which every substring is searchable; consensus allows 12 bytes of ticker and 10 of name. */
const SEARCHABLE_LENGTH = 32;

interface SearchFragment {
  readonly fragment: string;
  /** Is it the whole text? */
  readonly isWhole: boolean;
}

/** Returns every distinct substring of a text, in lower case; none if the bytes are not printable UTF-8. */
export function searchFragments(bytes: Hex): SearchFragment[] {
  const text = searchableText(bytes);
  if (text === null) return [];
  const all = [...text.toLowerCase()];
  const characters = all.slice(0, SEARCHABLE_LENGTH);
  const fragments = new Set<string>();
  for (let start = 0; start < characters.length; start++) {
    for (let end = start + 1; end <= characters.length; end++) fragments.add(characters.slice(start, end).join(''));
  }
  return [...fragments].map((fragment) => ({ fragment, isWhole: fragment === all.join('') }));
}

function searchableText(bytes: Hex): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'hex'));
    // Nobody searches for control characters, and a store may not be able to keep them.
    return /\p{Cc}/u.test(text) ? null : text;
  } catch {
    return null;
  }
}
