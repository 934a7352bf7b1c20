/**
 * VRF public keys: 32 bytes that must be a point of ristretto255, or a node refuses to decode the pool that names them.
 *
 * No secret key is needed to simulate, so bytes are drawn until they are a point (about one of four is).
 */
import { isRistrettoPoint } from '../../chain/curve.ts';
import type { Hex } from '../../chain/types.ts';
import type { Random } from './random.ts';

/** A VRF public key: kind byte and 32 bytes. */
export function vrfPublicKey(random: Random): Hex {
  for (;;) {
    const bytes = Buffer.from(random.hex(32), 'hex');
    bytes[0]! &= 0xfe;
    bytes[31]! &= 0x7f;
    const point = bytes.toString('hex');
    if (isRistrettoPoint(point)) return `00${point}`;
  }
}

/** What a staker reveals: kind byte, pre-output, and a proof of two scalars below the group order (2^252 and a bit). */
export function vrfData(random: Random): Hex {
  const bytes = Buffer.from(random.hex(96), 'hex');
  bytes[63]! &= 0x0f;
  bytes[95]! &= 0x0f;
  return `00${bytes.toString('hex')}`;
}
