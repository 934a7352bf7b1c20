/**
 * Bytes that are not the SCALE encoding of what was expected. `offset` counts bytes from the start of what was
 * decoded; `expected` and `found` are phrases for the message.
 */
export class DecodeError extends Error {
  override readonly name: string = 'DecodeError';
  readonly offset: number;
  readonly expected: string;
  readonly found: string;

  constructor(offset: number, expected: string, found: string) {
    super(`expected ${expected} at byte ${offset}, found ${found}`);
    this.offset = offset;
    this.expected = expected;
    this.found = found;
  }
}

/** A value that has no encoding: a negative amount, a hash of the wrong length, text that is not hex. */
export class EncodeError extends Error {
  override readonly name: string = 'EncodeError';
}
