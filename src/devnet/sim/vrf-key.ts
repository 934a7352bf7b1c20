/**
 * VRF public keys: 32 bytes that must be a point of ristretto255, or a node refuses to decode the pool that names them.
 *
 * No secret key is needed to simulate, so bytes are drawn until they are a point (about one of four is).
 */
import type { Hex } from '../../chain/types.ts';
import type { Random } from './random.ts';

const P = 2n ** 255n - 19n;
const SQRT_M1 = power(2n, (P - 1n) / 4n);
/** Edwards curve constant −121665/121666. */
const D = mod(-121665n * power(121666n, P - 2n));

function mod(value: bigint): bigint {
  const rest = value % P;
  return rest < 0n ? rest + P : rest;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let factor = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * factor) % P;
    factor = (factor * factor) % P;
  }
  return result;
}

/** 1/√x, or null if x is no square. */
function inverseRoot(x: bigint): bigint | null {
  const root = mod(x ** 3n * power(mod(x ** 7n), (P - 5n) / 8n));
  const check = mod(x * root * root);
  if (check === 1n) return root;
  if (check === P - 1n) return mod(root * SQRT_M1);
  return null;
}

const isNegative = (value: bigint): boolean => (value & 1n) === 1n;

/** Whether 32 bytes decode as a point of ristretto255 (RFC 9496, section 4.3.1). */
export function isRistrettoPoint(bytes: Uint8Array): boolean {
  const s = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  if (s >= P || isNegative(s)) return false;
  const square = mod(s * s);
  const u1 = mod(1n - square);
  const u2 = mod(1n + square);
  const v = mod(-D * u1 * u1 - u2 * u2);
  const root = inverseRoot(mod(v * u2 * u2));
  if (root === null) return false;
  const denominatorX = mod(root * u2);
  const denominatorY = mod(root * denominatorX * v);
  const doubled = mod(2n * s * denominatorX);
  const x = isNegative(doubled) ? P - doubled : doubled;
  const y = mod(u1 * denominatorY);
  return y !== 0n && !isNegative(mod(x * y));
}

/** A VRF public key: kind byte and 32 bytes. */
export function vrfPublicKey(random: Random): Hex {
  for (;;) {
    const bytes = Buffer.from(random.hex(32), 'hex');
    bytes[0]! &= 0xfe;
    bytes[31]! &= 0x7f;
    if (isRistrettoPoint(bytes)) return `00${bytes.toString('hex')}`;
  }
}

/** What a staker reveals: kind byte, pre-output, and a proof of two scalars below the group order (2^252 and a bit). */
export function vrfData(random: Random): Hex {
  const bytes = Buffer.from(random.hex(96), 'hex');
  bytes[63]! &= 0x0f;
  bytes[95]! &= 0x0f;
  return `00${bytes.toString('hex')}`;
}
