/**
 * The holders of currencies after blocks, so that only the first page of such a list is expensive. A snapshot counts for the
 * client that asked for it first, in the resource `snapshot_bytes`. It never changes: its key names the block.
 */

import type { Currency } from '../../chain/currency.ts';
import type { Destination } from '../../chain/types.ts';
import type { PointBlockRow } from '../../store/queries/blocks/chain-points.ts';
import type { HolderSortKey } from '../../store/queries/tokens/holders.ts';
import { listHoldersAt, type PastHolder, type PastHolderRow } from '../../store/queries/tokens/holders-at-height.ts';
import { SnapshotChanged } from '../../store/read/one-snapshot.ts';
import type { QueryRunner } from '../../store/read/query.ts';
import type { Caller } from '../resources/caller.ts';
import type { Holding, Holdings } from '../resources/reclaimable-holdings.ts';

/** Does a holder come after a sort key? */
export function isHolderAfter({ balance, owner }: Pick<PastHolder, 'balance' | 'owner'>, key: HolderSortKey): boolean {
  return balance < key.amount || (balance === key.amount && owner > key.owner);
}

/** The memory of a snapshot besides its lines. */
const FIXED_SIZE = 1_024;

/** The holders, the largest first, ties by owner: as lines of text, which take a fifth of the memory of objects. */
class HolderSnapshot {
  readonly #lines: Buffer;
  /** The beginning of each line, and the end of the last. */
  readonly #offsets: Uint32Array;

  constructor(rows: readonly PastHolder[]) {
    const lines = rows.map(({ owner, balance, locked }) => `${owner} ${balance} ${locked}`);
    this.#offsets = new Uint32Array(lines.length + 1);
    for (const [i, line] of lines.entries()) this.#offsets[i + 1] = this.#offsets[i]! + line.length;
    this.#lines = Buffer.from(lines.join(''), 'latin1');
  }

  /** In bytes. */
  get size(): number {
    return this.#lines.length + this.#offsets.byteLength + FIXED_SIZE;
  }

  get length(): number {
    return this.#offsets.length - 1;
  }

  /** Returns the holders after a sort key; null for the first ones. */
  after(key: HolderSortKey | null, limit: number): PastHolder[] {
    const first = key === null ? 0 : this.#countUpTo(key);
    const count = Math.max(0, Math.min(limit, this.length - first));
    return Array.from({ length: count }, (_, i) => this.#at(first + i));
  }

  #at(i: number): PastHolder {
    const line = this.#lines.toString('latin1', this.#offsets[i], this.#offsets[i + 1]);
    const [owner, balance, locked] = line.split(' ') as [Destination, string, string];
    return { owner, balance: BigInt(balance), locked: BigInt(locked) };
  }

  /** The number of holders up to a sort key, by a binary search. */
  #countUpTo(key: HolderSortKey): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isHolderAfter(this.#at(middle), key)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

export class HolderSnapshots {
  readonly #holdings: Holdings;
  readonly #known = new Map<string, HolderSnapshot>();
  readonly #inProgress = new Map<string, Promise<HolderSnapshot>>();

  constructor(holdings: Holdings) {
    this.#holdings = holdings;
  }

  /** Returns the holders of a currency after a block. Throws {@link SnapshotChanged} and the errors of the store. */
  async read(
    store: QueryRunner,
    caller: Caller,
    currency: Currency,
    block: Pick<PointBlockRow, 'height' | 'block_id'>,
  ): Promise<HolderSnapshot> {
    const key = `${currency} ${block.block_id}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    // If it fails for another client, this one asks itself.
    const shared = await this.#inProgress.get(key)?.catch(() => null);
    if (shared) return shared;
    const made = this.#make(store, currency, block);
    this.#inProgress.set(key, made);
    try {
      const snapshot = await made;
      this.#keep(key, caller, snapshot);
      return snapshot;
    } finally {
      if (this.#inProgress.get(key) === made) this.#inProgress.delete(key);
    }
  }

  async #make(...wanted: Parameters<typeof listHoldersAt>): Promise<HolderSnapshot> {
    const { rows } = await listHoldersAt(...wanted);
    // A reorganisation removed the block after it was found.
    if (rows.length === 0) throw new SnapshotChanged();
    return new HolderSnapshot(rows.filter((row): row is PastHolderRow & PastHolder => row.owner !== null));
  }

  #keep(key: string, { client }: Caller, snapshot: HolderSnapshot): void {
    if (this.#known.has(key)) return;
    this.#known.set(key, snapshot);
    const holding: Holding = { client, amount: snapshot.size, takeBack: () => this.#known.delete(key) };
    this.#holdings.add(holding);
  }
}
