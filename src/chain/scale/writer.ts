import { EncodeError } from './codec-errors.ts';

const TWO_POW_30 = 0x40000000;

/**
 * Writes SCALE-encoded values to a growing buffer (docs/protocol.md#scale-encoding). Throws EncodeError for values that
 * have no encoding.
 */
export class ScaleWriter {
  #bytes: Buffer;
  #length = 0;

  constructor(expectedLength = 256) {
    this.#bytes = Buffer.allocUnsafe(expectedLength);
  }

  u8(value: number): void {
    checkRange(value, 0xff);
    const at = this.#take(1);
    this.#bytes[at] = value;
  }

  u16(value: number): void {
    checkRange(value, 0xffff);
    const at = this.#take(2);
    this.#bytes.writeUInt16LE(value, at);
  }

  u32(value: number): void {
    checkRange(value, 0xffffffff);
    const at = this.#take(4);
    this.#bytes.writeUInt32LE(value, at);
  }

  u128(value: bigint): void {
    checkBits(value, 128);
    const at = this.#take(16);
    this.#bytes.writeBigUInt64LE(BigInt.asUintN(64, value), at);
    this.#bytes.writeBigUInt64LE(value >> 64n, at + 8);
  }

  /** Exactly `length` bytes given as hex. */
  hex(text: string, length: number): void {
    if (text.length !== length * 2) throw new EncodeError(`expected ${length} bytes as hex, got "${text}"`);
    const at = this.#take(length);
    if (this.#bytes.write(text, at, length, 'hex') !== length) throw new EncodeError(`not hex: "${text}"`);
  }

  /** A byte vector given as hex. */
  byteVector(text: string): void {
    const length = Math.ceil(text.length / 2);
    this.compact(length);
    this.hex(text, length);
  }

  vector<T>(elements: readonly T[], write: (writer: ScaleWriter, element: T) => void): void {
    this.compact(elements.length);
    for (const element of elements) write(this, element);
  }

  /** A compact integer; `bits` is the width of its type. */
  compact(value: bigint | number, bits: 32 | 64 | 128 = 32): void {
    if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new EncodeError(`${value} is not an integer`);
    if (value >= 0 && value < TWO_POW_30) this.#shortCompact(Number(value));
    else this.#longCompact(BigInt(value), bits);
  }

  /** Returns the written bytes. The writer must not be used afterwards. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #shortCompact(value: number): void {
    if (value < 0x40) this.u8(value * 4);
    else if (value < 0x4000) this.u16(value * 4 + 1);
    else this.u32(value * 4 + 2);
  }

  #longCompact(value: bigint, bits: number): void {
    checkBits(value, bits);
    if (value <= Number.MAX_SAFE_INTEGER) return this.#safeCompact(Number(value));
    const digits = value.toString(16);
    const length = Math.ceil(digits.length / 2);
    this.u8((length - 4) * 4 + 3);
    const at = this.#take(length);
    this.#bytes.write(digits.padStart(length * 2, '0'), at, length, 'hex');
    this.#bytes.subarray(at, at + length).reverse();
  }

  /** The long form of an integer that a number holds exactly: the lowest byte first, at least four. */
  #safeCompact(value: number): void {
    const start = this.#take(1);
    let length = 0;
    for (let rest = value; length < 4 || rest > 0; rest = Math.floor(rest / 256)) {
      const at = this.#take(1);
      this.#bytes[at] = rest;
      length++;
    }
    this.#bytes[start] = (length - 4) * 4 + 3;
  }

  /** Makes room for `length` bytes. Returns the position of the first. */
  #take(length: number): number {
    const at = this.#length;
    this.#length = at + length;
    if (this.#length > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.#length, this.#bytes.length * 2));
      this.#bytes.copy(grown, 0, 0, at);
      this.#bytes = grown;
    }
    return at;
  }
}

/** Encodes one value; the counterpart of `decodeWhole`. Throws EncodeError. */
export function encodeToBuffer<T>(
  write: (writer: ScaleWriter, value: T) => void,
  value: T,
  expectedLength?: number,
): Buffer {
  const writer = new ScaleWriter(expectedLength);
  write(writer, value);
  return writer.finish();
}

function checkRange(value: number, max: number): void {
  if (!Number.isInteger(value) || value < 0 || value > max)
    throw new EncodeError(`${value} is not within 0 and ${max}`);
}

function checkBits(value: bigint, bits: number): void {
  if (value < 0n || value >> BigInt(bits) !== 0n) throw new EncodeError(`${value} does not fit ${bits} bits`);
}
