/** Merkle paths as a client checks them. */
import { hash } from '../../src/chain/hash.ts';
import type { Hex } from '../../src/chain/types.ts';

/** Does the path lead from the leaf at `index` to the root? */
export function merkleVerify(leaf: Hex, index: number, path: readonly Hex[], root: Hex): boolean {
  let node = leaf;
  let at = index;
  for (const sibling of path) {
    node = at % 2 === 0 ? parent(node, sibling) : parent(sibling, node);
    at = Math.floor(at / 2);
  }
  return at === 0 && node === root;
}

function parent(left: Hex, right: Hex): Hex {
  return hash(Buffer.from(left + right, 'hex'));
}
