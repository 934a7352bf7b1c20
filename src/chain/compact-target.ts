/** Compact targets: 256-bit numbers in 32 bits (docs/protocol.md#compact-targets); the difficulty of a target. */

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

/** Returns the target of a compact form. Throws a RangeError if it is negative or does not fit 256 bits. */
export function targetFromCompact(compact: number): bigint {
  const fault = compactTargetFault(compact);
  if (fault !== undefined) throw new RangeError(`compact target ${hexOf(compact)}: ${fault}`);
  const { size, word } = partsOf(compact);
  return size <= 3 ? BigInt(word) : BigInt.asUintN(256, BigInt(word) << BigInt(8 * (size - 3)));
}

/** Returns the target of a compact form as `0x` and 64 hex digits. Throws as `targetFromCompact` does. */
export function compactTargetHex(compact: number): string {
  return targetHex(targetFromCompact(compact));
}

function targetHex(target: bigint): string {
  return `0x${target.toString(16).padStart(64, '0')}`;
}

/** The targets with which mainnet and testnet began to stake, and with which regtest begins to mine. */
export const INITIAL_TARGETS = { PoS: 0x26n << 192n, PoW: targetFromCompact(0x207fffff) } as const;

export const DIFFICULTY_DECIMALS = 6;

/** The target of a block, and its difficulty (docs/protocol.md#difficulty). */
export interface BlockTarget {
  /** `0x` and 64 hex digits. */
  readonly target: string;
  /** How many times as small as the initial target it is, in millionths, rounded down; null for a target of 0. */
  readonly difficulty: bigint | null;
}

export function blockTargetOf(target: bigint, initial: bigint): BlockTarget {
  const difficulty = target === 0n ? null : (initial * 10n ** BigInt(DIFFICULTY_DECIMALS)) / target;
  return { target: targetHex(target), difficulty };
}

function hexOf(compact: number): string {
  return compact.toString(16).padStart(8, '0');
}
