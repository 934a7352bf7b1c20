import { DecodeError } from './codec-errors.ts';

const TWO_POW_16 = 0x10000;
const TWO_POW_24 = 0x1000000;
const TWO_POW_30 = 0x40000000;
const TWO_POW_32 = 0x100000000;
const TWO_POW_48 = 0x1000000000000;

/**
 * Reads SCALE-encoded bytes (docs/protocol.md#scale-encoding). It is strict: every method throws DecodeError if the bytes
 * end early, are not minimal or exceed their range. Nothing is allocated before it is known that the bytes are there.
 */
export class ScaleReader {
  readonly bytes: Buffer;
  position = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get remaining(): number {
    return this.bytes.length - this.position;
  }

  /** Skips `length` bytes. Returns the position of the first. */
  skip(length: number, expected: string): number {
    const start = this.position;
    if (length > this.bytes.length - start) this.fail(expected, `${this.remaining} of ${length} bytes`);
    this.position = start + length;
    return start;
  }

  u8(expected: string): number {
    const { bytes, position } = this;
    if (position >= bytes.length) this.fail(expected, 'the end');
    this.position = position + 1;
    return bytes[position]!;
  }

  u16(expected: string): number {
    const at = this.skip(2, expected);
    const { bytes } = this;
    return bytes[at]! + bytes[at + 1]! * 0x100;
  }

  u32(expected: string): number {
    return this.#u32At(this.skip(4, expected));
  }

  u128(expected: string): bigint {
    const at = this.skip(16, expected);
    return this.bytes.readBigUInt64LE(at) + (this.bytes.readBigUInt64LE(at + 8) << 64n);
  }

  /** `length` bytes as lower-case hex. */
  hex(length: number, expected: string): string {
    const start = this.skip(length, expected);
    return this.bytes.toString('hex', start, start + length);
  }

  /** A byte vector as lower-case hex. */
  byteVector(expected: string): string {
    return this.hex(this.length(expected), expected);
  }

  /** The length of a vector: a compact u32, and never more than the bytes that follow (an element has at least one). */
  length(expected: string): number {
    const start = this.position;
    const length = this.compactNumber(4, expected);
    if (length > this.remaining) this.fail(expected, `a length of ${length} with ${this.remaining} bytes left`, start);
    return length;
  }

  /** A vector, element by element. */
  vector<T>(read: (reader: ScaleReader) => T, expected: string): T[] {
    const length = this.length(expected);
    const elements: T[] = [];
    for (let i = 0; i < length; i++) elements.push(read(this));
    return elements;
  }

  /** A compact integer of at most `maxBytes` (4 or 8) bytes that a number holds exactly. */
  compactNumber(maxBytes: 4 | 8, expected: string): number {
    const start = this.position;
    const first = this.u8(expected);
    if ((first & 3) !== 3) return this.#shortCompact(first, expected);
    const length = this.#longCompact(first, maxBytes, expected);
    const low = this.#low48(length);
    if (length <= 6) return low;
    const high = this.#high(length);
    if (length > 7 || high > 31n) this.fail(expected, 'an integer above 2^53 - 1', start);
    return low + Number(high) * TWO_POW_48;
  }

  /** A compact integer of at most `maxBytes` (8 or 16) bytes. */
  compact(maxBytes: 8 | 16, expected: string): bigint {
    const first = this.u8(expected);
    if ((first & 3) !== 3) return BigInt(this.#shortCompact(first, expected));
    const length = this.#longCompact(first, maxBytes, expected);
    const low = BigInt(this.#low48(length));
    return length <= 6 ? low : low + (this.#high(length) << 48n);
  }

  /** Refuses trailing bytes. */
  end(expected: string): void {
    if (this.position !== this.bytes.length) this.fail(`the end of ${expected}`, `${this.remaining} more bytes`);
  }

  fail(expected: string, found: string, offset: number = this.position): never {
    throw new DecodeError(offset, expected, found);
  }

  #u32At(at: number): number {
    const { bytes } = this;
    return bytes[at]! + bytes[at + 1]! * 0x100 + bytes[at + 2]! * TWO_POW_16 + bytes[at + 3]! * TWO_POW_24;
  }

  /** Reads a compact integer of the modes 0 to 2: one, two and four bytes. */
  #shortCompact(first: number, expected: string): number {
    const { bytes } = this;
    if ((first & 3) === 0) return first >>> 2;
    if ((first & 3) === 1) {
      const at = this.skip(1, expected);
      const value = (first >>> 2) + bytes[at]! * 0x40;
      if (value < 0x40) this.#notMinimal(expected, at - 1);
      return value;
    }
    const at = this.skip(3, expected) - 1;
    const value = this.#u32At(at) >>> 2;
    if (value < 0x4000) this.#notMinimal(expected, at);
    return value;
  }

  /** Mode 3: moves behind the value and gives how many bytes it has, checked to be minimal. */
  #longCompact(first: number, maxBytes: number, expected: string): number {
    const length = (first >>> 2) + 4;
    if (length > maxBytes) this.fail(expected, `an integer of ${length} bytes`, this.position - 1);
    const start = this.skip(length, expected);
    const { bytes } = this;
    if (length === 4 ? this.#u32At(start) < TWO_POW_30 : bytes[start + length - 1] === 0) {
      this.#notMinimal(expected, start - 1);
    }
    return length;
  }

  /** The lower six bytes of the `length` bytes before the cursor. */
  #low48(length: number): number {
    const { bytes } = this;
    const at = this.position - length;
    const low = this.#u32At(at);
    if (length === 4) return low;
    if (length === 5) return low + bytes[at + 4]! * TWO_POW_32;
    return low + (bytes[at + 4]! + bytes[at + 5]! * 0x100) * TWO_POW_32;
  }

  /** Returns the part above the lower six bytes of the `length` (7 or more) bytes before the cursor. */
  #high(length: number): bigint {
    const { bytes, position } = this;
    const start = position - length + 6;
    let high = 0n;
    let end = position;
    while (end - start > 6) {
      end -= 6;
      high = (high << 48n) + BigInt(bytes.readUIntLE(end, 6));
    }
    return (high << BigInt((end - start) * 8)) + BigInt(bytes.readUIntLE(start, end - start));
  }

  #notMinimal(expected: string, offset: number): never {
    this.fail(expected, 'an integer in a longer form than it needs', offset);
  }
}

/** Reads one value, which must use all bytes. */
export function decodeWhole<T>(bytes: Uint8Array, read: (reader: ScaleReader) => T, expected: string): T {
  const reader = new ScaleReader(bytes);
  const value = read(reader);
  reader.end(expected);
  return value;
}
