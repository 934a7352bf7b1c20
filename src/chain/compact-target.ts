/** Compact targets: 256-bit numbers in 32 bits (docs/protocol.md#compact-targets). */

/** A compact target that stands for no 256-bit number. */
export class CompactTargetError extends Error {
  override readonly name = 'CompactTargetError';
}

/** Returns the fault of a compact target; undefined for a valid one, a number of 256 bits. */
export function compactTargetFault(compact: number): 'it is negative' | 'it does not fit 256 bits' | undefined {
  const { size, word } = partsOf(compact);
  if (word === 0) return undefined;
  if ((compact & 0x00800000) !== 0) return 'it is negative';
  const fits = size <= 34 && (word <= 0xff || size <= 33) && (word <= 0xffff || size <= 32);
  return fits ? undefined : 'it does not fit 256 bits';
}

function partsOf(compact: number): { readonly size: number; readonly word: number } {
  const size = compact >>> 24;
  const mantissa = compact & 0x007fffff;
  return { size, word: size <= 3 ? mantissa >>> (8 * (3 - size)) : mantissa };
}

/** Returns the target of a compact form. Throws CompactTargetError if it is negative or does not fit 256 bits. */
export function targetFromCompact(compact: number): bigint {
  const fault = compactTargetFault(compact);
  if (fault !== undefined) throw new CompactTargetError(`compact target ${hexOf(compact)}: ${fault}`);
  const { size, word } = partsOf(compact);
  return size <= 3 ? BigInt(word) : BigInt.asUintN(256, BigInt(word) << BigInt(8 * (size - 3)));
}

/** Returns the target of a compact form as `0x` and 64 hex digits. Throws CompactTargetError as `targetFromCompact` does. */
export function compactTargetHex(compact: number): string {
  return `0x${targetFromCompact(compact).toString(16).padStart(64, '0')}`;
}

function hexOf(compact: number): string {
  return compact.toString(16).padStart(8, '0');
}
