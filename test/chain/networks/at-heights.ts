import type { Network } from '../../../src/chain/networks/network.ts';

/** What a rule of a network says at each of the heights. */
export function atHeights<T>(
  ruleAt: (network: Network, height: number) => T,
  network: Network,
  heights: number[],
): T[] {
  return heights.map((height) => ruleAt(network, height));
}
