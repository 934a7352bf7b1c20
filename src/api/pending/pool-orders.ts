/** The pending transactions in the orders of lists, sorted once for each state of the pool. */
import { inDependencyOrder } from '../../mempool/dependency-order.ts';
import type { PendingPool } from '../../mempool/pool.ts';
import type { PendingTransaction } from '../../mempool/transaction.ts';

/** `insertion`: as the node accepted them; `dependency`: parents before their children. */
export const POOL_ORDERS = ['insertion', 'dependency'] as const;
export type PoolOrder = (typeof POOL_ORDERS)[number];

export class PoolOrders {
  #pool: PendingPool | null = null;
  #revision = -1;
  #sorted: Partial<Record<PoolOrder, readonly PendingTransaction[]>> = {};

  of(pool: PendingPool, order: PoolOrder): readonly PendingTransaction[] {
    if (this.#pool !== pool || this.#revision !== pool.revision) {
      this.#pool = pool;
      this.#revision = pool.revision;
      this.#sorted = {};
    }
    const all = pool.transactions();
    this.#sorted[order] ??= order === 'insertion' ? [...all] : inDependencyOrder(all);
    return this.#sorted[order];
  }
}
