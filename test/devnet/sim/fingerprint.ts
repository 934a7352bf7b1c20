/** All that a world holds, as text: two worlds with the same text are the same to everybody who asks. */
import { hash } from '../../../src/chain/hash.ts';
import type { SimulatedWorld } from '../../../src/devnet/sim/world.ts';

export function fingerprint(world: SimulatedWorld): string {
  const parts: unknown[] = [
    world.tipId,
    world.height,
    world.timestamps,
    world.medianTime,
    world.statistics,
    // In their order: it decides what is drawn next.
    [world.coins, world.nftUtxos, world.contracts].map((bag) => bag.items.map(({ key }) => key)),
    [world.livePools, world.delegationBag, world.tokenBag, world.openOrders].map((bag) =>
      bag.items.map(({ id }: { id: string }) => id),
    ),
    sorted(world.utxos.values(), ({ key, amount, currency }) => [key, amount, currency]),
    sorted(world.pools.values(), (pool) => ({ ...pool, delegations: pool.delegations.map(({ id }) => id) })),
    sorted(world.delegations.values(), ({ pool, ...delegation }) => ({ ...delegation, pool: pool.id })),
    sorted(world.tokens.values(), ({ utxos, ...token }) => ({ ...token, utxos: utxos.items.map(({ key }) => key) })),
    sorted(world.nfts.values(), (nft) => nft),
    sorted(world.orders.values(), (order) => order),
  ];
  return hash(Buffer.from(textOf(parts)));
}

function sorted<T>(values: Iterable<T>, view: (value: T) => unknown): string[] {
  return [...values].map((value) => textOf(view(value))).sort();
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? `${part}n` : part));
}
