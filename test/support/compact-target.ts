/** The way back to compact targets, which the indexer only reads. */

/** The compact form of a target of at most 256 bits; lower digits are lost. */
export function compactFromTarget(target: bigint): number {
  if (target < 0n || target >> 256n !== 0n) throw new RangeError(`target ${target} does not fit 256 bits`);
  let size = target === 0n ? 0 : Math.ceil(target.toString(16).length / 2);
  let mantissa = Number(size <= 3 ? target << BigInt(8 * (3 - size)) : target >> BigInt(8 * (size - 3)));
  if ((mantissa & 0x00800000) !== 0) {
    mantissa >>>= 8;
    size += 1;
  }
  return ((size << 24) | mantissa) >>> 0;
}
