/**
 * The addresses that the newest blocks touched. Most wallets ask after each block, and few of their addresses are in it: so a
 * wallet looks up only those that are, and often none.
 */
import type { Destination, Id } from '../chain/types.ts';
import { getOwnersTouchedSince } from '../store/queries/wallets/wallet-changes.ts';
import { isSameTip } from '../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../store/read/query.ts';

/** The most blocks between a cursor and the tip. */
const MAX_BLOCKS = 10;
/** The most addresses that are read; with more, a wallet looks up all of its own. */
const MAX_OWNERS = 5_000;

export type TouchedOwners = ReadonlySet<Destination>;

/** May the addresses that were touched after a block of this height be known? */
export function isRecentHeight(tip: SnapshotTip, height: number): boolean {
  return tip.height - height <= MAX_BLOCKS;
}

/** After the tip there is nothing. */
const NOBODY: TouchedOwners = new Set();

/** Caches, for the newest tip that was read, the owners that each number of newest blocks touched; all wallets share them. */
export class RecentlyTouchedOwners {
  #tip: SnapshotTip | null = null;
  /** By the height and id of the block after which they were touched. */
  readonly #byBlock = new Map<string, TouchedOwners>();

  /** Returns the addresses that were touched after a block, up to this tip; undefined if they are not known. */
  get(tip: SnapshotTip, height: number, blockId: Id): TouchedOwners | undefined {
    if (height === tip.height && blockId === tip.id) return NOBODY;
    return isSameTip(tip, this.#tip) ? this.#byBlock.get(`${height} ${blockId}`) : undefined;
  }

  /** Reads them, and the tip that they are of. Null if they are too many, or the block is too far below, or unknown. */
  async read(
    store: QueryRunner,
    height: number,
    blockId: Id,
  ): Promise<{ readonly tip: SnapshotTip; readonly owners: TouchedOwners | null }> {
    const { tip, rows } = await getOwnersTouchedSince(store, height, blockId, MAX_BLOCKS, MAX_OWNERS);
    const [row] = rows;
    if (row === undefined || row.count >= MAX_OWNERS) return { tip, owners: null };
    const owners = new Set(row.owners.split(','));
    if (this.#tip === null || this.#tip.revision <= tip.revision) {
      if (!isSameTip(tip, this.#tip)) this.#byBlock.clear();
      this.#tip = tip;
      this.#byBlock.set(`${height} ${blockId}`, owners);
    }
    return { tip, owners };
  }
}
