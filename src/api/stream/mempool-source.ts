/**
 * What the stream needs to know of the mempool; without it there are only events of the chain.
 */
import type { Destination, Id } from '../../chain/types.ts';

/** `local`: handed to our node; `remote`: from its peers, or found in its list. */
export type Origin = 'local' | 'remote';

export interface SeenTransaction {
  readonly id: Id;
  readonly origin: Origin;
  /** Whose history it will belong to, as far as is known. */
  readonly addresses: Iterable<Destination>;
  /** The tokens that it has to do with, as far as is known. */
  readonly tokens: Iterable<Id>;
  /**
   * The base transaction as `renderTransaction` makes it: pools, delegations and orders are read from it. Called only
   * while somebody asks for those; an input that is not resolved may have `utxo` null.
   */
  readonly text: () => string;
}

export type MempoolEvent =
  /** Once for each stay in the mempool. */
  | { readonly type: 'seen'; readonly transaction: SeenTransaction }
  /** Left without a block. */
  | { readonly type: 'dropped'; readonly id: Id }
  /** Some were missed: the node was unreachable, or its list was incomplete. */
  | { readonly type: 'lost' };

export interface MempoolEvents {
  /** Calls `listener`, which never throws, with each event until the function that it gives is called. */
  listen(listener: (event: MempoolEvent) => void): () => void;
}
