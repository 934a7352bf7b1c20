/**
 * Merkle trees over a block's reward and transactions (docs/protocol.md#merkle-trees). Leaves and nodes are hashes as
 * hex.
 */
import { hash } from './hash.ts';
import { EncodeError } from './scale/codec-errors.ts';
import type { Hex } from './types.ts';

/** Returns the root of a tree with these leaves, at least one. */
export function merkleRoot(leaves: readonly Hex[]): Hex {
  let level = padded(leaves);
  while (level.length > 1) level = parents(level);
  return level[0]!;
}

/** The levels of a tree, from the padded leaves to the root. */
export type MerkleTree = readonly (readonly Hex[])[];

/** Returns the tree with these leaves, at least one. */
export function merkleTree(leaves: readonly Hex[]): MerkleTree {
  const levels = [padded(leaves)];
  for (let top = levels[0]!; top.length > 1; levels.push(top)) top = parents(top);
  return levels;
}

/**
 * The siblings from the leaf at `index` up to the root, root excluded. Transaction i of a block is leaf i + 1. Throws a
 * RangeError where the tree has no such leaf; the padding counts as leaves.
 */
export function merklePath(tree: MerkleTree, index: number): Hex[] {
  if (!Number.isInteger(index) || index < 0 || index >= tree[0]!.length) {
    throw new RangeError(`leaf ${index} of ${tree[0]!.length}`);
  }
  return tree.slice(0, -1).map((level, depth) => level[(index >> depth) ^ 1]!);
}

/** Pads the leaves to a power of two: each padding leaf is the hash of the leaf before it. */
function padded(leaves: readonly Hex[]): Hex[] {
  if (leaves.length === 0) throw new EncodeError('a merkle tree without leaves');
  const level = leaves.slice();
  while ((level.length & (level.length - 1)) !== 0) level.push(hash(Buffer.from(level[level.length - 1]!, 'hex')));
  return level;
}

function parents(level: readonly Hex[]): Hex[] {
  const above: Hex[] = [];
  for (let i = 0; i < level.length; i += 2) above.push(parent(level[i]!, level[i + 1]!));
  return above;
}

const pair = Buffer.alloc(64);

function parent(left: Hex, right: Hex): Hex {
  pair.write(left, 0, 32, 'hex');
  pair.write(right, 32, 32, 'hex');
  return hash(pair);
}
