import type { FeeRatePoint } from '../chain/fee-rate.ts';
import type { Atoms, Id } from '../chain/types.ts';
import { feeRatePoints } from './fee-rates.ts';
import type { MempoolTransaction } from './served-node-interface.ts';

/** The node's own default, in bytes. */
export const MEMPOOL_SIZE_LIMIT_BYTES = 300_000_000;

/** The transactions that wait for a block, in the order in which they came. */
export class DevnetMempool {
  readonly #byId = new Map<Id, MempoolTransaction & { readonly fee: Atoms }>();
  #bytes = 0;

  /** The encoded transactions together, in bytes. */
  get sizeBytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Adds a transaction; a known one stays unchanged. Returns false if there is no room. */
  add(id: Id, bytes: Uint8Array, fee: Atoms): boolean {
    if (this.#byId.has(id)) return true;
    if (this.#bytes + bytes.length > MEMPOOL_SIZE_LIMIT_BYTES) return false;
    this.#byId.set(id, { id, bytes, fee });
    this.#bytes += bytes.length;
    return true;
  }

  /** Puts transactions of removed blocks before all others; known ones move. */
  putBack(transactions: readonly MempoolTransaction[]): void {
    const others = [...this.#byId.values()];
    this.remove([...this.#byId.keys()]);
    for (const { id, bytes } of transactions) this.add(id, bytes, 0n);
    for (const { id, bytes, fee } of others) this.add(id, bytes, fee);
  }

  /** Ids that are not there are passed over. */
  remove(ids: Iterable<Id>): void {
    for (const id of ids) {
      this.#bytes -= this.#byId.get(id)?.bytes.length ?? 0;
      this.#byId.delete(id);
    }
  }

  get(id: Id): MempoolTransaction | undefined {
    return this.#byId.get(id);
  }

  transactions(): MempoolTransaction[] {
    return [...this.#byId.values()];
  }

  feeRatePoints(): FeeRatePoint[] {
    return feeRatePoints([...this.#byId.values()].map(({ bytes, fee }) => ({ sizeBytes: bytes.length, fee })));
  }
}
